"""What a connector begins with, from DDL that is written down here: no server."""

import pytest

from support.unit_settings import unit_settings
from tailrace.connectors.mysql.catalog import Head, Server
from tailrace.connectors.mysql.initial_structures import first_events, first_history, in_order, included_uncaptured
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.server_structures import ServerStructures
from tailrace.errors import StructureError
from tailrace.schema.tables import TableId

SERVER = Server((9, 7, 0), {"character_set_server": "utf8mb4", "collation_server": "utf8mb4_0900_ai_ci"})
AT = RestartPosition(file="m.000001", pos=4)


def ids(*names):
    return [TableId(*name.split(".")[:1], "", name.split(".")[1]) for name in names]


def found(tables, others=()):
    ddl = {table: f"CREATE TABLE `{table.name}` (id INT)" for table in ids(*tables, *others)}
    databases = {table.catalog: f"CREATE DATABASE `{table.catalog}` CHARSET latin1" for table in sorted(ddl)}
    return ServerStructures(
        Head("m.000001", 4, None), databases, {t: ddl[t] for t in ids(*tables)}, {t: ddl[t] for t in ids(*others)}
    )


def told(settings, structures):
    history = first_history(settings, SERVER, AT, structures)
    return [
        (event.database, event.ddl, [change.type.value for change in event.changes]) for event in first_events(history)
    ]


def test_tables_are_dropped_and_then_made_database_by_database():
    assert told(unit_settings(), found(["b.x"], ["a.y"])) == [
        ("", "SET character_set_server=utf8mb4, collation_server=utf8mb4_0900_ai_ci", []),
        ("a", "DROP TABLE IF EXISTS `a`.`y`", ["DROP"]),
        ("b", "DROP TABLE IF EXISTS `b`.`x`", ["DROP"]),
        ("a", "DROP DATABASE IF EXISTS `a`", []),
        ("a", "CREATE DATABASE `a` CHARSET latin1", []),
        ("a", "USE `a`", []),
        ("a", "CREATE TABLE `y` (id INT)", ["CREATE"]),
        ("b", "DROP DATABASE IF EXISTS `b`", []),
        ("b", "CREATE DATABASE `b` CHARSET latin1", []),
        ("b", "USE `b`", []),
        ("b", "CREATE TABLE `x` (id INT)", ["CREATE"]),
    ]


def test_a_history_of_captured_tables_alone_as_older_versions_wrote_it_is_told_as_well():
    history = first_history(unit_settings(), SERVER, AT, found(["b.x"]))
    history[1]["ddl"] = "CREATE DATABASE `b` /*!40100 DEFAULT CHARACTER SET latin1 */"
    assert [event.ddl for event in first_events(history)][3] == history[1]["ddl"]


def test_nothing_but_the_servers_settings_is_told_where_there_is_no_table():
    assert [database for database, _, _ in told(unit_settings(), found([]))] == [""]


def test_a_table_that_is_not_captured_and_not_understood_is_left_out(caplog):
    structures = found(["b.x"], ["a.y"])
    structures.others[TableId("a", "", "y")] = "CREATE TABLE y (a NOTHING)"
    assert {database for database, _, _ in told(unit_settings(), structures)} == {"", "b"}
    assert "a.y is not captured" in caplog.text


def test_a_captured_table_that_is_not_understood_is_an_error():
    structures = found(["b.x"])
    structures.tables[TableId("b", "", "x")] = "CREATE TABLE x (a NOTHING)"
    with pytest.raises(StructureError, match="NOTHING"):
        told(unit_settings(), structures)


def test_tables_are_read_in_the_order_of_the_include_list_and_by_name_within_a_pattern():
    settings = unit_settings({"table.include.list": r"d\.f.*,d\.[bc].*,d.a"})
    assert in_order(settings, ids("d.a", "d.b", "d.c", "d.f2", "d.f1")) == ids("d.f1", "d.f2", "d.b", "d.c", "d.a")


def test_names_are_sorted_as_one_text():
    """Debezium compares `database.table`: a hyphen comes before the dot."""
    assert in_order(unit_settings(), ids("a.t", "a-b.t")) == ids("a-b.t", "a.t")


@pytest.mark.parametrize(
    ("properties", "besides"),
    [
        ({}, [True, True, False]),
        ({"schema.history.internal.store.only.captured.databases.ddl": "true"}, [True, False, False]),
        ({"schema.history.internal.store.only.captured.tables.ddl": "true"}, [False, False, False]),
    ],
)
def test_which_tables_are_told_besides(properties, besides):
    is_told = included_uncaptured(unit_settings({"database.include.list": "d", **properties}))
    assert [is_told(TableId(database, "", "t")) for database in ("d", "other", "mysql")] == besides
