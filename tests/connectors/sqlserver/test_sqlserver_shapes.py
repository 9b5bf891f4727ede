"""Names, source blocks and schemas of SQL Server's events, in the shapes of Debezium 3.6, 2.1 and 1.4.

Sources: for 1.4, the messages in Debezium's documentation of that version; for 2.1, its message of an incremental
snapshot, and the connector's source at v2.1.4.Final for what that leaves out.
"""

import json

import numpy as np
import pytest
from tests.connectors.sqlserver.shapes import SHAPE_1_4, SHAPE_2_1
from tests.support.unit_settings import sqlserver_unit_settings

from support.boundaries import TransactionRecords
from tailrace.changes.views import vector_of
from tailrace.connectors.sqlserver import source_block
from tailrace.encoding.connect_json import schema_json, value_json
from tailrace.events.transactions import Counts
from tailrace.schema.changes_topic import SchemaEvent, schema_change_key, schema_change_schemas, schema_change_value
from tailrace.schema.connect import Schema, Type
from tailrace.schema.envelope import table_schemas
from tailrace.schema.names import Names
from tailrace.schema.table_changes import ChangeType, TableChange
from tailrace.schema.tables import Column, Table, TableId

CUSTOMERS = TableId("testDB", "dbo", "customers")
TABLE = Table(
    CUSTOMERS,
    (
        Column("id", "int identity", "int identity", 4, length=10, scale=0, optional=False),
        *(
            Column(name, "varchar", "varchar", 12, length=255, optional=False)
            for name in ("first_name", "last_name", "email")
        ),
    ),
    ("id",),
)
FIELDS = [Schema(Type.INT32), *[Schema(Type.STRING)] * 3]
ROW_OF_1_4 = [
    {"type": "int32", "optional": False, "field": "id"},
    {"type": "string", "optional": False, "field": "first_name"},
    {"type": "string", "optional": False, "field": "last_name"},
    {"type": "string", "optional": False, "field": "email"},
]
SOURCE_OF_1_4 = {
    "type": "struct",
    "fields": SHAPE_1_4.source_fields,
    "optional": False,
    "name": "io.debezium.connector.sqlserver.Source",
    "field": "source",
}


def in_shape(shape, **more):
    return sqlserver_unit_settings({"tailrace.event.shape": shape} | {k.replace("_", "."): v for k, v in more.items()})


def schemas(settings):
    return table_schemas(TABLE, FIELDS, FIELDS, source_block.schema(settings), settings, Names(settings))


def names_of(schema):
    return [field.name for field in schema.fields]


def test_topics_are_named_after_prefix_database_schema_and_table():
    names = Names(sqlserver_unit_settings())
    assert names.topic(CUSTOMERS) == "server1.testDB.dbo.customers"
    assert names.topic(TableId("testDB", "my schema", "t-1.é")) == "server1.testDB.my_schema.t-1._"
    assert names.schema_change_topic == "server1"
    assert names.transaction_topic == "server1.transaction"
    assert names.heartbeat_topic == "__debezium-heartbeat.server1"


def test_the_same_table_of_two_databases_has_two_topics(caplog):
    names = Names(sqlserver_unit_settings({"database.names": "a,b"}))
    assert names.topic(TableId("a", "dbo", "t")) == "server1.a.dbo.t"
    assert names.topic(TableId("b", "dbo", "t")) == "server1.b.dbo.t"
    assert caplog.text == ""


def test_topics_have_no_database_in_the_shape_of_1_4():
    assert Names(in_shape("1.4")).topic(CUSTOMERS) == "server1.dbo.customers"
    assert Names(in_shape("2.1")).topic(CUSTOMERS) == "server1.testDB.dbo.customers"


@pytest.mark.parametrize("shape", ["1.4", "2.1"])
def test_names_of_schemas_suit_avro_in_the_older_shapes(shape):
    settings = in_shape(shape, **{"topic.prefix": "my-app"})
    made = schemas(settings)
    topic = "my-app.dbo.customers" if shape == "1.4" else "my-app.testDB.dbo.customers"
    named = topic.replace("-", "_")
    assert made.topic == topic
    assert made.key is not None
    assert (made.key.name, made.value.name, made.envelope.name) == (f"{named}.Key", f"{named}.Value", f"{named}.Envelope")


