"""The procedures: what they make, what they take away, and their errors."""

from collections.abc import Callable

import pytest
from tests.standins.sqlserver.cdc.servers import Server, Session

from tailrace_standins.sqlserver.session import SqlError


def number_of(client: Session, sql: str) -> int:
    with pytest.raises(SqlError) as caught:
        client.run(sql)
    return caught.value.number


ENABLE = "EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @role_name = NULL, @source_name = "


def test_a_database_shows_that_it_is_enabled(connect: Callable[[], Session]) -> None:
    client = connect()
    enabled = "SELECT is_cdc_enabled FROM sys.databases WHERE name = DB_NAME()"
    assert client.rows(enabled) == [(0,)]
    client.run("EXEC sys.sp_cdc_enable_db")
    assert client.rows(enabled) == [(1,)]
    client.run("EXEC sys.sp_cdc_disable_db")
    assert client.rows(enabled) == [(0,)]
    assert client.rows("SELECT name FROM sys.schemas WHERE name = 'cdc'") == []


@pytest.mark.parametrize(
    ("sql", "number"),
    [
        (ENABLE + "N'nothing'", 22931),
        (ENABLE + "N'orders'", 22926),
        (ENABLE + "N'orders', @capture_instance = N'" + "x" * 101 + "'", 22927),
        (ENABLE + "N'orders', @capture_instance = N'b', @captured_column_list = N'id, [nothing]'", 22930),
        (ENABLE + "N'orders', @capture_instance = N'b', @captured_column_list = N'item'", 22943),
        (ENABLE + "N'orders', @capture_instance = N'b', @captured_column_list = N'id, [item'", 22965),
        (ENABLE + "N'orders', @capture_instance = N'b', @index_name = N'nothing'", 22928),
        (ENABLE + "N'heap', @supports_net_changes = 1", 22939),
        (ENABLE + "N'heap', @filegroup_name = N'other'", 22973),
        ("EXEC sys.sp_cdc_enable_table 'cdc', 'change_tables', @role_name = NULL", 22974),
        ("EXEC sys.sp_cdc_disable_table 'dbo', 'orders', 'nothing'", 22960),
        ("EXEC sys.sp_cdc_disable_table 'dbo', 'heap', 'all'", 22985),
        ("EXEC sys.sp_cdc_change_job @job_type = N'capture', @retention = 5", 22995),
        ("EXEC sys.sp_cdc_change_job @job_type = N'cleanup', @maxtrans = 5", 22996),
        ("EXEC sys.sp_cdc_change_job @pollinginterval = 86401", 22990),
        ("EXEC sys.sp_cdc_change_job @maxtrans = 0", 22991),
        ("EXEC sys.sp_cdc_add_job @job_type = N'other'", 22992),
        ("EXEC sys.sp_cdc_get_captured_columns 'nothing'", 22981),
        ("EXEC sys.sp_cdc_help_change_data_capture 'dbo', NULL", 22972),
        ("EXEC sys.sp_cdc_cleanup_change_table 'dbo_orders', 0x00000001000000010001", 22964),
        ("EXEC master.sys.sp_cdc_enable_db", 22989),
        ("EXEC master.sys.sp_cdc_help_jobs", 22901),
        ("SELECT * FROM cdc.fn_cdc_get_all_changes_dbo_orders(0x00, 0x00, N'all')", 313),
    ],
)
def test_errors_have_the_documented_numbers(shop: Session, sql: str, number: int) -> None:
    shop.run("CREATE TABLE dbo.heap (a int)")
    assert number_of(shop, sql) == number


def test_a_schema_named_cdc_stands_in_the_way(connect: Callable[[], Session]) -> None:
    client = connect()
    client.run("CREATE SCHEMA cdc")
    assert number_of(client, "EXEC sys.sp_cdc_enable_db") == 22906


def test_a_table_has_two_instances_at_most(shop: Session) -> None:
    shop.run(ENABLE + "N'orders', @capture_instance = N'second'")
    assert number_of(shop, ENABLE + "N'orders', @capture_instance = N'third'") == 22962
    shop.run("EXEC sys.sp_cdc_disable_table 'dbo', 'orders', 'dbo_orders'")
    shop.run(ENABLE + "N'orders', @capture_instance = N'third'")


def test_disabling_all_instances_ends_tracking(shop: Session, capture: Server) -> None:
    shop.run(ENABLE + "N'orders', @capture_instance = N'second'")
    tracked = "SELECT is_tracked_by_cdc FROM sys.tables WHERE name = 'orders'"
    assert shop.rows(tracked) == [(1,)]
    shop.run("EXEC sys.sp_cdc_disable_table 'dbo', 'orders', 'all'")
    assert shop.rows(tracked) == [(0,)]
    shop.run("TRUNCATE TABLE dbo.orders")
    capture.step()
    assert shop.rows("SELECT COUNT(*) FROM cdc.captured_columns") == [(0,)]


