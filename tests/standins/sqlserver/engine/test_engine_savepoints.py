"""Going back to savepoints: tables that came and went meanwhile, and locks that were taken behind them."""

import pytest
from tests.standins.sqlserver.engine.client import Client

FILLED = [
    "DECLARE @found TABLE (id int) INSERT @found VALUES (1) SELECT COUNT(*) FROM @found",
    "CREATE TABLE #found (id int) INSERT #found VALUES (1) DELETE #found DROP TABLE #found",
]


@pytest.mark.parametrize("batch", FILLED)
@pytest.mark.parametrize("end", ["ROLLBACK TRAN here", "ROLLBACK", "COMMIT"])
def test_a_table_that_is_gone_does_not_stand_against_the_end(a: Client, batch: str, end: str) -> None:
    """As mssql-jdbc's getColumns, between Debezium's savepoint and its rollback to it."""
    a.run("CREATE TABLE t (id int)")
    a.run("BEGIN TRAN INSERT t VALUES (1) SAVE TRAN here INSERT t VALUES (2)")
    a.run(batch)
    a.run("INSERT t VALUES (3)")
    a.run(end)
    expected = {"ROLLBACK TRAN here": [1], "ROLLBACK": [], "COMMIT": [1, 2, 3]}[end]
    assert [row[0] for row in a.rows("SELECT id FROM t ORDER BY 1")] == expected
    if end == "ROLLBACK TRAN here":
        a.run("COMMIT")
    assert a.value("SELECT @@TRANCOUNT") == 0


def test_a_table_that_was_dropped_behind_a_savepoint_is_there_after_going_back(a: Client) -> None:
    a.run("CREATE TABLE t (id int); INSERT t VALUES (1)")
    a.run("BEGIN TRAN; SAVE TRAN here; DROP TABLE t")
    a.run("ROLLBACK TRAN here; INSERT t VALUES (2); COMMIT")
    assert a.rows("SELECT id FROM t ORDER BY id") == [(1,), (2,)]


@pytest.mark.parametrize(
    "taken",
    [
        "SELECT TOP (0) * FROM t WITH (TABLOCKX)",
        "SELECT * FROM t WITH (HOLDLOCK)",
        "SELECT * FROM t WITH (UPDLOCK) WHERE id = 1",
        "UPDATE t SET id = 2",
        "ALTER TABLE t ADD more int",
    ],
)
def test_locks_that_were_taken_behind_a_savepoint_go_with_it(a: Client, b: Client, taken: str) -> None:
    """Source: https://learn.microsoft.com/sql/t-sql/language-elements/rollback-transaction-transact-sql, "Locking Behavior"."""
    a.run("CREATE TABLE t (id int PRIMARY KEY); INSERT t VALUES (1); CREATE TABLE before (id int)")
    a.run("BEGIN TRAN; INSERT before VALUES (1); SAVE TRAN here")
    a.run(taken)
    b.run("SET LOCK_TIMEOUT 0")
    assert b.error("UPDATE t SET id = 3") == 1222
    a.run("ROLLBACK TRAN here")
    b.run("UPDATE t SET id = 3")
    assert b.error("SELECT * FROM before") == 1222
    a.run("COMMIT")
    assert b.rows("SELECT * FROM before") == [(1,)]


def test_a_lock_that_came_to_a_stronger_mode_behind_a_savepoint_stays(a: Client, b: Client) -> None:
    a.run("CREATE TABLE t (id int PRIMARY KEY); INSERT t VALUES (1)")
    a.run("BEGIN TRAN; SELECT * FROM t WITH (TABLOCK, HOLDLOCK); SAVE TRAN here; SELECT * FROM t WITH (TABLOCKX)")
    a.run("ROLLBACK TRAN here")
    b.run("SET LOCK_TIMEOUT 0")
    assert b.error("SELECT * FROM t") == 1222
    a.run("ROLLBACK")
    assert b.rows("SELECT * FROM t") == [(1,)]
