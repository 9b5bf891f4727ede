"""The statements that Debezium's SQL Server connector sends about change data capture, as its driver sends them."""

import pytest
from tests.standins.sqlserver.cdc.servers import Server, Session, StandInServer

from tailrace_standins.sqlserver.values import MAX, SqlType, Value

BYTES = SqlType("varbinary", 8000)
TEXT = SqlType("nvarchar", 4000, collation="SQL_Latin1_General_CP1_CI_AS")
INT = SqlType("int")
DIRECT = (
    "SELECT cdc_data.[__$start_lsn], cdc_data.[__$seqval], cdc_data.[__$operation], cdc_data.[__$update_mask], [id], [item], [note], "
    "TODATETIMEOFFSET(ltm.tran_begin_time, DATEPART(TZOFFSET, SYSDATETIMEOFFSET())) FROM [shop].cdc.[dbo_orders_CT] AS cdc_data "
    "LEFT JOIN [shop].cdc.lsn_time_mapping ltm ON ltm.start_lsn = cdc_data.[__$start_lsn]  WHERE (([cdc_data].[__$start_lsn] = @P0 AND "
    "[cdc_data].[__$seqval] = @P1 AND [cdc_data].[__$operation] > @P2) OR ([cdc_data].[__$start_lsn] = @P3 AND [cdc_data].[__$seqval] > @P4) "
    "OR ([cdc_data].[__$start_lsn] > @P5)) AND [cdc_data].[__$start_lsn] <= @P6 {skipped}ORDER BY cdc_data.[__$start_lsn] ASC, "
    "cdc_data.[__$command_id] ASC, cdc_data.[__$seqval] ASC, cdc_data.[__$operation] ASC"
)
FUNCTION = (
    "SELECT [__$start_lsn], [__$seqval], [__$operation], [__$update_mask], [id], [item], [note], "
    "TODATETIMEOFFSET([shop].sys.fn_cdc_map_lsn_to_time([__$start_lsn]), DATEPART(TZOFFSET, SYSDATETIMEOFFSET())) "
    "FROM [shop].cdc.[fn_cdc_get_all_changes_dbo_orders](@P7, @P8, N'all update old')  WHERE (([__$start_lsn] = @P0 AND [__$seqval] = @P1 AND "
    "[__$operation] > @P2) OR ([__$start_lsn] = @P3 AND [__$seqval] > @P4) OR ([__$start_lsn] > @P5)) AND [__$start_lsn] <= @P6 "
    "ORDER BY [__$start_lsn] ASC, [__$seqval] ASC, [__$operation] ASC"
)
CHANGE_TABLES = (
    "WITH ordered_change_tables AS (SELECT ROW_NUMBER() OVER (PARTITION BY ct.source_object_id, ct.start_lsn ORDER BY ct.create_date DESC) "
    "AS ct_sequence, ct.* FROM [shop].cdc.change_tables AS ct{where}) SELECT OBJECT_SCHEMA_NAME(source_object_id, DB_ID(@P1)), "
    "OBJECT_NAME(source_object_id, DB_ID(@P2)), capture_instance, object_id, start_lsn FROM ordered_change_tables WHERE ct_sequence = 1"
)


@pytest.fixture
def changed(shop: Session, capture: Server) -> Session:
    """An insert, an update and a key update, each a transaction."""
    shop.run("INSERT dbo.orders VALUES (1, N'nut', 'a')")
    shop.run("UPDATE dbo.orders SET item = N'bolt'")
    shop.run("UPDATE dbo.orders SET id = 2")
    capture.step()
    return shop


def lsns(client: Session) -> list[bytes]:
    """All commits, the first is that of sp_cdc_enable_table."""
    return [
        row[0]
        for row in client.rows("SELECT start_lsn FROM cdc.lsn_time_mapping ORDER BY 1")
        if isinstance(row[0], bytes)
    ]


def range_of(low: bytes, seqval: bytes, operation: int, high: bytes) -> dict[str, tuple[SqlType, Value]]:
    binary = {"P0": low, "P1": seqval, "P3": low, "P4": seqval, "P5": low, "P6": high}
    return {**{name: (BYTES, value) for name, value in binary.items()}, "P2": (INT, operation)}


def test_max_and_min_numbers(changed: Session) -> None:
    commits = lsns(changed)
    assert changed.value("SELECT [shop].sys.fn_cdc_get_max_lsn()") == commits[-1]
    assert changed.value("SELECT [shop].sys.fn_cdc_get_min_lsn(@P0)", P0=(TEXT, "dbo_orders")) == commits[0]
    assert changed.value("SELECT MAX(start_lsn) FROM [shop].cdc.lsn_time_mapping WHERE tran_id <> 0x00") == commits[-1]
    assert changed.value("select min(start_lsn) from [shop].cdc.change_tables") == commits[0]
    following = changed.value("SELECT [shop].sys.fn_cdc_increment_lsn(@P0)", P0=(BYTES, commits[0]))
    assert following == (int.from_bytes(commits[0], "big") + 1).to_bytes(10, "big")


def test_the_nth_transaction(changed: Session) -> None:
    commits = lsns(changed)
    first = (
        "SELECT MAX(start_lsn) FROM (SELECT TOP (@P0) start_lsn FROM [shop].cdc.lsn_time_mapping WHERE tran_id <> 0x00 "
        "ORDER BY start_lsn) as next_lsns"
    )
    assert changed.value(first, P0=(INT, 2)) == commits[1]
    last = (
        "SELECT MAX(start_lsn) FROM (SELECT TOP (@P0 + 1) start_lsn FROM [shop].cdc.lsn_time_mapping WHERE start_lsn >= @P1 "
        "AND tran_id <> 0x00 ORDER BY start_lsn) as next_lsns"
    )
    assert changed.value(last, P0=(INT, 1), P1=(BYTES, commits[1])) == commits[2]


