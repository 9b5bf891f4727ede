"""The stand-in whole, wire and engine, as mssql-jdbc finds it: what Debezium does before it does anything."""

from collections.abc import Iterator

import pytest
from tests.standins.sqlserver.drivers.java import Jdbc, JdbcError, jdbc_of

from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.inventory import fill
from tailrace_standins.sqlserver.server import StandIn

PASSWORD = "secret"
pytestmark = [pytest.mark.drivers, pytest.mark.slow]


@pytest.fixture(scope="module")
def jdbc() -> Iterator[Jdbc]:
    engine = Engine(password=PASSWORD)
    fill(engine, "inventory", PASSWORD)
    try:
        with StandIn(engine, tls=True) as server, jdbc_of(server.port) as asked:
            yield asked
    finally:
        engine.close()


def test_tables_are_told(jdbc: Jdbc) -> None:
    found = jdbc.ask("metadata", "getTables", "inventory", None, None, ["TABLE"])
    assert {row[2] for row in found} >= {"customers", "orders", "products", "products_on_hand"}
    assert {(row[0], row[1], row[3]) for row in found if row[2] == "orders"} == {("inventory", "dbo", "TABLE")}


def test_columns_are_told(jdbc: Jdbc) -> None:
    found = jdbc.ask("metadata", "getColumns", "inventory", "dbo", "products", None)
    told = [(row[3], row[5], row[6], row[8], row[10], row[22]) for row in found]  # IS_AUTOINCREMENT is the 23rd
    assert told == [
        ("id", "int identity", "10", "0", "0", "YES"),
        ("name", "nvarchar", "255", None, "0", "NO"),
        ("description", "nvarchar", "512", None, "1", "NO"),
        ("weight", "decimal", "8", "3", "1", "NO"),
    ]


def test_keys_and_indexes_are_told(jdbc: Jdbc) -> None:
    keys = jdbc.ask("metadata", "getPrimaryKeys", "inventory", "dbo", "orders")
    assert [(row[2], row[3], row[4]) for row in keys] == [("orders", "id", "1")]
    indexes = jdbc.ask("metadata", "getIndexInfo", "inventory", "dbo", "customers", True, True)
    assert "email" in {row[8] for row in indexes}


@pytest.mark.parametrize("prepare", ["prepexec", "prepare"])
def test_a_prepared_statement_is_run_again_by_its_handle(jdbc: Jdbc, prepare: str) -> None:
    statement = f"SELECT name, description FROM products WHERE id > ? AND name <> ? ORDER BY id -- {prepare}"
    values = (["setInt", 103], ["setString", "tarp"])
    found = jdbc.ask("prepared", statement, 5, *values, options=f"encrypt=true;prepareMethod={prepare}")
    assert found == [["kettle", "Camping kettle, 1.2 l"], ["whistle", None]]


def test_values_come_as_sql_server_writes_them(jdbc: Jdbc) -> None:
    sql = (
        "SELECT CAST(1 AS bit), CAST('12.50' AS decimal(9, 3)), CAST('2024-02-29 12:34:56.1234567' AS datetime2), "
        "CAST('2024-02-29 12:34:56.1234567 +05:30' AS datetimeoffset), CAST(0x00ff AS varbinary(5)), N'ž', NULL"
    )
    expected = ["1", "12.500", "2024-02-29 12:34:56.1234567", "2024-02-29 12:34:56.1234567 +05:30", "00FF", "ž", None]
    assert jdbc.ask("query", sql) == [expected]


def test_types_have_their_names(jdbc: Jdbc) -> None:
    assert jdbc.ask("types", "SELECT * FROM products") == ["int identity", "nvarchar", "nvarchar", "decimal"]


def test_changed_rows_are_counted(jdbc: Jdbc) -> None:
    assert jdbc.ask("update", "CREATE TABLE counted (id int PRIMARY KEY, v int)") == 0
    assert jdbc.ask("update", "INSERT INTO counted VALUES (1, 1), (2, 2), (3, 3)") == 3
    assert jdbc.ask("update", "UPDATE counted SET v = 0 WHERE id < 3") == 2
    assert jdbc.ask("update", "DELETE FROM counted") == 3


def test_transactions_end_both_ways(jdbc: Jdbc) -> None:
    jdbc.ask("update", "CREATE TABLE x (id int IDENTITY PRIMARY KEY, v int)")
    jdbc.ask("transaction", "INSERT INTO x (v) VALUES (1)", "rollback")
    jdbc.ask("transaction", "INSERT INTO x (v) VALUES (2)", "commit")
    assert jdbc.ask("query", "SELECT v FROM x") == [["2"]]


def test_errors_come_with_their_number_and_state(jdbc: Jdbc) -> None:
    for sql, number in (
        ("SELECT * FROM nowhere", 208),
        ("SELECT 1 / 0", 8134),
        ("INSERT INTO products_on_hand VALUES (101, 1)", 2627),
    ):
        with pytest.raises(JdbcError) as caught:
            jdbc.ask("query" if sql.startswith("SELECT") else "update", sql)
        assert caught.value.number == number


def test_a_statement_that_takes_too_long_is_cancelled(jdbc: Jdbc) -> None:
    with pytest.raises(JdbcError, match="timed out"):
        jdbc.ask("timed_out", "WAITFOR DELAY '00:01:00'")
    assert jdbc.ask("query", "SELECT 1") == [["1"]]


def test_all_isolation_levels_can_be_had(jdbc: Jdbc) -> None:
    for level in (1, 2, 4, 8, 4096):
        assert jdbc.ask("isolation", level) == level


def test_what_debezium_asks_first_is_answered(jdbc: Jdbc) -> None:
    assert "16.0.1000" in jdbc.ask("query", "SELECT @@VERSION")[0][0]
    assert jdbc.ask("prepared", "SELECT name FROM sys.databases WHERE name = ?", 1, ["setString", "inventory"]) == [
        ["inventory"]
    ]
    assert len(jdbc.ask("query", "SELECT SYSDATETIMEOFFSET()")) == 1
    jdbc.ask("update", "SET LOCK_TIMEOUT 10000")
    assert jdbc.ask("query", "SELECT TOP(0) * FROM [inventory].[dbo].[orders] WITH (TABLOCKX)") == []
