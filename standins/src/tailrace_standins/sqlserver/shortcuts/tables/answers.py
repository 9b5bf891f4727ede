"""Answers queries of user tables from their columns.

The engine calls this for each query; one that is not recognised goes through SQLite, with the same rows. The engine's plan
has acquired locks before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.scope import Plan
from tailrace_standins.sqlserver.session import ArrowRows
from tailrace_standins.sqlserver.shortcuts import parts
from tailrace_standins.sqlserver.shortcuts.conditions import UnreadableError
from tailrace_standins.sqlserver.shortcuts.tables.blocks import Block
from tailrace_standins.sqlserver.shortcuts.tables.recognised import Request, ResultColumn, recognised
from tailrace_standins.sqlserver.shortcuts.tables.store import TableStore

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


class Answers:
    """The function that the engine calls; one for each server."""

    def __init__(self, store: TableStore) -> None:
        self._store = store

    def __call__(self, session: EngineSession, query: tree.Query, plan: Plan) -> Iterator[ArrowRows] | None:
        """The rows of a query; None if it is not recognised."""
        if not isinstance(query, tree.Select) or len(plan.reads) != 1 or session.rowcount_limit:
            return None
        (read,) = plan.reads
        if read.table.is_shipped or session.store.rows.get(read.table.id, 0) < self._store.least:
            return None
        try:
            request = recognised(session, query, plan)
        except UnreadableError:
            return None
        rows = None if request.most is None else request.skipped + request.most
        blocks = self._store.of(session, read, rows)
        return None if blocks is None else _pieces(request, blocks)


def _pieces(request: Request, blocks: Sequence[Block]) -> Iterator[ArrowRows]:
    skipped, left = request.skipped, request.most
    for block in blocks:
        if left == 0:
            return
        chosen = True if request.test is None else request.test(block)
        if chosen is False:
            continue
        batch = pa.RecordBatch.from_arrays(
            [_array(block, each) for each in request.result_columns],
            names=[str(place) for place in range(len(request.result_columns))],
        )
        batch = batch if chosen is True else batch.filter(pa.array(chosen))
        here = batch.slice(skipped, left)
        skipped = max(0, skipped - batch.num_rows)
        if here.num_rows:
            left = None if left is None else left - here.num_rows
            yield ArrowRows(here)


def _array(block: Block, shown: ResultColumn) -> pa.Array:
    array = block.columns[shown.column.name.lower()]
    return parts.part_of(shown.part, shown.column.type, array) if shown.part else array
