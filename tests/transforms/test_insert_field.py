"""InsertField: where the fields stand, their schemas, and what it refuses."""

import pytest

from support.transforming import changes, run, schema_of
from tailrace.errors import ConfigError, TransformError

ALL = {"topic.field": "topic!", "partition.field": "p?", "timestamp.field": "at", "static.field": "s", "static.value": "x"}


def test_fields_stand_at_the_end_and_tombstones_stay():
    *seen, tombstone = run(changes(), ("InsertField$Value", ALL))
    assert [list(each.value)[-4:] for each in seen] == [["topic", "p", "at", "s"]] * 3
    assert [(each.value["topic"], each.value["p"], each.value["s"]) for each in seen] == [("dbz.shop.t", None, "x")] * 3
    assert seen[0].value["at"] == seen[0].value["ts_ms"]
    assert tombstone.value is None


def test_a_suffix_says_whether_a_field_is_required():
    fields = schema_of(run(changes(), ("InsertField$Value", ALL), schemas=True)[0].value)
    assert fields["topic"] == {"type": "string", "optional": False}
    assert fields["p"] == {"type": "int32", "optional": True}
    assert fields["at"] == {"type": "int64", "optional": True, "name": "org.apache.kafka.connect.data.Timestamp", "version": 1}


def test_keys_and_values_of_one_layout_may_each_have_added_columns():
    seen = run(changes(), ("InsertField$Value", {"topic.field": "t"}), ("InsertField$Key", {"timestamp.field": "at"}))
    assert [set(each.key) for each in seen] == [{"c0", "at"}] * 4
    assert {each.key["at"] for each in seen} == {1_700_000_000_000}


def test_a_field_that_is_there_already_fails():
    with pytest.raises(TransformError, match=r"t0 \(InsertField\$Value\) .* two fields 'op'"):
        run(changes(), ("InsertField$Value", {"topic.field": "op"}))


def test_a_required_partition_fails_before_records_have_one():
    assert run(changes(), ("InsertField$Key", {"partition.field": "p!"}), tolerant=True) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "no field is to be inserted"),
        ({"offset.field": "o"}, "offset.field is for sink connectors"),
        ({"static.field": "s"}, "static.value is missing"),
    ],
)
def test_a_configuration_without_sense_is_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        run(changes(), ("InsertField$Value", options))
