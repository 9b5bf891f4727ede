"""What change tables hold of what transactions did."""

from collections.abc import Callable

import pytest
from tests.standins.sqlserver.cdc.servers import Server, Session, StandInServer
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.session import SqlError

CHANGES = "SELECT [__$operation], [__$update_mask], id, item, note, [__$command_id] FROM cdc.dbo_orders_CT ORDER BY [__$start_lsn], [__$command_id], [__$seqval], [__$operation]"


def test_inserts_updates_and_deletes_become_rows(shop: Session, capture: Server) -> None:
    shop.run("INSERT dbo.orders VALUES (1, N'nut', 'a')")
    shop.run("UPDATE dbo.orders SET item = N'bolt'")
    shop.run("DELETE dbo.orders")
    assert capture.step() == 3
    assert shop.rows(CHANGES) == [
        (2, b"\x07", 1, "nut", "a", 1),
        (3, b"\x02", 1, "nut", None, 1),
        (4, b"\x02", 1, "bolt", "a", 1),
        (1, b"\x07", 1, "bolt", "a", 1),
    ]


def test_an_unchanged_maximum_column_is_null_before_and_a_changed_one_is_not(
    shop: Session, capture: Server
) -> None:
    shop.run("INSERT dbo.orders VALUES (1, N'nut', 'a')")
    shop.run("UPDATE dbo.orders SET note = 'b'")
    capture.step()
    assert shop.rows(CHANGES)[1:] == [(3, b"\x04", 1, "nut", "a", 1), (4, b"\x04", 1, "nut", "b", 1)]


def test_a_key_update_is_a_delete_and_an_insert_with_one_seqval(shop: Session, capture: Server) -> None:
    shop.run("INSERT dbo.orders VALUES (1, N'nut', 'a')")
    shop.run("UPDATE dbo.orders SET id = 2")
    capture.step()
    assert shop.rows(CHANGES)[1:] == [(1, b"\x07", 1, "nut", "a", 1), (2, b"\x07", 2, "nut", "a", 2)]
    assert shop.rows("SELECT COUNT(DISTINCT [__$seqval]) FROM cdc.dbo_orders_CT WHERE [__$command_id] <= 2") == [(2,)]


def test_an_update_that_changes_nothing_captured_leaves_no_row(shop: Session, capture: Server) -> None:
    shop.run("INSERT dbo.orders VALUES (1, N'nut', 'a')")
    shop.run("UPDATE dbo.orders SET item = item")
    capture.step()
    assert len(shop.rows(CHANGES)) == 1


def test_old_large_objects_are_null_before_and_in_deletes(
    shop: Session, capture: Server
) -> None:
    shop.run("CREATE TABLE dbo.texts (id int PRIMARY KEY, t text, n ntext, i image, double AS id * 2, v rowversion)")
    shop.run("EXEC sys.sp_cdc_enable_table 'dbo', 'texts', @role_name = NULL")
    shop.run("INSERT dbo.texts (id, t, n, i) VALUES (1, 'a', N'b', 0x01)")
    shop.run("UPDATE dbo.texts SET t = 'c'")
    shop.run("DELETE dbo.texts")
    capture.step()
    found = shop.rows(
        "SELECT [__$operation], t, n, i, double FROM cdc.dbo_texts_CT ORDER BY [__$start_lsn], [__$operation]"
    )
    assert found == [
        (2, "a", "b", b"\x01", None),
        (3, None, None, None, None),
        (4, "c", "b", b"\x01", None),
        (1, None, None, None, None),
    ]
    assert shop.rows("SELECT DATALENGTH(v) FROM cdc.dbo_texts_CT WHERE [__$operation] = 2") == [(8,)]