@pytest.mark.parametrize("shape", ["1.4", "2.1"])
def test_fields_keep_their_names_in_the_older_shapes_unless_they_are_sanitized(shape):
    assert Names(in_shape(shape)).fields(CUSTOMERS, ["id 1", "2nd"]) == ["id 1", "2nd"]
    sanitized = in_shape(shape, **{"sanitize.field.names": "true"})
    assert Names(sanitized).fields(CUSTOMERS, ["id 1", "2nd"]) == ["id_1", "_2nd"]


@pytest.mark.parametrize("shape", ["1.4", "2.1"])
@pytest.mark.parametrize(("mode", "name"), [("none", "my-app"), ("avro", "my_app"), ("avro_unicode", "my_u002dapp")])
def test_what_is_said_of_names_counts_in_the_older_shapes(shape, mode, name):
    settings = in_shape(shape, **{"topic.prefix": "my-app", "schema.name.adjustment.mode": mode})
    assert schemas(settings).value.name.split(".")[0] == name


def test_names_of_schemas_stay_as_they_are_in_the_current_shape():
    settings = in_shape("current", **{"topic.prefix": "my-app"})
    assert schemas(settings).value.name == "my-app.testDB.dbo.customers.Value"


def test_a_digit_at_the_beginning_is_replaced_in_the_older_shapes_and_marked_in_the_current_one():
    for shape, name in (("1.4", "_server"), ("2.1", "_server"), ("current", "_1server")):
        settings = in_shape(shape, **{"topic.prefix": "1server", "schema.name.adjustment.mode": "avro"})
        assert schemas(settings).value.name.split(".")[0] == name


def test_the_source_block_is_that_of_debezium_3_6():
    found = json.loads(schema_json(source_block.SOURCE))
    assert (found["name"], found["version"]) == ("io.debezium.connector.sqlserver.Source", 1)
    shown = [(each["field"], each["type"], each["optional"]) for each in found["fields"]]
    assert shown == [
        ("version", "string", False),
        ("connector", "string", False),
        ("name", "string", False),
        ("ts_ms", "int64", False),
        ("snapshot", "string", True),
        ("db", "string", False),
        ("sequence", "string", True),
        ("ts_us", "int64", True),
        ("ts_ns", "int64", True),
        ("schema", "string", False),
        ("table", "string", False),
        ("change_lsn", "string", True),
        ("commit_lsn", "string", True),
        ("event_serial_no", "int64", True),
    ]
    marks = "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"
    assert found["fields"][4] == {
        "type": "string", "optional": True, "name": "io.debezium.data.Enum", "version": 1,
        "parameters": {"allowed": marks}, "default": "false", "field": "snapshot",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "version"), [("current", "3.6.1.Final"), ("2.1", "2.1.4.Final"), ("1.4", "1.4.2.Final")]
)
def test_every_field_of_the_source_block_is_constant_or_varies(shape, version):
    settings = in_shape(shape)
    constants = source_block.constants(settings, CUSTOMERS)
    assert constants["version"] == version
    assert (constants["connector"], constants["name"]) == ("sqlserver", "server1")
    assert (constants["db"], constants["schema"], constants["table"]) == ("testDB", "dbo", "customers")
    assert set(names_of(source_block.schema(settings))) <= {*constants, *source_block.VARYING}
    assert {*constants, *source_block.VARYING} == set(names_of(source_block.SOURCE))


def test_the_context_headers_name_the_connector():
    headers = source_block.context(in_shape("current", tailrace_context_headers="true"))
    assert "sqlserver" in headers["__debezium.context.connectorName"]
    assert source_block.context(in_shape("current")) == {}


def test_the_schema_of_a_create_event_in_the_shape_of_1_4_is_that_of_the_page():
    found = json.loads(schema_json(schemas(in_shape("1.4")).envelope))
    row = {"type": "struct", "fields": ROW_OF_1_4, "optional": True, "name": "server1.dbo.customers.Value"}
    assert found == {
        "type": "struct",
        "fields": [
            {**row, "field": "before"},
            {**row, "field": "after"},
            SOURCE_OF_1_4,
            {"type": "string", "optional": False, "field": "op"},
            {"type": "int64", "optional": True, "field": "ts_ms"},
        ],
        "optional": False,
        "name": "server1.dbo.customers.Envelope",
    }


