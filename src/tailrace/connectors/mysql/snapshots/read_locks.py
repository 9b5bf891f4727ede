"""Read locks that are held while the log's head is queried, if `snapshot.locking.mode` and the privileges allow them.

A read lock waits for the transactions that write to the table, until their commits are finished. So everything before
the head that is queried under the lock is visible.

Source: MySQL Reference Manual, "FLUSH Statement", "LOCK TABLES and UNLOCK TABLES Statements".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Head, Server, quoted
from tailrace.connectors.mysql.connection import Connection, execute
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.errors import RetriableError
from tailrace.schema.tables import TableId

WITHOUT_TABLE_LOCKS: Final = "minimal_percona_no_table_locks"


def may_lock(settings: MySqlSettings) -> bool:
    """Whether `snapshot.locking.mode` allows any lock."""
    return settings.snapshot_locking_mode != "none"


def may_lock_tables(settings: MySqlSettings) -> bool:
    """Whether `snapshot.locking.mode` allows locks on single tables."""
    return may_lock(settings) and settings.snapshot_locking_mode != WITHOUT_TABLE_LOCKS


def read_locks(settings: MySqlSettings, tables: Iterable[TableId], *, on_all: bool = True) -> list[str]:
    """The LOCK statements that block commits to these tables; the first one blocks all commits, unless not `on_all`."""
    locks = ["FLUSH TABLES WITH READ LOCK"] if on_all and may_lock(settings) else []
    names = [f"{quoted(table.catalog)}.{quoted(table.name)} READ" for table in tables]
    if names and may_lock_tables(settings):
        locks.append(f"LOCK TABLES {', '.join(names)}")
    return locks


def head_under(connection: Connection, server: Server, lock: str, timeout_ms: int) -> Head:
    """The log's head while a lock is held; the lock is released in any case. Raises as `holding`."""
    with holding(connection, lock, timeout_ms):
        return catalog.head(connection, server)


@contextmanager
def holding(connection: Connection, lock: str, timeout_ms: int) -> Iterator[None]:
    """Hold a lock; it is released in any case.

    Raises:
        RetriableError: the lock was not granted in time.
        SourceSetupError: the user lacks the privilege.

    """
    execute(connection, f"SET SESSION lock_wait_timeout = {max(1, math.ceil(timeout_ms / 1000))}")
    try:
        _lock(connection, lock, timeout_ms)
        yield
    finally:
        if connection.open:  # otherwise the server has given it back
            execute(connection, "UNLOCK TABLES")


def _lock(connection: Connection, lock: str, timeout_ms: int) -> None:
    try:
        execute(connection, lock)
    except RetriableError as error:
        raise RetriableError(
            f"no read lock within {timeout_ms} ms ({error}): a long statement or transaction is in the way. Wait for its "
            "end, give it more time (snapshot.lock.timeout.ms), or turn GTIDs on, with which no lock is needed"
        ) from error