def test_transactions_that_run_side_by_side_come_in_the_order_of_their_commits(
    connect: Callable[[], Session], shop: Session, capture: Server
) -> None:
    other = connect()
    shop.run("BEGIN TRAN INSERT dbo.orders VALUES (1, N'first', NULL)")
    other.run("BEGIN TRAN INSERT dbo.orders VALUES (2, N'second', NULL)")
    other.run("COMMIT")
    shop.run("INSERT dbo.orders VALUES (3, N'third', NULL) COMMIT")
    capture.step()
    found = shop.rows(
        "SELECT id, [__$start_lsn], [__$seqval] FROM cdc.dbo_orders_CT ORDER BY [__$start_lsn], [__$seqval]"
    )
    assert [row[0] for row in found] == [2, 1, 3]
    (_, commit_2, seq_2), (_, commit_1, seq_1), _ = found
    assert seq_1 < seq_2 < commit_2 < commit_1  # type: ignore[operator]


def test_what_is_rolled_back_is_never_captured(shop: Session, capture: Server) -> None:
    shop.run("BEGIN TRAN INSERT dbo.orders VALUES (1, N'nut', NULL) ROLLBACK")
    shop.run(
        "BEGIN TRAN INSERT dbo.orders VALUES (2, N'nut', NULL) SAVE TRAN s INSERT dbo.orders VALUES (3, N'nut', NULL) ROLLBACK TRAN s COMMIT"
    )
    assert capture.step() == 1
    assert [row[2] for row in shop.rows(CHANGES)] == [2]


def test_nothing_is_captured_before_the_job_scans(shop: Session, capture: Server) -> None:
    before = shop.rows("SELECT sys.fn_cdc_get_max_lsn()")
    shop.run("INSERT dbo.orders VALUES (1, N'nut', NULL)")
    assert shop.rows(CHANGES) == []
    assert shop.rows("SELECT sys.fn_cdc_get_max_lsn()") == before
    capture.step()
    assert shop.rows("SELECT sys.fn_cdc_get_max_lsn()") > before


def test_a_scan_takes_at_most_maxtrans_times_maxscans_transactions(shop: Session, capture: Server) -> None:
    shop.run("EXEC sys.sp_cdc_change_job @job_type = N'capture', @maxtrans = 2, @maxscans = 2")
    for number in range(5):
        shop.run(f"INSERT dbo.orders VALUES ({number}, N'nut', NULL)")
    assert (capture.step(), capture.step(), capture.step()) == (4, 1, 0)


def test_the_log_of_a_database_that_is_not_enabled_is_not_kept(
    shop: Session, inside: StandInServer
) -> None:
    del shop
    inside.engine.create_database("plain")
    other = Client(inside.engine, "plain")
    other.run("CREATE TABLE t (id int PRIMARY KEY)")
    other.run("INSERT t VALUES (1)")
    assert not inside.capture.log.waiting(inside.engine.catalog.database("plain"))


def test_each_transaction_has_an_entry_with_its_times(shop: Session, capture: Server) -> None:
    shop.run("INSERT dbo.orders VALUES (1, N'nut', NULL)")
    capture.step()
    found = shop.rows(
        "SELECT m.tran_begin_time, m.tran_end_time, m.tran_begin_lsn, m.start_lsn FROM cdc.dbo_orders_CT c "
        "JOIN cdc.lsn_time_mapping m ON m.start_lsn = c.[__$start_lsn]"
    )
    begun, ended, begin, commit = found[0]
    assert begun <= ended  # type: ignore[operator]
    assert begin < commit  # type: ignore[operator]


def test_idle_entries_have_no_transaction(shop: Session, inside: StandInServer) -> None:
    before = shop.rows("SELECT sys.fn_cdc_get_max_lsn()")
    inside.capture.note_idle("shop")
    assert shop.rows("SELECT sys.fn_cdc_get_max_lsn()") > before
    assert shop.rows("SELECT COUNT(*) FROM cdc.lsn_time_mapping WHERE tran_id = 0x00") == [(1,)]
    assert shop.rows("SELECT MAX(start_lsn) FROM cdc.lsn_time_mapping WHERE tran_id <> 0x00") == before


def test_truncate_of_a_captured_table_is_refused(shop: Session) -> None:
    with pytest.raises(SqlError) as caught:
        shop.run("TRUNCATE TABLE dbo.orders")
    assert caught.value.number == 4711


