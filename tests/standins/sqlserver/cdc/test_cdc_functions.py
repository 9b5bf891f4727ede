"""The functions: LSNs and times, masks, net changes."""

import pytest
from tests.standins.sqlserver.cdc.servers import Server, Session

from tailrace_standins.sqlserver.session import SqlError

WHOLE = "sys.fn_cdc_get_min_lsn('dbo_orders'), sys.fn_cdc_get_max_lsn()"


def net(client: Session, option: str) -> list[tuple[object, ...]]:
    sql = f"SELECT [__$operation], [__$update_mask], id, item FROM cdc.fn_cdc_get_net_changes_dbo_orders({WHOLE}, N'{option}') ORDER BY id"
    return [tuple(row) for row in client.rows(sql)]


@pytest.fixture
def changed(shop: Session, capture: Server) -> Session:
    shop.run("INSERT dbo.orders VALUES (1, N'nut', 'a'), (2, N'bolt', 'b'), (3, N'pin', 'c')")
    capture.step()
    return shop


def test_a_row_inserted_and_updated_is_one_insert(changed: Session, capture: Server) -> None:
    changed.run("UPDATE dbo.orders SET item = N'screw' WHERE id = 1")
    changed.run("DELETE dbo.orders WHERE id = 2")
    capture.step()
    assert net(changed, "all") == [(2, None, 1, "screw"), (2, None, 3, "pin")]


def test_net_changes_after_a_point_in_the_log(changed: Session, capture: Server) -> None:
    low = changed.value("SELECT sys.fn_cdc_increment_lsn(sys.fn_cdc_get_max_lsn())")
    assert isinstance(low, bytes)
    changed.run("UPDATE dbo.orders SET item = N'screw' WHERE id = 1")
    changed.run("UPDATE dbo.orders SET note = 'z' WHERE id = 1")
    changed.run("DELETE dbo.orders WHERE id = 2")
    changed.run("DELETE dbo.orders WHERE id = 3 INSERT dbo.orders VALUES (3, N'pin', 'again')")
    changed.run("INSERT dbo.orders VALUES (4, N'x', NULL) DELETE dbo.orders WHERE id = 4")
    capture.step()
    sql = (
        f"SELECT [__$operation], [__$update_mask], id FROM cdc.fn_cdc_get_net_changes_dbo_orders(0x{low.hex()}, "
        "sys.fn_cdc_get_max_lsn(), N'{}') ORDER BY id"
    )
    assert changed.rows(sql.format("all")) == [(4, None, 1), (1, None, 2), (4, None, 3)]
    assert changed.rows(sql.format("all with mask")) == [(4, b"\x06", 1), (1, None, 2), (4, b"\x07", 3)]
    assert changed.rows(sql.format("all with merge")) == [(5, None, 1), (1, None, 2), (5, None, 3)]


def test_an_instance_without_a_key_has_no_net_changes(changed: Session, capture: Server) -> None:
    changed.run("CREATE TABLE dbo.heap (a int)")
    changed.run("EXEC sys.sp_cdc_enable_table 'dbo', 'heap', @role_name = NULL")
    capture.step()
    assert changed.error("SELECT * FROM cdc.fn_cdc_get_net_changes_dbo_heap(0x00, 0x00, N'all')") == 208


@pytest.mark.parametrize(
    "arguments",
    [
        "0x00, sys.fn_cdc_get_max_lsn(), N'all'",
        "sys.fn_cdc_get_min_lsn('dbo_orders'), sys.fn_cdc_increment_lsn(sys.fn_cdc_get_max_lsn()), N'all'",
        "sys.fn_cdc_get_max_lsn(), sys.fn_cdc_get_min_lsn('dbo_orders'), N'all'",
        "sys.fn_cdc_get_min_lsn('dbo_orders'), sys.fn_cdc_get_max_lsn(), N'some'",
        "NULL, sys.fn_cdc_get_max_lsn(), N'all'",
    ],
)
def test_arguments_out_of_range_are_error_313(changed: Session, arguments: str) -> None:
    with pytest.raises(SqlError, match=r"fn_cdc_get_all_changes_ \.\.\. \.") as caught:
        changed.run(f"SELECT * FROM cdc.fn_cdc_get_all_changes_dbo_orders({arguments})")
    assert caught.value.number == 313
    assert changed.error(f"SELECT * FROM cdc.fn_cdc_get_net_changes_dbo_orders({arguments})") == 313


def test_all_changes_without_and_with_the_old_values(changed: Session, capture: Server) -> None:
    changed.run("UPDATE dbo.orders SET item = N'screw' WHERE id = 1")
    capture.step()
    sql = f"SELECT [__$operation] FROM cdc.fn_cdc_get_all_changes_dbo_orders({WHOLE}, N'{{}}') WHERE id = 1 ORDER BY [__$seqval], 1"
    assert changed.rows(sql.format("all")) == [(2,), (4,)]
    assert changed.rows(sql.format("all update old")) == [(2,), (3,), (4,)]


def test_masks_are_read_by_ordinal_and_by_name(changed: Session) -> None:
    assert changed.rows(
        "SELECT sys.fn_cdc_is_bit_set(1, 0x0201), sys.fn_cdc_is_bit_set(10, 0x0201), sys.fn_cdc_is_bit_set(2, 0x0201)"
    ) == [(1, 1, 0)]
    assert changed.value("SELECT sys.fn_cdc_get_column_ordinal('dbo_orders', 'note')") == 3
    assert changed.value("SELECT sys.fn_cdc_get_column_ordinal('dbo_orders', 'nothing')") is None
    assert changed.value("SELECT sys.fn_cdc_has_column_changed('dbo_orders', 'item', 0x02)") == 1
    assert changed.value("SELECT sys.fn_cdc_has_column_changed('dbo_orders', 'note', 0x02)") == 0


def test_times_and_numbers_map_to_each_other(changed: Session, capture: Server) -> None:
    changed.run("UPDATE dbo.orders SET item = N'screw'")
    capture.step()
    changed.run(
        "UPDATE m SET tran_end_time = DATEADD(minute, n, '2026-01-01') FROM cdc.lsn_time_mapping m "
        "JOIN (SELECT start_lsn, ROW_NUMBER() OVER (ORDER BY start_lsn) AS n FROM cdc.lsn_time_mapping) x ON x.start_lsn = m.start_lsn"
    )
    first, second, third = (row[0] for row in changed.rows("SELECT start_lsn FROM cdc.lsn_time_mapping ORDER BY 1"))
    at = "SELECT sys.fn_cdc_map_time_to_lsn('{}', '2026-01-01 00:02:00')"
    assert changed.value(at.format("largest less than")) == first
    assert changed.value(at.format("largest less than or equal")) == second
    assert changed.value(at.format("smallest greater than or equal")) == second
    assert changed.value(at.format("smallest greater than")) == third
    assert changed.value("SELECT sys.fn_cdc_map_time_to_lsn('largest less than', '2025-01-01')") is None
    assert changed.value("SELECT sys.fn_cdc_map_lsn_to_time(sys.fn_cdc_get_max_lsn())") == "2026-01-01 00:03:00.000"