def test_the_schema_of_a_key_in_the_shape_of_1_4_is_that_of_the_page():
    assert json.loads(schema_json(schemas(in_shape("1.4")).key)) == {
        "type": "struct",
        "fields": [{"type": "int32", "optional": False, "field": "id"}],
        "optional": False,
        "name": "server1.dbo.customers.Key",
    }


def test_the_source_of_2_1_can_say_that_a_row_is_of_an_incremental_snapshot():
    settings = in_shape("2.1", provide_transaction_metadata="true")
    source = source_block.schema(settings)
    assert json.loads(schema_json(source))["fields"] == SHAPE_2_1.source_fields
    assert source.field("snapshot").schema.parameters == (("allowed", "true,last,false,incremental"),)
    assert names_of(schemas(settings).envelope) == ["before", "after", "source", "op", "ts_ms", "transaction"]


def test_the_schema_change_event_of_1_4_is_that_of_the_page():
    settings = in_shape("1.4")
    created = TableChange(ChangeType.CREATE, "testDB", "", CUSTOMERS, table=TABLE)
    event = SchemaEvent("testDB", "", (created,), "customers", schema="dbo")
    key, value = schema_change_schemas(source_block.change_schema(settings), "sqlserver", "1.4")
    assert json.loads(schema_json(key)) == {
        "type": "struct",
        "fields": [{"type": "string", "optional": False, "field": "databaseName"}],
        "optional": False,
        "name": "io.debezium.connector.sqlserver.SchemaChangeKey",
    }
    assert json.loads(value_json(key, schema_change_key(event))) == {"databaseName": "testDB"}
    source = source_block.constants(settings, CUSTOMERS) | {
        "ts_ms": 1588252618953, "snapshot": "true", "commit_lsn": "00000025:00000d98:00a2",
    }  # fmt: skip
    told = json.loads(value_json(value, schema_change_value(source, 1, event)))
    assert list(told) == ["source", "databaseName", "schemaName", "ddl", "tableChanges"]
    assert told["source"] == {
        "version": "1.4.2.Final", "connector": "sqlserver", "name": "server1", "ts_ms": 1588252618953,
        "snapshot": "true", "db": "testDB", "schema": "dbo", "table": "customers", "change_lsn": None,
        "commit_lsn": "00000025:00000d98:00a2", "event_serial_no": None,
    }  # fmt: skip
    assert (told["databaseName"], told["schemaName"], told["ddl"]) == ("testDB", "dbo", None)
    [change] = told["tableChanges"]
    assert (change["type"], change["id"]) == ("CREATE", '"testDB"."dbo"."customers"')
    assert list(change["table"]) == ["defaultCharsetName", "primaryKeyColumnNames", "columns"]
    assert change["table"]["columns"][0] == {
        "name": "id", "jdbcType": 4, "nativeType": None, "typeName": "int identity", "typeExpression": "int identity",
        "charsetName": None, "length": 10, "scale": 0, "position": 1, "optional": False, "autoIncremented": False,
        "generated": False,
    }  # fmt: skip


def test_the_transaction_records_of_1_4_are_those_of_the_page():
    encoder = TransactionRecords(shape="1.4")
    ids, times = vector_of([b"00000025:00000d08:0025"]), np.array([1])
    assert json.loads(encoder.begins(ids, times)[0]) == {
        "status": "BEGIN", "id": "00000025:00000d08:0025", "event_count": None, "data_collections": None,
    }  # fmt: skip
    tables = ["testDB.dbo.tablea", "testDB.dbo.tableb"]
    ones = np.ones(2, np.int64)
    counts = Counts(np.zeros(2, np.int64), np.arange(2), ones, tables)
    assert json.loads(encoder.ends(ids, times, counts)[0]) == {
        "status": "END",
        "id": "00000025:00000d08:0025",
        "event_count": 2,
        "data_collections": [{"data_collection": name, "event_count": 1} for name in tables],
    }


def test_the_schemas_of_transaction_records_of_1_4_have_no_versions():
    encoder = TransactionRecords(schemas=True, shape="1.4")
    shown = json.loads(encoder.begins(vector_of([b"a"]), np.array([1]))[0])["schema"]
    assert "version" not in json.dumps(shown)
    assert [each["field"] for each in shown["fields"]] == ["status", "id", "event_count", "data_collections"]
    assert "event.collection" not in json.dumps(shown)
