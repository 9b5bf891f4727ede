"""The plan of a snapshot: what each lane reads, from the tables' keys and estimated row counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from tailrace.config.settings import Settings
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.table_names import signal_tables
from tailrace.schema.tables import TableId
from tailrace.snapshot.lane_part import BUNDLE, LanePart
from tailrace.snapshot.segments import Bound, LanePlan, TablePlan, shares
from tailrace.snapshot.state import start

TABLES_OF_A_LANE: Final = 8
Keys = Mapping[TableId, Any]
"""The key of each table, the connector's own JSON; None: it has none, and is read whole."""


class TableSplitter(Protocol):
    """Splits tables by key ranges."""

    @property
    def least_rows(self) -> int:
        """A table, or a whole snapshot, with fewer rows is not worth another lane."""

    def split_points(self, table: TableId, parts: int) -> Sequence[Bound]:
        """The bounds that split a table into parts: fewer than `parts`, strictly ascending."""

    def span(self, table: TableId) -> tuple[int, int] | None:
        """The least and the greatest value of the key's first column, if that is a number; figures need them."""


def planned(
    settings: Settings,
    keys: Keys,
    rows: Mapping[TableId, int],
    lanes: int,
    place: Mapping[str, Any],
    cutter: TableSplitter,
) -> dict[str, Any]:
    """The snapshot in the initial progress of every lane; a small snapshot gets fewer lanes than `lanes`.

    Args:
        settings: for `snapshot.tables.order.by.row.count`.
        keys: of the tables, in reading order.
        rows: the estimated row count of each table.
        lanes: the greatest number of lanes.
        place: P, as in the state.
        cutter: splits large tables.

    """
    total = sum(rows.values())
    lanes = lanes if total >= cutter.least_rows else 1  # more would cost more to start than they save
    # If every lane has several tables, they balance the lanes, and splitting the smaller ones gains nothing.
    least = total // (lanes * TABLES_OF_A_LANE)
    order = by_row_count(settings, {table: rows[table] for table in keys})
    plans = [_plan(cutter, table, keys[table], rows[table], lanes, least) for table in order]
    # This one record has the parts of all lanes, so of many tables none is written out.
    readable = 0 if len(keys) > BUNDLE else BUNDLE
    names = {quoted_id(table): key for table, key in keys.items()}
    return {"lanes": lanes, "parts": [part_of(plan, names, place, readable) for plan in shares(plans, lanes)]}


def whole_part(keys: Keys, rows: Mapping[TableId, int], place: Mapping[str, Any]) -> dict[str, Any]:
    """The initial state of one lane that reads all of these tables, in their order."""
    (plan,) = shares([TablePlan(quoted_id(table), rows[table]) for table in keys], 1)
    return part_of(plan, {quoted_id(table): key for table, key in keys.items()}, place)


def part_of(
    plan: LanePlan, keys: Mapping[str, Any], place: Mapping[str, Any], readable: int = BUNDLE
) -> dict[str, Any]:
    """The initial state of a lane; `keys` of all tables by their names, `readable` as in `LanePart`."""
    own = {segment.table: keys[segment.table] for segment in plan.segments}
    state = start(plan, place)
    return LanePart(own, state, readable).to_dict(state)


def by_row_count(settings: Settings, rows: Mapping[TableId, int]) -> list[TableId]:
    """Tables as `snapshot.tables.order.by.row.count` orders them; without it, in the given order."""
    order = settings.snapshot_tables_order_by_row_count
    if order == "disabled":
        return list(rows)
    sign = -1 if order == "descending" else 1
    # The sort is stable: tables of equal size stay in Debezium's order.
    return sorted(rows, key=lambda table: sign * rows[table])


def tables_to_read(settings: Settings, by_name: Iterable[TableId]) -> list[TableId]:
    """The tables that a snapshot reads, in Debezium's order, without the first signal table.

    `by_name` are the captured ones in the order of their names.
    """
    signals = signal_tables(settings.signal_data_collection or ())[:1]
    return in_order(
        settings, [each for each in by_name if each not in signals and settings.snapshot_tables.matches(each)]
    )


def in_order(settings: Settings, by_name: Iterable[TableId]) -> list[TableId]:
    """Tables in Debezium's order: by the patterns of `table.include.list`, those of one pattern by name."""
    names = {table: settings.tables.naming.of(table) for table in by_name}
    first = [table for each in settings.tables.tables.include for table, name in names.items() if each.fullmatch(name)]
    return list(dict.fromkeys((*first, *names)))


def _plan(cutter: TableSplitter, table: TableId, key: Any, rows: int, lanes: int, least: int) -> TablePlan:
    """The plan of one table: in parts of `least` rows or more, as such parts balance the lanes well enough."""
    if key is None:
        return TablePlan(quoted_id(table), rows)
    parts = min(lanes, -(-rows // max(least, 1)))
    splits = cutter.split_points(table, parts) if parts > 1 else ()
    span = cutter.span(table) if rows >= cutter.least_rows else None
    return TablePlan(quoted_id(table), rows, splits, span)
