"""What docs/reference/sqlserver-standin.md says is refused: each with its number, and nothing of it is done."""

import pytest
from tests.standins.sqlserver.engine.client import Client

REFUSED = [
    ("MERGE t USING t s ON s.id = t.id WHEN MATCHED THEN DELETE;", 50900),
    ("INSERT TOP (1) INTO t SELECT * FROM t", 50900),
    ("UPDATE t SET n = 1 OUTPUT inserted.id INTO x (id)", 50900),
    ("DELETE t WHERE CURRENT OF c", 50900),
    ("SELECT * FROM t OUTER APPLY (SELECT 1 AS x) y", 50900),
    ("SELECT TOP (1) WITH TIES * FROM t ORDER BY n", 50900),
    ("SELECT n FROM t GROUP BY ROLLUP (n)", 50900),
    ("SELECT n FROM t GROUP BY GROUPING SETS ((n))", 50900),
    ("SELECT * FROM t FOR XML AUTO", 50900),
    ("SELECT * FROM t WHERE n > ALL (SELECT n FROM t)", 50900),
    ("SELECT * FROM t PIVOT (SUM(n) FOR id IN ([1])) p", 102),
    ("SELECT n FROM t UNION SELECT id FROM t ORDER BY n + 1", 50900),
    ("CREATE PROCEDURE p AS SELECT 1", 50900),
    ("CREATE FUNCTION f() RETURNS int AS BEGIN RETURN 1 END", 50900),
    ("CREATE TRIGGER x ON t AFTER INSERT AS SELECT 1", 50900),
    ("CREATE TYPE x FROM int", 50900),
    ("CREATE SEQUENCE x", 50900),
    ("CREATE SYNONYM x FOR t", 50900),
    ("CREATE TABLE u (id int REFERENCES t (id) ON DELETE CASCADE)", 50900),
    ("CREATE TABLE u (id int, INDEX i (id))", 50900),
    ("CREATE UNIQUE INDEX i ON t (n) WHERE n > 1", 50900),
    ("ALTER TABLE t SWITCH TO u", 50900),
    ("ALTER TABLE t ENABLE TRIGGER ALL", 50900),
    ("GOTO x", 50900),
    ("WAITFOR TIME '10:00'", 50900),
    ("DECLARE c CURSOR FOR SELECT 1", 102),
    ("DBCC CHECKDB", 50900),
    ("BACKUP DATABASE shop TO DISK = 'x'", 50900),
    ("RESTORE DATABASE shop FROM DISK = 'x'", 50900),
    ("SELECT PARSE('1' AS int USING 'en-US')", 50900),
    ("SELECT CHECKSUM(1)", 50900),
    ("SET DATEFIRST 1", 50900),
    ("SELECT SYSDATETIME() AT TIME ZONE 'Central European Standard Time'", 50900),
    ("SET NOSUCH ON", 195),
    ("SELECT AVG(DISTINCT CAST(n AS decimal(9,2))) FROM t", 50900),
    ("SELECT SUM(s) FROM t", 50900),
    ("CREATE TABLE u (id int) AS NODE", 102),
    ("SELECT * FROM OPENJSON('[]')", 208),
    ("SELECT JSON_VALUE('{}', '$.a')", 195),
    ("SELECT NEXT VALUE FOR x", 50900),
    ("BULK INSERT t FROM 'x'", 102),
    ("BEGIN DISTRIBUTED TRAN", 50900),
    ("ALTER INDEX ALL ON t DISABLE", 50900),
    ("CREATE TABLE #u (id int); ALTER TABLE #u ADD n int", 50900),
    ("ALTER USER x WITH NAME = y", 50900),
    ("GRANT IMPERSONATE TO public", 50900),
]


@pytest.mark.parametrize(("sql", "number"), REFUSED)
def test_it_is_refused_by_its_name_and_changes_nothing(a: Client, sql: str, number: int) -> None:
    a.run("CREATE TABLE t (id int PRIMARY KEY, n int, d date, s varchar(9)); INSERT t VALUES (1, 1, NULL, 'x')")
    before = a.rows("SELECT name FROM sys.objects ORDER BY name")
    assert a.error(sql) == number
    assert a.rows("SELECT id, n, s FROM t") == [(1, 1, "x")]
    assert a.rows("SELECT name FROM sys.objects ORDER BY name") == before


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER INDEX ALL ON t REBUILD",
        "GRANT CONNECT TO public",
        "CREATE STATISTICS s ON t (n)",
        "UPDATE STATISTICS t",
        "CREATE LOGIN x WITH PASSWORD = 'y'",
        "CHECKPOINT",
        "SELECT * FROM t OPTION (MAXDOP 1)",
        "SELECT * FROM t WITH (INDEX (1), FORCESEEK)",
        "CREATE TABLE u (id int PRIMARY KEY WITH (FILLFACTOR = 80)) ON [PRIMARY]",
    ],
)
def test_what_changes_no_result_is_taken(a: Client, sql: str) -> None:
    a.run("CREATE TABLE t (id int PRIMARY KEY, n int)")
    a.run(sql)
