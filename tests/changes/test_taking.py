"""Byte strings are taken out of several columns as out of one list."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tailrace.changes.records import Binary, binary_of, nulls
from tailrace.changes.taking import taken

columns = st.lists(st.lists(st.one_of(st.none(), st.binary(max_size=20)), max_size=5), min_size=1, max_size=6)


def column_of(strings):
    made = binary_of([each or b"" for each in strings])
    if None not in strings:
        return made
    return Binary(made.data, made.offsets, np.array([each is not None for each in strings], np.bool_))


@given(columns, st.data())
def test_any_strings_are_taken_in_any_order(found, data):
    every = [each for strings in found for each in strings]
    order = data.draw(st.lists(st.integers(0, len(every) - 1), max_size=12)) if every else []
    made = taken([column_of(strings) for strings in found], np.array(order, np.int64))
    assert [made[i] for i in range(len(made))] == [every[i] for i in order]
    assert (made.valid is None) == (None not in [every[i] for i in order])


def test_strings_that_begin_within_their_column_are_taken():
    made = taken([Binary(np.frombuffer(b"abcdef", np.uint8), np.array([2, 3, 6]))], np.array([1, 0]))
    assert [made[0], made[1]] == [b"def", b"c"]


def test_nothing_but_nulls_can_be_taken():
    made = taken([nulls(2), nulls(1)], np.array([2, 0]))
    assert [made[0], made[1]] == [None, None]


def test_indices_may_be_of_any_integer_type():
    made = taken([binary_of([b"a", b"b"])], np.array([1, 1], np.int32))
    assert [made[0], made[1]] == [b"b", b"b"]
