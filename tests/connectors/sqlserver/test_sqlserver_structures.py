"""Structures of tables, from the catalogue."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from tests.connectors.sqlserver.typed_tables import session_of

from tailrace.connectors.change_tables import instances
from tailrace.connectors.shared import jdbc
from tailrace.connectors.sqlserver import catalog, jdbc_types, structures
from tailrace.errors import StructureError
from tailrace.schema.tables import Table, TableId
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = pytest.mark.drivers
PATIENCE = 5.0  # seconds for a thousand tables, on a machine that does other things too


def tables(database: Database) -> dict[str, Table]:
    """The tables of schema dbo that are not the server's own."""
    with session_of(database) as session:
        found = structures.tables(session, database.name, lambda table: table.schema == "dbo")
    return {table.name: each for table, each in found.items() if table.name != "systranschemas"}


def test_columns_stand_in_their_order_with_what_is_special_of_them(sqlserver: Database) -> None:
    sqlserver.sql(
        "CREATE TABLE dbo.t (b decimal(9,0) IDENTITY, a nvarchar(7) NOT NULL DEFAULT N'x', c AS b + 1, d sysname NULL)"
    )
    b, a, c, d = tables(sqlserver)["t"].columns
    assert (b.name, b.type_name, b.auto_incremented, b.optional, b.length, b.scale) == (
        "b", "decimal() identity", True, False, 9, 0,
    )  # fmt: skip
    assert (a.type_name, a.length, a.default, a.has_default) == ("nvarchar", 7, "(N'x')", True)
    assert c.generated
    assert (d.type_name, d.jdbc_type, d.length) == ("sysname", jdbc.NVARCHAR, 128)


