"""The plan of a snapshot: its position, its tables, and what each lane is to read of them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tailrace.config.filters import NameFilter
from tailrace.config.settings import Settings
from tailrace.connectors.base import Progress, StartPoint
from tailrace.connectors.mysql.beginning import first_history, in_order
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition, log_place
from tailrace.connectors.mysql.snapshots import overrides, point, splitting, statements
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, NoKey, keys_of
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.signals.names import signal_tables
from tailrace.snapshot.lane_part import LanePart
from tailrace.snapshot.segments import LanePlan, TablePlan, shares
from tailrace.snapshot.state import start

TABLES_OF_A_LANE: Final = 8

log = logging.getLogger(__name__)


def planned(
    connection: Connection, server: Server, settings: Settings, lanes: int, after: Sequence[Progress] = ()
) -> StartPoint:
    """A position of now, the structures there, and a snapshot as of there for so many lanes, or for one if it is small.

    It does not sort before what lanes have delivered whose progress is given as `after`.

    Raises:
        RetriableError: no position is to be had now: structures change all the time, a lock is not granted, XA
            transactions stay prepared.

    """
    taken = point.take(connection, server, settings, settings.tables.matches)
    for warning in taken.warnings:
        log.warning("%s", warning)
    log.info("%s", taken.says)
    restart = taken.head.restart(server).not_before(map(_delivered, after))
    history = first_history(settings, server, restart, taken.structures)
    statements.prepare(connection)
    keys = keys_of(connection, server, tables_to_read(settings, taken.structures.tables))
    overrides.checked(connection, server, settings, keys)
    estimated = splitting.estimated_rows(connection, server, keys)
    total = sum(estimated.values())
    lanes = lanes if total >= splitting.LEAST_ROWS else 1  # more would only cost their beginning
    order = by_row_count(settings, estimated)
    least = total // (lanes * TABLES_OF_A_LANE)
    plans = [_plan(connection, table, keys[table], estimated[table], lanes, least) for table in order]
    parts = [_part(plan, keys, restart) for plan in shares(plans, lanes)]
    delivered = str(restart.position) if after else ""
    return StartPoint(restart.to_dict(), history, {"lanes": lanes, "parts": parts}, delivered)


def part_of(
    connection: Connection, server: Server, settings: Settings, tables: Sequence[TableId], restart: RestartPosition
) -> dict[str, Any]:
    """What one lane has in its progress at first that reads all of these tables as of a position."""
    statements.prepare(connection)
    keys = keys_of(connection, server, tables)
    overrides.checked(connection, server, settings, keys)
    estimated = splitting.estimated_rows(connection, server, tables)
    plans = [TablePlan(quoted_id(table), estimated[table]) for table in tables]
    (plan,) = shares(plans, 1)
    return _part(plan, keys, restart)


def tables_to_read(settings: Settings, captured: Iterable[TableId]) -> list[TableId]:
    """The tables that a snapshot reads, in the order of Debezium; the first table of signals is none of them."""
    signals = signal_tables(settings.signal_data_collection or ())[:1]
    wanted = [table for table in captured if table not in signals and is_included(settings, table)]
    return in_order(settings, wanted)


def by_row_count(settings: Settings, estimated: Mapping[TableId, int]) -> list[TableId]:
    """Tables as `snapshot.tables.order.by.row.count` wants them; as they are given where it says nothing."""
    order = settings.snapshot_tables_order_by_row_count
    if order == "disabled":
        return list(estimated)
    sign = -1 if order == "descending" else 1
    return sorted(estimated, key=lambda table: sign * estimated[table])


def is_included(settings: Settings, table: TableId) -> bool:
    """Whether a captured table's rows are in the snapshot."""
    return NameFilter(settings.snapshot_include_collection_list).matches(f"{table.catalog}.{table.name}")


def _delivered(progress: Progress) -> BinlogPosition:
    if progress.delivered:
        return BinlogPosition.parse(progress.delivered)
    return RestartPosition.from_dict(progress.restart).position


def _plan(
    connection: Connection, table: TableId, key: ChunkKey | NoKey, rows: int, lanes: int, least: int
) -> TablePlan:
    """`least`: a table of fewer rows is not cut, since whole tables make lanes even enough."""
    if isinstance(key, NoKey):
        return TablePlan(quoted_id(table), rows)
    splits = splitting.split_points(connection, table, key, lanes) if rows >= least else ()
    span = splitting.span(connection, table, key) if rows >= splitting.LEAST_ROWS else None
    return TablePlan(quoted_id(table), rows, splits, span)


def _part(plan: LanePlan, keys: Mapping[TableId, ChunkKey | NoKey], restart: RestartPosition) -> dict[str, Any]:
    """What a lane has in its progress at first."""
    names = {segment.table for segment in plan.segments}
    own = {quoted_id(table): key for table, key in keys.items() if quoted_id(table) in names}
    keys_of_own = {name: key.to_dict() if isinstance(key, ChunkKey) else None for name, key in own.items()}
    state = start(plan, log_place(restart))
    return LanePart(keys_of_own, state).to_dict(state)