def test_enabling_can_be_rolled_back(shop: Session, capture: Server) -> None:
    shop.run("CREATE TABLE dbo.late (id int PRIMARY KEY)")
    shop.run(f"BEGIN TRAN {ENABLE} N'late' ROLLBACK")
    shop.run("INSERT dbo.late VALUES (1)")
    capture.step()
    assert shop.rows("SELECT capture_instance FROM cdc.change_tables") == [("dbo_orders",)]


def test_an_instance_has_no_low_end_before_the_first_scan(shop: Session, capture: Server) -> None:
    shop.run("CREATE TABLE dbo.late (id int PRIMARY KEY)")
    shop.run(ENABLE + "N'late'")
    low = "SELECT sys.fn_cdc_get_min_lsn('dbo_late')"
    assert shop.rows(low) == [(bytes(10),)]
    assert shop.rows("SELECT start_lsn FROM cdc.change_tables WHERE capture_instance = 'dbo_late'") == [(None,)]
    capture.step()
    assert shop.rows(low) == shop.rows("SELECT sys.fn_cdc_get_max_lsn()")


def test_a_column_list_captures_only_those(shop: Session, capture: Server) -> None:
    shop.run(ENABLE + "N'orders', @capture_instance = N'few', @captured_column_list = N'[item], \"id\"'")
    shop.run("INSERT dbo.orders VALUES (1, N'nut', 'a')")
    capture.step()
    assert shop.rows("SELECT id, item, [__$update_mask] FROM cdc.few_CT") == [(1, "nut", b"\x03")]
    found = shop.rows(
        "SELECT column_name, column_ordinal FROM cdc.captured_columns WHERE object_id = OBJECT_ID('cdc.few_CT') ORDER BY 2"
    )
    assert found == [("id", 1), ("item", 2)]


def test_help_lists_instances_with_their_columns(shop: Session) -> None:
    row = shop.rows("EXEC sys.sp_cdc_help_change_data_capture")[0]
    assert (row[0], row[1], row[2], row[13], row[14]) == ("dbo", "orders", "dbo_orders", "[id]", "[id], [item], [note]")


def test_jobs_have_the_documented_defaults(shop: Session) -> None:
    found = shop.rows("EXEC sys.sp_cdc_help_jobs")
    assert sorted((str(row[1]), *row[3:]) for row in found) == [
        ("capture", 500, 10, 1, 5, 0, 0),
        ("cleanup", 0, 0, 0, 0, 4320, 5000),
    ]
    assert shop.rows("SELECT job_type FROM msdb.dbo.cdc_jobs WHERE database_id = DB_ID() ORDER BY 1") == [
        ("capture",),
        ("cleanup",),
    ]
    shop.run("EXEC sys.sp_cdc_change_job @continuous = 0")
    assert [row[5:7] for row in shop.rows("EXEC sys.sp_cdc_help_jobs") if row[1] == "capture"] == [(0, 0)]
    shop.run("EXEC sys.sp_cdc_drop_job 'capture'")
    assert number_of(shop, "EXEC sys.sp_cdc_start_job") == 22997


def test_clean_up_moves_the_low_end(shop: Session, capture: Server) -> None:
    for number in range(3):
        shop.run(f"INSERT dbo.orders VALUES ({number}, N'nut', NULL)")
    capture.step()
    mark = shop.rows("SELECT MAX(start_lsn) FROM cdc.lsn_time_mapping")[0][0]
    assert isinstance(mark, bytes)
    shop.run(
        "UPDATE cdc.lsn_time_mapping SET tran_end_time = DATEADD(hour, 1, tran_end_time) WHERE start_lsn = 0x"
        + mark.hex()
    )
    shop.run(f"EXEC sys.sp_cdc_cleanup_change_table 'dbo_orders', 0x{mark.hex()}")
    assert shop.rows("SELECT sys.fn_cdc_get_min_lsn('dbo_orders')") == [(mark,)]
    assert shop.rows("SELECT id FROM cdc.dbo_orders_CT") == [(2,)]


def test_the_clean_up_job_keeps_what_is_within_its_retention(shop: Session, capture: Server) -> None:
    shop.run("INSERT dbo.orders VALUES (1, N'old', NULL)")
    capture.step()
    shop.run("UPDATE cdc.lsn_time_mapping SET tran_end_time = DATEADD(minute, -30, tran_end_time)")
    shop.run("INSERT dbo.orders VALUES (2, N'new', NULL)")
    capture.step()
    shop.run("EXEC sys.sp_cdc_change_job @job_type = N'cleanup', @retention = 10")
    shop.run("EXEC sys.sp_cdc_start_job N'cleanup'")
    assert shop.rows("SELECT item FROM cdc.dbo_orders_CT") == [("new",)]
    assert shop.rows("SELECT COUNT(*) FROM cdc.lsn_time_mapping") == [(1,)]
