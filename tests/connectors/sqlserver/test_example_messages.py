"""The messages that Debezium's page shows for its SQL Server connector 1.4, made again by reading such a table.

What the page can't know is masked: LSNs, and times. One field is not as on the page: it shows `autoIncremented` false for
the identity column, and Debezium tells true.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from support.sqlserver_reading import Read, begin, read_on
from tailrace.config.load import from_mapping
from tailrace.testing.sqlserver_server import Database

pytestmark = pytest.mark.drivers

CUSTOMERS = """
    CREATE TABLE customers (id INTEGER IDENTITY(1001,1) NOT NULL PRIMARY KEY, first_name VARCHAR(255) NOT NULL,
        last_name VARCHAR(255) NOT NULL, email VARCHAR(255) NOT NULL UNIQUE)"""
JOHN = {"id": 1001, "first_name": "John", "last_name": "Doe", "email": "john.doe@example.org"}
CHANGED = {**JOHN, "email": "noreply@example.org"}
TOPIC = "server1.dbo.customers"
KEY = {
    "schema": {
        "type": "struct",
        "fields": [{"type": "int32", "optional": False, "field": "id"}],
        "optional": False,
        "name": "server1.dbo.customers.Key",
    },
    "payload": {"id": 1001},
}
FIELDS = [
    {"type": "int32", "optional": False, "field": "id"},
    *({"type": "string", "optional": False, "field": name} for name in ("first_name", "last_name", "email")),
]
ROW = {"type": "struct", "fields": FIELDS, "optional": True, "name": "server1.dbo.customers.Value"}
SOURCE_FIELDS = [
    {"type": "string", "optional": False, "field": "version"},
    {"type": "string", "optional": False, "field": "connector"},
    {"type": "string", "optional": False, "field": "name"},
    {"type": "int64", "optional": False, "field": "ts_ms"},
    {"type": "boolean", "optional": True, "default": False, "field": "snapshot"},
    {"type": "string", "optional": False, "field": "db"},
    {"type": "string", "optional": False, "field": "schema"},
    {"type": "string", "optional": False, "field": "table"},
    {"type": "string", "optional": True, "field": "change_lsn"},
    {"type": "string", "optional": True, "field": "commit_lsn"},
    {"type": "int64", "optional": True, "field": "event_serial_no"},
]
ENVELOPE = {
    "type": "struct",
    "fields": [
        {**ROW, "field": "before"},
        {**ROW, "field": "after"},
        {
            "type": "struct",
            "fields": SOURCE_FIELDS,
            "optional": False,
            "name": "io.debezium.connector.sqlserver.Source",
            "field": "source",
        },
        {"type": "string", "optional": False, "field": "op"},
        {"type": "int64", "optional": True, "field": "ts_ms"},
    ],
    "optional": False,
    "name": "server1.dbo.customers.Envelope",
}


def source(serial: int | None, **more: Any) -> dict[str, Any]:
    return {
        "version": "1.4.2.Final",
        "connector": "sqlserver",
        "name": "server1",
        "ts_ms": "TIME",
        "snapshot": False,
        "db": "testDB",
        "schema": "dbo",
        "table": "customers",
        "change_lsn": "LSN",
        "commit_lsn": "LSN",
        "event_serial_no": serial,
        **more,
    }


@pytest.fixture
def customers(sqlserver_server):
    """The page's database with its table."""
    database = sqlserver_server.create_database("testDB")
    database.sql(CUSTOMERS)
    database.capture("customers")
    yield database
    database.drop()


def read(database: Database, *statements: str, **properties: str) -> Read:
    """What a connector in the shape of 1.4 tells of statements, each a transaction of its own."""
    shape = {"tailrace.event.shape": "1.4", "topic.prefix": "server1"}
    made: Any = from_mapping(database.properties(**properties) | shape)
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


def test_the_example_of_a_key(customers):
    [record] = read(customers, INSERT).of(TOPIC)
    assert record["key"] == KEY


def test_the_example_of_a_create_event(customers):
    [record] = read(customers, INSERT).of(TOPIC)
    assert masked(record["value"]) == {
        "schema": ENVELOPE,
        "payload": {"before": None, "after": JOHN, "source": source(1), "op": "c", "ts_ms": "TIME"},
    }


