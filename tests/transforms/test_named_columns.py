"""Which columns a chain names."""

import pytest

from support.transforming import KAFKA, properties
from support.unit_settings import unit_settings
from tailrace.transforms.named_columns import MOMENT, NUMBER, TEXT, TRUTH, NamedColumn, named_columns

GROOVY = {"language": "jsr223.groovy"}


def named(*chain):
    return named_columns(unit_settings(properties(*chain)).transform_chain)


@pytest.mark.parametrize(
    ("condition", "column"),
    [
        ("value.after.amount > 100", NamedColumn("amount", NUMBER, 100)),
        ("value.after?.status == 'paid'", NamedColumn("status", TEXT, "paid")),
        ("value.before.active == true", NamedColumn("active", TRUTH, True)),
        ("value.after.name != null", NamedColumn("name")),
    ],
)
def test_what_a_condition_compares_tells_the_kind_and_a_value(condition, column):
    assert named(("io.debezium.transforms.Filter", {**GROOVY, "condition": condition})) == (column,)


def test_fields_of_options_are_columns_but_those_of_envelopes():
    chain = (
        ("ValueToKey", {"fields": "id,source"}),
        ("ReplaceField$Value", {"renames": "old:new"}),
        ("TimestampConverter$Value", {"field": "born", "target.type": "string", "format": "yyyy"}),
        ("io.debezium.transforms.partitions.PartitionRouting", {"partition.payload.fields": "change.region,op", "partition.topic.num": "3"}),
    )
    assert named(*chain) == (NamedColumn("id"), NamedColumn("old"), NamedColumn("born", MOMENT), NamedColumn("region"))


def test_an_outbox_has_its_columns_by_their_usual_names():
    names = {each.name for each in named("io.debezium.transforms.outbox.EventRouter")}
    assert {"id", "aggregateid", "aggregatetype", "payload"} <= names


def test_what_an_outbox_needs_of_them_is_in_their_values():
    outbox = ("io.debezium.transforms.outbox.EventRouter", {"table.expand.json.payload": "true"})
    values = {each.name: each.value for each in named(outbox) if each.value is not None}
    assert values == {"aggregatetype": "order", "payload": '{"number": 1}'}


def test_rules_of_a_time_zone_name_columns():
    rules = "source:orders:paid,items:before.sent,shops"
    converter = ("io.debezium.transforms.TimezoneConverter", {"converted.timezone": "UTC", "include.list": rules})
    assert named(converter) == (NamedColumn("paid", MOMENT), NamedColumn("sent", MOMENT))


def test_a_chain_that_names_none_has_none():
    assert named((f"{KAFKA}RegexRouter", {"regex": "a", "replacement": "b"})) == ()
