"""Readable secondary replicas, which may lag behind each other.

A listener routes each connection to one of the readable secondaries, and one of them may be behind another. So a reader
that resumes from an LSN which another connection returned waits until its own replica has that LSN; otherwise it would
take missing rows for read ones. A connection stays with its replica, whose log only grows, so one wait is enough.
"""

from __future__ import annotations

import time
from typing import Final

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.connection import Session, connect
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import RetriableError

PATIENCE_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.2


def connect_at(settings: SqlServerSettings, database: str, lsn: Lsn, patience: float | None = None) -> Session:
    """A session that sees what is captured up to an LSN. Raises as `connect` and `wait_for` do."""
    session = connect(settings, database)
    try:
        wait_for(session, lsn, patience)
    except BaseException:
        session.close()
        raise
    return session


def has(session: Session, lsn: Lsn) -> bool:
    """Whether the session sees what is captured up to an LSN; a primary always does, or has lost it."""
    return not session.is_read_only or catalog.max_lsn(session) >= lsn


def wait_for(session: Session, lsn: Lsn, patience: float | None = None) -> None:
    """Wait until the session's replica has what was captured up to an LSN, at most `patience` seconds.

    None: `PATIENCE_SECONDS`.

    Raises:
        RetriableError: it is further behind.

    """
    if not session.is_read_only:
        return
    patience = PATIENCE_SECONDS if patience is None else patience
    deadline = time.monotonic() + patience
    while (head := catalog.max_lsn(session)) < lsn:
        if time.monotonic() >= deadline:
            raise RetriableError(
                f"changes of {session.database} were read up to {lsn}, and the replica that answers has had them up to {head} "
                f"only for {patience:g} s: it is behind the one that was read before. Is its redo running? If the database was "
                "restored instead, take a new snapshot into an empty target"
            )
        time.sleep(POLL_SECONDS)