def test_the_example_of_an_update_event(customers):
    *_, record = read(customers, INSERT, UPDATE).of(TOPIC)
    assert masked(record["value"]["payload"]) == {
        "before": JOHN, "after": CHANGED, "source": source(2), "op": "u", "ts_ms": "TIME",
    }  # fmt: skip


def test_the_example_of_a_delete_event_and_its_tombstone(customers):
    *_, record, tombstone = read(customers, INSERT, UPDATE, DELETE).of(TOPIC)
    assert masked(record["value"]["payload"]) == {
        "before": CHANGED, "after": None, "source": source(1), "op": "d", "ts_ms": "TIME",
    }  # fmt: skip
    assert (tombstone["key"], tombstone["value"]) == (KEY, None)


def test_the_example_of_a_transactions_records(customers):
    customers.sql("CREATE TABLE tablea (id int PRIMARY KEY); CREATE TABLE tableb (id int PRIMARY KEY)")
    for table in ("tablea", "tableb"):
        customers.capture(table)
    both = "BEGIN TRAN; INSERT tablea VALUES (1); INSERT tableb VALUES (2); COMMIT"
    plain = {"key_converter_schemas_enable": "false", "value_converter_schemas_enable": "false"}
    found = read(customers, both, provide_transaction_metadata="true", **plain)
    begun, ended = (record["value"] for record in found.of("server1.transaction"))
    assert masked(begun) == {"status": "BEGIN", "id": "LSN", "event_count": None, "data_collections": None}
    collections = ended.pop("data_collections")
    assert masked(ended) == {"status": "END", "id": "LSN", "event_count": 2}
    assert sorted(each["data_collection"] for each in collections) == ["testDB.dbo.tablea", "testDB.dbo.tableb"]
    assert [each["event_count"] for each in collections] == [1, 1]
    assert begun["id"] == ended["id"]


def test_the_example_of_an_event_that_names_its_transaction(customers):
    customers.sql("CREATE TABLE t (pk varchar(10) PRIMARY KEY, aa varchar(10))")
    customers.capture("t")
    plain = {"key_converter_schemas_enable": "false", "value_converter_schemas_enable": "false"}
    [record] = read(customers, "INSERT t VALUES ('2', '1')", provide_transaction_metadata="true", **plain).of(".t")
    assert list(record["value"]) == ["before", "after", "source", "op", "ts_ms", "transaction"]
    told = masked(record["value"])
    assert (told["before"], told["after"], told["op"]) == (None, {"pk": "2", "aa": "1"}, "c")
    assert told["transaction"] == {"id": "LSN", "total_order": 1, "data_collection_order": 1}


def test_the_example_of_a_schema_change_event(customers):
    customers.sql("CREATE TABLE later (id int PRIMARY KEY)")  # without rows to follow, the last table is marked as such
    customers.capture("later")
    record, _ = [each for each in read(customers).records if each["topic"] == "server1"]
    assert record["key"] == {
        "schema": {
            "type": "struct",
            "fields": [{"type": "string", "optional": False, "field": "databaseName"}],
            "optional": False,
            "name": "io.debezium.connector.sqlserver.SchemaChangeKey",
        },
        "payload": {"databaseName": "testDB"},
    }
    texts = [
        {
            "name": name, "jdbcType": 12, "nativeType": None, "typeName": "varchar", "typeExpression": "varchar",
            "charsetName": None, "length": 255, "scale": None, "position": position, "optional": False,
            "autoIncremented": False, "generated": False,
        }
        for position, name in enumerate(("first_name", "last_name", "email"), 2)
    ]  # fmt: skip
    identity = {
        "name": "id", "jdbcType": 4, "nativeType": None, "typeName": "int identity", "typeExpression": "int identity",
        "charsetName": None, "length": 10, "scale": 0, "position": 1, "optional": False, "autoIncremented": True,
        "generated": False,
    }  # fmt: skip
    assert masked(record["value"]["payload"]) == {
        "source": source(None, snapshot="true", change_lsn=None),
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
                },
            }
        ],
    }
