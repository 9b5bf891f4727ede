"""Each type in each handling mode: schemas and values are those of real Debezium for the same table.

Debezium's are recorded in data/debezium_types.json (`python -m tests.connectors.sqlserver.all_types`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.connectors.sqlserver import all_types
from tests.connectors.sqlserver.typed_tables import fields_of, settings_of, shown, table_of

from tailrace.schema.tables import Column
from tailrace_standins.servers.sqlserver_server import Database, Server

pytestmark = pytest.mark.drivers
RECORDED = all_types.recorded()
MODES = sorted(all_types.MODES)


@pytest.fixture(scope="module")
def database(sqlserver_server: Server) -> Iterator[Database]:
    """Both tables, captured before their rows came."""
    made = sqlserver_server.create_database()
    made.sql(all_types.CREATE_TYPED)
    made.sql(all_types.CREATE_DEFAULTED)
    made.capture("typed")
    made.sql(all_types.INSERT)
    made.sql(all_types.INSERT_NULLS)
    made.capture_all()
    yield made
    made.drop()


def of(mode: str, table: str, what: str) -> dict[str, Any]:
    """What Debezium gave for the columns of a table."""
    prefix = "c_" if table == "typed" else "d_"
    return {name: told[what] for name, told in RECORDED[mode].items() if name.startswith(prefix)}


@pytest.mark.parametrize("mode", MODES)
def test_fields_have_debeziums_schemas(database: Database, mode: str) -> None:
    settings = settings_of(database, **all_types.MODES[mode])
    found = fields_of(table_of(database, "typed"), settings)
    found.pop("id")
    expected = of(mode, "typed", "schema")
    assert {name: told | {"field": name} for name, told in found.items()} == expected


@pytest.mark.parametrize("shape", ["1.4", "2.1", "current"])
def test_xml_is_a_text_without_a_name_in_every_shape(database: Database, shape: str) -> None:
    found = fields_of(table_of(database, "typed"), settings_of(database, tailrace_event_shape=shape))
    assert (found["c_xml"]["type"], "name" in found["c_xml"]) == ("string", False)


@pytest.mark.parametrize("shape", ["1.4", "2.1"])
def test_source_types_are_told_without_the_columns_name_in_the_older_shapes(database: Database, shape: str) -> None:
    settings = settings_of(database, tailrace_event_shape=shape, column_propagate_source_type="dbo.typed.c_ntext")
    told = fields_of(table_of(database, "typed"), settings)["c_ntext"]["parameters"]
    assert told == {"__debezium.source.column.type": "NTEXT", "__debezium.source.column.length": "1073741823"}


@pytest.mark.parametrize("mode", MODES)
def test_defaults_are_those_that_debezium_tells(database: Database, mode: str) -> None:
    settings = settings_of(database, **all_types.MODES[mode])
    found = fields_of(table_of(database, "defaulted"), settings)
    expected = {name: told.get("default") for name, told in of(mode, "defaulted", "schema").items()}
    assert {name: told.get("default") for name, told in found.items() if name != "id"} == expected


@pytest.mark.parametrize("source", ["dbo.typed", "cdc.dbo_typed_CT"])
@pytest.mark.parametrize("mode", MODES)
def test_values_are_those_that_debezium_gives_from_tables_and_from_change_tables(
    database: Database, mode: str, source: str
) -> None:
    settings = settings_of(database, **all_types.MODES[mode])
    values, nulls = shown(database, source, table_of(database, "typed"), settings)
    values.pop("id")
    assert values == of(mode, "typed", "value")
    if mode != "masked":  # which hides that a value is null
        assert {name for name, value in nulls.items() if value is not None} == {"id"}


def test_structures_are_those_of_debeziums_history(database: Database) -> None:
    columns = (*table_of(database, "typed").columns, *table_of(database, "defaulted").columns[1:])
    for column in columns:
        told = RECORDED["history"][column.name]
        assert as_told(column) == {name: told.get(name) for name in as_told(column)}, column.name


def as_told(column: Column) -> dict[str, Any]:
    """A column as Debezium's history has it."""
    return {
        "jdbcType": column.jdbc_type,
        "typeName": column.type_name,
        "typeExpression": column.type_expression,
        "length": column.length,
        "scale": column.scale,
        "optional": column.optional,
        "autoIncremented": column.auto_incremented,
        "generated": column.generated,
        "hasDefaultValue": column.has_default,
        "defaultValueExpression": column.default,
        "comment": column.comment,
    }
