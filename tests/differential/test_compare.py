"""What the comparison with Debezium sees, shown on recorded records of Debezium: no server and no Java needed."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.differential.compare import MASKED, MISSING, compare, is_masked, of_pair
from tests.differential.mutation import another_value, mutants
from tests.differential.records import Record, loads, read

GOLDEN = read(Path(__file__).with_name("golden.jsonl"))


def test_records_equal_themselves():
    assert compare(GOLDEN, GOLDEN) == []


@pytest.mark.parametrize("index", range(len(GOLDEN)))
def test_a_change_of_any_field_that_is_not_masked_is_a_difference(index):
    record = GOLDEN[index]
    for path, mutant in mutants(record):
        found = list(of_pair(record.topic, index, record, mutant))
        assert bool(found) != is_masked(record.topic, path), f"{path}: {found}"


@pytest.mark.parametrize("index", range(len(GOLDEN)))
def test_a_masked_field_must_still_be_there_and_of_the_same_kind(index):
    record = GOLDEN[index]
    for path, mutant in mutants(record):
        if path.endswith("<removed>"):
            assert list(of_pair(record.topic, index, record, mutant)), path
    if isinstance(record.value, dict) and "op" in record.value:
        text = replace(record, value={**record.value, "ts_ms": str(record.value["ts_ms"])})
        assert [d.path for d in of_pair(record.topic, index, record, text)] == ["value.ts_ms"]


def test_every_mask_hides_something_that_debezium_writes():
    unused = [mask for mask in MASKED if not any(_hides(mask, record) for record in GOLDEN)]
    assert unused == []


def test_every_mask_gives_its_reason():
    assert all(mask.reason for mask in MASKED)


def test_a_record_that_is_missing_is_a_difference():
    found = compare(GOLDEN, GOLDEN[:-1])
    assert len(found) == 1
    assert found[0].tailrace is MISSING


def test_a_record_too_many_is_a_difference():
    assert compare(GOLDEN[:-1], GOLDEN)[0].debezium is MISSING


def test_two_records_of_a_topic_in_the_other_order_are_a_difference():
    first, second, *others = [r for r in GOLDEN if r.topic == "dbz.d_types.ints"]
    assert compare([first, second, *others], [second, first, *others])


def test_the_order_across_topics_does_not_matter():
    assert compare(GOLDEN, sorted(GOLDEN, key=lambda r: r.topic)) == []


def test_a_tombstone_is_not_an_empty_value():
    tombstone = Record("t", {"id": 1}, None, {})
    assert compare([tombstone], [replace(tombstone, value={})])


@pytest.mark.parametrize(
    ("debezium", "tailrace"),
    [
        ("9007199254740993", "9007199254740992"),
        ("18446744073709551615", "18446744073709551616"),
        ("0.1", "0.10000000000000002"),
        ("-0.0", "0.0"),
        ("1.0", "1"),
        ("1", "true"),
        ("0", "false"),
        ('"1"', "1"),
        ('""', "null"),
        ('"é"', '"e\\u0301"'),
        ("[]", "null"),
        ("[1]", "[1,1]"),
    ],
)
def test_values_that_are_almost_equal_differ(debezium, tailrace):
    assert list(of_pair("t", 0, _with(debezium), _with(tailrace)))


@pytest.mark.parametrize(
    ("debezium", "tailrace"),
    [
        ("1.0E10", "10000000000.0"),
        ("4.9E-324", "5e-324"),
        ('"\\u00e9"', '"é"'),
        ('{"a": 1}', '{"a":1}'),
        ("1E2", "100.0"),
    ],
)
def test_the_same_value_written_in_another_way_is_equal(debezium, tailrace):
    assert list(of_pair("t", 0, _with(debezium), _with(tailrace))) == []


def test_the_neighbour_of_a_value_is_another_value():
    for value in (0, -1, 2**63, 0.0, -0.0, 1e308, "", "a", True, None):
        assert repr(another_value(value)) != repr(value)


def _with(value: str) -> Record:
    return Record("t", None, {"payload": {"after": {"v": loads(value)}}}, {})


def _hides(mask, record) -> bool:
    paths = (path for path, _ in mutants(record))
    return re.fullmatch(mask.topic, record.topic) is not None and any(re.fullmatch(mask.path, path) for path in paths)
