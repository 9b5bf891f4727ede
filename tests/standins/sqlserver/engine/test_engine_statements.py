import pytest
from tests.standins.sqlserver.engine.client import INT, Client

from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.session import Login, Parameter, ReturnStatus, ReturnValue, SqlError
from tailrace_standins.sqlserver.values import SqlType


@pytest.fixture
def orders(a: Client) -> Client:
    a.run("CREATE TABLE orders (id int NOT NULL PRIMARY KEY, who nvarchar(20) NOT NULL, amount decimal(9,2) DEFAULT 1)")
    a.run("INSERT INTO orders VALUES (1, 'ann', 10), (2, 'bob', 20.5), (3, 'ann', 30)")
    return a


def test_a_wrong_password_and_an_unknown_database_are_told_apart(engine: Engine) -> None:
    for login, number in ((Login("sa", "wrong"), 18456), (Login("sa", "secret", "nope"), 4060)):
        with pytest.raises(SqlError) as caught:
            engine.login(login)
        assert caught.value.number == number


def test_queries_join_group_order_and_cut(orders: Client) -> None:
    assert [row[0] for row in orders.rows("SELECT TOP (@n) id FROM orders ORDER BY id DESC", n=(INT, 2))] == [3, 2]
    assert orders.rows("SELECT who, COUNT(*) AS n FROM orders GROUP BY who HAVING COUNT(*) > 1 ORDER BY n") == [
        ("ann", 2)
    ]
    assert orders.rows("SELECT id FROM orders ORDER BY id OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY") == [(2,)]
    assert orders.rows(
        "SELECT id, ROW_NUMBER() OVER (PARTITION BY who ORDER BY id DESC) AS r FROM orders ORDER BY id"
    ) == [(1, 2), (2, 1), (3, 1)]
    assert orders.rows("WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT SUM(i) FROM n") == [
        (10,)
    ]
    assert orders.rows(
        "SELECT o.id, x.y FROM orders o LEFT JOIN (VALUES (1, 'one')) x(i, y) ON x.i = o.id WHERE o.id < 3"
    ) == [(1, "one"), (2, None)]
    assert orders.rows(
        "SELECT id FROM orders WHERE id IN (SELECT id FROM orders WHERE who = 'ANN') AND EXISTS (SELECT 1)"
    ) == [(1,), (3,)]
    assert orders.rows("SELECT 1 AS a UNION SELECT 1 UNION ALL SELECT 3 ORDER BY a DESC") == [(3,), (1,)]
    assert orders.value("SELECT STRING_AGG(who, ',') WITHIN GROUP (ORDER BY id DESC) FROM orders") == "ann,bob,ann"


def test_rows_without_an_order_come_by_the_clustered_key(orders: Client) -> None:
    orders.run("BEGIN TRAN; UPDATE orders SET amount = 5 WHERE id = 1; COMMIT")
    assert [row[0] for row in orders.rows("SELECT * FROM orders")] == [1, 2, 3]


def test_dml_counts_and_gives_its_output(orders: Client) -> None:
    assert orders.counts("UPDATE orders SET amount += 1 WHERE who = 'ann'") == [2]
    assert orders.rows("UPDATE orders SET who = 'eve' OUTPUT deleted.who, inserted.id WHERE id = 2") == [("bob", 2)]
    assert orders.rows("DELETE FROM orders OUTPUT deleted.id WHERE id = 2") == [(2,)]
    assert orders.rows("INSERT INTO orders (id, who) OUTPUT inserted.* VALUES (9, 'zoe')")[0][0] == 9
    assert orders.counts("DELETE TOP (1) FROM orders") == [1]
    assert orders.counts("UPDATE o SET amount = 0 FROM orders o JOIN (SELECT 9 AS id) x ON x.id = o.id") == [1]
    assert orders.counts("INSERT INTO orders SELECT id + 100, who, amount FROM orders") == [2]
    assert orders.counts("SET NOCOUNT ON; DELETE FROM orders") == [None]
    assert orders.value("DELETE FROM orders; SELECT @@ROWCOUNT") == 0


