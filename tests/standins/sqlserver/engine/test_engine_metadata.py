import datetime as dt
from itertools import count
from zoneinfo import ZoneInfo

import pytest
from tests.standins.sqlserver.engine.client import INT, Client

from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.engine.system import SystemFunction, TableFunction
from tailrace_standins.sqlserver.values import SqlType


@pytest.fixture
def t(a: Client) -> Client:
    a.run(
        "CREATE TABLE t (id int IDENTITY NOT NULL CONSTRAINT pk PRIMARY KEY, n nvarchar(20) DEFAULT 'x', d decimal(9,2), ts datetime2(3), c AS id + 1)"
    )
    a.run("CREATE UNIQUE INDEX ix ON t (n, d DESC); INSERT INTO t (n) VALUES ('a')")
    return a


def test_the_catalog_views_show_what_was_made(t: Client) -> None:
    assert t.rows("SELECT name, type_desc, max_column_id_used FROM sys.tables") == [("t", "USER_TABLE", 5)]
    joined = "SELECT c.name, y.name, c.max_length, c.precision, c.scale, c.is_nullable, c.is_identity, c.is_computed FROM sys.columns c JOIN sys.types y ON y.user_type_id = c.user_type_id WHERE c.object_id = OBJECT_ID('dbo.t') ORDER BY c.column_id"
    assert t.rows(joined) == [
        ("id", "int", 4, 10, 0, 0, 1, 0),
        ("n", "nvarchar", 40, 0, 0, 1, 0, 0),
        ("d", "decimal", 5, 9, 2, 1, 0, 0),
        ("ts", "datetime2", 7, 23, 3, 1, 0, 0),
        ("c", "int", 4, 10, 0, 1, 0, 1),
    ]
    assert t.rows("SELECT name, index_id, is_unique, is_primary_key FROM sys.indexes ORDER BY index_id") == [
        ("pk", 1, 1, 1),
        ("ix", 2, 1, 0),
    ]
    assert t.rows(
        "SELECT column_id, is_descending_key FROM sys.index_columns WHERE index_id = 2 ORDER BY key_ordinal"
    ) == [(2, 0), (3, 1)]
    assert t.rows("SELECT definition FROM sys.default_constraints") == [("('x')",)]
    assert t.rows("SELECT definition FROM sys.computed_columns") == [("(id + 1)",)]
    assert t.rows("SELECT [rows] FROM sys.partitions WHERE index_id < 2") == [(1,)]
    assert t.rows("SELECT index_id, row_count FROM sys.dm_db_partition_stats ORDER BY index_id") == [(1, 1), (2, 1)]
    assert t.rows("SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE") == [("id",)]


