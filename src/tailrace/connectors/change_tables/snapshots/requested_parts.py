"""Requested work in the DataFrame way: the change tables' side of `shared/snapshots/requested_parts.py`."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Generic

from tailrace.connectors.base import RequestedStep, Signalled, StartPoint
from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.instances import Instance, in_use
from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.change_tables.ranges import Ranges
from tailrace.connectors.change_tables.signal_tables import is_captured
from tailrace.connectors.change_tables.snapshots import point
from tailrace.connectors.change_tables.snapshots.key_proofs import KeyProofs
from tailrace.connectors.change_tables.snapshots.parts import PartRangePlanning
from tailrace.connectors.change_tables.snapshots.planned_tables import KeyT, PlannedTables
from tailrace.connectors.change_tables.snapshots.planning import check_overrides
from tailrace.connectors.change_tables.snapshots.point import Point
from tailrace.connectors.change_tables.snapshots.sessions import Sessions
from tailrace.connectors.shared.signal_sql import Dialect as SqlDialect
from tailrace.connectors.shared.signal_sql import require_allowed
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.shared.snapshots.overrides import overrides_of, with_statements_of_signal
from tailrace.connectors.shared.snapshots.part_assembly import Size
from tailrace.connectors.shared.snapshots.parts import RangeEnds
from tailrace.connectors.shared.snapshots.requested_parts import next_step
from tailrace.errors import RetriableError
from tailrace.requested_work.work import BlockingWork, TableWork, Work
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

NOT_THERE: Final = NoKey("it is not captured")
KEY_SECONDS: Final = 60.0  # for which a table that was altered lately may hold up the log, once

log = logging.getLogger(__name__)


def requested_step(
    dialect: Dialect[Session],
    tables: PlannedTables[Session, KeyT],
    sql: SqlDialect,
    start: Mapping[str, Any],
    signalled: Signalled,
    wanted: int,
    max_bytes: int | None,
    proofs: KeyProofs[Session, KeyT],
) -> RequestedStep | None:
    """The next parts of the requested work; see `Connector.requested_step`.

    `sql`: the dialect of a signal's SQL; `proofs`: the same ones from step to step.
    """
    work = Work.from_dict(signalled)
    if work.blocking is None and (work.paused or not work.tables):
        return None
    try:
        with Sessions(dialect) as sessions:
            return next_step(_RequestedParts(dialect, tables, sql, sessions, start, proofs), work, wanted, max_bytes)
    except RetriableError as error:  # a lock was not granted; if the server is gone, the log's planner reports it
        log.warning("what a signal asked for has to wait, and the log goes on: %s", error)
        return None


class _RequestedParts(Generic[Session, KeyT]):
    """An `RequestedPartsDatabase` over one server. Planning does not wait for transactions that write to a table."""

    def __init__(
        self,
        dialect: Dialect[Session],
        tables: PlannedTables[Session, KeyT],
        sql: SqlDialect,
        sessions: Sessions[Session],
        start: Mapping[str, Any],
        proofs: KeyProofs[Session, KeyT],
    ) -> None:
        self._dialect = dialect
        self._tables = tables
        self._settings = dialect.settings
        self._sql = sql
        self._sessions = sessions
        self._start = start
        self._proofs = proofs
        self._positions = Positions(dialect.lsns)
        self._instances: dict[TableId, Instance] = {}  # the newest one of each table that has begun
        self._begun: set[TableId] = set()  # whose keys were proven when they were begun
        self._keys: dict[TableId, KeyT | NoKey] = {}  # that were proven at the point
        place = self._positions.restart(start, tuple(sessions.by_database))
        for name, session in sessions.by_database.items():
            tables.hurry(session, place[name].lsn)
            found = in_use(each for each in dialect.instances(session) if each.start_lsn is not None)
            self._instances |= {each.table: each for each in found}
        self._cutting = PartRangePlanning(dialect, tables, sessions.by_database, place, self._instances)

    @property
    def unplanned_bytes(self) -> int:
        """The approximate size in bytes of the logs that are not planned yet."""
        return self._cutting.log_since()

    @property
    def is_open(self) -> bool:
        """True: a lost session is a `RetriableError`, and never an error of a table."""
        return True

    @property
    def announces_structures(self) -> bool:
        """Whether a blocking snapshot delivers structures."""
        return self._settings.include_schema_changes

    def sizes(self, tables: Sequence[TableId]) -> Mapping[TableId, Size]:
        """The estimated sizes of tables."""
        return self._cutting.sizes(tables)

    def key(self, given: Mapping[str, Any]) -> KeyT:
        """Parse a key from its JSON."""
        return self._cutting.key(given)

    def next_range_ends(self, table: TableId, key: KeyT, after: Bound | None, *, of_rows: int, most: int) -> RangeEnds:
        """The ends of the next ranges of about `of_rows` rows."""
        return self._cutting.next_range_ends(table, key, after, of_rows=of_rows, most=most)

    def has(self, table: TableId) -> bool:
        """Whether there is such a table now."""
        session = self._sessions.by_database.get(table.catalog)
        return session is not None and self._tables.has(session, table)

    def is_captured(self, table: TableId) -> bool:
        """Whether its rows may be requested."""
        return table in self._instances and is_captured(self._dialect, table)

    def keys_now(self, tables: Sequence[TableWork]) -> Mapping[TableId, KeyT | NoKey]:
        """The keys by which tables are read, as they are now."""
        found: dict[TableId, KeyT | NoKey] = {}
        # A key whose identity is stored, and is compared, is the one that was there from then on.
        self._begun |= {each.table for each in tables if each.key is not None and each.key.get("identity")}
        for each in tables:
            instance = self._instances.get(each.table)
            session = self._sessions.by_database.get(each.table.catalog)
            if instance is None or session is None:
                found[each.table] = NOT_THERE
            else:
                found[each.table] = self._tables.key_now(session, instance, each)
        return found

    def require_allowed(self, table: TableWork) -> None:
        """Raise `UnsupportedError` if the table has a condition and the configuration allows none."""
        require_allowed(self._settings, table.condition)

    def start_table(self, table: TableWork, key: KeyT) -> TableWork | None:
        """A table with its key and its greatest key value now; None if it has no rows to read."""
        return self._tables.start_table(self._sessions.by_database[table.table.catalog], table, key)

    def is_like(self, key: KeyT, begun: Mapping[str, Any]) -> bool:
        """Whether it is the key with which a table was begun."""
        return key.is_still(self._tables.key(begun))

    def is_before(self, table: TableId, key: KeyT, bound: Bound, upto: Bound) -> bool:
        """Whether a bound lies before another one, in the database's order."""
        return self._tables.is_before(self._sessions.by_database[table.catalog], key, bound, upto)

    def point(self, tables: Iterable[TableId], *, warns: bool) -> tuple[StartPoint, frozenset[TableId]] | None:  # noqa: ARG002
        """A current position, and which of these tables have an instance with all changes after it.

        It is taken when capture has passed the keys of the tables, as far as they may be younger; None: it has not yet.
        """
        wanted = list(tables)
        if not self._are_proven(wanted):
            return None
        place = Ranges(self._dialect).newest(self._start)
        found = self._points(place, wanted).values()
        return StartPoint(place), frozenset(table for each in found for table in each.tables)

    def _are_proven(self, wanted: Sequence[TableId]) -> bool:
        """Whether capture has passed the keys of tables that are not begun, and may be younger than what is captured.

        The first step waits for that, the later ones look: the log has to go on.
        """
        young: list[tuple[Session, list[TableId]]] = []
        for name, session in self._sessions.by_database.items():
            new = [table for table in wanted if table.catalog == name and table not in self._begun]
            instances = [self._instances[table] for table in new if table in self._instances]
            keys = self._tables.keys_of(session, instances)
            young.append((session, self._proofs.young(session, self._dialect.head(session), instances, keys)))
            self._keys |= keys
        passed = [self._proofs.have_passed(session, found) for session, found in young]  # noted everywhere before any wait
        return all(passed) or all(self._proofs.have_passed(session, found, KEY_SECONDS) for session, found in young)

    def statements(self, blocking: BlockingWork, keys: Mapping[TableId, KeyT | NoKey]) -> dict[str, str]:
        """The checked SELECT statements by which tables are read.

        Raises:
            RetriableError: keys are other ones than at the point.

        """
        if any(self._keys.get(table, key) != key for table, key in keys.items()):
            raise RetriableError("the keys of tables were altered while a snapshot of them was planned")
        given = {table: text for table, text in blocking.tables.items() if table in keys}
        settings = with_statements_of_signal(self._settings, given, self._sql)
        self._tables.require_keys(keys)
        points = self._points(self._start, list(keys))
        check_overrides(settings, self._tables, self._sessions, points, keys)
        return {
            quoted_id(table): override.statement
            for table, override in overrides_of(settings, keys, lower_names=self._tables.lower_names).items()
        }

    def _points(self, place: Mapping[str, Any], tables: Sequence[TableId]) -> dict[str, Point]:
        """The structures and instances of tables as of a restart position, by database."""
        restart = self._positions.restart(place, tuple(self._sessions.by_database))
        return {
            name: point.at(
                self._dialect, session, [table for table in tables if table.catalog == name], restart[name].lsn
            )
            for name, session in self._sessions.by_database.items()
        }
