"""ALTER TABLE, variant by variant, over rows that are there."""

from decimal import Decimal

import pytest
from tests.standins.sqlserver.engine.client import Client


@pytest.fixture(autouse=True)
def _table(a: Client) -> None:
    a.run(
        "CREATE TABLE t (id int NOT NULL CONSTRAINT pk PRIMARY KEY, n int NULL, s nvarchar(10)); INSERT t VALUES (1, 10, N'12'), (2, NULL, N'x')"
    )


def test_a_new_column_is_null_in_old_rows_unless_they_are_to_have_its_default(a: Client) -> None:
    a.run("ALTER TABLE t ADD x int, y int DEFAULT 5, z int DEFAULT 6 WITH VALUES")
    a.run("INSERT t (id) VALUES (3)")
    assert a.rows("SELECT x, y, z FROM t") == [(None, None, 6), (None, None, 6), (None, 5, 6)]


def test_a_column_that_may_not_be_null_needs_a_default_where_rows_are(a: Client) -> None:
    assert a.error("ALTER TABLE t ADD x int NOT NULL") == 4901
    a.run("DELETE t; ALTER TABLE t ADD x int NOT NULL")
    assert a.error("INSERT t (id) VALUES (1)") == 515


def test_an_identity_that_is_added_numbers_the_rows(a: Client) -> None:
    a.run("ALTER TABLE t ADD number int IDENTITY(100, 10); INSERT t (id) VALUES (3)")
    assert a.rows("SELECT number FROM t") == [(100,), (110,), (120,)]


def test_a_computed_column_is_added(a: Client) -> None:
    a.run("ALTER TABLE t ADD twice AS n * 2")
    assert a.rows("SELECT twice FROM t") == [(20,), (None,)]


@pytest.mark.parametrize(
    ("column", "found"),
    [
        ("n bigint", [(10,), (None,)]),
        ("n varchar(5)", [("10",), (None,)]),
        ("n decimal(9, 2)", [(Decimal("10.00"),), (None,)]),
        ("s nvarchar(40)", [("12",), ("x",)]),
        ("s varchar(2)", [("12",), ("x",)]),
        ("s nvarchar(max)", [("12",), ("x",)]),
        ("s nvarchar(10) NOT NULL", [("12",), ("x",)]),
    ],
)
def test_a_column_gets_another_type_and_its_values_with_it(a: Client, column: str, found: list[object]) -> None:
    a.run(f"ALTER TABLE t ALTER COLUMN {column}")
    assert a.rows(f"SELECT {column[0]} FROM t") == found


@pytest.mark.parametrize(
    ("change", "number"),
    [
        ("ALTER COLUMN s int", 245),
        ("ALTER COLUMN s nvarchar(1)", 2628),
        ("ALTER COLUMN n int NOT NULL", 515),
        ("ALTER COLUMN n nosuchtype", 2715),
        ("ADD n int", 2705),
        ("ADD CONSTRAINT other PRIMARY KEY (s)", 1779),
        ("ADD CONSTRAINT c CHECK (id > 1)", 547),
        ("ADD CONSTRAINT c FOREIGN KEY (n) REFERENCES t (id)", 547),
        ("ADD CONSTRAINT c UNIQUE (nope)", 1911),
        ("DROP COLUMN nope", 4924),
        ("DROP COLUMN id", 5074),
        ("DROP CONSTRAINT nope", 3728),
        ("NOCHECK CONSTRAINT ALL", 50900),
    ],
)
def test_a_change_that_can_not_be_leaves_everything_as_it_was(a: Client, change: str, number: int) -> None:
    assert a.error(f"ALTER TABLE t {change}") == number
    assert a.rows("SELECT * FROM t") == [(1, 10, "12"), (2, None, "x")]
    a.run("INSERT t VALUES (3, 30, N'y')")
    assert a.rows("SELECT name FROM sys.columns ORDER BY column_id") == [("id",), ("n",), ("s",)]


def test_a_unique_constraint_is_refused_over_duplicates(a: Client) -> None:
    a.run("UPDATE t SET s = N'x'")
    assert a.error("ALTER TABLE t ADD CONSTRAINT u UNIQUE (s)") == 1505
    a.run("UPDATE t SET s = N'y' WHERE id = 1; ALTER TABLE t ADD CONSTRAINT u UNIQUE (s)")
    assert a.error("UPDATE t SET s = N'x'") == 2627


def test_constraints_come_and_go(a: Client) -> None:
    a.run("ALTER TABLE t ADD CONSTRAINT c CHECK (n < 100), CONSTRAINT d DEFAULT 7 FOR n")
    assert a.error("INSERT t VALUES (3, 100, NULL)") == 547
    a.run(
        "INSERT t (id) VALUES (3); ALTER TABLE t DROP CONSTRAINT c, d; INSERT t VALUES (4, 100, NULL); INSERT t (id) VALUES (5)"
    )
    assert a.rows("SELECT n FROM t WHERE id > 2") == [(7,), (100,), (None,)]


def test_the_primary_key_is_dropped_and_made_anew(a: Client) -> None:
    a.run("ALTER TABLE t DROP CONSTRAINT pk; INSERT t VALUES (1, 11, NULL)")
    assert a.error("ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY (id)") == 1505
    a.run("DELETE t WHERE n = 11; ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY (id)")
    assert a.error("INSERT t VALUES (1, 11, NULL)") == 2627


def test_a_dropped_columns_name_may_come_again_with_a_number_of_its_own(a: Client) -> None:
    a.run("ALTER TABLE t DROP COLUMN n; ALTER TABLE t ADD n varchar(5)")
    assert a.rows("SELECT * FROM t") == [(1, "12", None), (2, "x", None)]
    assert a.rows("SELECT name, column_id FROM sys.columns ORDER BY column_id") == [("id", 1), ("s", 3), ("n", 4)]


def test_several_columns_are_dropped_at_once_and_those_that_are_not_there_passed_over(a: Client) -> None:
    a.run("ALTER TABLE t DROP COLUMN n, s; ALTER TABLE t DROP COLUMN IF EXISTS n")
    assert a.rows("SELECT * FROM t") == [(1,), (2,)]


def test_a_rollback_brings_back_types_values_and_columns(a: Client) -> None:
    a.run(
        "BEGIN TRAN; ALTER TABLE t ALTER COLUMN n varchar(9); UPDATE t SET n = 'abc'; ALTER TABLE t DROP COLUMN s; "
        "ALTER TABLE t ADD x int; ROLLBACK"
    )
    assert a.rows("SELECT * FROM t") == [(1, 10, "12"), (2, None, "x")]
    assert [of.name for of in a.types("SELECT n FROM t")] == ["int"]


def test_a_statement_that_was_planned_before_sees_the_new_columns(a: Client, b: Client) -> None:
    sql = "SELECT * FROM t WHERE id = 1"
    assert b.rows(sql) == [(1, 10, "12")]
    a.run("ALTER TABLE t ADD x int NOT NULL DEFAULT 3; ALTER TABLE t ALTER COLUMN n bigint")
    assert b.rows(sql) == [(1, 10, "12", 3)]
    assert [of.name for of in b.types(sql)] == ["int", "bigint", "nvarchar", "int"]
