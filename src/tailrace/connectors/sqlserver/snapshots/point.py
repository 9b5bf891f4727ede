"""Where a snapshot is taken: P of each database, and the captured tables with their instances there.

P is what the capture job has come to, asked for before anything is read; so everything up to P is committed and visible to
reads that wait for locks. The changes behind P are told by the newest instance of a table that began before P. An instance
that was just enabled begins where the job has read that: it is waited for.

Tables that no instance captures are left out: what changes in them while they are read nobody would ever tell.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final, Self

from tailrace.connectors.change_tables.instances import Instance, instances_at, of_instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.sqlserver import catalog, structures
from tailrace.connectors.sqlserver.connection import Session, connect
from tailrace.connectors.sqlserver.replicas import wait_for
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import RetriableError
from tailrace.schema.tables import Table, TableId

PATIENCE_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.2
SHOWN: Final = 10

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Point:
    """P of one database.

    Attributes:
        lsn: P.
        tables: the captured tables there, by name: the structure of what is captured, and the instance.

    """

    lsn: Lsn
    tables: Mapping[TableId, tuple[Table, Instance]]

    @property
    def instances(self) -> list[Instance]:
        """Those of the tables, in their order."""
        return [instance for _, instance in self.tables.values()]


class Sessions:
    """A session in each of the configuration's databases, by the names that the server has for them."""

    def __init__(self, settings: SqlServerSettings) -> None:
        self._settings = settings
        self._stack = ExitStack()
        self.by_database: dict[str, Session] = {}

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for name in self._settings.database_names:
                session = stack.enter_context(connect(self._settings, name))
                self.by_database[catalog.require_captured(session, name)] = session
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def take(session: Session, settings: SqlServerSettings) -> Point:
    """P of now in the session's database.

    Raises:
        RetriableError: an instance of a wanted table does not begin; the capture job may not be running.

    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        lsn = catalog.max_lsn(session)
        wanted = [each for each in catalog.instances(session) if settings.tables.matches(each.table)]
        waiting = sorted({str(each.table) for each in wanted} - {str(each.table) for each in wanted if each.start_lsn})
        if not waiting:
            break
        if time.monotonic() >= deadline:
            raise RetriableError(
                f"the capture job of {session.database} has not begun with {', '.join(waiting[:SHOWN])} after "
                f"{PATIENCE_SECONDS:g} s: is SQL Server Agent running, and the job cdc.{session.database}_capture?"
            )
        time.sleep(POLL_SECONDS)
    lsn = _behind_first(lsn, wanted)
    found = structures.tables(session, session.database, settings.tables.matches)
    chosen = instances_at(wanted, lsn)
    _warn_of_others(session.database, [table for table in found if table not in chosen])
    tables = {
        table: (of_instance(found[table], chosen[table]), chosen[table])
        for table in sorted(chosen)
        if table in found
    }
    return Point(lsn, tables)


def at(session: Session, tables: Sequence[TableId], lsn: Lsn) -> Point:
    """An earlier P of the session's database with those of these tables of which an instance tells all changes behind it."""
    wait_for(session, lsn)
    found = structures.tables(session, session.database, frozenset(tables).__contains__)
    chosen = instances_at([each for each in catalog.instances(session) if each.table in found], lsn)
    return Point(
        lsn, {table: (of_instance(found[table], instance), instance) for table, instance in chosen.items()}
    )


def _behind_first(lsn: Lsn, instances: Sequence[Instance]) -> Lsn:
    """P, or where the first instance of a table begins, if that lies behind it."""
    first: dict[TableId, Lsn] = {}
    for each in instances:
        if each.start_lsn is not None:
            first.setdefault(each.table, each.start_lsn)
    return max([lsn, *first.values()])


def _warn_of_others(database: str, tables: Sequence[TableId]) -> None:
    if tables:
        shown = ", ".join(f"{table.schema}.{table.name}" for table in tables[:SHOWN])
        more = f" and {len(tables) - SHOWN} more" if len(tables) > SHOWN else ""
        log.warning(
            "not captured, and therefore not in the snapshot, are in %s: %s%s. EXEC sys.sp_cdc_enable_table has a table "
            "captured; table.include.list and table.exclude.list say which are wanted",
            database,
            shown,
            more,
        )
