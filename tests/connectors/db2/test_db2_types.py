"""Each type in each mode: structures, schemas and values are those of real Debezium for the same tables.

Debezium's are recorded in data/debezium_db2_types.json (`python -m tests.connectors.db2.all_types`, on the stand-in).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from tests.connectors.db2 import all_types
from tests.connectors.sqlserver.typed_tables import rendered

from support.db2_reading import settings_of as db2_settings_of
from tailrace.config.settings import Settings
from tailrace.connectors.db2 import structures
from tailrace.connectors.db2.connection import connect
from tailrace.connectors.db2.types import column_types
from tailrace.connectors.load import from_mapping
from tailrace.connectors.shared.arrow_values.vectors import vectors
from tailrace.encoding.connect_json import schema_json
from tailrace.schema.tables import Table
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.server import StandIn
from tailrace_standins.servers.db2_server import Database

RECORDED = all_types.recorded()
MODES = sorted(all_types.MODES)
LARGE = {"C_CLOB": "clob ž", "C_DBCLOB": "dbclob ž", "C_BLOB": "AQI=", "C_XML": "<a>ž</a>"}
"""What Debezium does not read: it tells the driver's object, and null for bytes."""


def settings_of(mode: str) -> Settings:
    """Settings of any connector with the properties of a mode: types need no more of them."""
    given = {
        "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector", "topic.prefix": "dbz", "database.names": "TESTDB",
        "database.hostname": "localhost", "database.user": "u", "database.password": "p", **all_types.MODES[mode],
    }  # fmt: skip
    return from_mapping(given)


class CatalogueSession:
    """The engine's own session as the one that structures ask."""

    def __init__(self, engine: Engine) -> None:
        self._session = engine.session()

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        rows = self._session.run(sql, *params)
        return [tuple(each.decode() if isinstance(each, bytes) else each for each in row) for row in rows]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    made = Engine()
    session = made.session()
    for sql in all_types.STATEMENTS:
        session.run(sql)
    session.commit()
    yield made
    made.close()


@pytest.fixture(scope="module")
def tables(engine: Engine) -> dict[str, Table]:
    found = structures.tables(CatalogueSession(engine), "TESTDB", lambda _: True)
    return {each.name: table for each, table in found.items()}


def columns_of(table: Table) -> list[tuple[Any, ...]]:
    """The structure, as it is compared."""
    return [
        (c.name, c.type_name, c.jdbc_type, c.length, c.scale, c.optional, c.auto_incremented, c.has_default, c.default)
        for c in table.columns
    ]


def told_columns(name: str) -> list[tuple[Any, ...]]:
    """The same in Debezium's history."""
    return [
        (c["name"], c["typeName"], c["jdbcType"], c["length"], c.get("scale"), c["optional"], c["autoIncremented"],
         c["hasDefaultValue"], c.get("defaultValueExpression"))
        for c in RECORDED["history"][f'"DB2INST1"."{name}"']["columns"]
    ]  # fmt: skip


def told_rows(mode: str) -> list[dict[str, Any]]:
    """The rows that Debezium told, with the large objects that it does not read."""
    expected = [dict(row) for row in RECORDED[mode]["TYPED"]["rows"]]
    expected[0] |= LARGE
    return expected


@pytest.mark.parametrize("name", all_types.TABLES)
def test_structures_are_those_of_debeziums_history(tables: dict[str, Table], name: str) -> None:
    told = RECORDED["history"][f'"DB2INST1"."{name}"']
    assert list(tables[name].primary_key) == told["primaryKeyColumnNames"]
    assert columns_of(tables[name]) == told_columns(name)


@pytest.mark.parametrize("name", all_types.TABLES)
@pytest.mark.parametrize("mode", MODES)
def test_fields_have_debeziums_schemas_and_defaults(tables: dict[str, Table], mode: str, name: str) -> None:
    types = column_types(tables[name], settings_of(mode))
    found = {each.name: json.loads(schema_json(each.value)) | {"field": each.name} for each in types if each is not None}
    assert found == RECORDED[mode][name]["schema"]


