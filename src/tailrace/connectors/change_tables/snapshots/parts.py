"""A snapshot in parts: the change tables' side of `shared/snapshots/parts.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, Generic

from tailrace.connectors.base import SnapshotStep, StartPoint
from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.instances import Instance, instances_at
from tailrace.connectors.change_tables.positions import Positions, RestartPosition
from tailrace.connectors.change_tables.snapshots.planned_tables import KeyT, PlannedTables
from tailrace.connectors.change_tables.snapshots.sessions import Sessions
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.snapshots.part_assembly import Size, limits_of
from tailrace.connectors.shared.snapshots.parts import RangeEnds, Stepping, structures_step, walked
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

BYTES_OF_A_CHANGE: Final = 100  # as a part reads it: its before and after keys, and LSNs


def next_parts(
    dialect: Dialect[Session],
    tables: PlannedTables[Session, KeyT],
    point: StartPoint,
    reached: Mapping[str, Any] | None,
    wanted: int,
    max_bytes: int | None,
) -> SnapshotStep:
    """The next parts of a snapshot, at most `wanted`.

    Args:
        dialect: of the database.
        tables: of the configuration.
        point: P, with the tables that are read.
        reached: from the step before; None for the first.
        wanted: the greatest number of parts.
        max_bytes: about the total size of all parts; None: parts have their usual size.

    Raises:
        PositionLostError: the change tables are no longer retained from P on.
        RetriableError: another session holds a lock for too long.
        SnapshotLockError: likewise, if `snapshot.lock.timeout.ms` is set.

    """
    first = structures_step(reached, announces_structures=dialect.settings.include_schema_changes)
    if first is not None:
        return first
    ids = [parse_id(name) for name, _ in (point.snapshot or {})["tables"]]
    with Sessions(dialect) as sessions:
        for session in sessions.by_database.values():  # the default would wait for another session's lock without limit
            tables.limit_locks(session)
        place = Positions(dialect.lsns).restart(point.restart, tuple(sessions.by_database))
        instances = _instances(dialect, tables, sessions.by_database, place, ids)
        cutting = _RangePlanningInTime(dialect, tables, sessions.by_database, place, instances)
        return Stepping(cutting, limits_of(wanted, max_bytes, cutting.log_since())).step(point, reached)


def _instances(
    dialect: Dialect[Session],
    tables: PlannedTables[Session, KeyT],
    sessions: Mapping[str, Session],
    place: RestartPosition,
    wanted: Sequence[TableId],
) -> dict[TableId, Instance]:
    """The instance with each table's changes after P; a table that is gone has none."""
    instances = {}
    for name, session in sessions.items():
        dialect.wait_for(session, place[name].lsn)
        found = dialect.instances(session)
        there, captured = {each.table for each in found}, instances_at(found, place[name].lsn)
        for table in (table for table in wanted if table.catalog == name):
            if table in captured:
                instances[table] = captured[table]
            elif table in there:
                raise tables.lost(table, place[name].lsn)
    return instances


class PartRangePlanning(Generic[Session, KeyT]):
    """What a step needs from the server."""

    def __init__(
        self,
        dialect: Dialect[Session],
        tables: PlannedTables[Session, KeyT],
        sessions: Mapping[str, Session],
        place: RestartPosition,
        instances: Mapping[TableId, Instance],
    ) -> None:
        """`place`: the position of the databases, as they are spelled in `sessions`; `instances`: of the tables."""
        self._dialect = dialect
        self._tables = tables
        self._sessions = sessions
        self._place = place
        self._instances = instances

    def log_since(self) -> int:
        """The approximate size in bytes of the changes after the position."""
        changes = 0
        for name, session in self._sessions.items():
            window = Window(self._place[name].lsn, self._dialect.head(session))
            if not window.is_empty:
                changes += sum(self._tables.change_counts(session, self._of(name), window))
        return changes * BYTES_OF_A_CHANGE

    def sizes(self, tables: Sequence[TableId]) -> Mapping[TableId, Size]:
        """The estimated sizes of tables: the server's row counts, and the size of some rows."""
        found = dict.fromkeys(tables, Size())
        for name, session in self._sessions.items():
            its = [self._instances[table] for table in tables if table.catalog == name and table in self._instances]
            for table, rows in (self._tables.estimated_rows(session, its) if its else {}).items():
                long = self._tables.row_bytes(session, self._instances[table]) if rows else 0
                found[table] = Size(rows, rows * long)
        return found

    def key(self, given: Mapping[str, Any]) -> KeyT:
        """Parse a key from its JSON."""
        return self._tables.key(given)

    def next_range_ends(self, table: TableId, key: KeyT, after: Bound | None, *, of_rows: int, most: int) -> RangeEnds:
        """The ends of the next ranges of about `of_rows` rows, found by walking along the index."""
        behind = partial(self._tables.key_behind, self._sessions[table.catalog], table, key, of_rows)
        return walked(behind, after, most)

    def _of(self, database: str) -> list[Instance]:
        return [instance for table, instance in self._instances.items() if table.catalog == database]


class _RangePlanningInTime(PartRangePlanning[Session, KeyT]):
    """The same for an initial snapshot, which may fail if a lock blocks it."""

    def next_range_ends(self, table: TableId, *given: Any, **how: Any) -> RangeEnds:
        """The ends of the next ranges; raises `SnapshotLockError` if a lock blocks it for too long."""
        with self._tables.in_time(table):
            return super().next_range_ends(table, *given, **how)
