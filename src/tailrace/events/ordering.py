"""The place of each record in its transaction, over all tables and within its own.

Debezium counts what it emits: `total_order` and `data_collection_order` begin at 1 with a transaction and count every
record but tombstones (a key-changing update counts twice). A transaction may straddle batches, so the counts of the
one that is open are carried on.
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
    """Records of one table by transaction.

    Attributes:
        count: how many; shape (transactions,).
        first: rank in the log of the first, `NEVER` where there is none; shape (transactions,).

    """

    count: INT64
    first: INT64


@dataclass(slots=True)
class TransactionCounts:
    """Records by transaction, over all tables (`total`) and by the table's name."""

    total: INT64
    tables: dict[str, TableCounts] = field(default_factory=dict)


@dataclass(slots=True)
class TransactionCounter:
    """Numbers records within transactions, run after run."""

    _total: int = 0
    _tables: dict[str, int] = field(default_factory=dict)

    def number(self, batch: Sequence[tuple[str, RowChanges]], transactions: int, *, last_open: bool) -> TransactionCounts:
        """Set the orders of each table's records, and count them by transaction.

        Args:
            batch: the tables' records, each with the table's name as the END event shows it; a table may come more
                than once, then in log order.
            transactions: how many there are; number 0 goes on with the one that was open before, if one was.
            last_open: the last one goes on in the next run.

        """
        counts = TransactionCounts(np.zeros(transactions, np.int64))
        for order, (name, n) in enumerate(self._tables.items()):
            counts.tables[name] = _no_records(transactions)
            counts.tables[name].count[0] = n
            counts.tables[name].first[0] = order - len(self._tables)
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
    """Transaction, rank in the log and liveness of each record."""
    change = rows.expansion.roles[expand.CHANGE]
    transaction = rows.expansion.roles[expand.TRANSACTION].astype(np.int64)
    return transaction, rows.changes.log_order[change], rows.expansion.live


def _ranks(transaction: INT64, live: npt.NDArray[np.bool_], counts: INT64) -> INT64:
    """The rank of each record, in log order, among the live ones of its transaction; `counts` grows by them."""
    added = np.bincount(transaction[live], minlength=len(counts))
    before = np.cumsum(added) - added
    ranks = np.cumsum(live) - before[transaction] + counts[transaction]
    counts += added
    return ranks
