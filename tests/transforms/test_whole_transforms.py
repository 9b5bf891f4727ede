"""Transforms of whole keys and values: Filter, HoistField, SetSchemaMetadata, Flatten, Drop."""

import pytest

from support.transforming import UNWRAP, changes, run, schema_of
from tailrace.errors import ConfigError, TransformError

STATES = ("io.debezium.transforms.ExtractNewRecordState", {})  # deletes are nulls that keep their schema
DROP = "io.confluent.connect.transforms.Drop"


def test_filter_drops_all_records():
    assert run(changes(), "Filter") == []


def test_a_value_becomes_the_field_of_a_struct():
    seen = run(changes(), STATES, ("HoistField$Value", {"field": "row"}))
    assert [each.value for each in seen] == [{"row": {"c0": 1, "c1": "a"}}, {"row": {"c0": 1, "c1": None}}, {"row": None}]


def test_of_a_tombstone_the_field_is_null():
    assert [each.value for each in run(changes(), UNWRAP, ("HoistField$Value", {"field": "row"}))][-1] == {"row": None}


def test_name_and_version_of_a_schema_are_set_also_of_nulls_that_have_one():
    seen = run(changes(), STATES, ("SetSchemaMetadata$Value", {"schema.name": "x.Y", "schema.version": "3"}), schemas=True)
    assert [(each.value["schema"]["name"], each.value["schema"]["version"]) for each in seen] == [("x.Y", 3)] * 3
    assert seen[-1].value["payload"] is None


def test_setting_neither_name_nor_version_is_refused():
    with pytest.raises(ConfigError, match=r"neither schema\.name nor schema\.version is set"):
        run(changes(), "SetSchemaMetadata$Key")


def test_fields_of_structs_become_fields_of_the_whole():
    seen = run(changes(), ("Flatten$Value", {"delimiter": "_"}))
    assert [(each.value["before_c1"], each.value["after_c0"], each.value["op"]) for each in seen[:3]] == [
        (None, 1, "c"),
        ("a", 1, "u"),
        (None, None, "d"),
    ]
    assert seen[0].value["source_table"] == "t"
    assert seen[-1].value is None


def test_a_required_field_of_a_struct_that_may_be_null_is_optional_when_it_is_flat():
    fields = schema_of(run(changes(), "Flatten$Value", schemas=True)[0].value)
    assert (fields["after.c0"]["optional"], fields["source.table"]["optional"], fields["op"]["optional"]) == (True, True, False)


def test_two_fields_of_one_flat_name_fail():
    other = ("InsertField$Value", {"static.field": "after.c0", "static.value": "x"})
    with pytest.raises(TransformError, match=r"two fields 'after\.c0'"):
        run(changes(), other, "Flatten$Value")


@pytest.mark.parametrize(
    ("behavior", "value"),
    [("nullify", None), ("force_optional", {"optional": True, "payload": None})],
)
def test_drop_puts_a_null_in_place_of_the_value(behavior, value):
    seen = run(changes(), (f"{DROP}$Value", {"schema.behavior": behavior}), schemas=True)[0].value
    assert (seen and {"optional": seen["schema"]["optional"], "payload": seen["payload"]}) == value


@pytest.mark.parametrize("behavior", ["retain", "validate"])
def test_a_null_fails_whose_schema_must_not_be_null(behavior):
    with pytest.raises(TransformError, match="its key is not optional"):
        run(changes(), (f"{DROP}$Key", {"schema.behavior": behavior}))
