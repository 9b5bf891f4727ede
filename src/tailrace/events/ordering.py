"""The order of each record in its transaction: over all tables, and within its table.

Debezium counts what it emits: `total_order` and `data_collection_order` start at 1 in each transaction and count every record
except tombstones (an update of the key counts twice). A transaction may extend over several batches, so the counts of an open
one are carried over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.changes import expand
from tailrace.events.shape import RowChanges

INT64 = npt.NDArray[np.int64]
NEVER: Final = np.iinfo(np.int64).max


@dataclass(slots=True)
class TableCounts:
    """The records of one table by transaction.

    Attributes:
        count: number of records; shape (transactions,).
        first: rank of the first record in the log, `NEVER` if there is none; shape (transactions,).

    """

    count: INT64
    first: INT64


@dataclass(slots=True)
class TransactionCounts:
    """The number of records by transaction, over all tables (`total`) and by table name."""

    total: INT64
    tables: dict[str, TableCounts] = field(default_factory=dict)


@dataclass(slots=True)
class TransactionCounter:
    """Numbers records within transactions, batch after batch."""

    _total: int = 0
    _tables: dict[str, int] = field(default_factory=dict)

    def number(self, batch: Sequence[tuple[str, RowChanges]], transactions: int, *, last_open: bool) -> TransactionCounts:
        """Set the orders of each table's records, and count them by transaction.

        Args:
            batch: the tables' records, each with the table's name as in the END event; a table may occur several times,
                then in log order.
            transactions: their number; if one was open before, number 0 continues it.
            last_open: whether the last one continues in the next batch.

        """
        counts = TransactionCounts(np.zeros(transactions, np.int64))
        for order, (name, n) in enumerate(self._tables.items()):
            counts.tables[name] = _no_records(transactions)
            counts.tables[name].count[0] = n
            counts.tables[name].first[0] = order - len(self._tables)  # negative: before all records of this batch
        if transactions:
            counts.total[0] = self._total
        if batch:
            _set_total_order([rows for _, rows in batch], counts.total)
        for name, rows in batch:
            _set_table_order(rows, counts.tables.setdefault(name, _no_records(transactions)))
        self._carry(counts, last_open=last_open)
        return counts

    def _carry(self, counts: TransactionCounts, *, last_open: bool) -> None:
        self._total = int(counts.total[-1]) if last_open else 0
        self._tables = {}
        if last_open:
            touched = [(int(t.first[-1]), name, int(t.count[-1])) for name, t in counts.tables.items() if t.count[-1]]
            self._tables = {name: n for _, name, n in sorted(touched)}


def _no_records(transactions: int) -> TableCounts:
    return TableCounts(np.zeros(transactions, np.int64), np.full(transactions, NEVER, np.int64))


def _set_total_order(batch: Sequence[RowChanges], total: INT64) -> None:
    members = [_members(rows) for rows in batch]
    in_log_order = np.argsort(np.concatenate([m[1] for m in members]), kind="stable")
    transaction = np.concatenate([m[0] for m in members])[in_log_order]
    live = np.concatenate([m[2] for m in members])[in_log_order]
    ranks = np.empty(len(transaction), np.int64)
    ranks[in_log_order] = _ranks(transaction, live, total)
    start = 0
    for rows, (own, _, _) in zip(batch, members, strict=True):
        rows.total_order = ranks[start : start + len(own)]
        start += len(own)


def _set_table_order(rows: RowChanges, counts: TableCounts) -> None:
    transaction, order, live = _members(rows)
    rows.data_collection_order = _ranks(transaction, live, counts.count)
    np.minimum.at(counts.first, transaction[live], order[live])


def _members(rows: RowChanges) -> tuple[INT64, INT64, npt.NDArray[np.bool_]]:
    """The transaction, rank in the log and liveness of each record."""
    change = rows.expansion.roles[expand.CHANGE]
    transaction = rows.expansion.roles[expand.TRANSACTION].astype(np.int64)
    return transaction, rows.changes.log_order[change], rows.expansion.live


def _ranks(transaction: INT64, live: npt.NDArray[np.bool_], counts: INT64) -> INT64:
    """The rank of each record among the live ones of its transaction, in log order; adds their number to `counts`."""
    added = np.bincount(transaction[live], minlength=len(counts))
    before = np.cumsum(added) - added
    ranks = np.cumsum(live) - before[transaction] + counts[transaction]
    counts += added
    return ranks
