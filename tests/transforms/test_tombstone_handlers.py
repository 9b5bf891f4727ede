"""TombstoneHandler of Confluent and Aiven, and Aiven's KeyToValue."""

import logging

import pytest

from support.transforming import UNWRAP, changes, run
from tailrace.errors import ConfigError, TransformError

CONFLUENT = "io.confluent.connect.transforms.TombstoneHandler"
AIVEN = "io.aiven.kafka.connect.transforms.TombstoneHandler"
KEY_TO_VALUE = "io.aiven.kafka.connect.transforms.KeyToValue"
STATES = ("io.debezium.transforms.ExtractNewRecordState", {})


@pytest.mark.parametrize(
    ("handler", "warns"),
    [
        (CONFLUENT, True),
        ((CONFLUENT, {"behavior": "ignore"}), False),
        ((AIVEN, {"behavior": "drop_warn"}), True),
        ((AIVEN, {"behavior": "drop_silent"}), False),
    ],
)
@pytest.mark.parametrize("before", [STATES, UNWRAP])
def test_nulls_are_dropped_with_a_schema_and_without(handler, warns, before, caplog):
    with caplog.at_level(logging.WARNING, "tailrace.transforms"):
        seen = run(changes(), before, handler)
    assert all(each.value for each in seen)
    assert len(seen) == (2 if before is STATES else 3)
    assert ("1 tombstones" in caplog.text) is warns


@pytest.mark.parametrize("handler", [CONFLUENT, AIVEN])
def test_nulls_fail_where_that_is_wanted(handler):
    with pytest.raises(TransformError, match="behavior is fail"):
        run(changes(), (handler, {"behavior": "fail"}))
    assert len(run(changes(), (handler, {"behavior": "fail"}), tolerant=True)) == 3


def test_aivens_has_no_default():
    with pytest.raises(ConfigError, match=r"behavior is missing"):
        run(changes(), AIVEN)


def test_fields_of_the_key_and_the_whole_key_become_fields_of_the_value():
    seen = run(changes(), (KEY_TO_VALUE, {"key.fields": "c0,*", "value.fields": "id"}), tolerant=True)
    assert [(each.value["id"], each.value["_key"]) for each in seen] == [(1, {"c0": 1})] * 3
    assert list(seen[0].value)[-2:] == ["id", "_key"]


def test_a_field_that_is_there_is_replaced_in_its_place():
    seen = run(changes(), (KEY_TO_VALUE, {"key.fields": "c0", "value.fields": "op"}), tolerant=True)
    assert [each.value["op"] for each in seen] == [1] * 3
    assert list(seen[0].value).index("op") < list(seen[0].value).index("ts_ms")


@pytest.mark.parametrize(("fields", "message"), [("zz", "its key has no field 'zz'"), ("c0", "its value is null")])
def test_missing_fields_and_nulls_fail(fields, message):
    events = changes() if fields == "c0" else changes([("c", None, (1, "a"))])
    with pytest.raises(TransformError, match=message):
        run(events, (KEY_TO_VALUE, {"key.fields": fields}))
