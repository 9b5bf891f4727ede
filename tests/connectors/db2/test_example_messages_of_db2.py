"""The messages in Debezium's documentation of its Db2 connector, reproduced: those of 2.1, and in the shape of 1.4, which its
examples of rows have (`snapshot` is a boolean there).

LSNs and times are masked. What the examples took from the page of SQL Server's connector Debezium does not tell of a Db2
either: LSNs of three short parts, `event_serial_no`, the type `int identity`, names of tables with their database, and custom
attributes of a column.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.connectors.db2.requested_work.db2_signalling import execute, read_captured, signal_table

from support.change_table_reading import PLAIN, Read, begin, read_on
from support.db2_reading import settings_of, write
from support.signalling import begin as begin_signalled
from tailrace.connectors.db2.snapshots import capture_progress
from tailrace.connectors.load import from_mapping
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

CUSTOMERS = (
    "CREATE TABLE MYSCHEMA.CUSTOMERS (ID INTEGER NOT NULL PRIMARY KEY, FIRST_NAME VARCHAR(255) NOT NULL, "
    "LAST_NAME VARCHAR(255) NOT NULL, EMAIL VARCHAR(255) NOT NULL)"
)
INSERT = "INSERT INTO MYSCHEMA.CUSTOMERS VALUES (1005, 'john', 'doe', 'john.doe@example.org')"
UPDATE = "UPDATE MYSCHEMA.CUSTOMERS SET EMAIL = 'noreply@example.org'"
DELETE = "DELETE FROM MYSCHEMA.CUSTOMERS"
JOHN = {"ID": 1005, "FIRST_NAME": "john", "LAST_NAME": "doe", "EMAIL": "john.doe@example.org"}
CHANGED = {**JOHN, "EMAIL": "noreply@example.org"}
TOPIC = "mydatabase.MYSCHEMA.CUSTOMERS"
FIELDS = [
    {"type": "int32", "optional": False, "field": "ID"},
    *({"type": "string", "optional": False, "field": name} for name in ("FIRST_NAME", "LAST_NAME", "EMAIL")),
]
_FLAG = {"type": "boolean", "optional": True, "default": False, "field": "snapshot"}
_MARK = {
    "type": "string", "optional": True, "name": "io.debezium.data.Enum", "version": 1,
    "parameters": {"allowed": "true,last,false,incremental"}, "default": "false", "field": "snapshot",
}  # fmt: skip
_SEQUENCE = {"type": "string", "optional": True, "field": "sequence"}


@dataclass(frozen=True)
class Shape:
    """The fields that one shape has and the other has not, or otherwise.

    Attributes:
        name: as `tailrace.event.shape` has it.
        release: that the source block names.
        mark: the schema of `snapshot`.
        source_more: of a source block.
        sequence: the schemas of the source block's fields behind `db`.
        times: what a notice of a transaction or of a structure has besides.
        schema_version: of the schemas of schema-change events.
        column_more: what such an event tells of a column besides.
        table_more: and of a table.

    """

    name: str
    release: str
    mark: dict[str, Any]
    source_more: dict[str, Any]
    sequence: list[dict[str, Any]] = field(default_factory=list)
    times: dict[str, Any] = field(default_factory=dict)
    schema_version: dict[str, Any] = field(default_factory=dict)
    column_more: dict[str, Any] = field(default_factory=dict)
    table_more: dict[str, Any] = field(default_factory=dict)


SHAPES = (
    Shape("1.4", "1.4.2.Final", _FLAG, {"snapshot": False}),
    Shape(
        "2.1", "2.1.4.Final", _MARK, {"snapshot": "false", "sequence": None}, [_SEQUENCE],
        times={"ts_ms": "TIME"},
        schema_version={"version": 1},
        column_more={"comment": None, "defaultValueExpression": None, "enumValues": None},
        table_more={"comment": None},
    ),
)  # fmt: skip


@pytest.fixture(params=SHAPES, ids=lambda shape: shape.name)
def shape(request: pytest.FixtureRequest) -> Shape:
    found: Shape = request.param
    return found


@pytest.fixture
def customers(db2: Database) -> Database:
    """The page's database with its table."""
    db2.sql(CUSTOMERS)
    db2.register("MYSCHEMA.CUSTOMERS")
    db2.replication.step()
    return db2


