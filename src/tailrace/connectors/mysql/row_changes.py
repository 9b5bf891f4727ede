"""From a run of row events to changes: the rows, and the source of each.

The log's facts about an event (its offset, its time) or a transaction (its GTID, its thread) become one vector for
the whole run, shared by all tables; a table's changes only refer to their event and transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tailrace.changes import expand
from tailrace.changes.model import Changes, Fact, Level
from tailrace.changes.records import Binary
from tailrace.changes.vectors import Kind, Vector, integers
from tailrace.changes.views import vector_of, vector_over, views_of
from tailrace.connectors.mysql.log import RowEvents, Transactions
from tailrace.connectors.mysql.missing_columns import fill_missing
from tailrace.connectors.mysql.positions import ROWS_AN_EVENT, SEPARATOR, WIDTHS, file_number
from tailrace.connectors.mysql.rows import RowImages
from tailrace.encoding.render import Op, Program, Template
from tailrace.events.shape import position_program
from tailrace.schema.tables import Table

Int64 = npt.NDArray[np.int64]

POSITION_LEVELS = (Level.BATCH, Level.BATCH, Level.EVENT, Level.CHANGE)  # era, file, offset, row
MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Facts shared by the tables of a run.

    Attributes:
        source: the source block's varying fields, except `row`.
        position: era, file and offset of the position's text.
        first_row: the first row number in the position's text, for each event.
        commit_us: when each event's transaction was committed, microseconds since the epoch.
        transaction_id: the text id of each transaction; None unless requested.

    """

    source: Mapping[str, Fact]
    position: tuple[Fact, Fact, Fact]
    first_row: Int64
    commit_us: Int64
    transaction_id: Fact | None


