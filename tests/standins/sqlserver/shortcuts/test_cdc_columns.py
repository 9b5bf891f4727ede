"""Queries of change tables that are answered from columns of Arrow give what they give through SQLite."""

from __future__ import annotations

import pytest
from tests.standins.sqlserver.answered import Given, run, through_sqlite
from tests.standins.sqlserver.cdc.servers import Session, StandInServer
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.values import SqlType, Value

BYTES = SqlType("varbinary", 8000)
INT = SqlType("int")
CT = "cdc.dbo_things_CT"
ALL_KEYS = "[__$start_lsn], [__$command_id], [__$seqval], [__$operation]"
COLUMNS = "[__$start_lsn], [__$seqval], [__$operation], [__$update_mask], id, name, amount, at, uid, note, flag, data"
FUNCTION = "cdc.fn_cdc_get_all_changes_dbo_things(@low, @high, N'{}')"
JOINED = f"{CT} AS c {{}} JOIN shop.cdc.lsn_time_mapping ltm ON ltm.start_lsn = c.[__$start_lsn]"
ZONED = "TODATETIMEOFFSET({}, DATEPART(TZOFFSET, SYSDATETIMEOFFSET()))"
FROM_THE_MIDDLE = (
    "((c.[__$start_lsn] = @middle AND c.[__$seqval] = @seqval AND c.[__$operation] > @operation) "
    "OR (c.[__$start_lsn] = @middle AND c.[__$seqval] > @seqval) OR (c.[__$start_lsn] > @middle)) AND c.[__$start_lsn] <= @high"
)

ANSWERED = [
    f"SELECT * FROM {CT}",
    f"SELECT {COLUMNS} FROM shop.{CT} ORDER BY {ALL_KEYS}",
    f"SELECT id FROM {CT} WITH (NOLOCK) WHERE [__$start_lsn] > @middle",
    f"SELECT id FROM {CT} WHERE @middle >= [__$START_LSN]",
    f"SELECT id FROM {CT} WHERE [__$start_lsn] BETWEEN @middle AND @high ORDER BY [__$start_lsn]",
    f"SELECT id FROM {CT} WHERE [__$start_lsn] = @middle",
    f"SELECT id FROM {CT} WHERE [__$start_lsn] <> @middle AND [__$operation] IN (1, 2)",
    f"SELECT id, [__$operation] FROM {CT} WHERE [__$operation] NOT IN (3, 4) ORDER BY {ALL_KEYS}",
    f"SELECT TOP 3 id FROM {CT} ORDER BY {ALL_KEYS}",
    f"SELECT TOP (@operation) id FROM {CT} ORDER BY {ALL_KEYS}",
    f"SELECT c.id, c.name FROM {CT} c WHERE {FROM_THE_MIDDLE} ORDER BY c.[__$start_lsn], c.[__$command_id], c.[__$seqval], c.[__$operation]",
    f"SELECT c.id, ltm.tran_begin_time, tran_end_time, ltm.tran_id FROM {JOINED.format('LEFT')} ORDER BY c.[__$start_lsn]",
    f"SELECT c.id, ltm.tran_end_time FROM {JOINED.format('INNER')}",
    f"SELECT c.id, {ZONED.format('ltm.tran_begin_time')}, ltm.tran_begin_time FROM {JOINED.format('LEFT')}",
    f"SELECT * FROM {FUNCTION.format('all')} ORDER BY [__$start_lsn], [__$seqval], [__$operation]",
    f"SELECT {COLUMNS} FROM {FUNCTION.format('all update old')} WHERE [__$operation] <> 1",
    f"SELECT f.id FROM shop.{FUNCTION.format('all update old')} AS f WHERE f.[__$seqval] > @seqval ORDER BY f.[__$start_lsn]",
    f"SELECT id FROM {CT} WHERE [__$start_lsn] > 0x",
    f"SELECT id FROM {CT} WHERE [__$start_lsn] > 0xFFFFFFFFFFFFFFFFFFFF0000",
    f"SELECT id, at, DATEPART(nanosecond, at) FROM {CT} ORDER BY {ALL_KEYS}",
    f"SELECT c.zoned, DATEPART(NS, c.[zoned]) AS ns, DatePart(TZoffset, c.[zoned]), c.id FROM {CT} c",
    f"SELECT DATEPART(tz, long_at), DATEPART(ns, long_at) FROM {FUNCTION.format('all')}",
    f"SELECT id, CAST([uid] AS binary(16)) FROM {CT} ORDER BY {ALL_KEYS}",
    f"SELECT CONVERT(binary(16), f.uid) AS uid, f.uid FROM {FUNCTION.format('all update old')} f WHERE f.[__$operation] > 2",
    f"SELECT {', '.join(f'DATEPART(nanosecond, {name})' for name in ('clock', 'short_at', 'legacy', 'rough'))} FROM {CT}",
]
NOT_ANSWERED = [
    f"SELECT DATEPART(year, at) FROM {CT}",
    f"SELECT CAST(uid AS binary(8)) FROM {CT}",
    f"SELECT CAST(data AS binary(16)) FROM {CT}",
    f"SELECT DATEPART(nanosecond, day) FROM {CT}",
    f"SELECT DATEPART(tzoffset, legacy) FROM {CT}",
    f"SELECT COUNT(*) FROM {CT}",
    f"SELECT id FROM {CT} ORDER BY [__$start_lsn] DESC",
    f"SELECT id FROM {CT} ORDER BY id",
    f"SELECT id FROM {CT} WHERE id > 2",
    f"SELECT id + 1 FROM {CT}",
    f"SELECT DISTINCT [__$start_lsn] FROM {CT}",
    f"SELECT a.id FROM {CT} a JOIN {CT} b ON a.[__$start_lsn] = b.[__$start_lsn]",
    f"SELECT id FROM {CT} WHERE [__$start_lsn] > @nothing",
    f"SELECT id FROM {CT} WHERE NOT [__$operation] = 3",
    f"SELECT [__$operation] AS [__$start_lsn] FROM {CT} ORDER BY [__$start_lsn]",
    f"SELECT {ZONED.format('c.at')} FROM {JOINED.format('LEFT')}",
    f"SELECT TODATETIMEOFFSET(ltm.tran_end_time, 60) FROM {JOINED.format('LEFT')}",
    f"SELECT c.id, ltm.tran_end_time FROM {CT} c LEFT JOIN cdc.lsn_time_mapping ltm ON ltm.start_lsn = c.[__$seqval]",
]