def test_an_index_moves_the_tables_modify_date_when_it_is_made_and_has_a_tree_of_its_own(
    t: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, seconds = dt.datetime(2026, 1, 1, tzinfo=dt.UTC), count()
    monkeypatch.setattr(Engine, "moment", lambda _self: began + dt.timedelta(seconds=next(seconds)))
    modified, tree = "SELECT modify_date FROM sys.tables", "SELECT hobt_id FROM sys.partitions WHERE index_id = 2"
    (first,), (old,) = t.rows(tree), t.rows(modified)
    t.run("DROP INDEX ix ON t")
    t.run("EXEC sp_rename 't', 'u'")
    assert t.rows(modified) == [old]
    t.run("CREATE UNIQUE INDEX ix ON u (n, d DESC)")
    assert t.rows(modified) != [old]
    assert t.rows(tree) not in ([], [first])


def test_an_index_that_is_disabled_keeps_nothing_out_until_it_is_rebuilt_with_another_tree(t: Client) -> None:
    tree, disabled = "SELECT hobt_id FROM sys.partitions WHERE index_id = 2", "SELECT is_disabled FROM sys.indexes WHERE index_id = 2"
    (first,) = t.rows(tree)
    t.run("CREATE UNIQUE INDEX n ON t (n); ALTER INDEX ALL ON t REORGANIZE; ALTER INDEX ix ON t DISABLE")
    assert (t.rows(tree), t.rows(disabled)) == ([], [(1,)])
    t.run("ALTER INDEX n ON t DISABLE; INSERT t (n, d) VALUES ('b', 1), ('b', 1)")
    assert t.error("ALTER INDEX ix ON t REBUILD") == 1505
    t.run("DELETE t WHERE n = 'b'; ALTER INDEX ix ON t REBUILD WITH (ONLINE = ON)")
    assert t.rows(tree) not in ([], [first])
    assert t.rows(disabled) == [(0,)]
    assert t.error("INSERT t (n, d) SELECT n, d FROM t") == 2601
    assert t.error("ALTER INDEX nosuch ON t REBUILD") == 2727


def test_what_moves_the_rows_of_a_heap_builds_its_indexes_anew(a: Client) -> None:
    a.run("CREATE TABLE h (id int NOT NULL, n int); CREATE INDEX i ON h (n)")
    tree = "SELECT hobt_id FROM sys.partitions WHERE index_id = 2 AND object_id = OBJECT_ID('h')"
    seen = [a.rows(tree)]
    for sql in (
        "ALTER TABLE h REBUILD",
        "ALTER TABLE h ADD CONSTRAINT pk PRIMARY KEY CLUSTERED (id)",
        "ALTER TABLE h DROP CONSTRAINT pk",
    ):
        a.run(sql)
        assert a.rows(tree) not in seen
        seen.append(a.rows(tree))
    a.run("CREATE CLUSTERED INDEX c ON h (id)")
    before = a.rows(tree)
    a.run("ALTER TABLE h REBUILD; ALTER INDEX c ON h REBUILD; ALTER TABLE h ADD m int")
    assert a.rows(tree) == before


def test_masks_are_in_the_catalogue(a: Client) -> None:
    a.run("CREATE TABLE t (id int, n varchar(20) MASKED WITH (FUNCTION = 'partial(1, \"x\", 0)') NULL)")
    assert a.rows("SELECT name, column_id, is_masked, masking_function FROM sys.masked_columns") == [
        ("n", 2, 1, 'partial(1, "x", 0)')
    ]


def test_a_hypothetical_index_keeps_nothing_out(t: Client) -> None:
    t.run("CREATE UNIQUE INDEX hyp ON t (d) WITH STATISTICS_ONLY = -1")
    t.run("INSERT t (n, d) VALUES ('b', 1), ('c', 1)")
    assert t.rows("SELECT name, is_unique FROM sys.indexes WHERE is_hypothetical = 1") == [("hyp", 1)]
    assert t.rows("SELECT index_id FROM sys.partitions WHERE object_id = OBJECT_ID('t') ORDER BY 1") == [(1,), (2,)]


def test_views_follow_later_definitions(t: Client) -> None:
    count = "SELECT COUNT(*) FROM sys.columns"
    assert t.value(count) == 5
    t.run("ALTER TABLE t ADD z int")
    assert t.value(count) == 6


def test_drivers_find_tables_columns_and_keys(t: Client) -> None:
    assert t.rows("EXEC sp_tables @table_name = 't', @table_type = \"'TABLE'\"") == [
        ("shop", "dbo", "t", "TABLE", None)
    ]
    columns = t.rows("EXEC sp_columns_100 't', 'dbo', 'shop', NULL, @ODBCVer = 3")
    assert [row[3:7] for row in columns] == [
        ("id", 4, "int identity", 10),
        ("n", -9, "nvarchar", 20),
        ("d", 3, "decimal", 9),
        ("ts", 93, "datetime2", 23),
        ("c", 4, "int", 10),
    ]
    assert [row[12] for row in columns] == [None, "('x')", None, None, None]
    assert t.rows("EXEC sp_pkeys 't'") == [("shop", "dbo", "t", "id", 1, "pk")]
    assert [row[5] for row in t.rows("EXEC sp_statistics_100 't'")] == [None, "pk", "ix", "ix"]


def test_columns_of_sysname_and_identities_of_decimals_have_the_names_that_drivers_know(a: Client) -> None:
    a.run("CREATE TABLE u (a sysname, b sys.sysname NULL, c nvarchar(128), d decimal(5) IDENTITY)")
    a.run("CREATE TABLE v (d numeric(5) IDENTITY, e sysname NULL); ALTER TABLE v ALTER COLUMN e nvarchar(128)")
    assert [(row[3], row[5], row[10]) for row in a.rows("EXEC sp_columns_100 'u'")] == [
        ("a", "sysname", 0),
        ("b", "sysname", 1),
        ("c", "nvarchar", 1),
        ("d", "decimal() identity", 0),
    ]
    assert [row[5] for row in a.rows("EXEC sp_columns_100 'v'")] == ["numeric() identity", "nvarchar"]
    types = "SELECT t.name FROM sys.columns c JOIN sys.types t ON t.user_type_id = c.user_type_id WHERE object_id = OBJECT_ID('u')"
    assert [row[0] for row in a.rows(types)] == ["sysname", "sysname", "nvarchar", "decimal"]


def test_functions_name_what_there_is(t: Client) -> None:
    assert t.rows(
        "SELECT OBJECT_NAME(OBJECT_ID('t')), OBJECT_SCHEMA_NAME(OBJECT_ID('t'), DB_ID('shop')), DB_NAME(), SCHEMA_NAME()"
    ) == [("t", "dbo", "shop", "dbo")]
    assert t.rows(
        "SELECT COLUMNPROPERTY(OBJECT_ID('t'), 'id', 'IsIdentity'), CAST(SERVERPROPERTY('EngineEdition') AS int)"
    ) == [(1, 3)]
    assert t.rows(
        "SELECT HAS_PERMS_BY_NAME('t', 'OBJECT', 'SELECT'), IS_SRVROLEMEMBER('sysadmin'), OBJECT_ID('nope')"
    ) == [(1, 1, None)]


@pytest.mark.parametrize(
    ("collation", "page", "lcid", "style"),
    [
        ("SQL_Latin1_General_CP1_CI_AS", 1252, 0x0409, 0x30001),
        ("Cyrillic_General_CS_AS_KS_WS", 1251, 0x0419, 0),
        ("Latin1_General_100_CI_AI_SC_UTF8", 65001, 0x0409, 0x30003),
        ("Latin1_General_BIN2", 1252, 0x0409, 0),
        ("nothing", None, None, None),
    ],
)
def test_a_collation_tells_its_properties(
    a: Client, collation: str, page: int | None, lcid: int | None, style: int | None
) -> None:
    asked = ", ".join(
        f"CAST(COLLATIONPROPERTY('{collation}', '{name}') AS int)" for name in ("CodePage", "LCID", "ComparisonStyle")
    )
    assert a.rows(f"SELECT {asked}") == [(page, lcid, style)]


def test_the_agent_can_be_stopped(engine: Engine, a: Client) -> None:
    sql = "SELECT CASE WHEN dss.[status]=4 THEN 1 ELSE 0 END AS isRunning FROM [shop].sys.dm_server_services dss WHERE dss.[servicename] LIKE N'SQL Server Agent (%';"
    assert a.value(sql) == 1
    engine.agent_running = False
    assert a.value(sql) == 0


def test_the_servers_clock_shows_the_time_of_its_zone() -> None:
    engine = Engine(password="secret", clock=lambda: dt.datetime(2026, 7, 1, 12, tzinfo=dt.UTC))
    try:
        engine.zone = ZoneInfo("Europe/Paris")
        engine.create_database("shop")
        client = Client(engine)
        here, in_utc = "2026-07-01 14:00:00", "2026-07-01 12:00:00"
        for name in ("GETDATE", "CURRENT_TIMESTAMP", "SYSDATETIME", "GETUTCDATE", "SYSUTCDATETIME", "SYSDATETIMEOFFSET"):
            call = name if name == "CURRENT_TIMESTAMP" else f"{name}()"
            shown = str(client.value(f"SELECT CONVERT(varchar(40), {call}, 121)"))
            assert shown.startswith(in_utc if "UTC" in name else here), name
            assert shown.endswith("+02:00") is (name == "SYSDATETIMEOFFSET")
        assert client.value("SELECT DATEPART(TZOFFSET, SYSDATETIMEOFFSET())") == 120
    finally:
        engine.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM sys.databases WHERE name = @p",
        "SELECT snapshot_isolation_state FROM sys.databases WHERE name = @p",
        "SELECT @@VERSION",
        "SELECT SYSDATETIMEOFFSET()",
        "SELECT PARSE('2024-02-29' AS date)",
        "SELECT TOP 1024 * FROM [shop].[dbo].[t] WHERE ([id] > 0) ORDER BY [id] OPTION(RECOMPILE)",
        "SELECT TOP 1 * FROM [shop].[dbo].[t] ORDER BY [id] DESC",
        "SELECT [id], [n] FROM [shop].[dbo].[t]",
    ],
)
def test_debeziums_statements_are_answered(t: Client, sql: str) -> None:
    assert len(t.rows(sql, p=(SqlType("nvarchar", 50), "shop"))) == 1


def test_features_register_functions_of_their_own(engine: Engine, t: Client) -> None:
    lsn = SqlType("binary", 10)
    engine.system.add("sys", SystemFunction("fn_next", (INT,), INT, lambda _session, _database, n: n + 1))
    engine.system.add("sys", SystemFunction("fn_lsn", (), lsn, lambda *_: b"\0" * 9 + b"\1"))
    engine.system.add(
        "cdc",
        TableFunction(
            "fn_rows",
            (("@from", INT), ("@to", INT)),
            lambda *_: "SELECT id, n FROM dbo.t WHERE id BETWEEN @from AND @to",
        ),
    )
    assert t.value("SELECT [shop].sys.fn_next(@n)", n=(INT, 4)) == 5
    assert t.value("SELECT sys.fn_lsn()") == b"\0" * 9 + b"\1"
    assert t.rows("SELECT x.n FROM [shop].cdc.[fn_rows](@a, 2) AS x", a=(INT, 1)) == [("a",)]
    assert t.rows("SELECT x.n FROM cdc.fn_rows(2, 3) AS x") == []
    assert t.error("SELECT * FROM cdc.fn_rows(1)") == 313
    assert t.error("SELECT dbo.nope(1)") == 4121
