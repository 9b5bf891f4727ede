"""Ranges of keys, without a server."""

import random

import numpy as np
import pytest

from tailrace.connectors.shared.snapshots.key_ranges import ascending, behind, compared, within_local

SEED = random.SystemRandom().randrange(2**32)


def test_a_key_of_several_columns_is_compared_column_by_column_behind_its_first():
    assert compared(["a"], "<=", ["1"]) == "a <= 1"
    assert compared(["a", "b"], ">", ["1", "2"]) == "a >= 1 AND ((a > 1) OR (a = 1 AND b > 2))"
    assert compared(["a", "b"], "<=", ["1"]) == "a <= 1"


def test_a_short_bound_lies_behind_all_rows_that_begin_with_it():
    assert behind(["7"], ["7", "9"]) == "7 >= 7"
    assert behind(["7", "9"], ["7"]) == "7 > 7"


def test_bounds_that_do_not_ascend_are_dropped():
    def are_behind(pairs):
        return [b > a for a, b in pairs]

    assert ascending([[1], [3], [2], [2], [5]], are_behind) == [[1], [3], [5]]
    assert ascending([], are_behind) == []


@pytest.mark.parametrize("width", [1, 2, 3])
def test_locally_within_is_what_tuples_say(width):
    print(f"seed {SEED}")
    own = random.Random(SEED + width)
    keys = [tuple(own.randint(-3, 3) for _ in range(width)) for _ in range(500)]
    intervals = []
    for _ in range(4):
        after, upto = sorted(tuple(own.randint(-3, 3) for _ in range(width)) for _ in range(2))
        intervals.append((own.choice([None, list(after)]), list(upto)))
    expected = [any((a is None or tuple(a) < key) and key <= tuple(b) for a, b in intervals) for key in keys]
    columns = [np.array([key[i] for key in keys], np.int64) for i in range(width)]
    assert within_local(columns, intervals).tolist() == expected


def test_locally_within_knows_large_numbers_and_short_bounds():
    large = np.array([0, 2**63 - 1, 2**63, 2**64 - 1], np.uint64)
    assert within_local([large], [([2**63 - 1], [2**63])]).tolist() == [False, False, True, False]
    signed = np.array([-1, 5], np.int64)
    assert within_local([signed], [([2**63], None)]).tolist() == [False, False]
    pair = [np.array([1, 1, 2]), np.array([0, 9, 0])]
    assert within_local(pair, [(None, [1])]).tolist() == [True, True, False]
    assert within_local(pair, [([1], None)]).tolist() == [False, False, True]
    assert within_local(pair, []).tolist() == [False] * 3
