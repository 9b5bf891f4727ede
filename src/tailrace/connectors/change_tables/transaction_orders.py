"""The number of each change in its transaction, over all tables, for transaction metadata.

A window's tables are delivered one after the other, but the numbers (`total_order`) of a table's changes depend on all
other tables. So the keys of all changes in the window are read first, four narrow columns of each table with changes,
and numbered. Then each table's rows take their numbers from there.

Debezium reads all tables in parallel and takes the smallest next (commit LSN, change LSN) of any of them. A table
itself is in command order, in which change LSNs need not ascend. So a change counts with the greatest change LSN up to
it in its table and transaction.

Debezium may have told a part of the first transaction before it was taken over from. The numbers continue there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tailrace.changes import expand
from tailrace.changes.vectors import Bytes
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.rows import AFTER, ChangeRows
from tailrace.connectors.change_tables.told_transactions import Told
from tailrace.connectors.change_tables.transactions import Transactions
from tailrace.events.shape import RowChanges
from tailrace.events.transactions import Counts

Int64 = npt.NDArray[np.int64]
Numbered = tuple[Int64, Int64, Int64, Int64, list[str]]
"""Of changes the transaction, the table as an index, the weight and the number of records before them; the tables' names."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What numbering needs of a table's changes.

    Attributes:
        name: of the table in transaction metadata.
        transaction: index of each change's transaction in the window; shape (n,).
        change: change LSNs, shape (n, size).
        weight: the number of counted records that each becomes; shape (n,).

    """

    name: str
    transaction: Int64
    change: Bytes
    weight: Int64


@dataclass(frozen=True, slots=True)
class ToldPart:
    """What was told of a transaction, and its index in the window."""

    transaction: int
    told: Told


class KeyReader:
    """Collects the keys of one table, batch by batch."""

    def __init__(self, name: str, transactions: Transactions) -> None:
        self._name = name
        self._transactions = transactions
        self._parts: list[tuple[Int64, Bytes, Int64]] = []

    def take(self, rows: ChangeRows, weight: Int64 | None = None) -> None:
        """Add the changes of rows; each becomes one record, unless `weight` says otherwise."""
        first = np.flatnonzero(rows.operation != AFTER)
        run, begins = lsn_columns.runs_of(rows.commit[first])
        places = self._transactions.places(rows.commit[first[begins]])
        counted = np.ones(len(first), np.int64) if weight is None else weight
        # A copy, because a view would keep the driver's whole batch in memory.
        self._parts.append((places[run], rows.change[first].copy(), counted))

    def keys(self) -> Keys | None:
        """All keys; None if there are none."""
        if not self._parts:
            return None
        transaction, change, weight = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        return Keys(self._name, transaction, change, weight)


def weights(prepared: RowChanges) -> Int64:
    """The number of counted records that each change becomes: an update that moves a row to another key becomes two."""
    expansion = prepared.expansion
    change = expansion.roles[expand.CHANGE][expansion.live]
    return np.bincount(change, minlength=len(prepared.changes)).astype(np.int64)


class Orders:
    """The numbers of a window's changes, and the number of each transaction's records.

    Attributes:
        with_records: indices of the transactions that have records, ascending; also that of one whose records Debezium has
            told, where its END is still to come.
        begins: whether each of these has its BEGIN here.

    """

    def __init__(self, keys: Sequence[Keys], transactions: int, part: ToldPart | None = None) -> None:
        """Number the changes.

        Args:
            keys: of the tables; changes that are told have no weight.
            transactions: the number of transactions in the window.
            part: what was told of one of them; None: nothing, or that is unknown.

        """
        self._own: dict[str, tuple[Int64, Int64]] = {}
        self._taken: dict[str, int] = {}
        part = part or ToldPart(-1, Told())
        none = np.zeros(0, np.int64)
        numbered: Numbered = self._numbered(keys, transactions, part) if keys else (none, none, none, none, [])
        self._counts = _counted(*_with_told(*numbered, part))
        begun = [part.transaction] if part.told.is_begun else []
        self.with_records: Int64 = np.union1d(self._counts.transaction, np.array(begun, np.int64))
        self.begins: npt.NDArray[np.bool_] = ~np.isin(self.with_records, begun)

    def _numbered(self, keys: Sequence[Keys], transactions: int, part: ToldPart) -> Numbered:
        """All changes, numbered."""
        transaction = np.concatenate([each.transaction for each in keys])
        weight = np.concatenate([each.weight for each in keys])
        order = self._merged(keys, transaction)
        base = np.empty(len(order), np.int64)
        base[order] = _before(transaction[order], weight[order], transactions)
        base[transaction == part.transaction] += part.told.total
        start = 0
        for each in keys:
            stop = start + len(each.transaction)
            own = _before(each.transaction, each.weight, transactions)
            own[each.transaction == part.transaction] += part.told.of(each.name)
            self._own[each.name] = base[start:stop], own
            start = stop
        table = np.repeat(np.arange(len(keys)), [len(each.transaction) for each in keys])
        return transaction, table, weight, base, [each.name for each in keys]

    @staticmethod
    def _merged(keys: Sequence[Keys], transaction: Int64) -> Int64:
        """The order in which Debezium takes the changes: indices into all of them, table after table."""
        high, low = zip(*(_largest_so_far(each) for each in keys), strict=True)
        order: Int64 = np.lexsort((np.concatenate(low), np.concatenate(high), transaction))
        return order

    def number(self, name: str, prepared: RowChanges, count: int, kept: npt.NDArray[np.intp] | None = None) -> None:
        """Set the orders of a table's next records; its batches are to come in their order.

        Args:
            name: of the table.
            prepared: the records.
            count: how many changes the table has here.
            kept: which of them the records are made of; None: all.

        """
        total, of_table = self._own[name]
        begin = self._taken.get(name, 0)
        self._taken[name] = begin + count
        change = prepared.expansion.roles[expand.CHANGE].astype(np.int64)
        within = _within(change, prepared.expansion.live, len(prepared.changes))
        place = begin + (change if kept is None else kept[change])
        prepared.total_order = total[place] + within
        prepared.data_collection_order = of_table[place] + within

    def skip(self, name: str, changes: int) -> None:
        """Skip the first changes of a table, which are delivered."""
        self._taken[name] = self._taken.get(name, 0) + changes

    def counts(self) -> Counts:
        """The number of records of the transactions in `with_records`, by table, in the order of each table's first record."""
        counts = self._counts
        return Counts(np.searchsorted(self.with_records, counts.transaction), counts.table, counts.count, counts.names)


