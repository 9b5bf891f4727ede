"""Numbers within transactions, against a plain count."""

import random
from collections import Counter

import numpy as np
import pytest

from tailrace.changes.expand import expand
from tailrace.changes.model import Changes
from tailrace.events.ordering import NEVER, TransactionCounter
from tailrace.events.shape import RowChanges


def prepared(events):
    """`events`: (rank in the log, transaction, operation) of one table."""
    n = len(events)
    index = np.arange(n, dtype=np.int32)
    changes = Changes(
        columns=[],
        before=np.array([-1 if e[2] == "c" else i for i, e in enumerate(events)], np.int32),
        after=np.array([-1 if e[2] == "d" else i for i, e in enumerate(events)], np.int32),
        op=np.array([ord(e[2]) for e in events], np.uint8),
        event=index,
        transaction=np.array([e[1] for e in events], np.int32),
        source={},
        constants={},
        position=(),
        log_order=np.array([e[0] for e in events], np.int64),
    )
    return RowChanges(None, changes, None, expand(changes, None, tombstones=True), 0)


@pytest.mark.parametrize("seed", range(30))
def test_orders_and_counts_are_those_of_a_plain_loop_however_the_log_is_cut(seed):
    rng = random.Random(seed)
    log, transaction = [], 0
    for rank in range(rng.randrange(1, 200)):
        transaction += rng.random() < 0.2
        log.append((rank, transaction, rng.choice("ab"), rng.choice("cud")))
    cuts = sorted({0, len(log), *(rng.randrange(len(log) + 1) for _ in range(4))})
    counter, total, tables = TransactionCounter(), Counter(), Counter()
    for start, end in zip(cuts, cuts[1:], strict=False):
        run = log[start:end]
        first = run[0][1]
        goes_on = end < len(log) and log[end][1] == run[-1][1]
        batch = [
            (name, prepared([(r, t - first, op) for r, t, table, op in run if table == name]))
            for name in "ab"
            if any(table == name for _, _, table, _ in run)
        ]
        counts = counter.number(batch, run[-1][1] - first + 1, last_open=goes_on)
        shown = {}
        for _, one in batch:
            change, live = one.expansion.roles[0], one.expansion.live
            for i in np.flatnonzero(live):
                shown[one.changes.log_order[change[i]]] = (one.total_order[i], one.data_collection_order[i])
        for rank, t, table, _ in run:
            total[t] += 1
            tables[t, table] += 1
            assert shown[rank] == (total[t], tables[t, table]), f"seed {seed}"
        for t in range(first, run[-1][1] + 1):
            assert counts.total[t - first] == total[t]
            for name, by_table in counts.tables.items():
                assert by_table.count[t - first] == tables[t, name]
                assert (by_table.first[t - first] == NEVER) == (tables[t, name] == 0)
