"""What the DataFrame way plans: every batch of a snapshot, with its offset as Spark stores it, from the real planner code."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from bench.scaling.population import KEY, Population, population
from bench.scaling.simulation import PLACE

from tailrace.connectors.base import StartPoint
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.shared.snapshots.part_assembly import Size, limits_of
from tailrace.connectors.shared.snapshots.parts import RangeEnds, Stepping
from tailrace.errors import ConfigError
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound
from tailrace.source.options import PARTS
from tailrace.source.plans import packed, unpacked

ROW_BYTES = 100
COLUMNS = 20


class ModelRanges:
    """A `RangePlanning` of tables whose keys are the numbers from 1 on."""

    def __init__(self, tables: Population) -> None:
        self._rows = tables.rows

    def sizes(self, tables: Sequence[TableId]) -> Mapping[TableId, Size]:
        """The sizes of tables."""
        return {table: Size(self._rows[table], self._rows[table] * ROW_BYTES) for table in tables}

    def key(self, given: Mapping[str, Any]) -> ChunkKey:
        """Parse a key from its JSON."""
        return ChunkKey.from_dict(given)

    def next_range_ends(
        self,
        table: TableId,
        key: ChunkKey,  # noqa: ARG002
        after: Bound | None,
        *,
        of_rows: int,
        most: int,
    ) -> RangeEnds:
        """The ends of the next ranges."""
        begin, rows = int(after[0]) if after else 0, self._rows[table]
        points: list[Bound] = [[begin + of_rows * n] for n in range(1, most + 1) if begin + of_rows * n < rows]
        return RangeEnds(points, is_end=len(points) < most)


def planned_in_offsets(tables: int, chunks: int, batches_at_most: int = 100) -> dict[str, Any]:
    """Plan a snapshot batch by batch; returns what offsets hold, and the CPU of planning one batch.

    Offsets hold the structures too, unless a file keeps the schema history; `largest_without_file` is how many similar tables
    fit.
    """
    there = population(tables, chunks)
    snapshot = {"tables": [[quoted_id(table), KEY] for table in there.rows]}
    begun = time.process_time()
    plan = packed(snapshot, ())
    plan_cpu = time.process_time() - begun
    reached, sizes, count, begun = None, list[int](), 0, time.process_time()
    while count < batches_at_most:
        point = StartPoint(PLACE, (), unpacked(plan)["snapshot"])  # as each planning step does
        step = Stepping(ModelRanges(there), limits_of(PARTS, None)).step(point, reached)
        offset = {
            "position": PLACE,
            "now_us": 1,
            "snapshot": {"plan": plan, "parts": list(step.parts), "reached": step.reached},
        }
        sizes.append(len(json.dumps(offset)))
        count, reached = count + 1, step.reached
        if reached is None:
            break
    return {
        "plan_bytes": len(plan),
        "plan_cpu_s": plan_cpu,
        "batches": count,
        "is_whole": reached is None,
        "parts_a_batch": PARTS,
        "largest_offset": max(sizes),
        "batch_cpu_ms": 1000 * (time.process_time() - begun) / count,
        "largest_without_file": _most_tables(there),
    }


def _most_tables(there: Population) -> int:
    """How many tables have room in offsets with their structures, to two thousand."""
    names = list(there.rows)
    fits = 0
    for count in range(2000, len(names) + 2000, 2000):
        some = names[:count]
        try:
            packed({"tables": [[quoted_id(table), KEY] for table in some]}, [_structure(table) for table in some])
        except ConfigError:
            return fits
        fits = len(some)
    return fits


def _structure(table: TableId) -> dict[str, Any]:
    """A record of the schema history, as MySQL's connector makes it, of a table of 20 columns."""
    columns = [
        {"name": f"column_{n}", "jdbcType": 12, "typeName": "VARCHAR", "typeExpression": "VARCHAR", "charsetName": "utf8mb4",
         "length": 40, "position": n + 1, "optional": True, "autoIncremented": False, "generated": False}
        for n in range(COLUMNS)
    ]  # fmt: skip
    ddl = f"CREATE TABLE `{table.name}` ({', '.join(f'`column_{n}` varchar(40)' for n in range(COLUMNS))})"
    change = {"type": "CREATE", "id": quoted_id(table), "table": {"primaryKeyColumnNames": ["column_0"], "columns": columns}}
    return {"databaseName": table.catalog, "ddl": ddl, "tableChanges": [change]}
