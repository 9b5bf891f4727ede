"""Queries of users' tables that are answered from columns of Arrow give what they give through SQLite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from tests.standins.sqlserver.answered import Given, run, through_sqlite
from tests.standins.sqlserver.engine.client import INT, Client

from tailrace_standins.sqlserver.engine.server import Engine

ROWS = 40
REST = (
    "number bigint NULL, flag bit NULL, name nvarchar(20) NULL, amount decimal(9, 2) NULL, at datetime2 NULL, "
    "zoned datetimeoffset NULL, legacy datetime NULL, uid uniqueidentifier NULL, data varbinary(20) NULL, "
    "price float NULL, doubled AS number * 2"
)
EVERY = "number, flag, name, amount, at, zoned, legacy, uid, data, price"
ANSWERED = [
    "SELECT * FROM plain",
    "SELECT id, name FROM [shop].[dbo].[plain]",
    "SELECT t.* FROM plain t WITH (NOLOCK)",
    "SELECT id, name AS n FROM dbo.plain WHERE plain.id > 3 ORDER BY dbo.plain.id",
    (
        "SELECT TOP (7) c.id, DATEPART(nanosecond, c.at), DATEPART(tzoffset, c.zoned), CAST(c.uid AS binary(16)) "
        "FROM dbo.plain AS c WITH (READCOMMITTEDLOCK) WHERE c.id > @low AND c.id <= 30 ORDER BY c.id"
    ),
    "SELECT id FROM plain ORDER BY id OFFSET @low ROWS FETCH NEXT 5 ROWS ONLY",
    "SELECT id FROM plain WHERE 1000 > id AND id NOT IN (4, 5) AND number BETWEEN -5 AND 5",
    "SELECT id FROM plain WHERE number <> 3 OR flag = 1",
    "SELECT id FROM plain WHERE number = 9223372036854775807",
    "SELECT id FROM plain WHERE id > CAST(3 AS int) AND id <= CAST(20 AS bigint) ORDER BY id",
    "SELECT TOP 0 id FROM plain",
]
LEFT_TO_SQLITE = [
    "SELECT COUNT(*) FROM plain",
    "SELECT DISTINCT flag FROM plain",
    "SELECT id + 1 FROM plain",
    "SELECT id FROM plain ORDER BY id DESC",
    "SELECT id FROM plain ORDER BY name",
    "SELECT number AS id FROM plain ORDER BY id",
    "SELECT id FROM plain WHERE id > 2.5",
    "SELECT id FROM plain WHERE id > '2'",
    "SELECT id FROM plain WHERE id = CAST(7 AS bit)",
    "SELECT id FROM plain WHERE id > CAST(2 AS decimal(5, 2))",
    "SELECT id FROM plain WHERE name = N'later'",
    "SELECT id FROM plain WHERE NOT id = 2",
    "SELECT id FROM plain WHERE id > @nothing OR id = 1",
    "SELECT id FROM plain WHERE id = 92233720368547758070 OR id = 1",
    "SELECT a.id FROM plain a JOIN plain b ON a.id = b.id",
    "SELECT id FROM plain WHERE EXISTS (SELECT 1 FROM plain b WHERE b.id = plain.id)",
    "SELECT id FROM (SELECT id FROM plain) s",
    "SELECT doubled FROM computed",
    "SELECT * FROM computed",
    "SELECT id FROM heap",
]


@pytest.fixture(scope="module")
def shop() -> Iterator[Client]:
    engine = Engine(password="secret")
    engine.create_database("shop")
    engine.columns.least, engine.columns.eager = 0, True
    yield Client(engine)
    engine.close()


@pytest.fixture(scope="module")
def filled(shop: Client) -> Client:
    shop.run(f"CREATE TABLE plain (id int PRIMARY KEY, {REST.rpartition(',')[0]})")
    shop.run(f"CREATE TABLE computed (id int PRIMARY KEY, {REST})")
    shop.run("CREATE TABLE heap (id int NOT NULL)")
    shop.run("INSERT heap VALUES (2), (1)")
    for n in range(ROWS):
        shop.run(f"INSERT plain (id, {EVERY}) VALUES ({n * 7 % ROWS}, {values_of(n)})")
    shop.run("UPDATE plain SET name = N'later' WHERE id % 5 = 0 DELETE plain WHERE id = 8")
    shop.run("INSERT computed (id, number) VALUES (1, 2)")
    return shop


def values_of(n: int) -> str:
    """Values of `EVERY`, some of them NULL."""
    values = [
        str(n % 11 - 5), str(n % 2), f"N'žluť {n}'", f"{n}.25", f"'2024-02-29 12:34:56.{n:07}'",
        f"'2024-02-29 12:34:56.{n:07} {'+-'[n % 2]}05:30'", "'2024-02-29 12:34:56.003'",
        f"'12345678-9abc-def0-1234-56789abcd{n:03}'", f"0x00{n:02}00", f"{n}.5",
    ]  # fmt: skip
    return ", ".join("NULL" if (n + place) % 6 == 0 else value for place, value in enumerate(values))


PARAMETERS: Given = {"low": (INT, 4), "nothing": (INT, None)}


@pytest.mark.parametrize("sql", ANSWERED)
def test_rows_are_the_same_both_ways(filled: Client, sql: str) -> None:
    found, by_columns = run(filled, sql, PARAMETERS)
    assert by_columns
    assert found == through_sqlite(filled, sql, PARAMETERS)


@pytest.mark.parametrize("sql", LEFT_TO_SQLITE)
def test_other_queries_are_left_to_sqlite(filled: Client, sql: str) -> None:
    rows, by_columns = run(filled, sql, PARAMETERS)
    assert rows
    assert not by_columns


numbers = st.integers(-6, ROWS + 2)
compared = st.builds(
    lambda name, sign, value: f"{name} {sign} {value}",
    st.sampled_from(["id", "number", "flag", "part"]),
    st.sampled_from(["=", "<>", "<", "<=", ">", ">="]),
    numbers,
)
among = st.builds(
    lambda word, values: f"id {word} ({', '.join(map(str, values))})",
    st.sampled_from(["IN", "NOT IN"]),
    st.lists(numbers, min_size=1, max_size=3),
)
between = st.builds(lambda low, high: f"number BETWEEN {low} AND {high}", numbers, numbers)
conditions = st.recursive(
    compared | among | between,
    lambda inner: st.builds(
        lambda left, word, right: f"({left} {word} {right})", inner, st.sampled_from(["AND", "OR"]), inner
    ),
    max_leaves=6,
)
shown = st.lists(
    st.sampled_from([*EVERY.split(", "), "id", "part", "DATEPART(ns, at)", "CAST(uid AS binary(16))"]),
    min_size=1,
    max_size=5,
)
limits = st.sampled_from(["", "TOP (5) ", "TOP (@low) ", "OFFSET"])
rows = st.lists(
    st.tuples(st.integers(0, 30), st.integers(-2, 3), st.integers(0, 50)), max_size=30, unique_by=lambda row: row[:2]
)
KEYS = {"pair": "id, part", "falling": "part DESC, id"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=st.sampled_from(sorted(KEYS)), rows=rows, queries=st.lists(st.tuples(shown, limits, conditions | st.none()))
)
def test_random_queries_of_random_tables_have_the_same_rows_both_ways(
    shop: Client,
    table: str,
    rows: list[tuple[int, int, int]],
    queries: list[tuple[list[str], str, str | None]],
) -> None:
    shop.run(
        f"DROP TABLE IF EXISTS {table} CREATE TABLE {table} (id int, part smallint, {REST.rpartition(',')[0]}, "
        f"PRIMARY KEY ({KEYS[table]}))"
    )
    for key, part, n in rows:
        shop.run(f"INSERT {table} (id, part, {EVERY}) VALUES ({key}, {part}, {values_of(n)})")
    for names, limit, condition in queries:
        top, after = ("", " OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY") if limit == "OFFSET" else (limit, "")
        where = f" WHERE {condition}" if condition else ""
        sql = f"SELECT {top}{', '.join(names)} FROM {table}{where} ORDER BY {KEYS[table]}{after}"
        note(sql)
        found, by_columns = run(shop, sql, PARAMETERS)
        assert by_columns
        assert found == through_sqlite(shop, sql, PARAMETERS)