@pytest.mark.parametrize(
    ("sql", "number"),
    [
        ("INSERT INTO orders VALUES (1, 'x', 1)", 2627),
        ("INSERT INTO orders (id) VALUES (4)", 515),
        ("INSERT INTO orders VALUES (4, REPLICATE('x', 21), 1)", 2628),
        ("INSERT INTO orders (id, who) VALUES (4)", 109),
        ("INSERT INTO orders (id) SELECT 1, 2", 121),
        ("INSERT INTO orders VALUES (4, 'x', 99999999)", 8115),
        ("UPDATE orders SET nope = 1", 207),
        ("SELECT * FROM nope", 208),
        ("SELECT id FROM orders a JOIN orders b ON a.id = b.id", 209),
        ("SELECT who, id FROM orders GROUP BY who", 8120),
        ("EXEC nope", 2812),
        ("EXEC sp_pkeys", 201),
        ("EXEC sp_databases 1", 8144),
        ("COMMIT", 3902),
        ("ROLLBACK", 3903),
        ("SAVE TRAN x", 628),
        ("MERGE orders USING orders o ON 1 = 1 WHEN MATCHED THEN DELETE", 50900),
    ],
)
def test_statements_fail_with_sql_servers_numbers(orders: Client, sql: str, number: int) -> None:
    before = orders.rows("SELECT * FROM orders")
    assert orders.error(sql) == number
    assert orders.rows("SELECT * FROM orders") == before


def test_a_statement_that_fails_midway_leaves_nothing(orders: Client) -> None:
    assert orders.error("INSERT INTO orders VALUES (7, 'x', 1), (1, 'y', 1)") == 2627
    assert orders.value("SELECT COUNT(*) FROM orders") == 3
    orders.run("UPDATE orders SET id = id + 1")  # each key is taken until the statement ends
    assert [row[0] for row in orders.rows("SELECT id FROM orders")] == [2, 3, 4]


def test_checks_and_foreign_keys_hold(a: Client) -> None:
    a.run(
        "CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE c (p int REFERENCES p (id), q int CHECK (q > 0)); INSERT INTO p VALUES (5)"
    )
    assert a.error("INSERT INTO c VALUES (4, 1)") == 547
    assert a.error("INSERT INTO c VALUES (5, 0)") == 547
    a.run("INSERT INTO c VALUES (5, 1), (NULL, NULL)")
    assert a.error("DELETE FROM p") == 547
    assert a.error("DROP TABLE p") == 3726


def test_identity_values_go_on_after_a_failure_and_can_be_given(a: Client) -> None:
    a.run("CREATE TABLE t (id int IDENTITY PRIMARY KEY, v int NOT NULL)")
    assert a.error("INSERT INTO t (v) VALUES (NULL)") == 515
    assert a.value("INSERT INTO t (v) VALUES (1); SELECT CAST(SCOPE_IDENTITY() AS int)") == 2
    assert a.error("INSERT INTO t (id, v) VALUES (9, 9)") == 544
    a.run(
        "SET IDENTITY_INSERT t ON; INSERT INTO t (id, v) VALUES (9, 9); SET IDENTITY_INSERT t OFF; INSERT INTO t (v) VALUES (3)"
    )
    assert a.rows("SELECT id FROM t") == [(2,), (9,), (10,)]


def test_control_of_flow_and_variables(a: Client) -> None:
    sql = "DECLARE @i int = 0, @s varchar(9) WHILE 1 = 1 BEGIN SET @i += 1 IF @i = 2 CONTINUE IF @i > 3 BREAK PRINT @i END"
    assert a.messages(sql) == ["1", "3"]
    assert a.value("DECLARE @x int; SELECT @x = 5; IF @x > 4 SELECT 'big' ELSE SELECT 'small'") == "big"
    assert a.rows(
        "DECLARE @t TABLE (a int, b nvarchar(3)); INSERT INTO @t EXEC('SELECT 1, ''x'''); SELECT * FROM @t"
    ) == [(1, "x")]
    assert a.rows("SELECT 5 AS n INTO #t; SELECT n FROM #t; DROP TABLE #t") == [(5,)]
    assert a.error("SELECT * FROM @nope") == 1087