def _with_told(
    transaction: Int64, table: Int64, weight: Int64, base: Int64, names: list[str], part: ToldPart
) -> Numbered:
    """The same changes, and what was told as one more of each table, before all others."""
    told = dict(part.told.counts)
    names = list(dict.fromkeys([*names, *told]))
    places = np.array([names.index(name) for name in told], np.int64)
    return (
        np.append(transaction, np.full(len(told), part.transaction)),
        np.append(table, places),
        np.append(weight, np.array(list(told.values()), np.int64)),
        np.append(base, np.arange(-len(told), 0)),
        names,
    )


def _counted(transaction: Int64, table: Int64, weight: Int64, base: Int64, names: list[str]) -> Counts:
    """The number of records of each transaction by table, in the order of each table's first record."""
    has_any = weight > 0  # a change whose records are all skipped is not of the transaction
    transaction, table, weight, base = (each[has_any] for each in (transaction, table, weight, base))
    if not len(weight):
        return Counts(weight, weight, weight, names)
    pair = transaction * len(names) + table
    order = np.argsort(pair, kind="stable")
    begins = np.flatnonzero(np.diff(pair[order], prepend=-1))
    pairs = pair[order][begins]
    count = np.add.reduceat(weight[order], begins)
    first = np.minimum.reduceat(base[order], begins)
    owner, of = pairs // len(names), pairs % len(names)
    by_first = np.lexsort((first, owner))
    return Counts(owner[by_first], of[by_first], count[by_first], names)


def _before(transaction: Int64, weight: Int64, transactions: int) -> Int64:
    """The number of records before each change in its transaction; the changes of a transaction are adjacent."""
    added = np.bincount(transaction, weights=weight, minlength=transactions).astype(np.int64)
    begin = np.cumsum(added) - added
    return np.cumsum(weight) - weight - begin[transaction]


def _within(change: Int64, live: npt.NDArray[np.bool_], changes: int) -> Int64:
    """The number of each record among the counted ones of its change, from 1; a tombstone has that of its delete."""
    counted = np.cumsum(live)
    first = np.searchsorted(change, np.arange(changes))
    before = np.concatenate([[0], counted])[first]
    rank: Int64 = counted - before[change]
    return rank


def _largest_so_far(keys: Keys) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """The running maximum of change LSNs in each table and transaction, as numbers that sort."""
    high, low = lsn_columns.as_integers(keys.change)
    last = keys.transaction[1:] == keys.transaction[:-1]
    falls = last & ((high[1:] < high[:-1]) | ((high[1:] == high[:-1]) & (low[1:] < low[:-1])))
    if not falls.any():
        return high, low
    return lsn_columns.running_largest(keys.transaction, high, low)
