"""Keys, values and envelopes of tables."""

import json

from tests.support.unit_settings import unit_settings

from tailrace.connectors.mysql import source_block
from tailrace.connectors.shared import source_blocks
from tailrace.encoding.connect_json import schema_json
from tailrace.schema.connect import Schema, Type
from tailrace.schema.envelope import table_schemas
from tailrace.schema.names import Names
from tailrace.schema.tables import Column, Table, TableId

COLUMNS = tuple(Column(name, "INT", "INT", 4) for name in ("id", "a", "b"))
TABLE = Table(TableId("shop", "", "orders"), COLUMNS, ("b", "id"))
FIELDS = [Schema(Type.INT32)] * 3
MASKED = [Schema(Type.INT32, parameters=(("masked", "true"),))] * 3


def schemas(table=TABLE, **properties):
    settings = unit_settings({name.replace("_", "."): value for name, value in properties.items()})
    return table_schemas(table, FIELDS, MASKED, source_block.schema(settings), settings, Names(settings))


def names_of(schema):
    return [field.name for field in schema.fields]


def test_the_key_is_the_primary_key_in_its_own_order():
    found = schemas()
    assert found.key.name == "dbz.shop.orders.Key"
    assert (found.key_columns, names_of(found.key)) == ((2, 0), ["b", "id"])
    assert not found.key.optional


def test_a_table_without_a_key_has_no_key_schema():
    assert schemas(Table(TABLE.id, COLUMNS)).key is None


def test_message_key_columns_replace_the_primary_key():
    found = schemas(message_key_columns="shop.orders:a,id;shop.other:b")
    assert names_of(found.key) == ["a", "id"]


def test_key_columns_stay_in_the_key_when_the_value_leaves_them_out():
    found = schemas(column_exclude_list="shop.orders.id")
    assert names_of(found.key) == ["b", "id"]
    assert names_of(found.value) == ["a", "b"]
    assert found.value_columns == (1, 2)
    assert found.columns == (0, 1, 2)


def test_policies_leave_no_mark_on_the_key():
    found = schemas()
    assert found.key.fields[0].schema.parameters == ()
    assert found.value.fields[0].schema.parameters == (("masked", "true"),)


def test_the_envelope_is_that_of_debezium_3_6():
    envelope = schemas().envelope
    assert names_of(envelope) == ["before", "after", "source", "transaction", "op", "ts_ms", "ts_us", "ts_ns"]
    assert (envelope.name, envelope.version, envelope.optional) == ("dbz.shop.orders.Envelope", 2, False)
    assert envelope.field("before").schema.optional
    assert envelope.field("before").schema.name == "dbz.shop.orders.Value"


SOURCE_2_1 = [
    "version",
    "connector",
    "name",
    "ts_ms",
    "snapshot",
    "db",
    "table",
    "server_id",
    "gtid",
    "file",
    "pos",
    "row",
    "thread",
    "query",
]  # in the order of the seed's example


def test_the_shape_2_1_has_the_fields_of_the_documentation_of_2_1():
    envelope = schemas(tailrace_event_shape="2.1").envelope
    assert names_of(envelope) == ["before", "after", "source", "op", "ts_ms"]
    source = envelope.field("source").schema
    assert names_of(source) == SOURCE_2_1
    assert (envelope.version, source.version) == (None, None)
    snapshot = json.loads(schema_json(source.field("snapshot").schema))
    assert snapshot == {"type": "boolean", "optional": True, "default": False}


def test_the_shape_2_1_tells_of_transactions_when_asked_to():
    envelope = schemas(tailrace_event_shape="2.1", provide_transaction_metadata="true").envelope
    assert names_of(envelope)[-1] == "transaction"


def test_the_source_block_says_whose_events_these_are():
    settings = unit_settings()
    constants = source_block.constants(settings, "shop", "orders")
    assert constants["version"] == "3.6.1.Final"
    assert {**constants, "version": None} == {
        "version": None, "connector": "mysql", "name": "dbz", "snapshot": None, "db": "shop", "sequence": None,
        "table": "orders", "query": None,
    }  # fmt: skip
    shape = unit_settings({"tailrace.event.shape": "2.1", "include.query": "true"})
    assert source_blocks.version(shape) == "2.1.4.Final"
    assert "query" not in source_block.constants(shape, "shop", "orders")


def test_every_field_of_the_source_block_is_constant_or_varies():
    constants = source_block.constants(unit_settings(), "shop", "orders")
    assert {*constants, *source_block.VARYING} == set(names_of(source_block.SOURCE))
