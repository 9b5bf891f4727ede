"""Records as lines of JSON."""

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from support.counting_log import binary
from tailrace.changes.records import Header, Records
from tailrace.sinks.lines import render_lines

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
OPTIONAL = st.none() | JSON_VALUES
ROWS = st.lists(st.tuples(OPTIONAL, OPTIONAL, OPTIONAL, st.integers(0, 2**62)), min_size=1, max_size=20)


def records(keys, values, headers=(), *, timestamps=None, partition=None, topic="shop.orders"):
    n = len(keys)
    texts = binary([f"{i:05d}".encode() for i in range(n)])
    times = np.array(timestamps or [7] * n, np.int64)
    return Records(topic, binary(keys), binary(values), times, texts, np.arange(n), headers, partition)


def parsed(given_records):
    return [json.loads(line) for line in render_lines(given_records).data.tobytes().splitlines()]


def encoded(value):
    return None if value is None else json.dumps(value).encode()


@given(ROWS)
def test_a_line_reads_back_as_what_the_record_holds(rows):
    keys, values, odd, times = zip(*rows, strict=True)
    headers = (Header("odd", binary([encoded(v) for v in odd])), Header('"quoted"', binary([b"1"] * len(rows))))
    lines = parsed(records([encoded(k) for k in keys], [encoded(v) for v in values], headers, timestamps=list(times)))
    assert [line["key"] for line in lines] == list(keys)
    assert [line["value"] for line in lines] == list(values)
    assert [line["timestamp"] for line in lines] == list(times)
    assert [line["headers"] for line in lines] == [({"odd": v} if v is not None else {}) | {'"quoted"': 1} for v in odd]


def test_a_line_has_the_fields_that_are_documented_in_their_order():
    (line,) = parsed(records([b'{"id":1}'], [None], partition=3))
    assert list(line.items()) == [
        ("topic", "shop.orders"),
        ("partition", 3),
        ("key", {"id": 1}),
        ("value", None),
        ("headers", {}),
        ("timestamp", 7),
        ("position", "00000"),
    ]


def test_no_records_make_no_line():
    assert len(render_lines(records([], [])).data) == 0
