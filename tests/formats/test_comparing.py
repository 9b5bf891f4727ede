"""The comparison itself: it finds what differs, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from tests.formats.comparing import OrderError, assert_same, compare, outcomes, same_json
from tests.formats.connect_parts import Failure, Transform
from tests.formats.golden_lines import golden_lines

from tailrace.encoding.json import JsonEncoder, JsonFormat

KAFKA = "org.apache.kafka.connect"
PLAIN = JsonFormat(schemas=False)
ENCODER = JsonEncoder(PLAIN, PLAIN, PLAIN)
ROUTE = Transform(f"{KAFKA}.transforms.RegexRouter", {"regex": "(.*)", "replacement": "x.$1"})
SOURCE = "db2: changes-with-schemas"


def encoded(records):
    return [ENCODER.encode(records)]


def routed(records):
    return encoded(replace(records, topic=f"x.{records.topic}"))


@pytest.mark.debezium
def test_what_both_sides_do_alike_is_the_same(connect_parts):
    found = assert_same(connect_parts, golden_lines(SOURCE), routed, [ROUTE])
    assert (found.records, found.dropped, found.failed) == (len(golden_lines(SOURCE)), 0, 0)


@pytest.mark.debezium
@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda made: replace(made, topic="other"), "topic"),
        (lambda made: replace(made, timestamps=made.timestamps + 1), "timestamp"),
        (lambda made: replace(made, keys=made.values), "key"),
        (lambda made: replace(made, values=made.keys), "value"),
        (lambda made: replace(made, partition=3), "partition"),
    ],
    ids=["topic", "timestamp", "key", "value", "partition"],
)
def test_a_part_that_differs_is_told(connect_parts, change, part):
    lines = [line for line in golden_lines(SOURCE) if line["topic"].endswith("CUSTOMERS")]
    found = compare(connect_parts, lines, lambda records: [change(each) for each in encoded(records)])
    assert found.differences
    assert {part} == {part for difference in found.differences for part in difference.parts}


@pytest.mark.debezium
def test_headers_that_are_missing_are_told_with_both_records(connect_parts):
    lines = [line for line in golden_lines(SOURCE) if line["headers"]]
    with pytest.raises(AssertionError, match=r"(?s)differs in headers\n  real: .*newkey.*tailrace: .*headers=\(\)"):
        assert_same(connect_parts, lines, lambda records: encoded(replace(records, headers=())))


@pytest.mark.debezium
def test_records_that_one_side_drops_or_has_twice_are_told(connect_parts):
    lines = golden_lines(SOURCE)
    assert len(compare(connect_parts, lines, lambda _: []).differences) == len(lines)
    twice = compare(connect_parts, lines, lambda records: encoded(records) * 2)
    assert {difference.parts for difference in twice.differences} == {("number of records",)}


@pytest.mark.debezium
def test_a_failure_is_to_be_one_on_both_sides(connect_parts):
    fails = Transform(f"{KAFKA}.transforms.ValueToKey", {"fields": "op"})
    lines = golden_lines(SOURCE)
    found = compare(connect_parts, lines, encoded, [fails])
    failed = [difference for difference in found.differences if "failure" in difference.parts]
    assert len(failed) == found.failed > 0
    assert "fails: org.apache.kafka.connect.errors.DataException" in str(failed[0])


def test_of_records_that_fail_together_each_is_tried_alone():
    def fails_for_deletes(records):
        if records.has_value is not None and not records.has_value.all():
            raise ValueError("no value")
        return encoded(records)

    lines = golden_lines(SOURCE)
    failed = [isinstance(outcome, Failure) for outcome in outcomes(lines, fails_for_deletes)]
    assert failed == [line["value"] is None for line in lines]


def test_records_out_of_log_order_are_refused():
    lines = [line for line in golden_lines(SOURCE) if line["topic"].endswith("CUSTOMERS")]
    with pytest.raises(OrderError, match="CUSTOMERS are not in log order"):
        outcomes(lines, lambda records: encoded(records.take(np.arange(len(records))[::-1])))


@pytest.mark.parametrize(
    ("theirs", "ours", "same"),
    [
        (b'{"a":1.0E10}', b'{"a":10000000000.0}', True),
        (b'{"a":1.0E10}', b'{"a":10000000000}', False),
        (b'{"a":1}', b'{"a":1.0}', False),
        (b'{"a":-0.0}', b'{"a":0.0}', False),
        (b'{"a":"1.0E10"}', b'{"a":"10000000000.0"}', False),
        (b'{"a":1,"b":2}', b'{"b":2,"a":1}', False),
        (b'"\\u00e9"', '"é"'.encode(), False),
        (b'{"a": 1}', b'{"a":1}', False),
        (b'{"a\\"1.0E1":1.50}', b'{"a\\"1.0E1":1.5}', True),
        (None, b"null", False),
    ],
)
def test_json_is_the_same_but_for_the_digits_of_fractions(theirs, ours, same):
    assert same_json(theirs, ours) is same
