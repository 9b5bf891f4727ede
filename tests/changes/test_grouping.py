"""Records with the same numbers are in one group, and groups come in the order of their first records."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tailrace.changes.grouping import groups

numbers = st.one_of(st.integers(-2, 2), st.sampled_from([-(2**40), 2**40, 2**61, 300]))


@given(st.integers(0, 30).flatmap(lambda n: st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=1, max_size=4)))
def test_groups_are_those_of_the_tuples(columns):
    found = [each.tolist() for each in groups([np.array(column, np.int64) for column in columns])]
    expected = {}
    for record, key in enumerate(zip(*columns, strict=True)):
        expected.setdefault(key, []).append(record)
    assert found == list(expected.values())
