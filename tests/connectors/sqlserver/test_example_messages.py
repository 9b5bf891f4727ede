"""The messages in Debezium's documentation of its SQL Server connector 1.4, reproduced; also in the shape of 2.1.

The documentation's message of an incremental snapshot is in
`requested_work/test_example_message_of_an_incremental_snapshot.py`.

LSNs and times are masked. One field differs from the documentation: it has `autoIncremented` false for the identity
column, whereas Debezium sends true.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.connectors.sqlserver.shapes import SHAPE_1_4, SHAPE_2_1, Shape

from support.sqlserver_reading import Read, begin, read_on
from tailrace.connectors.load import from_mapping
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = pytest.mark.drivers

CUSTOMERS = """
    CREATE TABLE customers (id INTEGER IDENTITY(1001,1) NOT NULL PRIMARY KEY, first_name VARCHAR(255) NOT NULL,
        last_name VARCHAR(255) NOT NULL, email VARCHAR(255) NOT NULL UNIQUE)"""
JOHN = {"id": 1001, "first_name": "John", "last_name": "Doe", "email": "john.doe@example.org"}
CHANGED = {**JOHN, "email": "noreply@example.org"}
FIELDS = [
    {"type": "int32", "optional": False, "field": "id"},
    *({"type": "string", "optional": False, "field": name} for name in ("first_name", "last_name", "email")),
]
PLAIN = {"key_converter_schemas_enable": "false", "value_converter_schemas_enable": "false"}


def key(shape: Shape) -> dict[str, Any]:
    schema = {"type": "struct", "fields": FIELDS[:1], "optional": False, "name": f"{shape.topic('customers')}.Key"}
    return {"schema": schema, "payload": {"id": 1001}}


def envelope(shape: Shape) -> dict[str, Any]:
    row = {"type": "struct", "fields": FIELDS, "optional": True, "name": f"{shape.topic('customers')}.Value"}
    block = {
        "type": "struct",
        "fields": shape.source_fields,
        "optional": False,
        "name": "io.debezium.connector.sqlserver.Source",
        "field": "source",
    }
    told = [
        {"type": "string", "optional": False, "field": "op"},
        {"type": "int64", "optional": True, "field": "ts_ms"},
    ]
    fields = [{**row, "field": "before"}, {**row, "field": "after"}, block, *told]
    return {"type": "struct", "fields": fields, "optional": False, "name": f"{shape.topic('customers')}.Envelope"}


def source(shape: Shape, serial: int | None, **more: Any) -> dict[str, Any]:
    return {
        "version": shape.release,
        "connector": "sqlserver",
        "name": "server1",
        "ts_ms": "TIME",
        "db": "testDB",
        "schema": "dbo",
        "table": "customers",
        "change_lsn": "LSN",
        "commit_lsn": "LSN",
        "event_serial_no": serial,
        **shape.source_more,
        **more,
    }


@pytest.fixture(params=[SHAPE_1_4, SHAPE_2_1], ids=lambda shape: shape.name)
def shape(request):
    return request.param


@pytest.fixture
def customers(sqlserver_server):
    """The page's database with its table."""
    database = sqlserver_server.create_database("testDB")
    database.sql(CUSTOMERS)
    database.capture("customers")
    yield database
    database.drop()


def read(shape: Shape, database: Database, *statements: str, **properties: str) -> Read:
    """What a connector in a shape tells of statements, each a transaction of its own."""
    named = {"tailrace.event.shape": shape.name, "topic.prefix": "server1"}
    made: Any = from_mapping(database.properties(**properties) | named)
    begun = begin(made)
    for statement in statements:
        database.sql(statement)
    database.capture_all()
    return read_on(made, begun)


def masked(message: Any) -> Any:
    text = re.sub(r'"[0-9a-f]{8}:[0-9a-f]{8}:[0-9a-f]{4}"', '"LSN"', json.dumps(message))
    return json.loads(re.sub(r'"ts_ms": \d{13}\b', '"ts_ms": "TIME"', text))


INSERT = "INSERT customers VALUES ('John', 'Doe', 'john.doe@example.org')"
UPDATE = "UPDATE customers SET email = 'noreply@example.org'"
DELETE = "DELETE customers"


def test_the_example_of_a_key(customers, shape):
    [record] = read(shape, customers, INSERT).of(shape.topic("customers"))
    assert record["key"] == key(shape)


def test_the_example_of_a_create_event(customers, shape):
    [record] = read(shape, customers, INSERT).of(shape.topic("customers"))
    assert masked(record["value"]) == {
        "schema": envelope(shape),
        "payload": {"before": None, "after": JOHN, "source": source(shape, 1), "op": "c", "ts_ms": "TIME"},
    }