def read(shape: Shape, database: Database, *transactions: tuple[str, ...], **properties: str) -> Read:
    """What a connector in a shape tells of transactions."""
    named = {"tailrace.event.shape": shape.name, "topic.prefix": "mydatabase"}
    made: Any = from_mapping(database.properties(**properties) | named)
    begun = begin(made)
    for statements in transactions:
        write(database, *statements)
    return read_on(made, begun)


def masked(message: Any) -> Any:
    text = re.sub(r'"[0-9a-f]{8}:[0-9a-f]{8}:[0-9a-f]{16}"', '"LSN"', json.dumps(message))
    return json.loads(re.sub(r'"ts_ms": \d{13}\b', '"ts_ms": "TIME"', text))


def source(shape: Shape, database: Database, **more: Any) -> dict[str, Any]:
    return {
        "version": shape.release, "connector": "db2", "name": "mydatabase", "ts_ms": "TIME", **shape.source_more,
        "db": database.database, "schema": "MYSCHEMA", "table": "CUSTOMERS", "change_lsn": "LSN", "commit_lsn": "LSN", **more,
    }  # fmt: skip


def strings(*names: str, optional: bool = False) -> list[dict[str, Any]]:
    return [{"type": "string", "optional": optional, "field": name} for name in names]


def envelope(shape: Shape) -> dict[str, Any]:
    row = {"type": "struct", "fields": FIELDS, "optional": True, "name": f"{TOPIC}.Value"}
    ts_ms = {"type": "int64", "optional": False, "field": "ts_ms"}
    block = [
        *strings("version", "connector", "name"), ts_ms, shape.mark, *strings("db"), *shape.sequence, *strings("schema", "table"),
        *strings("change_lsn", "commit_lsn", optional=True),
    ]  # fmt: skip
    of_source = {"type": "struct", "fields": block, "optional": False, "name": "io.debezium.connector.db2.Source"}
    fields = [
        {**row, "field": "before"}, {**row, "field": "after"}, {**of_source, "field": "source"}, *strings("op"),
        {**ts_ms, "optional": True},
    ]  # fmt: skip
    return {"type": "struct", "fields": fields, "optional": False, "name": f"{TOPIC}.Envelope"}


def test_the_example_of_a_key(customers: Database, shape: Shape) -> None:
    [record] = read(shape, customers, (INSERT,)).of("CUSTOMERS")
    schema = {"type": "struct", "fields": FIELDS[:1], "optional": False, "name": f"{TOPIC}.Key"}
    assert record["key"] == {"schema": schema, "payload": {"ID": 1005}}


def test_the_example_of_a_create_event(customers: Database, shape: Shape) -> None:
    [record] = read(shape, customers, (INSERT,)).of("CUSTOMERS")
    told = {"before": None, "after": JOHN, "source": source(shape, customers), "op": "c", "ts_ms": "TIME"}
    assert record["topic"] == TOPIC
    assert masked(record["value"]) == {"schema": envelope(shape), "payload": told}


def test_the_example_of_an_update_event(customers: Database, shape: Shape) -> None:
    *_, record = read(shape, customers, (INSERT,), (UPDATE,)).of("CUSTOMERS")
    told = {"before": JOHN, "after": CHANGED, "source": source(shape, customers), "op": "u", "ts_ms": "TIME"}
    assert masked(record["value"]["payload"]) == told


def test_the_example_of_a_delete_event_and_its_tombstone(customers: Database, shape: Shape) -> None:
    *_, record, tombstone = read(shape, customers, (INSERT,), (UPDATE,), (DELETE,)).of("CUSTOMERS")
    told = {"before": CHANGED, "after": None, "source": source(shape, customers), "op": "d", "ts_ms": "TIME"}
    assert masked(record["value"]["payload"]) == told
    assert (tombstone["key"]["payload"], tombstone["value"]) == ({"ID": 1005}, None)


def test_the_example_of_a_transactions_records(db2: Database, shape: Shape) -> None:
    db2.sql("CREATE TABLE DBO.TABLEA (ID INTEGER NOT NULL)", "CREATE TABLE DBO.TABLEB (ID INTEGER NOT NULL)")
    db2.register("DBO.TABLEA", "DBO.TABLEB")
    db2.replication.step()
    both = ("INSERT INTO DBO.TABLEA VALUES (1)", "INSERT INTO DBO.TABLEB VALUES (2)")
    begun, ended = read(shape, db2, both, provide_transaction_metadata="true", **PLAIN).of("mydatabase.transaction")
    assert masked(begun["value"]) == {
        "status": "BEGIN", "id": "LSN", "event_count": None, "data_collections": None, **shape.times,
    }  # fmt: skip
    collections = [{"data_collection": f"DBO.{name}", "event_count": 1} for name in ("TABLEA", "TABLEB")]
    assert masked(ended["value"]) == {
        "status": "END", "id": "LSN", "event_count": 2, "data_collections": collections, **shape.times,
    }  # fmt: skip
    assert begun["value"]["id"] == ended["value"]["id"]


