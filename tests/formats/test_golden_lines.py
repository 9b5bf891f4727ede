"""The golden lines have every kind of record, operation, type and mode: what is compared on them is compared on all of these."""

import json

import pytest
from tests.formats.golden_lines import golden_lines, sources
from tests.formats.golden_records import kind_of

from tailrace.changes.source_records import EventKind

DATABASES = ("mysql", "sqlserver", "db2")
SEMANTIC = {  # of Debezium's documentation of each connector's data types, in all time and decimal modes
    *(f"io.debezium.time.{name}" for name in ("Date", "Time", "MicroTime", "NanoTime", "Timestamp", "MicroTimestamp")),
    *(f"io.debezium.time.{name}" for name in ("NanoTimestamp", "ZonedTimestamp", "IsoDate", "IsoTime", "IsoTimestamp", "Year")),
    *(f"io.debezium.data.{name}" for name in ("Bits", "Json", "Enum", "EnumSet", "Xml", "VariableScaleDecimal", "FloatVector")),
    *(f"io.debezium.data.geometry.{name}" for name in ("Geometry", "Point")),
    *(f"org.apache.kafka.connect.data.{name}" for name in ("Decimal", "Date", "Time", "Timestamp")),
}
TYPES = {"int8", "int16", "int32", "int64", "float", "double", "boolean", "string", "bytes", "struct", "array", "map"}


def lines_of(database=""):
    return [line for source in sources() if source.startswith(database) for line in golden_lines(source)]


def payloads(lines):
    return [line["value"]["payload"] for line in lines if line["value"] and isinstance(line["value"]["payload"], dict)]


def parts_of(schema):
    """A schema and all within it."""
    yield schema
    for part in (*schema.get("fields", ()), *(schema[name] for name in ("items", "keys", "values") if name in schema)):
        yield from parts_of(part)


def schemas():
    return [part for line in lines_of() for message in (line["key"], line["value"]) if message for part in parts_of(message["schema"])]


@pytest.mark.parametrize(("database", "operations"), [("mysql", "cudt"), ("sqlserver", "cudr"), ("db2", "cudr"), ("snapshots", "cur")])
def test_every_operation_is_there(database, operations):
    assert {payload["op"] for payload in payloads(lines_of(database)) if "op" in payload} >= set(operations)


@pytest.mark.parametrize("database", DATABASES)
def test_changed_keys_tombstones_and_tables_without_a_key_are_there(database):
    lines = lines_of(database)
    headers = {name for line in lines for name, _ in line["headers"]}
    assert {"__debezium.newkey", "__debezium.oldkey"} <= headers
    assert any(line["value"] is None and line["key"] for line in lines)
    assert any(line["key"] is None and "op" in line["value"]["payload"] for line in lines)


@pytest.mark.parametrize("database", DATABASES)
def test_every_other_kind_of_event_is_there(database):
    kinds = {kind_of(json.dumps(line["value"]["schema"])) for line in lines_of(database) if line["value"]}
    assert kinds >= {EventKind.ROWS, EventKind.TRANSACTION, EventKind.SCHEMA_CHANGE, EventKind.HEARTBEAT}


def test_notifications_are_there():
    assert any(line["topic"] == "notices" for line in lines_of("snapshots"))


@pytest.mark.parametrize("database", DATABASES)
def test_transaction_metadata_is_there_and_is_not(database):
    blocks = [payload["transaction"] for payload in payloads(lines_of(database)) if "transaction" in payload]
    assert any(blocks)
    assert not all(blocks)


def test_every_type_of_connect_and_every_semantic_type_is_there():
    found = schemas()
    assert {schema["type"] for schema in found} == TYPES
    assert {schema.get("name") for schema in found} >= SEMANTIC


@pytest.mark.parametrize("database", DATABASES)
def test_nulls_in_columns_with_a_default_are_there(database):
    found = set()
    for line in lines_of(database):
        for part, row in images(line):
            found |= {each["type"] for each in part["fields"] if "default" in each and row[each["field"]] is None}
    assert found >= {"int32", "double", "string", "bytes"} - ({"string"} if database == "db2" else set())


def images(line):
    """Schema and payload of each row of a change event."""
    value = line["value"] or {"schema": {}, "payload": {}}
    for part in value["schema"].get("fields", ()):
        if part["field"] in ("before", "after") and value["payload"][part["field"]]:
            yield part, value["payload"][part["field"]]


@pytest.mark.parametrize(("table", "name"), [("outbox", "io.debezium.data.Json"), ("outbox_bytes", None), ("outbox_text", None)])
def test_outbox_tables_have_rows_with_and_without_a_payload(table, name):
    found = [pair for line in lines_of("mysql: defaults") if line["topic"] == f"dbz.d_formats.{table}" for pair in images(line)]
    (schema,) = {json.dumps(each) for part, _ in found for each in part["fields"] if each["field"] == "payload"}
    assert json.loads(schema).get("name") == name
    assert None in [row["payload"] for _, row in found]
    assert any(row["payload"] for _, row in found)
