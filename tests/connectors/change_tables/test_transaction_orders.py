"""The numbers of changes in their transactions, over all tables, as Debezium's merge of the tables gives them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.told_transactions import Told
from tailrace.connectors.change_tables.transaction_orders import Keys, Orders, ToldPart

ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40)), max_size=12)


def merged(tables: list[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """Debezium's way: again and again the smallest that any table has next; as (table, index in it)."""
    next_ones, taken = [0] * len(tables), []
    while True:
        heads = [(tables[i][at], i) for i, at in enumerate(next_ones) if at < len(tables[i])]
        if not heads:
            return taken
        _, table = min(heads, key=lambda head: head[0])
        taken.append((table, next_ones[table]))
        next_ones[table] += 1


def lsn(number: int) -> Lsn:
    return Lsn(number.to_bytes(9, "big") + b"\x02")


@settings(deadline=None)
@given(ROWS, ROWS, ROWS, st.integers(1, 2))
def test_changes_are_numbered_as_the_tables_are_merged(
    one: list[tuple[int, int]], two: list[tuple[int, int]], three: list[tuple[int, int]], weight: int
) -> None:
    # a change LSN is one table's; within a table the transactions ascend, and change LSNs need not
    tables = [
        [(transaction, change * 3 + i) for transaction, change in sorted(rows, key=lambda row: row[0])]
        for i, rows in enumerate((one, two, three))
    ]
    keys = [
        Keys(
            f"t{i}",
            np.array([transaction for transaction, _ in rows], np.int64),
            np.frombuffer(b"".join(lsn(change).raw for _, change in rows), np.uint8).reshape(-1, 10),
            np.full(len(rows), weight, np.int64),
        )
        for i, rows in enumerate(tables)
        if rows
    ]
    orders = Orders(keys, 4)
    before: dict[tuple[int, int], int] = {}
    counted: dict[int, int] = {}
    for table, index in merged(tables):
        transaction = tables[table][index][0]
        before[table, index] = counted.get(transaction, 0)
        counted[transaction] = before[table, index] + weight
    for i, rows in enumerate(tables):
        if rows:
            total, own = orders._own[f"t{i}"]
            assert total.tolist() == [before[i, index] for index in range(len(rows))]
            of_transaction: dict[int, int] = {}
            for (transaction, _), number in zip(rows, own.tolist(), strict=True):
                assert number == of_transaction.get(transaction, 0)
                of_transaction[transaction] = number + weight
    assert orders.with_records.tolist() == sorted(counted)
    counts = orders.counts()
    totals = np.bincount(counts.transaction, counts.count, len(orders.with_records)).astype(int).tolist()
    assert totals == [counted[transaction] for transaction in sorted(counted)]


def of_one_table(name: str, transactions: list[int], weights: list[int]) -> Keys:
    changes = np.frombuffer(b"".join(lsn(i).raw for i in range(len(weights))), np.uint8).reshape(-1, 10)
    return Keys(name, np.array(transactions, np.int64), changes, np.array(weights, np.int64))


def counted(orders: Orders) -> list[tuple[int, str, int]]:
    counts = orders.counts()
    names = [counts.names[i] for i in counts.table.tolist()]
    return list(zip(orders.with_records[counts.transaction].tolist(), names, counts.count.tolist(), strict=True))


def test_the_numbers_of_a_transaction_continue_where_another_one_has_stopped() -> None:
    keys = [of_one_table("a", [0, 0, 0, 1], [0, 0, 1, 1])]
    orders = Orders(keys, 2, ToldPart(0, Told(is_begun=True, counts=(("gone", 4), ("a", 2)))))
    total, own = orders._own["a"]
    assert (total.tolist()[2:], own.tolist()[2:]) == ([6, 0], [2, 0])
    assert counted(orders) == [(0, "gone", 4), (0, "a", 3), (1, "a", 1)]
    assert orders.begins.tolist() == [False, True]


def test_a_transaction_that_is_told_to_its_last_change_still_ends() -> None:
    told = ToldPart(0, Told(is_begun=True, counts=(("a", 2),)))
    keys = [of_one_table("a", [0, 0], [0, 0])]
    for some in (keys, keys[1:]):
        orders = Orders(some, 1, told)
        assert (orders.with_records.tolist(), orders.begins.tolist()) == ([0], [False])
        assert counted(orders) == [(0, "a", 2)]
    assert Orders(keys, 1, ToldPart(0, Told())).with_records.tolist() == []
