"""The DDL of a real log, as Debezium 3.6.1.Final took it: its schema-change events and its schema history.

`data/debezium-3.6.1.Final.json.gz` has the statements of a MySQL 9.7 log and what Debezium made of them.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tailrace.connectors.mysql.rebuilt_structures import rebuild
from tailrace.connectors.mysql.statement_events import schema_events
from tailrace.connectors.mysql.structures import Structures
from tailrace.encoding.connect_json import schema_json
from tailrace.schema.changes_topic import SchemaEvent, schema_change_key, schema_change_schemas, schema_change_value
from tailrace.schema.connect import Schema, Type
from tailrace.schema.history import HistoryFile, history_record

DATA = Path(__file__).parent / "data"
# Where Debezium does not follow the server, and this does: what the statement begins with.
KNOWN = {
    "CREATE TABLE binaries": "CHAR(5) BYTE is binary",
    "ALTER TABLE t DEFAULT CHARACTER SET latin1": "later columns get the new default",
    "ALTER TABLE moved RENAME": "the history tells of the name before",
}
AFTER_THE_DEFAULT = (
    "ALTER TABLE t ADD j ", "ALTER TABLE t ENGINE", "ALTER TABLE t AUTO", "ALTER TABLE t ADD CONSTRAINT chk",
    "ALTER TABLE t DROP CONSTRAINT", "ALTER TABLE t FORCE", "ALTER TABLE t ORDER", "ALTER TABLE t RENAME TO t2",
    "RENAME TABLE t2", "CREATE TABLE other LIKE", "RENAME TABLE other", "RENAME TABLE swap_tmp", "ALTER TABLE t3 DROP",
)  # fmt: skip


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    return json.loads(gzip.decompress((DATA / "debezium-3.6.1.Final.json.gz").read_bytes()))


def events(golden: dict[str, Any]) -> list[SchemaEvent]:
    structures = Structures()
    structures.server_charset = "utf8mb4"
    found = []
    for statement in golden["statements"]:
        changes = structures.apply(statement["database"], statement["sql"])
        found += schema_events(statement["database"], statement["sql"], changes)
    return found


def differs(ddl: str) -> bool:
    return ddl.startswith((*KNOWN, *AFTER_THE_DEFAULT))


@pytest.mark.parametrize("variant", ["plain", "comments"])
def test_schema_change_events_are_debeziums(golden, variant):
    mine = events(golden)
    theirs = golden[variant]["topic"]

    assert [e.ddl for e in mine] == [t["value"]["ddl"] for t in theirs]
    for event, expected in zip(mine, theirs, strict=True):
        source = {"db": event.database, "table": event.source_table}
        value = schema_change_value(source, expected["value"]["ts_ms"], event, comments=variant == "comments")
        assert schema_change_key(event) == expected["key"]
        if differs(event.ddl):
            value["tableChanges"] = expected["value"]["tableChanges"]
        assert json.dumps(value) == json.dumps(expected["value"])


@pytest.mark.parametrize("variant", ["plain", "comments"])
def test_history_records_are_debeziums(golden, variant):
    theirs = golden[variant]["history"][1:]  # the first one is the server's character set

    for event, expected in zip(events(golden), theirs, strict=True):
        record = history_record(
            expected["source"], expected["position"], expected["ts_ms"], event, comments=variant == "comments"
        )
        if differs(event.ddl):
            record["tableChanges"] = expected["tableChanges"]
        for change in record["tableChanges"]:
            if "table" in change:
                change["table"]["attributes"] = []  # that a key is a unique key only: Debezium does not say
        assert json.dumps(record) == json.dumps(expected)


def test_each_known_difference_is_one(golden):
    theirs = golden["plain"]["history"][1:]
    for event, expected in zip(events(golden), theirs, strict=True):
        if differs(event.ddl):
            record = history_record({}, {}, 0, event)
            assert record["tableChanges"] != expected["tableChanges"]


def test_a_history_that_debezium_wrote_gives_the_structures_of_the_same_statements(golden, tmp_path):
    path = tmp_path / "history.dat"
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in golden["plain"]["history"]))

    theirs = rebuild(HistoryFile(path).load(), Structures())

    mine = Structures()
    mine.server_charset = "utf8mb4"
    for statement in golden["statements"]:
        mine.apply(statement["database"], statement["sql"])
    assert theirs.server_charset == "utf8mb4"
    # Debezium leaves the old name of a table behind that ALTER TABLE renames.
    assert {str(i) for i in theirs} - {str(i) for i in mine} == {"d_ddl.t", "d_ddl.moved"} - {
        str(i) for i in mine
    }
    for table_id, table in mine.tables.items():
        if table_id.catalog in {"d_types", "d_keys", "d_defaults"} and table_id.name != "binaries":
            assert [
                (c.name, c.type_name, c.charset, c.length, c.enum_values, c.default) for c in table.columns
            ] == [
                (c.name, c.type_name, c.charset, c.length, c.enum_values, c.default)
                for c in theirs[table_id].columns
            ]


def test_the_schemas_of_key_and_value_are_debeziums():
    expected = json.loads((DATA / "schema-change-schemas.json").read_text())
    source = Schema(Type.STRUCT, name="io.debezium.connector.mysql.Source", version=1)

    key, value = schema_change_schemas(source, "mysql")

    expected["value"]["fields"][0]["fields"] = []  # the source block has tests of its own
    assert json.loads(schema_json(key)) == expected["key"]
    assert json.loads(schema_json(value)) == expected["value"]
