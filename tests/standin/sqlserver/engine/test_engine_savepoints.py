"""Temporary tables that were gone before a transaction was taken back."""

import pytest
from tests.standin.sqlserver.engine.client import Client

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
