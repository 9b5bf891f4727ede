"""The plan of a snapshot: its position, its tables, and what each lane is to read of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from tailrace.config.filters import NameFilter
from tailrace.config.settings import Settings
from tailrace.connectors.base import StartPoint
from tailrace.connectors.mysql.beginning import first_history
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.snapshots import point, splitting, statements
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, NoKey, keys_of
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import LanePlan, TablePlan, shares
from tailrace.snapshot.state import start

log = logging.getLogger(__name__)


def planned(connection: Connection, server: Server, settings: Settings, lanes: int) -> StartPoint:
    """A position of now, the structures there, and a snapshot as of there for so many lanes, or for one if it is small.

    Raises:
        RetriableError: no position is to be had now: structures change all the time, a lock is not granted, XA
            transactions stay prepared.

    """
    taken = point.take(connection, server, settings, settings.tables.matches)
    for warning in taken.warnings:
        log.warning("%s", warning)
    log.info("%s", taken.says)
    restart = taken.head.restart(server)
    history = first_history(settings, server, restart, taken.structures)
    statements.prepare(connection)
    tables = [table for table in taken.structures.tables if is_included(settings, table)]
    keys = keys_of(connection, server, tables)
    for table, key in keys.items():
        if isinstance(key, NoKey):
            log.warning("%s is read whole, as it is when it is read, which is not exact: %s", table, key.reason)
    estimated = splitting.estimated_rows(connection, server, keys)
    lanes = lanes if sum(estimated.values()) >= splitting.LEAST_ROWS else 1  # more would only cost their beginning
    plans = [_plan(connection, table, key, estimated[table], lanes) for table, key in keys.items()]
    parts = [_part(plan, keys, restart) for plan in shares(plans, lanes)]
    return StartPoint(restart.to_dict(), history, {"lanes": lanes, "parts": parts})


def is_included(settings: Settings, table: TableId) -> bool:
    """Whether a captured table's rows are in the snapshot."""
    return NameFilter(settings.snapshot_include_collection_list).matches(f"{table.catalog}.{table.name}")


def _plan(connection: Connection, table: TableId, key: ChunkKey | NoKey, rows: int, lanes: int) -> TablePlan:
    splits = splitting.split_points(connection, table, key, lanes) if isinstance(key, ChunkKey) else []
    return TablePlan(quoted_id(table), rows, splits)


def _part(plan: LanePlan, keys: Mapping[TableId, ChunkKey | NoKey], restart: RestartPosition) -> dict[str, Any]:
    """What a lane has in its progress at first."""
    names = {segment.table for segment in plan.segments}
    own = {quoted_id(table): key for table, key in keys.items() if quoted_id(table) in names}
    position = {"until": restart.to_dict(), "delivered": "", "restart": restart.to_dict()}
    return {
        "keys": {name: key.to_dict() if isinstance(key, ChunkKey) else None for name, key in own.items()},
        "state": start(plan, position).to_dict(),
    }
