"""A snapshot of SQL Server in parts: SQL Server's side of `shared/snapshots/parts.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tailrace.connectors.base import SnapshotStep, StartPoint
from tailrace.connectors.change_tables.instances import Instance, instances_at
from tailrace.connectors.change_tables.positions import RestartPosition
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.snapshots.gathering import Size, limits_of
from tailrace.connectors.shared.snapshots.parts import Cuts, Stepping, structures_step, tables_of, walked
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.filled_tables import row_counts, table_row_bytes
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.replicas import wait_for
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey
from tailrace.connectors.sqlserver.snapshots.locks import within_lock_timeout
from tailrace.connectors.sqlserver.snapshots.planning import planned
from tailrace.connectors.sqlserver.snapshots.point import Sessions
from tailrace.connectors.sqlserver.snapshots.read_tables import lost
from tailrace.connectors.sqlserver.snapshots.splitting import estimated_rows, key_behind
from tailrace.errors import UnsupportedError
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

BYTES_OF_A_CHANGE: Final = 100  # as a part reads it: its before and after keys, and LSNs


def snapshot_point(settings: SqlServerSettings) -> StartPoint:
    """The current P, and the tables as of it in reading order.

    Raises:
        UnsupportedError: `snapshot.isolation.mode` requires one transaction, which a DataFrame's tasks can't share.

    """
    if settings.snapshot_isolation_mode is not None:
        raise UnsupportedError(
            f"snapshot.isolation.mode={settings.snapshot_isolation_mode}: a DataFrame reads tables by tasks, which share no "
            "transaction. Leave it out (the tables are exact as of one position without it), or deliver with `tailrace run`"
        )
    point = planned(settings, 1)
    return replace(point, snapshot=tables_of(point))


def next_parts(
    settings: SqlServerSettings,
    point: StartPoint,
    reached: Mapping[str, Any] | None,
    wanted: int,
    max_bytes: int | None,
) -> SnapshotStep:
    """The next parts of a snapshot, at most `wanted`.

    Args:
        settings: of the connector.
        point: P, with the tables from `snapshot_point`.
        reached: from the step before; None for the first.
        wanted: the greatest number of parts.
        max_bytes: about the total size of all parts; None: parts have their usual size.

    Raises:
        PositionLostError: the change tables are no longer retained from P on.
        RetriableError: another session holds a lock for too long.
        SnapshotLockError: likewise, if `snapshot.lock.timeout.ms` is set.

    """
    first = structures_step(reached, tells=settings.include_schema_changes)
    if first is not None:
        return first
    tables = [parse_id(name) for name, _ in (point.snapshot or {})["tables"]]
    with Sessions(settings) as sessions:
        for session in sessions.by_database.values():  # the default would wait for another session's lock without limit
            session.execute(f"SET LOCK_TIMEOUT {settings.snapshot_lock_timeout_ms}")
        place = POSITIONS.restart(point.restart, tuple(sessions.by_database))
        cutting = _CuttingInTime(settings, sessions.by_database, place, _instances(sessions.by_database, place, tables))
        return Stepping(cutting, limits_of(wanted, max_bytes, cutting.log_since())).step(point, reached)


def _instances(
    sessions: Mapping[str, Session], place: RestartPosition, tables: Sequence[TableId]
) -> dict[TableId, Instance]:
    """The instance with each table's changes after P; a table that is gone has none."""
    instances = {}
    for name, session in sessions.items():
        wait_for(session, place[name].lsn)
        found = catalog.instances(session)
        there, captured = {each.table for each in found}, instances_at(found, place[name].lsn)
        for table in (table for table in tables if table.catalog == name):
            if table in captured:
                instances[table] = captured[table]
            elif table in there:
                raise lost(table, place[name].lsn)
    return instances


class PartCutting:
    """The queries of a planning step."""

    def __init__(
        self, sessions: Mapping[str, Session], place: RestartPosition, instances: Mapping[TableId, Instance]
    ) -> None:
        """`place`: the position of the databases, as they are spelled in `sessions`; `instances`: of the tables."""
        self._sessions = sessions
        self._place = place
        self._instances = instances

    def log_since(self) -> int:
        """The approximate size in bytes of the changes after the position."""
        changes = 0
        for name, session in self._sessions.items():
            window = Window(self._place[name].lsn, catalog.max_lsn(session))
            if not window.is_empty:
                changes += sum(row_counts(session, self._of(name), window))
        return changes * BYTES_OF_A_CHANGE

    def sizes(self, tables: Sequence[TableId]) -> Mapping[TableId, Size]:
        """The estimated sizes of tables: the server's row counts, and the size of some rows."""
        found = dict.fromkeys(tables, Size())
        for name, session in self._sessions.items():
            its = [self._instances[table] for table in tables if table.catalog == name and table in self._instances]
            for table, rows in (estimated_rows(session, its) if its else {}).items():
                found[table] = Size(rows, rows * table_row_bytes(session, self._instances[table]) if rows else 0)
        return found

    def key(self, given: Mapping[str, Any]) -> ChunkKey:
        """Parse a key from its JSON."""
        return ChunkKey.from_dict(given)

    def next_cuts(self, table: TableId, key: ChunkKey, after: Bound | None, *, of_rows: int, most: int) -> Cuts:
        """The ends of the next ranges of about `of_rows` rows, found by walking along the index."""
        return walked(partial(key_behind, self._sessions[table.catalog], table, key, of_rows), after, most)

    def _of(self, database: str) -> list[Instance]:
        return [instance for table, instance in self._instances.items() if table.catalog == database]


class _CuttingInTime(PartCutting):
    """The same for an initial snapshot, which may fail if a lock blocks it."""

    def __init__(self, settings: SqlServerSettings, *given: Any) -> None:
        super().__init__(*given)
        self._settings = settings

    def next_cuts(self, table: TableId, *given: Any, **how: Any) -> Cuts:
        """The ends of the next ranges; raises `SnapshotLockError` if a lock blocks it for too long."""
        with within_lock_timeout(self._settings, table):
            return super().next_cuts(table, *given, **how)
