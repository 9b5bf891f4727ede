"""Transaction metadata: each record's place in its transaction, and the BEGIN and END records of transactions.

A transaction may straddle runs, so what was counted of the open one is carried on. A statement that is a transaction of
its own (DDL) has no BEGIN in the log, and gets no records here, as in Debezium.

Of several lanes each counts the records of all tables, and the first alone has the BEGIN and END records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tailrace.changes.model import Fact
from tailrace.changes.vectors import Vector
from tailrace.connectors.mysql.captured import Captured
from tailrace.connectors.mysql.delivered_rows import DeliveredRows
from tailrace.connectors.mysql.log import Outcome, RowEvents
from tailrace.connectors.mysql.positions import file_number
from tailrace.connectors.mysql.row_changes import MICROSECONDS, named_commit_times, position_texts
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.shared.batches import Batch
from tailrace.events.ordering import TransactionCounter, TransactionCounts
from tailrace.events.shape import RowChanges
from tailrace.events.transactions import Boundaries, Counts, TransactionLayouts
from tailrace.schema.names import Names

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TableRecords:
    """The records of a table's changes; they are only counted where they are delivered already, or by another lane."""

    captured: Captured
    prepared: RowChanges
    wanted: bool


class TransactionRecords:
    """Numbers the records of runs, and makes those of their transactions."""

    def __init__(
        self, settings: MySqlSettings, delivered_rows: DeliveredRows, era: int, *, emits_boundaries: bool = True
    ) -> None:
        """`emits_boundaries`: the BEGIN and END records are wanted."""
        self._emits_boundaries = emits_boundaries
        self._counter = TransactionCounter()
        self._delivered_rows = delivered_rows
        self._era = era
        self._topic = Names(settings).transaction_topic
        self._open_begun = False
        self._layouts = TransactionLayouts()

    def records(
        self, run: RowEvents, ids: Fact, table_records: Sequence[TableRecords], skipped: int, batch: Batch
    ) -> None:
        """Add all records of a run to a batch.

        Args:
            run: the run.
            ids: the text id of each of its transactions.
            table_records: the records of its tables, in log order where a table comes more than once.
            skipped: the transaction whose beginning was delivered from another server; -1: none.
            batch: the batch.

        """
        transactions = run.transactions
        n = len(transactions)
        last_open = n > 0 and int(transactions.end[-1]) == 0
        counts = self._counter.number([(t.captured.name, t.prepared) for t in table_records], n, last_open=last_open)
        for each in table_records:
            if each.wanted:
                batch.add(each.prepared)
        if n and self._emits_boundaries:
            begun = self._begun(run, skipped)
            self._open_begun = last_open and int(transactions.begin[-1]) > 0
            batch.add(self._boundaries(run, ids.vector, begun, counts, batch))

    def _boundaries(
        self, run: RowEvents, ids: Vector, begun: Int64, counts: TransactionCounts, batch: Batch
    ) -> Boundaries:
        """The BEGIN and END records, in log order."""
        ended = self._ended(run)
        transactions = run.transactions
        named = named_commit_times(transactions)
        ts_ms = np.where(named > 0, named, transactions.begin_timestamp * MICROSECONDS) // 1000
        which = np.concatenate([begun, ended])
        order = np.argsort(np.concatenate([begun * 2, ended * 2 + 1]), kind="stable")
        offsets = np.concatenate([transactions.begin[begun], transactions.end[ended] - 1])[order]
        events = np.concatenate(
            [np.searchsorted(run.transaction, begun), np.searchsorted(run.transaction, ended, "right")]
        )
        behind = np.concatenate([np.full(len(begun), 1), np.full(len(ended), 2)])
        end = np.concatenate([np.full(len(begun), -1), np.arange(len(ended))])
        return Boundaries(
            topic=self._topic,
            layouts=self._layouts,
            now_us=batch.now_us,
            ids=ids,
            transaction=which[order],
            end=end[order],
            counts=_counts_of(counts, ended),
            ts_ms=ts_ms[which[order]],
            positions=position_texts(self._era, file_number(run.place_file), offsets),
            log_order=(((events + batch.rank) << 32) - behind)[order],
        )

    def _begun(self, run: RowEvents, skipped: int) -> Int64:
        """Which transactions began in this run and are to be told of."""
        begin = run.transactions.begin
        table_records = (begin > 0) & (run.transactions.xa == 0) & self._wanted(run, begin)
        if run.continued and self._open_begun:
            table_records[0] = False
        if skipped >= 0:
            table_records[skipped] = False
        return np.flatnonzero(table_records)

    def _ended(self, run: RowEvents) -> Int64:
        """Which transactions ended in this run and are to be told of; an end stands at its last byte."""
        transactions = run.transactions
        finished = (transactions.outcome != Outcome.ABANDONED) & (transactions.xa == 0)
        ended = (transactions.end > 0) & (transactions.begin > 0) & finished
        return np.flatnonzero(ended & self._wanted(run, transactions.end - 1))

    def _wanted(self, run: RowEvents, offsets: Int64) -> npt.NDArray[np.bool_]:
        return self._delivered_rows.wanted(
            self._era, file_number(run.place_file), offsets, np.zeros(len(offsets), np.int64)
        )


def _counts_of(counts: TransactionCounts, chosen: Int64) -> Counts:
    """The counts of some transactions, as the encoder takes them: by transaction, then by first record."""
    names = list(counts.tables)
    pairs = [(np.flatnonzero(counts.tables[name].count[chosen]), name) for name in names]
    transaction = np.concatenate([rows for rows, _ in pairs]) if pairs else np.zeros(0, np.int64)
    table = np.concatenate([np.full(len(rows), i) for i, (rows, _) in enumerate(pairs)]) if pairs else transaction
    count = [counts.tables[name].count[chosen][rows] for rows, name in pairs]
    first = [counts.tables[name].first[chosen][rows] for rows, name in pairs]
    order = np.lexsort((np.concatenate(first), transaction)) if pairs else transaction
    counted = np.concatenate(count)[order] if pairs else transaction
    return Counts(transaction[order], table[order], counted, names)
