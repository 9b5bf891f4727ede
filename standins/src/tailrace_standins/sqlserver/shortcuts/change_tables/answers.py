"""Answers queries of change tables from their columns.

The engine calls this for each query; one that is not recognised goes through SQLite, with the same rows. The engine's plan
has acquired locks and checked arguments before.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailrace_standins.sqlserver.cdc import rows
from tailrace_standins.sqlserver.cdc.shapes import COMMAND_ID, OPERATION, SEQVAL, START_LSN
from tailrace_standins.sqlserver.cdc.system_rows import LsnTime
from tailrace_standins.sqlserver.cdc.transaction_log import is_change_table
from tailrace_standins.sqlserver.engine import stored, tree
from tailrace_standins.sqlserver.engine.catalog import Column, Table
from tailrace_standins.sqlserver.engine.scope import Plan
from tailrace_standins.sqlserver.session import ArrowRows
from tailrace_standins.sqlserver.shortcuts import parts
from tailrace_standins.sqlserver.shortcuts.change_tables.columns import Block, ColumnStore
from tailrace_standins.sqlserver.shortcuts.change_tables.recognised import Request, recognised
from tailrace_standins.sqlserver.shortcuts.conditions import Mask, Test, UnreadableError

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_ORDERS: Final = ((START_LSN, COMMAND_ID, SEQVAL, OPERATION), (START_LSN, SEQVAL, OPERATION))


class Answers:
    """The function that the engine calls; one for each server."""

    def __init__(self, store: ColumnStore) -> None:
        self._store = store

    def __call__(self, session: EngineSession, query: tree.Query, plan: Plan) -> Iterator[ArrowRows] | None:
        """The rows of a query; None if it is not recognised."""
        if not isinstance(query, tree.Select) or not any(is_change_table(read.table) for read in plan.reads):
            return None
        if session.rowcount_limit or (session.transaction is not None and session.transaction.snapshot is not None):
            return None
        try:
            request = recognised(session, query, plan)
        except UnreadableError:
            return None
        if session.engine.zone is not dt.UTC and any(shown.part == parts.ZONED for shown in request.result_columns):
            return None
        found = self._store.of(session, request.table)
        if found is None or not _has(request.order, is_by_seqval=found[1]):
            return None
        return _pieces(session, request, found[0])


def _has(order: tuple[str, ...], *, is_by_seqval: bool) -> bool:
    """Whether the rows are stored in that order."""
    orders = _ORDERS if is_by_seqval else _ORDERS[:1]
    return any(each[: len(order)] == order for each in orders)


def _pieces(session: EngineSession, request: Request, blocks: Sequence[Block]) -> Iterator[ArrowRows]:
    left = request.top
    for block in blocks:
        if left == 0:
            return
        batch = _chosen(block, request.tests)
        if batch.num_rows:
            batch = _result(session, request, batch)
            batch = batch if left is None else batch.slice(0, left)
            left = None if left is None else left - batch.num_rows
            yield ArrowRows(batch)


def _chosen(block: Block, tests: Sequence[Test[Block]]) -> pa.RecordBatch:
    chosen: Mask = True
    for test in tests:
        found = test(block)
        chosen = found if chosen is True else chosen if found is True else chosen & found
        if chosen is False:
            return block.batch.slice(0, 0)
    return block.batch if chosen is True else block.batch.filter(pa.array(chosen))


def _result(session: EngineSession, request: Request, batch: pa.RecordBatch) -> pa.RecordBatch:
    places = {column.name.lower(): place for place, column in enumerate(request.table.stored)}
    joined: dict[str, Any] = {}
    if request.mapping is not None:
        names = [shown.name for shown in request.result_columns if shown.of_mapping]
        joined, is_found = _mapped(session, request.mapping, batch, names)
        if not request.is_outer and not is_found.all():
            mask = pa.array(is_found)
            batch, joined = batch.filter(mask), {name: array.filter(mask) for name, array in joined.items()}
    arrays = [
        _part(request.mapping.by_name[shown.name], joined[shown.name], shown.part)
        if shown.of_mapping and request.mapping is not None
        else _part(request.table.stored[places[shown.name]], batch.column(places[shown.name]), shown.part)
        for shown in request.result_columns
    ]
    return pa.RecordBatch.from_arrays(arrays, names=[str(place) for place in range(len(arrays))])


def _part(column: Column, array: Any, part: str) -> Any:
    """A column's values, or a part of each."""
    return parts.part_of(part, column.type, array) if part else array


def _mapped(
    session: EngineSession, mapping: Table, batch: pa.RecordBatch, names: Sequence[str]
) -> tuple[dict[str, Any], Any]:
    """Columns of lsn_time_mapping for each row (NULL without an entry), and whether each row has an entry."""
    from tailrace_standins.sqlserver.tds.bulk import arrow_array

    start = batch.column(START_LSN)
    limits = [start[0].as_py(), start[-1].as_py()]
    found_rows = rows.read(session, mapping, "start_lsn>=?1 AND start_lsn<=?2", limits, order="start_lsn")
    entries = [LsnTime._make(each) for each in found_rows]
    known = pa.array([entry.start_lsn for entry in entries], pa.large_binary())
    places = pc.index_in(start, value_set=known)
    found: dict[str, Any] = {}
    for column in mapping.stored:
        if column.name in names:
            values = [stored.decoded(getattr(entry, column.name), column.type) for entry in entries]
            found[column.name] = arrow_array(column.type, values).take(places)
    return found, np.asarray(places.is_valid())
