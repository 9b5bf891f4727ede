"""Columns of a table are what a reader would see of it in SQLite, whoever changes it meanwhile."""

from __future__ import annotations

import threading
import time

import pytest
from tests.standins.sqlserver.answered import run
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.engine.server import Engine

READ = "SELECT id, v FROM t"
TRANSACTIONS = 100
PATIENCE_SECONDS = 60


@pytest.fixture(autouse=True)
def filled(engine: Engine, a: Client) -> None:
    engine.columns.least, engine.columns.eager = 0, True
    a.run("CREATE TABLE t (id int PRIMARY KEY, v varchar(10)) INSERT t VALUES (1, 'a'), (2, 'b')")


def columns(client: Client) -> list[tuple[object, ...]]:
    rows, by_columns = run(client, READ, {})
    assert by_columns
    return rows


def sqlite(client: Client, sql: str = READ) -> list[tuple[object, ...]]:
    rows, by_columns = run(client, sql, {})
    assert not by_columns
    return rows


def test_a_change_is_there_at_once(a: Client, b: Client) -> None:
    assert columns(b) == [(1, "a"), (2, "b")]
    a.run("UPDATE t SET v = 'c' WHERE id = 1")
    assert columns(b) == [(1, "c"), (2, "b")]
    a.run("BEGIN TRAN DELETE t WHERE id = 1 INSERT t VALUES (3, 'd') COMMIT")
    assert columns(b) == columns(a) == [(2, "b"), (3, "d")]
    a.run("TRUNCATE TABLE t")
    assert columns(b) == []


def test_one_s_own_changes_are_seen_before_the_commit_and_gone_after_a_rollback(a: Client) -> None:
    columns(a)
    a.run("BEGIN TRAN UPDATE t SET v = 'c'")
    assert sqlite(a) == [(1, "c"), (2, "c")]
    a.run("ROLLBACK")
    assert columns(a) == [(1, "a"), (2, "b")]


def test_a_reader_waits_for_who_changes_the_table(a: Client, b: Client) -> None:
    columns(b)
    a.run("BEGIN TRAN UPDATE t SET v = 'c' WHERE id = 1")
    b.run("SET LOCK_TIMEOUT 0")
    assert b.error(READ) == 1222
    assert sqlite(b, f"{READ} WITH (NOLOCK)") == [(1, "c"), (2, "b")]
    assert sqlite(b, f"{READ} WITH (READPAST)") == [(2, "b")]


def test_versions_of_rows_are_sqlite_s_to_tell(a: Client, b: Client) -> None:
    a.run("ALTER DATABASE shop SET ALLOW_SNAPSHOT_ISOLATION ON")
    b.run("SET TRANSACTION ISOLATION LEVEL SNAPSHOT BEGIN TRAN")
    assert sqlite(b) == [(1, "a"), (2, "b")]
    a.run("UPDATE t SET v = 'c'")
    assert sqlite(b) == [(1, "a"), (2, "b")]
    assert columns(a) == [(1, "c"), (2, "c")]
    b.run("COMMIT SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
    assert columns(b) == [(1, "c"), (2, "c")]


def test_locks_are_taken_as_ever(a: Client, b: Client) -> None:
    columns(b)
    b.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ BEGIN TRAN")
    assert columns(b) == [(1, "a"), (2, "b")]
    a.run("SET LOCK_TIMEOUT 0")
    assert a.error("UPDATE t SET v = 'c' WHERE id = 1") == 1222
    b.run("COMMIT")
    a.run("UPDATE t SET v = 'c' WHERE id = 1")
    assert columns(b) == [(1, "c"), (2, "b")]


def test_another_definition_is_read_anew_and_the_old_one_after_a_rollback(a: Client) -> None:
    columns(a)
    a.run("BEGIN TRAN ALTER TABLE t ALTER COLUMN v nvarchar(4)")
    assert columns(a) == [(1, "a"), (2, "b")]
    assert a.types("SELECT v FROM t WHERE v > ''")[0].name == "nvarchar"
    a.run("ROLLBACK")
    assert columns(a) == [(1, "a"), (2, "b")]
    a.run("ALTER TABLE t ADD w int NOT NULL DEFAULT 7")
    assert run(a, "SELECT w FROM t", {}) == ([(7,), (7,)], True)


def test_a_table_is_taken_over_when_sqlite_has_given_all_of_it_once(engine: Engine, a: Client) -> None:
    engine.columns.eager = False
    sqlite(a, "SELECT TOP (1) id FROM t")
    sqlite(a, "SELECT TOP (1) id FROM t WHERE id > 1 ORDER BY id")
    assert columns(a)
    a.run("INSERT t VALUES (3, 'c')")
    assert len(sqlite(a)) == 3
    assert len(columns(a)) == 3


def test_a_table_with_a_value_that_arrow_has_no_form_for_is_left_to_sqlite(a: Client) -> None:
    a.run("ALTER TABLE t ADD x sql_variant")
    assert sqlite(a) == [(1, "a"), (2, "b")]


def test_small_and_large_tables_are_left_to_sqlite(engine: Engine, a: Client) -> None:
    engine.columns.least = 3
    sqlite(a)
    engine.columns.least, engine.columns.most = 0, 1
    sqlite(a)


@pytest.mark.parametrize("versioned", [False, True])
def test_readers_beside_a_writer_see_whole_transactions_and_never_go_back(
    a: Client, b: Client, versioned: bool
) -> None:
    if versioned:
        a.run("ALTER DATABASE shop SET READ_COMMITTED_SNAPSHOT ON")
    a.run("CREATE TABLE pair (id int PRIMARY KEY, n int) INSERT pair VALUES (1, 0), (2, 0)")
    seen: list[tuple[int, int]] = []

    def write() -> None:
        for _ in range(TRANSACTIONS):
            a.run("BEGIN TRAN UPDATE pair SET n = n + 1 WHERE id = 1 UPDATE pair SET n = n + 1 WHERE id = 2 COMMIT")

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not seen or seen[-1][0] != TRANSACTIONS:
        assert time.monotonic() < deadline, "the writer's last transaction is never seen"
        rows, _ = run(b, "SELECT n FROM pair", {})
        first, second = (int(str(n)) for (n,) in rows)
        seen.append((first, second))
    writer.join()
    assert all(first == second for first, second in seen)
    assert seen == sorted(seen)
    assert run(b, "SELECT n FROM pair", {}) == ([(TRANSACTIONS,), (TRANSACTIONS,)], True)
