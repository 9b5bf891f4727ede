import pytest
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.engine.server import Engine


def test_a_table_gives_back_what_was_put_in(a: Client) -> None:
    a.run("CREATE TABLE t (id int IDENTITY(10,5) NOT NULL PRIMARY KEY, n nvarchar(20), twice AS id * 2)")
    a.run("INSERT INTO t (n) VALUES (N'žluť'), (NULL)")
    assert a.rows("SELECT * FROM t") == [(10, "žluť", 20), (15, None, 30)]


def test_defaults_are_shown_in_their_normal_form(a: Client) -> None:
    a.run(
        "CREATE TABLE t (a int DEFAULT 5, b varchar(9) DEFAULT 'x', c datetime DEFAULT GETDATE(), d int CONSTRAINT df DEFAULT (7))"
    )
    assert a.rows("SELECT COLUMN_DEFAULT FROM INFORMATION_SCHEMA.COLUMNS ORDER BY ORDINAL_POSITION") == [
        ("((5))",),
        ("('x')",),
        ("(getdate())",),
        ("((7))",),
    ]


@pytest.mark.parametrize(
    ("sql", "number"),
    [
        ("CREATE TABLE t (id int)", 2714),
        ("DROP TABLE nope", 3701),
        ("CREATE TABLE nope.x (id int)", 2760),
        ("CREATE TABLE x (id int, ID int)", 2705),
        ("CREATE TABLE x (id nosuchtype)", 2715),
        ("CREATE TABLE x (a int IDENTITY, b int IDENTITY)", 2744),
        ("CREATE DATABASE shop", 1801),
        ("USE nope", 911),
        ("ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY (n)", 8111),
        ("ALTER TABLE t DROP CONSTRAINT nope", 3728),
        ("ALTER TABLE t DROP COLUMN id", 5074),
        ("ALTER TABLE t ALTER COLUMN nope int", 4924),
        ("ALTER TABLE nope ADD x int", 4902),
        ("TRUNCATE TABLE nope", 4701),
        ("CREATE INDEX ix ON t (nope)", 1911),
        ("DROP INDEX nope ON t", 3701),
        ("CREATE TABLE broken (id int", 102),
        ("SELECT 'a", 105),
    ],
)
def test_definitions_that_can_not_be_are_refused_with_sql_servers_number(a: Client, sql: str, number: int) -> None:
    a.run("CREATE TABLE t (id int NOT NULL CONSTRAINT uq UNIQUE, n varchar(9) NULL)")
    assert a.error(sql) == number


def test_a_column_is_added_altered_renamed_and_dropped(a: Client) -> None:
    a.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")
    a.run("ALTER TABLE t ADD z varchar(10) NOT NULL CONSTRAINT df DEFAULT 'q', y int")
    assert a.rows("SELECT * FROM t") == [(1, "q", None)]
    a.run("ALTER TABLE t ALTER COLUMN y decimal(9,2)")
    a.run("UPDATE t SET y = 1.5; EXEC sp_rename 't.y', 'yy', 'COLUMN'; EXEC sp_rename 't', 'u'")
    a.run("ALTER TABLE u DROP CONSTRAINT df; ALTER TABLE u DROP COLUMN z")
    assert [str(v) for v in a.rows("SELECT id, yy FROM u")[0]] == ["1", "1.50"]
    assert a.rows("SELECT name, column_id FROM sys.columns") == [("id", 1), ("yy", 3)]


def test_a_rolled_back_transaction_takes_definitions_back(a: Client) -> None:
    a.run("CREATE TABLE t (id int); INSERT INTO t VALUES (1)")
    a.run("BEGIN TRAN; CREATE TABLE u (x int); ALTER TABLE t ADD z int; CREATE SCHEMA s; DROP TABLE t; ROLLBACK")
    assert a.rows("SELECT name FROM sys.tables") == [("t",)]
    assert a.rows("SELECT * FROM t") == [(1,)]
    assert a.value("SELECT COUNT(*) FROM sys.schemas WHERE name = 's'") == 0


def test_data_and_definitions_of_a_folder_are_there_again(engine: Engine) -> None:
    folder = engine.folder / "kept"
    first = Engine(folder, password="secret")
    first.create_database("shop")
    client = Client(first)
    client.run(
        "CREATE TABLE t (id int IDENTITY PRIMARY KEY, d decimal(9,2)); INSERT INTO t (d) VALUES (1.5); ALTER DATABASE shop SET ALLOW_SNAPSHOT_ISOLATION ON"
    )
    client.run("BEGIN TRAN; INSERT INTO t (d) VALUES (9)")  # never committed
    client.session.connection.raw.close()
    again = Client(Engine(folder, password="secret"))
    assert again.rows("SELECT id, CAST(d AS varchar(9)) FROM t") == [(1, "1.50")]
    again.run("INSERT INTO t (d) VALUES (2)")
    assert again.value("SELECT COUNT(*) FROM t") == 2
    assert again.value("SELECT snapshot_isolation_state FROM sys.databases WHERE name = 'shop'") == 1
    again.engine.close()


def test_databases_are_joined_and_dropped(a: Client) -> None:
    a.run("CREATE DATABASE other; CREATE TABLE other.dbo.t (id int); INSERT INTO other..t VALUES (4)")
    a.run("CREATE TABLE t (id int); INSERT INTO t VALUES (4)")
    assert a.value("SELECT COUNT(*) FROM t JOIN [other].[dbo].[t] o ON o.id = t.id") == 1
    a.run("DROP DATABASE other")
    assert a.error("SELECT * FROM other.dbo.t") == 208
    assert a.error("DROP DATABASE shop") == 3702


def test_a_computed_column_can_not_be_written(a: Client) -> None:
    a.run("CREATE TABLE t (id int, c AS id + 1)")
    assert a.error("INSERT INTO t (id, c) VALUES (1, 2)") == 271
    assert a.error("UPDATE t SET c = 2") == 271
