"""Distinct texts are those that Python finds, in the order in which they occur."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.changes.distinct import distinct_texts
from tailrace.changes.vectors import Vector, from_arrow
from tailrace.changes.views import vector_of

alike = [f"{'x' * length}{end}" for length in (0, 7, 8, 11, 12, 13, 19, 20, 21) for end in ("", "a", "b", "ä")]
texts = st.lists(st.one_of(st.none(), st.sampled_from(alike), st.text(max_size=3)), max_size=60)


@given(texts)
def test_each_text_has_the_number_of_its_first_occurrence(found):
    firsts, codes = distinct_texts(from_arrow(pa.array(found, pa.string_view())))
    distinct = list(dict.fromkeys(found))
    assert [found[row] for row in firsts] == distinct
    assert [distinct[code] for code in codes] == found


def test_what_stands_in_the_place_of_a_null_does_not_count():
    vector = vector_of([b"a", b"b", b"a", b"some longer text"])
    nulls = Vector(vector.kind, 4, vector.data, np.packbits([False, False, True, False], bitorder="little"), vector.buffers)
    firsts, codes = distinct_texts(nulls)
    assert firsts.tolist() == [0, 2]
    assert codes.tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("count", [0, 1, 5000])
def test_there_may_be_as_many_as_there_are_texts(count):
    firsts, codes = distinct_texts(vector_of([f"text number {number:020d}".encode() for number in range(count)]))
    assert firsts.tolist() == codes.tolist() == list(range(count))
