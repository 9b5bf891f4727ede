"""Plans snapshots of Db2: for lanes, in parts for a DataFrame, and for requested work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tailrace.connectors.base import Progress, RequestedStep, Signalled, SnapshotStep, StartPoint
from tailrace.connectors.change_tables.snapshots import parts, planning, requested_parts
from tailrace.connectors.db2.dialect import Db2Dialect
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.signal_sql import DB2_SQL
from tailrace.connectors.db2.snapshots.planned_tables import PlannedDb2Tables
from tailrace.connectors.shared.snapshots.parts import tables_of
from tailrace.errors import UnsupportedError
from tailrace.schema.tables import TableId


def planned(settings: Db2Settings, lanes: int, after: Sequence[Progress] = ()) -> StartPoint:
    """The current P and a snapshot as of it; for one lane, as in Debezium, if `snapshot.isolation.mode` is set."""
    is_exact = settings.snapshot_isolation_mode is None  # otherwise all is read in one transaction
    lanes = lanes if is_exact else 1
    return planning.planned(Db2Dialect(settings), PlannedDb2Tables(settings), lanes, after, is_exact=is_exact)


def part_of(settings: Db2Settings, tables: Sequence[TableId], place: Mapping[str, Any]) -> dict[str, Any]:
    """The initial state of a lane that reads these tables, in the given order, as of a position."""
    return planning.part_of(Db2Dialect(settings), PlannedDb2Tables(settings), tables, place)


def snapshot_point(settings: Db2Settings) -> StartPoint:
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
    settings: Db2Settings,
    point: StartPoint,
    reached: Mapping[str, Any] | None,
    wanted: int,
    max_bytes: int | None,
) -> SnapshotStep:
    """The next parts of a snapshot, at most `wanted`."""
    return parts.next_parts(
        Db2Dialect(settings), PlannedDb2Tables(settings), point, reached, wanted, max_bytes
    )


def requested_step(
    settings: Db2Settings, start: Mapping[str, Any], signalled: Signalled, wanted: int, max_bytes: int | None
) -> RequestedStep | None:
    """The next parts of the requested work; see `Connector.requested_step`."""
    dialect, tables = Db2Dialect(settings), PlannedDb2Tables(settings)
    return requested_parts.requested_step(dialect, tables, DB2_SQL, start, signalled, wanted, max_bytes)