def test_old_instances_stay_as_they_are_when_columns_come_and_go(shop: Session, capture: Server) -> None:
    shop.run("ALTER TABLE dbo.orders ADD price int")
    shop.run("ALTER TABLE dbo.orders DROP COLUMN note")
    shop.run("INSERT dbo.orders VALUES (1, N'nut', 5)")
    capture.step()
    assert shop.rows(CHANGES) == [(2, b"\x07", 1, "nut", None, 1)]
    shop.run("EXEC sys.sp_cdc_enable_table 'dbo', 'orders', @capture_instance = 'orders_2', @role_name = NULL")
    shop.run("INSERT dbo.orders VALUES (2, N'bolt', 7)")
    capture.step()
    assert shop.rows("SELECT id, item, price FROM cdc.orders_2_CT") == [(2, "bolt", 7)]
    assert [row[2] for row in shop.rows(CHANGES)] == [1, 2]


def test_a_new_type_goes_into_the_change_table_when_the_job_reaches_it(
    shop: Session, capture: Server
) -> None:
    shop.run("INSERT dbo.orders VALUES (1, N'nut', NULL)")
    shop.run("ALTER TABLE dbo.orders ALTER COLUMN item nvarchar(40)")
    length = "SELECT max_length FROM sys.columns WHERE object_id = OBJECT_ID('cdc.dbo_orders_CT') AND name = 'item'"
    assert shop.rows(length) == [(40,)]
    capture.step()
    assert shop.rows(length) == [(80,)]
    assert shop.rows("SELECT required_column_update FROM cdc.ddl_history") == [(1,)]
    assert [row[3] for row in shop.rows(CHANGES)] == ["nut"]


def test_a_dropped_source_takes_its_instances_with_it(shop: Session, capture: Server) -> None:
    shop.run("INSERT dbo.orders VALUES (1, N'nut', NULL)")
    shop.run("DROP TABLE dbo.orders")
    capture.step()
    assert shop.rows("SELECT * FROM cdc.change_tables") == []
    with pytest.raises(SqlError, match="dbo_orders_CT"):
        shop.run("SELECT * FROM cdc.dbo_orders_CT")


def test_the_history_of_definitions_has_their_text(shop: Session, capture: Server) -> None:
    shop.run("DECLARE @a int; ALTER TABLE dbo.orders ADD price int; SELECT 1")
    shop.run("ALTER TABLE dbo.orders ADD CONSTRAINT positive CHECK (price > 0)")
    assert shop.rows("EXEC sys.sp_cdc_get_ddl_history 'dbo_orders'") == []
    capture.step()
    found = shop.rows("EXEC sys.sp_cdc_get_ddl_history 'dbo_orders'")
    assert [row[:5] for row in found] == [("dbo", "orders", "dbo_orders", 0, "ALTER TABLE dbo.orders ADD price int")]
    commits = shop.rows("SELECT start_lsn FROM cdc.lsn_time_mapping ORDER BY 1")
    assert [found[0][5]] == list(commits[1])


@pytest.mark.parametrize("order", ["[__$command_id], [__$operation]", "[__$seqval], [__$operation]"])
def test_keys_that_are_handed_on_never_stand_twice(shop: Session, capture: Server, order: str) -> None:
    shop.run("INSERT dbo.orders VALUES (2, N'second', NULL), (1, N'first', NULL)")
    capture.step()
    before = shop.value("SELECT sys.fn_cdc_get_max_lsn()")
    assert isinstance(before, bytes)
    shop.run("UPDATE dbo.orders SET id = id + 1")
    capture.step()
    sql = f"SELECT [__$operation], id, item FROM cdc.dbo_orders_CT WHERE [__$start_lsn] > 0x{before.hex()} ORDER BY {order}"
    assert shop.rows(sql) == [(1, 1, "first"), (3, 2, "second"), (4, 2, "first"), (2, 3, "second")]