def test_the_primary_key_is_the_key_in_its_own_order(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE dbo.t (a int NOT NULL, b int NOT NULL, c int NOT NULL UNIQUE, PRIMARY KEY (b, a))")
    assert tables(sqlserver)["t"].primary_key == ("b", "a")


def test_without_a_primary_key_the_first_unique_index_is_taken_clustered_ones_before_others(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE dbo.t (a int NOT NULL, b int NOT NULL, c int NULL, d int)")
    sqlserver.sql("CREATE UNIQUE INDEX zz ON dbo.t (b, a)")
    sqlserver.sql("CREATE INDEX aa ON dbo.t (d)")
    assert tables(sqlserver)["t"].primary_key == ("b", "a")
    sqlserver.sql("CREATE UNIQUE INDEX ab ON dbo.t (c)")
    assert tables(sqlserver)["t"].primary_key == ("c",)
    sqlserver.sql("CREATE UNIQUE CLUSTERED INDEX zzz ON dbo.t (a) ")
    assert tables(sqlserver)["t"].primary_key == ("a",)


def test_a_table_without_a_key_has_none(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE dbo.t (a int)")
    assert tables(sqlserver)["t"].primary_key == ()


def test_an_instance_has_what_it_captures_of_its_table(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE dbo.t (a int NOT NULL, b int, c varchar(5), d int, PRIMARY KEY (a))")
    sqlserver.capture("t", columns="a, d, c")
    with session_of(sqlserver) as session:
        (instance,) = catalog.instances(session)
    table = instances.of_instance(tables(sqlserver)["t"], instance)
    assert [column.name for column in table.columns] == ["a", "c", "d"]
    assert table.primary_key == ("a",)
    assert instances.not_captured(tables(sqlserver)["t"], instance) == ("b",)


def test_a_captured_column_that_is_gone_is_left_out_and_an_altered_one_has_its_new_type(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE dbo.t (a int NOT NULL PRIMARY KEY, b int, c varchar(5))")
    sqlserver.capture("t")
    sqlserver.sql("ALTER TABLE dbo.t DROP COLUMN b")
    sqlserver.sql("ALTER TABLE dbo.t ALTER COLUMN c varchar(9)")
    sqlserver.sql("ALTER TABLE dbo.t ADD d int")
    with session_of(sqlserver) as session:
        (instance,) = catalog.instances(session)
    table = instances.of_instance(tables(sqlserver)["t"], instance)
    assert [(column.name, column.length) for column in table.columns] == [("a", 10), ("c", 9)]
    assert instances.not_captured(tables(sqlserver)["t"], instance) == ("d",)


def test_a_key_that_is_captured_in_part_is_what_is_captured_of_it(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE dbo.t (a int NOT NULL, b int NOT NULL, c int, PRIMARY KEY (b, a))")
    sqlserver.capture("t")
    with session_of(sqlserver) as session:
        (instance,) = catalog.instances(session)
    table = instances.of_instance(tables(sqlserver)["t"], replace(instance, columns=("a", "c")))
    assert table.primary_key == ("a",)


def test_an_instance_whose_table_is_gone_has_no_structure(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE dbo.t (a int NOT NULL PRIMARY KEY)")
    sqlserver.capture("t")
    with session_of(sqlserver) as session:
        (instance,) = catalog.instances(session)
    with pytest.raises(StructureError, match=r"dbo\.t is gone.*dbo_t"):
        instances.of_instance(None, instance)


def test_only_wanted_tables_are_told_by_their_whole_names(sqlserver: Database) -> None:
    sqlserver.sql("CREATE SCHEMA sales")
    sqlserver.sql("CREATE TABLE sales.t (a int)")
    sqlserver.sql("CREATE TABLE dbo.t (a int)")
    with session_of(sqlserver) as session:
        found = structures.tables(session, sqlserver.name, lambda table: table.schema == "sales")
    assert list(found) == [TableId(sqlserver.name, "sales", "t")]


@pytest.mark.slow
def test_a_thousand_tables_are_told_by_two_queries_soon(sqlserver: Database) -> None:
    columns = ", ".join(f"c{i} nvarchar(20) DEFAULT N'x'" for i in range(8))
    for start in range(0, 1000, 100):
        sqlserver.sql(";".join(f"CREATE TABLE dbo.t{i} (id int PRIMARY KEY, {columns})" for i in range(start, start + 100)))
    with session_of(sqlserver) as session:
        began = time.perf_counter()
        found = structures.tables(session, sqlserver.name, lambda table: table.schema == "dbo")
        took = time.perf_counter() - began
    assert len(found) >= 1000
    assert took < PATIENCE


class Told:
    """A catalog that tells of types that no test's server has: rows of `sys.columns` with their types."""

    def __init__(self, *rows: tuple[object, ...]) -> None:
        self._answers = [[("dbo", "t", *row) for row in rows], []]

    def rows(self, _sql: str) -> list[tuple[object, ...]]:
        return self._answers.pop(0)


# name, type, type below it, user_type_id, max_length, precision, scale
RARE = {
    "geometry": (None, 129, -1, 0, 0),
    "geography": (None, 130, -1, 0, 0),
    "hierarchyid": (None, 128, 892, 0, 0),
    "vector": ("vector", 255, 80, 0, 0),
    "json": ("json", 244, -1, 0, 0),
    "sql_variant": ("sql_variant", 98, 8016, 0, 0),
    "Name": ("nvarchar", 257, 100, 0, 0),
    "Price": ("decimal", 258, 9, 10, 2),
    "Key": ("int", 259, 4, 10, 0),
}
SHOWN = {
    "geometry": ("geometry", jdbc.VARBINARY, structures.UNLIMITED, None),
    "geography": ("geography", jdbc.VARBINARY, structures.UNLIMITED, None),
    "hierarchyid": ("hierarchyid", jdbc.VARBINARY, 892, None),
    "vector": ("vector", jdbc.VARCHAR, structures.UNLIMITED, None),
    "json": ("json", jdbc.NVARCHAR, structures.UNLIMITED, None),
    "sql_variant": ("sql_variant", jdbc_types.SQL_VARIANT, structures.UNLIMITED, None),
    "Name": ("Name", jdbc.NVARCHAR, 50, None),
    "Price": ("Price", jdbc.DECIMAL, 10, 2),
    "Key": ("Key", jdbc.INTEGER, 10, 0),
}


@pytest.mark.parametrize("name", RARE)
def test_alias_types_have_their_own_name_and_clr_types_are_bytes(name: str) -> None:
    base, *sizes = RARE[name]
    row = (name, name, base, *sizes, True, name == "Key", False, None)
    found = structures.tables(Told(row), "d", lambda _: True)  # type: ignore[arg-type]
    (column,) = found[TableId("d", "dbo", "t")].columns
    assert (column.type_name, column.jdbc_type, column.length, column.scale) == SHOWN[name]
    assert column.auto_incremented == (name == "Key")