def test_changes_read_directly(changed: Session) -> None:
    commits = lsns(changed)
    everything = range_of(bytes(10), bytes(10), 0, commits[-1])
    found = changed.rows(DIRECT.format(skipped=""), **everything)
    assert [row[2] for row in found] == [2, 3, 4, 1, 2]
    assert [row[4] for row in found] == [1, 1, 1, 1, 2]
    assert all(str(row[7]).endswith("+00:00") for row in found)
    top = changed.rows("SELECT TOP 2 " + DIRECT.format(skipped="").removeprefix("SELECT "), **everything)
    assert top == found[:2]
    skipped = changed.rows(DIRECT.format(skipped="AND [cdc_data].[__$operation] NOT IN (3,4) "), **everything)
    assert [row[2] for row in skipped] == [2, 1, 2]


def test_changes_read_directly_from_the_middle_of_an_update(changed: Session) -> None:
    commits = lsns(changed)
    before = changed.rows(DIRECT.format(skipped=""), **range_of(bytes(10), bytes(10), 0, commits[-1]))[1]
    assert isinstance(before[0], bytes)
    assert isinstance(before[1], bytes)
    found = changed.rows(DIRECT.format(skipped=""), **range_of(before[0], before[1], 3, commits[-1]))
    assert [row[2] for row in found] == [4, 1, 2]


def test_changes_read_by_the_function(changed: Session) -> None:
    commits = lsns(changed)
    bounds: dict[str, tuple[SqlType, Value]] = {"P7": (BYTES, commits[0]), "P8": (BYTES, commits[-1])}
    found = changed.rows(FUNCTION, **range_of(commits[0], bytes(10), 0, commits[-1]), **bounds)
    assert [row[2] for row in found] == [2, 3, 4, 1, 2]
    assert all(str(row[7]).endswith("+00:00") for row in found)


def test_captured_columns_and_all_columns(changed: Session) -> None:
    table = changed.value("SELECT OBJECT_ID('cdc.dbo_orders_CT')")
    sql = "SELECT object_id, column_name FROM [shop].cdc.captured_columns ORDER BY object_id, column_id"
    assert changed.rows(sql) == [(table, "id"), (table, "item"), (table, "note")]
    sql = (
        "SELECT tables.object_id, columns.name FROM [shop].sys.columns columns INNER JOIN [shop].cdc.change_tables tables "
        "ON tables.source_object_id = columns.object_id ORDER BY tables.object_id, columns.column_id"
    )
    assert changed.rows(sql) == [(table, "id"), (table, "item"), (table, "note")]


def test_change_tables(changed: Session) -> None:
    commits = lsns(changed)
    table = changed.value("SELECT OBJECT_ID('cdc.dbo_orders_CT')")
    names: dict[str, tuple[SqlType, Value]] = {"P1": (TEXT, "shop"), "P2": (TEXT, "shop")}
    row = ("dbo", "orders", "dbo_orders", table, commits[0])
    assert changed.rows(CHANGE_TABLES.format(where=""), **names) == [row]
    found = changed.rows(CHANGE_TABLES.format(where=" WHERE ct.start_lsn <= @P0"), P0=(BYTES, commits[0]), **names)
    assert found == [row]
    new = "SELECT * FROM [shop].cdc.change_tables WHERE start_lsn BETWEEN @P0 AND @P1"
    found = changed.rows(new, P0=(BYTES, commits[0]), P1=(BYTES, commits[-1]))
    assert [(row[0], row[3], row[4]) for row in found] == [(table, "dbo_orders", commits[0])]
    assert changed.rows(new, P0=(BYTES, commits[1]), P1=(BYTES, commits[-1])) == []


def test_access_jobs_agent_and_the_last_scan(changed: Session) -> None:
    assert len(changed.rows("EXEC [shop].sys.sp_cdc_help_change_data_capture")) == 1
    assert changed.value("SELECT COUNT(*) FROM [shop].cdc.change_tables") == 1
    columns, rows = changed.results("EXEC sys.sp_cdc_help_jobs")[-1]
    names = [column.name for column in columns]
    assert sorted((str(row[names.index("job_type")]), row[names.index("pollinginterval")]) for row in rows) == [
        ("capture", 5),
        ("cleanup", 0),
    ]
    agent = (
        "SELECT CASE WHEN dss.[status]=4 THEN 1 ELSE 0 END AS isRunning FROM [shop].sys.dm_server_services dss "
        "WHERE dss.[servicename] LIKE N'SQL Server Agent (%';"
    )
    assert changed.value(agent) == 1
    start = changed.value("SELECT TOP 1 start_lsn from sys.dm_cdc_log_scan_sessions ORDER BY session_id DESC")
    assert isinstance(start, str)
    assert start != "00000000:00000000:0000\0"
    assert len(start) == 23


def test_the_types_that_its_driver_reads(inside: StandInServer, changed: Session) -> None:
    del changed
    assert inside.connect().types(DIRECT.replace("@P2", "0").format(skipped="").replace("@P", "0x0")) == [
        SqlType("binary", 10),
        SqlType("binary", 10),
        INT,
        SqlType("varbinary", 128),
        INT,
        SqlType("nvarchar", 20, collation="SQL_Latin1_General_CP1_CI_AS"),
        SqlType("varchar", MAX, collation="SQL_Latin1_General_CP1_CI_AS"),
        SqlType("datetimeoffset", scale=3),
    ]
