"""Backups: a database that is restored has the rows, the definitions and the log sequence numbers of its backup again.

Source: IBM Db2 documentation, "BACKUP DATABASE", "RESTORE DATABASE" (without rolling forward)
"""

from __future__ import annotations

import copy
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tailrace_standins.storage.log import POSITIONS

if TYPE_CHECKING:
    from tailrace_standins.db2.asn.capture import Capture
    from tailrace_standins.db2.asn.rows import Registration
    from tailrace_standins.db2.engine.server import Engine

_DEFINED: Final = ("tables", "schemas", "identities", "grants", "configuration", "statistics")


@dataclass(frozen=True, slots=True)
class Backup:
    """A state of a database: its file, its definitions, its place in the log."""

    file: sqlite3.Connection
    defined: dict[str, Any]
    registered: dict[tuple[str, str], Registration]
    position: int
    lost: int


def taken(engine: Engine, capture: Capture) -> Backup:
    """Back a database up; what is committed is captured before."""
    with capture.work, engine.store.writer:
        capture.capture()
        capture.advance()
        file = sqlite3.connect(":memory:", check_same_thread=False)
        with sqlite3.connect(engine.path) as source:
            source.backup(file)
        source.close()
        defined = {name: copy.copy(getattr(engine.database, name)) for name in _DEFINED}
        return Backup(file, defined, dict(capture.register.active), next(POSITIONS), capture.lsns.lost)


def restore(engine: Engine, capture: Capture, backup: Backup) -> None:
    """Restore a database: transactions that are open are rolled back, the log goes on from the backup's numbers."""
    with capture.work, engine.store.writer:
        for session in list(engine.sessions.values()):
            session.rollback()
        target = sqlite3.connect(engine.path, isolation_level=None)
        backup.file.backup(target)
        target.close()
        _define(engine, backup)
        capture.forget_log()
        capture.register.active.update(backup.registered)
        capture.lsns.lost = backup.lost + next(POSITIONS) - backup.position


def _define(engine: Engine, backup: Backup) -> None:
    """Put the definitions back, and take away what transactions had in the backup that were open then."""
    database = engine.database
    for name in _DEFINED:
        setattr(database, name, copy.copy(backup.defined[name]))
    database.version += 1
    session = engine.session()
    last = dict(engine.store.rows)
    for table in database.tables.values():
        engine.store.recover(session.connection, table)
    engine.store.rows.update({table: max(number, last.get(table, 0)) for table, number in engine.store.rows.items()})
    with engine.store.table_changes.committing(table.storage for table in database.tables.values()):
        session.close()