def test_the_example_of_an_event_that_names_its_transaction(db2: Database, shape: Shape) -> None:
    db2.sql('CREATE TABLE S.T ("pk" VARCHAR(10) NOT NULL PRIMARY KEY, "aa" VARCHAR(10))')
    db2.register("S.T")
    db2.replication.step()
    insert = ("INSERT INTO S.T VALUES ('2', '1')",)
    [record] = read(shape, db2, insert, provide_transaction_metadata="true", **PLAIN).of("S.T")
    told = masked(record["value"])
    assert list(told) == ["before", "after", "source", "op", "ts_ms", "transaction"]
    assert (told["before"], told["after"], told["op"]) == (None, {"pk": "2", "aa": "1"}, "c")
    assert told["transaction"] == {"id": "LSN", "total_order": 1, "data_collection_order": 1}


def test_the_example_of_a_schema_change_event(customers: Database, shape: Shape) -> None:
    customers.sql("CREATE TABLE MYSCHEMA.LATER (ID INTEGER NOT NULL PRIMARY KEY)")  # the last table is marked as such
    customers.register("MYSCHEMA.LATER")
    customers.replication.step()
    record, _ = [each for each in read(shape, customers).records if each["topic"] == "mydatabase"]
    assert record["key"] == {
        "schema": {
            "type": "struct", "fields": strings("databaseName"), "optional": False,
            "name": "io.debezium.connector.db2.SchemaChangeKey", **shape.schema_version,
        },
        "payload": {"databaseName": customers.database},
    }  # fmt: skip
    common = {"nativeType": None, "charsetName": None, "optional": False, "autoIncremented": False, "generated": False}
    texts = [
        {"name": name, "jdbcType": 12, "typeName": "VARCHAR", "typeExpression": "VARCHAR", "length": 255, "scale": None, "position": place}
        for place, name in enumerate(("FIRST_NAME", "LAST_NAME", "EMAIL"), 2)
    ]  # fmt: skip
    number = {
        "name": "ID",
        "jdbcType": 4,
        "typeName": "INTEGER",
        "typeExpression": "INTEGER",
        "length": 10,
        "scale": 0,
        "position": 1,
    }
    table = {
        "defaultCharsetName": None, "primaryKeyColumnNames": ["ID"],
        "columns": [{**each, **common, **shape.column_more} for each in (number, *texts)], **shape.table_more,
    }  # fmt: skip
    assert masked(record["value"]["payload"]) == {
        "source": source(shape, customers, snapshot="true", change_lsn=None),
        **shape.times,
        "databaseName": customers.database,
        "schemaName": "MYSCHEMA",
        "ddl": None,
        "tableChanges": [{"type": "CREATE", "id": '"MYSCHEMA"."CUSTOMERS"', "table": table}],
    }


def test_the_example_of_an_event_of_an_incremental_snapshot(db2: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIVEN the page's table, WHEN a signal asks for it, THEN the event is the one shown: `before` and `transaction` are null, `op`
    is r, and `source.snapshot` is incremental."""
    monkeypatch.setattr(capture_progress, "CLOCK_SECONDS", 0.0)  # there is one clock
    signal_table(db2)
    db2.sql('CREATE TABLE S.T ("pk" VARCHAR(9) NOT NULL PRIMARY KEY, "value" VARCHAR(20))')
    db2.sql("INSERT INTO S.T VALUES ('1', 'New data')")
    db2.register("S.T")
    db2.replication.step()
    given = {"signal_data_collection": "S.SIGNALS", "poll_interval_ms": "10", "tailrace_event_shape": "2.1"}
    followed = begin_signalled(settings_of(db2, **given, provide_transaction_metadata="true"))
    execute(db2, "T")
    read_captured(followed, db2)
    [value] = followed.payloads("s.S.T")
    assert value["source"].pop("snapshot") == "incremental"
    assert (value["source"]["table"], value["source"]["change_lsn"]) == ("T", None)
    shown = {name: value[name] for name in ("before", "after", "op", "transaction")}
    assert shown == {"before": None, "after": {"pk": "1", "value": "New data"}, "op": "r", "transaction": None}
    assert value["ts_ms"] > 0