@pytest.fixture
def things(shop: Session, inside: StandInServer) -> Client:
    """A change table with every kind of change and of value, and no entry for one of its transactions."""
    inside.capture.columns.least = 0
    shop.run(
        "CREATE TABLE dbo.things (id int PRIMARY KEY, name nvarchar(20), amount decimal(9, 2), at datetime2(3), "
        "uid uniqueidentifier, note varchar(max), flag bit, data varbinary(20), long_at datetime2, zoned datetimeoffset, "
        "clock time(2), short_at datetime2(0), legacy datetime, rough smalldatetime, day date)"
    )
    shop.run("EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N'things', @role_name = NULL")
    shop.run("INSERT dbo.things (id) VALUES (1), (2), (3)")
    shop.run(
        "UPDATE dbo.things SET name = N'žluť', amount = -12.3, at = '2024-02-29 12:34:56.789', uid = "
        "'12345678-9abc-def0-1234-56789abcdef0', note = 'a', flag = 1, data = 0x00FF00, "
        "long_at = '2024-02-29 12:34:56.1234567', zoned = '2024-02-29 12:34:56.0000001 -05:30', clock = '01:02:03.04', "
        "short_at = '2024-02-29 12:34:56', legacy = '2024-02-29 12:34:56.003', rough = '2024-02-29', day = '2024-02-29'"
    )
    shop.run("UPDATE dbo.things SET zoned = '2000-01-01 00:00:00.9999999 +14:00' WHERE id = 2")
    shop.run("BEGIN TRAN UPDATE dbo.things SET id = 9 WHERE id = 3 DELETE dbo.things WHERE id = 1 COMMIT")
    inside.step()
    shop.run("INSERT dbo.things (id, amount) VALUES (20, 0.05), (21, NULL)")
    inside.step()
    shop.run("DELETE cdc.lsn_time_mapping WHERE start_lsn = (SELECT MAX([__$start_lsn]) FROM cdc.dbo_things_CT)")
    return inside.connect()


