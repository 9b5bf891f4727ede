"""Plans snapshots of SQL Server: for lanes, in parts for a DataFrame, and for requested work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tailrace.connectors.base import Progress, RequestedStep, Signalled, SnapshotStep, StartPoint
from tailrace.connectors.change_tables.snapshots import parts, planning, requested_parts
from tailrace.connectors.shared.snapshots.parts import tables_of
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.signal_sql import T_SQL
from tailrace.connectors.sqlserver.snapshots.planned_tables import SqlServerTables
from tailrace.errors import UnsupportedError
from tailrace.schema.tables import TableId


def planned(settings: SqlServerSettings, lanes: int, after: Sequence[Progress] = ()) -> StartPoint:
    """The current P and a snapshot as of it; for one lane, as in Debezium, if `snapshot.isolation.mode` is set."""
    is_exact = settings.snapshot_isolation_mode is None  # otherwise all is read in one transaction
    lanes = lanes if is_exact else 1
    return planning.planned(SqlServerDialect(settings), SqlServerTables(settings), lanes, after, is_exact=is_exact)


def part_of(settings: SqlServerSettings, tables: Sequence[TableId], place: Mapping[str, Any]) -> dict[str, Any]:
    """The initial state of a lane that reads these tables, in the given order, as of a position."""
    return planning.part_of(SqlServerDialect(settings), SqlServerTables(settings), tables, place)


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
    """The next parts of a snapshot, at most `wanted`."""
    return parts.next_parts(
        SqlServerDialect(settings), SqlServerTables(settings), point, reached, wanted, max_bytes
    )


def requested_step(
    settings: SqlServerSettings, start: Mapping[str, Any], signalled: Signalled, wanted: int, max_bytes: int | None
) -> RequestedStep | None:
    """The next parts of the requested work; see `Connector.requested_step`."""
    dialect, tables = SqlServerDialect(settings), SqlServerTables(settings)
    return requested_parts.requested_step(dialect, tables, T_SQL, start, signalled, wanted, max_bytes)
