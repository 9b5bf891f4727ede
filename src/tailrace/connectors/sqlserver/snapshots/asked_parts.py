"""Requested work in the DataFrame way: SQL Server's side of `shared/snapshots/asked_parts.py`."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tailrace.connectors.base import AskedStep, Signalled, StartPoint
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.ranges import Ranges
from tailrace.connectors.change_tables.signal_tables import is_captured
from tailrace.connectors.shared.signalled_sql import require_allowed
from tailrace.connectors.shared.snapshots.asked_parts import next_step
from tailrace.connectors.shared.snapshots.gathering import Size
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.shared.snapshots.overrides import overrides_of, with_signalled
from tailrace.connectors.shared.snapshots.parts import Cuts
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.connection import quoted
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.replicas import wait_for
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.signalled_sql import T_SQL
from tailrace.connectors.sqlserver.snapshots import begun, point
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey
from tailrace.connectors.sqlserver.snapshots.parts import PartCutting
from tailrace.connectors.sqlserver.snapshots.planning import check_overrides, require_keys
from tailrace.connectors.sqlserver.snapshots.point import Sessions
from tailrace.connectors.sqlserver.snapshots.statements import ascending
from tailrace.errors import RetriableError
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.signalled.work import BlockingWork, TableWork, Work
from tailrace.snapshot.segments import Bound

LOCK_MS: Final = 1_000  # planning does not wait for transactions that write to a table
NOT_THERE: Final = NoKey("it is not captured")

log = logging.getLogger(__name__)


def asked_step(
    settings: SqlServerSettings, start: Mapping[str, Any], signalled: Signalled, wanted: int, max_bytes: int | None
) -> AskedStep | None:
    """The next parts of the requested work; see `Connector.asked_step`."""
    work = Work.from_dict(signalled)
    if work.blocking is None and (work.paused or not work.tables):
        return None
    try:
        with Sessions(settings) as sessions:
            return next_step(_Asked(settings, sessions, start), work, wanted, max_bytes)
    except RetriableError as error:  # a lock was not granted; if the server is gone, the log's planner reports it
        log.warning("what a signal asked for has to wait, and the log goes on: %s", error)
        return None


class _Asked:
    """An `AskedDatabase` over one server."""

    def __init__(self, settings: SqlServerSettings, sessions: Sessions, start: Mapping[str, Any]) -> None:
        self._settings = settings
        self._sessions = sessions
        self._start = start
        self._instances: dict[TableId, Instance] = {}  # the newest one of each table that has begun
        place = POSITIONS.restart(start, tuple(sessions.by_database))
        for name, session in sessions.by_database.items():
            wait_for(session, place[name].lsn, LOCK_MS / 1000)
            session.execute(f"SET LOCK_TIMEOUT {LOCK_MS}")
            found = (each for each in catalog.instances(session) if each.start_lsn is not None)
            self._instances |= {each.table: each for each in found}
        self._cutting = PartCutting(sessions.by_database, place, self._instances)

    @property
    def waiting(self) -> int:
        """The approximate size in bytes of the logs that are not planned yet."""
        return self._cutting.log_since()

    @property
    def is_open(self) -> bool:
        """True: a lost session is a `RetriableError`, and never an error of a table."""
        return True

    @property
    def tells(self) -> bool:
        """Whether a blocking snapshot delivers structures."""
        return self._settings.include_schema_changes

    def sizes(self, tables: Sequence[TableId]) -> Mapping[TableId, Size]:
        """The estimated sizes of tables."""
        return self._cutting.sizes(tables)

    def key(self, given: Mapping[str, Any]) -> ChunkKey:
        """Parse a key from its JSON."""
        return self._cutting.key(given)

    def next_cuts(self, table: TableId, key: ChunkKey, after: Bound | None, *, of_rows: int, most: int) -> Cuts:
        """The ends of the next ranges of about `of_rows` rows."""
        return self._cutting.next_cuts(table, key, after, of_rows=of_rows, most=most)

    def has(self, table: TableId) -> bool:
        """Whether there is such a table now."""
        session = self._sessions.by_database.get(table.catalog)
        return session is not None and session.one("SELECT OBJECT_ID(?)", quoted(table.schema, table.name)) is not None

    def is_captured(self, table: TableId) -> bool:
        """Whether its rows may be requested."""
        return table in self._instances and is_captured(SqlServerDialect(self._settings), table)

    def keys_now(self, tables: Sequence[TableWork]) -> Mapping[TableId, ChunkKey | NoKey]:
        """The keys by which tables are read, as they are now."""
        found: dict[TableId, ChunkKey | NoKey] = {}
        for each in tables:
            instance = self._instances.get(each.table)
            session = self._sessions.by_database.get(each.table.catalog)
            if instance is None or session is None:
                found[each.table] = NOT_THERE
            else:
                found[each.table] = begun.key_now(session, instance, each)
        return found

    def require_allowed(self, table: TableWork) -> None:
        """Raise `UnsupportedError` if the table has a condition and the configuration allows none."""
        require_allowed(self._settings, table.condition)

    def begun(self, table: TableWork, key: ChunkKey) -> TableWork | None:
        """A table with its key and its greatest key value now; None if it has no rows to read."""
        return begun.begun(self._sessions.by_database[table.table.catalog], table, key)

    def is_like(self, key: ChunkKey, begun: Mapping[str, Any]) -> bool:
        """Whether it is the key with which a table was begun."""
        return key == ChunkKey.from_dict(begun)

    def is_before(self, table: TableId, key: ChunkKey, bound: Bound, upto: Bound) -> bool:
        """Whether a bound lies before another one, in the database's order."""
        return len(ascending(self._sessions.by_database[table.catalog], key, [bound, upto])) > 1

    def point(self, tables: Iterable[TableId], *, warns: bool) -> tuple[StartPoint, frozenset[TableId]] | None:  # noqa: ARG002
        """A current position, and which of these tables have an instance with all changes after it."""
        place = Ranges(SqlServerDialect(self._settings)).head_after(self._start, None)
        restart, wanted = POSITIONS.restart(place, tuple(self._sessions.by_database)), list(tables)
        there: set[TableId] = set()
        for name, session in self._sessions.by_database.items():
            there.update(
                point.at(
                    session, self._settings, [table for table in wanted if table.catalog == name], restart[name].lsn
                ).tables
            )
        return StartPoint(place), frozenset(there)

    def statements(self, blocking: BlockingWork, keys: Mapping[TableId, ChunkKey | NoKey]) -> dict[str, str]:
        """The checked SELECT statements by which tables are read."""
        given = {table: text for table, text in blocking.tables.items() if table in keys}
        settings = with_signalled(self._settings, given, T_SQL)
        if settings.reads_replica:
            require_keys(keys)
        place = POSITIONS.restart(self._start, tuple(self._sessions.by_database))
        points = {
            name: point.at(session, settings, [table for table in keys if table.catalog == name], place[name].lsn)
            for name, session in self._sessions.by_database.items()
        }
        check_overrides(settings, self._sessions, points, keys)
        return {
            quoted_id(table): override.statement
            for table, override in overrides_of(settings, keys, lower_names=True).items()
        }