def test_a_unique_index_is_the_key_where_there_is_no_primary_key(engine: Engine) -> None:
    session = engine.session()
    for sql in (
        "CREATE TABLE S.U (A INTEGER NOT NULL, B INTEGER NOT NULL, C INTEGER NOT NULL)", "CREATE INDEX S.AAA ON S.U (A)",
        "CREATE UNIQUE INDEX S.LATER ON S.U (C)", "CREATE UNIQUE INDEX S.EARLIER ON S.U (B DESC, A)",
    ):  # fmt: skip
        session.run(sql)
    session.commit()
    found = structures.tables(CatalogueSession(engine), "TESTDB", lambda table: table.name == "U")
    assert [table.primary_key for table in found.values()] == [("B", "A")]


@pytest.mark.drivers
@pytest.mark.parametrize("mode", MODES)
def test_values_are_those_that_debezium_gives(engine: Engine, tables: dict[str, Table], mode: str) -> None:
    """What the driver reads of the stand-in, over the wire."""
    db2 = pytest.importorskip("adbc_driver_db2.dbapi", reason="adbc-driver-db2 is not installed")
    table = tables["TYPED"]
    types = [each for each in column_types(table, settings_of(mode)) if each is not None]
    listed = ", ".join(text for each in types for text in each.select(f'"{each.name}"'))
    with StandIn(engine) as server, db2.connect(
        uri=f"db2://127.0.0.1:{server.port}/TESTDB", username="db2inst1", password="Tailrace-1"
    ) as connection, connection.cursor() as cursor:  # fmt: skip
        cursor.execute(f"SELECT {listed} FROM DB2INST1.TYPED ORDER BY ID")
        arrays = [column.combine_chunks() for column in cursor.fetch_arrow_table().columns]
    assert rendered(types, vectors(arrays, types)) == told_rows(mode)


@pytest.mark.drivers
def test_structures_and_values_are_debeziums_on_whatever_server_there_is(db2: Database) -> None:
    """As above, by SQL alone: of a server that is given, this is the comparison with Debezium."""
    db2.sql(*all_types.STATEMENTS)
    with connect(db2_settings_of(db2)) as session:
        found = structures.tables(session, db2.database, lambda table: table.schema == "DB2INST1")
        tables = {each.name: table for each, table in found.items()}
        for name in all_types.TABLES:
            assert columns_of(tables[name]) == told_columns(name)
        for mode in MODES:
            types = [each for each in column_types(tables["TYPED"], settings_of(mode)) if each is not None]
            listed = ", ".join(text for each in types for text in each.select(f'"{each.name}"'))
            batches = list(session.batches(f"SELECT {listed} FROM DB2INST1.TYPED ORDER BY ID"))
            arrays = [column.combine_chunks() for column in pa.Table.from_batches(batches).columns]
            assert rendered(types, vectors(arrays, types)) == told_rows(mode), mode


@pytest.mark.drivers
def test_empty_large_objects_do_not_take_the_values_of_later_rows(engine: Engine) -> None:
    db2 = pytest.importorskip("adbc_driver_db2.dbapi", reason="adbc-driver-db2 is not installed")
    values = ["", "a", None, "", "bb", ""]
    session = engine.session()
    session.run("CREATE TABLE DB2INST1.EMPTY (ID INTEGER NOT NULL, L LONG VARCHAR, C CLOB(100), D DBCLOB(100), B BLOB(100))")
    for i, value in enumerate(values):
        session.run("INSERT INTO DB2INST1.EMPTY VALUES (?, ?, ?, ?, CAST(? AS BLOB(100)))", i, value, value, value, value)
    session.commit()
    found = structures.tables(CatalogueSession(engine), "TESTDB", lambda table: table.name == "EMPTY")
    (table,) = found.values()
    types = [each for each in column_types(table, settings_of("connect")) if each is not None]
    listed = ", ".join(text for each in types for text in each.select(f'"{each.name}"'))
    with StandIn(engine) as server, db2.connect(
        uri=f"db2://127.0.0.1:{server.port}/TESTDB", username="db2inst1", password="Tailrace-1"
    ) as connection, connection.cursor() as cursor:  # fmt: skip
        cursor.execute(f"SELECT {listed} FROM DB2INST1.EMPTY ORDER BY ID")
        arrays = [column.combine_chunks() for column in cursor.fetch_arrow_table().columns]
    coded = [None if value is None else base64.b64encode(value.encode()).decode() for value in values]
    assert rendered(types, vectors(arrays, types)) == [
        {"ID": i, "L": value, "C": value, "D": value, "B": coded[i]} for i, value in enumerate(values)
    ]