def given(client: Client) -> Given:
    lsns = [row[0] for row in client.rows(f"SELECT DISTINCT [__$start_lsn] FROM {CT} ORDER BY 1")]
    seqval = client.value(f"SELECT MIN([__$seqval]) FROM {CT} WHERE [__$start_lsn] = @lsn", lsn=(BYTES, lsns[1]))
    binary = {"low": lsns[0], "middle": lsns[1], "high": lsns[2], "seqval": seqval, "nothing": None}
    return {**{name: (BYTES, value) for name, value in binary.items()}, "operation": (INT, 3)}


@pytest.mark.parametrize("sql", ANSWERED)
def test_rows_are_the_same_both_ways(things: Client, sql: str) -> None:
    parameters = given(things)
    found, by_columns = run(things, sql, parameters)
    expected = through_sqlite(things, sql, parameters)
    assert by_columns
    assert found == expected


@pytest.mark.parametrize("sql", NOT_ANSWERED)
def test_other_queries_are_left_to_sqlite(things: Client, sql: str) -> None:
    rows, by_columns = run(things, sql, given(things))
    assert not rows or not by_columns


def ids(client: Client) -> list[Value]:
    rows, by_columns = run(client, f"SELECT id FROM {CT} ORDER BY {ALL_KEYS}", {})
    assert by_columns
    return [row[0] for row in rows]


def test_new_changes_are_there_at_once(things: Client, inside: StandInServer) -> None:
    before = ids(things)
    things.run("INSERT dbo.things (id) VALUES (30)")
    assert ids(things) == before
    inside.step()
    assert ids(things) == [*before, 30]


def test_cleaned_rows_are_gone(things: Client) -> None:
    before = ids(things)
    low = given(things)["middle"]
    things.run(
        "UPDATE cdc.lsn_time_mapping SET tran_end_time = DATEADD(hour, 1, tran_end_time) WHERE start_lsn = @low "
        "EXEC sys.sp_cdc_cleanup_change_table @capture_instance = N'dbo_things', @low_water_mark = @low",
        low=low,
    )
    left = ids(things)
    assert left == before[3:]
    assert len(left) == things.value(f"SELECT COUNT(*) FROM {CT}")


def test_a_clean_up_that_is_rolled_back_takes_nothing_away(things: Client) -> None:
    before = ids(things)
    things.run(
        "BEGIN TRAN EXEC sys.sp_cdc_cleanup_change_table @capture_instance = N'dbo_things', @low_water_mark = @low ROLLBACK",
        low=given(things)["middle"],
    )
    assert ids(things) == before


def test_rows_that_somebody_changes_are_seen_as_sqlite_has_them(things: Client) -> None:
    things.run(f"BEGIN TRAN UPDATE {CT} SET name = N'other' WHERE id = 20")
    rows, by_columns = run(things, f"SELECT name FROM {CT} WHERE [__$operation] = 2", {})
    assert not by_columns
    assert ("other",) in rows
    things.run("ROLLBACK")
    assert ids(things)
    things.run(f"DELETE {CT} WHERE id = 20")
    assert 20 not in ids(things)


def test_a_column_of_another_type_is_read_anew(things: Client, inside: StandInServer) -> None:
    ids(things)
    things.run("ALTER TABLE dbo.things ALTER COLUMN amount decimal(12, 4)")
    things.run("INSERT dbo.things (id, amount) VALUES (40, 1.2345)")
    inside.step()
    found, by_columns = run(things, f"SELECT amount FROM {CT} WHERE [__$operation] = 2", {})
    assert by_columns
    assert str(found[-1][0]) == "1.2345"


def test_small_change_tables_are_left_to_sqlite(things: Client, inside: StandInServer) -> None:
    inside.capture.columns.least = 1000
    assert not run(things, f"SELECT id FROM {CT}", {})[1]


def test_rows_can_be_inserted_into_another_table(things: Client) -> None:
    things.run("CREATE TABLE dbo.kept (id int)")
    things.run(f"INSERT dbo.kept EXEC (N'SELECT id FROM {CT}')")
    assert [row[0] for row in things.rows("SELECT id FROM dbo.kept")] == ids(things)