def facts_of(run: RowEvents, era: int, *, query: bool, transaction_ids: bool) -> RunFacts:
    """The facts of a run.

    Args:
        run: the run.
        era: of its positions.
        query: whether the statements' texts are needed.
        transaction_ids: whether the transactions' ids are needed.

    """
    commit_us = commit_times(run)
    offsets = Fact(integers(run.start), Level.EVENT)
    gtid = Fact(gtids(run.transactions), Level.TRANSACTION)
    source = {
        "ts_ms": Fact(integers(commit_us // 1000), Level.EVENT),
        "ts_us": Fact(integers(commit_us), Level.EVENT),
        "ts_ns": Fact(integers(commit_us * 1000), Level.EVENT),
        "server_id": Fact(integers(run.server_id), Level.EVENT),
        "gtid": gtid,
        "file": Fact(vector_of([run.file.encode()]), Level.BATCH),
        "pos": offsets,
        "thread": Fact(integers(run.transactions.thread), Level.TRANSACTION),
    }
    if query:
        source["query"] = Fact(queries(run), Level.EVENT)
    batch = [Fact(integers(np.array([number])), Level.BATCH) for number in (era, file_number(run.place_file))]
    ids = Fact(transaction_texts(run), Level.TRANSACTION) if transaction_ids else None
    places = offsets if run.placed is None else Fact(integers(run.places), Level.EVENT)
    return RunFacts(source, (batch[0], batch[1], places), run.part * ROWS_AN_EVENT, commit_us, ids)


def changes_of(
    captured: Table,
    images: RowImages,
    events: Int64,
    run: RowEvents,
    facts: RunFacts,
    constants: Mapping[str, str | None],
    placeholder: str,
    rank: int,
) -> Changes:
    """The changes of one table.

    Args:
        captured: its structure.
        images: its rows, decoded from `events`.
        events: indices of its events in the run.
        run: the run.
        facts: of the run.
        constants: the fields of the source block that never change.
        placeholder: of large values that the images lack.
        rank: how many events came before the run in the same batch.

    """
    event = events[images.event]
    row = integers(images.row)
    numbered = integers(images.row + facts.first_row[event])
    return Changes(
        columns=list(fill_missing(images, captured, placeholder)) if images.partial else images.vectors,
        before=images.before,
        after=images.after,
        op=images.op,
        event=event.astype(np.int32),
        transaction=run.transaction[event].astype(np.int32),
        source={**facts.source, "row": Fact(row, Level.CHANGE)},
        constants=constants,
        position=(*facts.position, Fact(numbered, Level.CHANGE)),
        log_order=((event + rank) << 32) + images.row,
        transaction_id=facts.transaction_id,
    )


def position_texts(era: int, file: int, offsets: Int64) -> Binary:
    """The text of positions of events in one file."""
    roles = np.zeros((expand.ROLES, len(offsets)), np.int32)
    roles[Level.EVENT] = np.arange(len(offsets))
    pieces = [integers(np.array([era])), integers(np.array([file])), integers(offsets), integers(np.array([0]))]
    return _EVENT_POSITION.render(pieces, roles)


def commit_times(run: RowEvents) -> Int64:
    """Microseconds since the epoch for each event: of the original commit, else the event's own seconds."""
    original = named_commit_times(run.transactions)[run.transaction]
    return np.where(original > 0, original, run.timestamp * MICROSECONDS)


def named_commit_times(transactions: Transactions) -> Int64:
    """Microseconds of the original commit; 0 for an anonymous transaction, of which Debezium sees only seconds."""
    return np.where(transactions.origin >= 0, transactions.original_us, 0)


def gtids(transactions: Transactions) -> Vector:
    """The GTID of each transaction; null for an anonymous one."""
    n = len(transactions)
    if not transactions.origins or not (transactions.origin >= 0).any():
        return Vector(Kind.TEXT, n, np.zeros((n, 4), np.uint32), np.zeros((n + 7) // 8, np.uint8))
    if n <= FEW:
        return vector_of([_gtid(transactions, t) for t in range(n)])
    origins = vector_of([str(origin).encode() for origin in transactions.origins])
    roles = np.stack([np.arange(n, dtype=np.int32), transactions.origin.astype(np.int32)])
    live = transactions.origin >= 0
    return vector_over(_GTID.render([origins, integers(transactions.gno)], roles, None if live.all() else live))


def _gtid(transactions: Transactions, index: int) -> bytes | None:
    origin = int(transactions.origin[index])
    return None if origin < 0 else f"{transactions.origins[origin]}:{transactions.gno[index]}".encode()


def transaction_texts(run: RowEvents) -> Vector:
    """The id of each transaction in transaction metadata: its GTID, else where it begins."""
    transactions = run.transactions
    known = gtids(transactions)
    anonymous = np.flatnonzero(transactions.origin < 0)
    if not len(anonymous):
        return known
    texts: list[bytes | None] = [None] * len(transactions)
    for t in anonymous:
        texts[t] = f"file={run.file},pos={transactions.begin[t] or transactions.start[t]}".encode()
    if len(anonymous) == len(transactions):
        return vector_of(texts)
    for t in np.flatnonzero(transactions.origin >= 0):
        texts[t] = f"{transactions.origins[transactions.origin[t]]}:{transactions.gno[t]}".encode()
    return vector_of(texts)


def queries(run: RowEvents) -> Vector:
    """The statement of each event, as views into the block of the log; null where the log has none."""
    known = run.query != NO_QUERY
    starts, lengths = run.query, run.query_length
    carried = run.query == CARRIED_QUERY
    data = run.data
    buffers: tuple[npt.NDArray[np.uint8], ...] = (data,)
    starts = np.where(known & ~carried, starts, 0)
    lengths = np.where(known & ~carried, lengths, 0)
    views = views_of(data, starts, lengths)
    if carried.any():
        views[carried] = vector_of([run.carried_query]).data[0]
        if len(run.carried_query) > views.shape[1] * 3:
            views[carried, 2] = 1
        buffers = (data, np.frombuffer(run.carried_query, np.uint8))
    return Vector(Kind.TEXT, len(views), views, np.packbits(known, bitorder="little"), buffers)


FEW = 4  # up to this many texts, a loop is faster than a template
NO_QUERY, CARRIED_QUERY = -1, -2


def _gtid_program() -> Program:
    template = Template()
    template.value(Op.RAW, 0, 1)
    template.const(b":")
    template.value(Op.INT, 1, 0)
    return template.program()


_GTID = _gtid_program()
_EVENT_POSITION = position_program(WIDTHS, (Level.BATCH, Level.BATCH, Level.EVENT, Level.BATCH), SEPARATOR.encode())