def test_errors_go_to_catch_and_on_from_there(a: Client) -> None:
    assert a.rows("BEGIN TRY SELECT 1/0 END TRY BEGIN CATCH SELECT ERROR_NUMBER(), ERROR_SEVERITY() END CATCH")[-1] == (
        8134,
        16,
    )
    assert a.error("BEGIN TRY RAISERROR('in', 16, 1) END TRY BEGIN CATCH THROW END CATCH SELECT 1") == 50000
    assert a.error("THROW 50001, 'boom', 1") == 50001
    assert a.messages("RAISERROR('%d of %s', 5, 1, 3, 'x')") == ["3 of x"]


def test_a_batch_goes_on_after_an_error_unless_xact_abort_is_on(orders: Client) -> None:
    assert len(orders.outcomes("INSERT INTO orders VALUES (1, 'x', 1); SELECT 1")) == 2
    with pytest.raises(SqlError):
        orders.outcomes("SET XACT_ABORT ON; BEGIN TRAN; INSERT INTO orders VALUES (1, 'x', 1); SELECT 1")
    assert orders.value("SELECT @@TRANCOUNT") == 0


def test_procedures_are_called_with_output_parameters(a: Client) -> None:
    assert (
        a.value(
            "DECLARE @r int; EXEC sp_executesql N'SET @x = @y + 1', N'@x int OUTPUT, @y int', @x = @r OUTPUT, @y = 6; SELECT @r"
        )
        == 7
    )
    found = list(a.session.execute("SET @p = 'out'", [Parameter("@p", SqlType("varchar", 9), None, is_output=True)]))
    assert [o.value for o in found if isinstance(o, ReturnValue)] == ["out"]
    assert ReturnStatus(0) in list(a.session.call("sys.sp_databases", []))


def test_columns_are_described_without_running(orders: Client) -> None:
    columns = orders.session.describe(
        "SELECT id, who + @x AS w FROM orders", [Parameter("@x", SqlType("nvarchar", 5), None)]
    )
    assert [(c.name, c.type.name, c.type.length) for c in columns] == [("id", "int", 0), ("w", "nvarchar", 25)]
    assert orders.session.describe("DELETE FROM orders", []) == ()
    assert orders.value("SELECT COUNT(*) FROM orders") == 3


@pytest.mark.parametrize(
    "sql",
    [
        "SET ANSI_NULLS OFF",
        "SET FMTONLY ON",
        "SET DATEFORMAT dmy",
        "SET ROWCOUNT 5",
        "ALTER TABLE orders NOCHECK CONSTRAINT x",
        "ALTER DATABASE shop COLLATE Latin1_General_BIN2",
        "KILL 51",
        "SELECT * FROM orders FOR JSON PATH",
        "SELECT TOP 5 PERCENT * FROM orders",
        "SELECT * FROM orders CROSS APPLY (SELECT 1 AS x) y",
        "CREATE VIEW v AS SELECT 1 AS x",
    ],
)
def test_what_the_stand_in_does_not_do_it_says(orders: Client, sql: str) -> None:
    assert orders.error(sql) == 50900


def test_one_statement_has_one_time(a: Client) -> None:
    sql = "SELECT COUNT(DISTINCT x.n) FROM (SELECT SYSDATETIME() AS n FROM sys.columns UNION ALL SELECT SYSDATETIME() FROM sys.types) x"
    assert a.value(sql) == 1


def test_reset_forgets_everything_but_the_data(orders: Client) -> None:
    orders.run("SET LOCK_TIMEOUT 5; USE master; BEGIN TRAN; DELETE FROM shop.dbo.orders")
    orders.session.reset()
    assert orders.rows("SELECT @@TRANCOUNT, @@LOCK_TIMEOUT, DB_NAME(), COUNT(*) FROM orders") == [(0, -1, "shop", 3)]