def test_the_example_of_an_update_event(customers, shape):
    *_, record = read(shape, customers, INSERT, UPDATE).of(shape.topic("customers"))
    assert masked(record["value"]["payload"]) == {
        "before": JOHN, "after": CHANGED, "source": source(shape, 2), "op": "u", "ts_ms": "TIME",
    }  # fmt: skip


def test_the_example_of_a_delete_event_and_its_tombstone(customers, shape):
    *_, record, tombstone = read(shape, customers, INSERT, UPDATE, DELETE).of(shape.topic("customers"))
    assert masked(record["value"]["payload"]) == {
        "before": CHANGED, "after": None, "source": source(shape, 1), "op": "d", "ts_ms": "TIME",
    }  # fmt: skip
    assert (tombstone["key"], tombstone["value"]) == (key(shape), None)


def test_the_example_of_a_transactions_records(customers, shape):
    customers.sql("CREATE TABLE tablea (id int PRIMARY KEY); CREATE TABLE tableb (id int PRIMARY KEY)")
    for table in ("tablea", "tableb"):
        customers.capture(table)
    both = "BEGIN TRAN; INSERT tablea VALUES (1); INSERT tableb VALUES (2); COMMIT"
    found = read(shape, customers, both, provide_transaction_metadata="true", **PLAIN)
    begun, ended = (record["value"] for record in found.of("server1.transaction"))
    assert masked(begun) == {"status": "BEGIN", "id": "LSN", "event_count": None, "data_collections": None, **shape.times}
    collections = ended.pop("data_collections")
    assert masked(ended) == {"status": "END", "id": "LSN", "event_count": 2, **shape.times}
    assert sorted(each["data_collection"] for each in collections) == ["testDB.dbo.tablea", "testDB.dbo.tableb"]
    assert [each["event_count"] for each in collections] == [1, 1]
    assert begun["id"] == ended["id"]


def test_the_example_of_an_event_that_names_its_transaction(customers, shape):
    customers.sql("CREATE TABLE t (pk varchar(10) PRIMARY KEY, aa varchar(10))")
    customers.capture("t")
    [record] = read(shape, customers, "INSERT t VALUES ('2', '1')", provide_transaction_metadata="true", **PLAIN).of(".t")
    assert list(record["value"]) == ["before", "after", "source", "op", "ts_ms", "transaction"]
    told = masked(record["value"])
    assert (told["before"], told["after"], told["op"]) == (None, {"pk": "2", "aa": "1"}, "c")
    assert told["transaction"] == {"id": "LSN", "total_order": 1, "data_collection_order": 1}


def test_the_example_of_a_schema_change_event(customers, shape):
    customers.sql("CREATE TABLE later (id int PRIMARY KEY)")  # without rows to follow, the last table is marked as such
    customers.capture("later")
    record, _ = [each for each in read(shape, customers).records if each["topic"] == "server1"]
    assert record["key"] == {
        "schema": {
            "type": "struct",
            "fields": [{"type": "string", "optional": False, "field": "databaseName"}],
            "optional": False,
            "name": "io.debezium.connector.sqlserver.SchemaChangeKey",
            **shape.schema_version,
        },
        "payload": {"databaseName": "testDB"},
    }
    texts = [
        {
            "name": name, "jdbcType": 12, "nativeType": None, "typeName": "varchar", "typeExpression": "varchar",
            "charsetName": None, "length": 255, "scale": None, "position": position, "optional": False,
            "autoIncremented": False, "generated": False, **shape.column_more,
        }
        for position, name in enumerate(("first_name", "last_name", "email"), 2)
    ]  # fmt: skip
    identity = {
        "name": "id", "jdbcType": 4, "nativeType": None, "typeName": "int identity", "typeExpression": "int identity",
        "charsetName": None, "length": 10, "scale": 0, "position": 1, "optional": False, "autoIncremented": True,
        "generated": False, **shape.column_more,
    }  # fmt: skip
    assert masked(record["value"]["payload"]) == {
        "source": source(shape, None, snapshot="true", change_lsn=None),
        **shape.times,
        "databaseName": "testDB",
        "schemaName": "dbo",
        "ddl": None,
        "tableChanges": [
            {
                "type": "CREATE",
                "id": '"testDB"."dbo"."customers"',
                "table": {
                    "defaultCharsetName": None,
                    "primaryKeyColumnNames": ["id"],
                    "columns": [identity, *texts],
                    **shape.table_more,
                },
            }
        ],
    }
