"""Change data capture read at the secondary of an availability group: its tables and functions are there, its job is not."""

import pytest
from tests.standins.sqlserver.cdc.servers import StandInServer
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.engine.availability import AvailabilityGroup
from tailrace_standins.sqlserver.session import SqlError


@pytest.fixture
def secondary(inside: StandInServer, shop: Client) -> Client:
    """The readable secondary of a server with a captured table."""
    del shop  # made first
    return Client(AvailabilityGroup(inside.engine, ["shop"]).secondary)


ALL = "SELECT id, item FROM cdc.fn_cdc_get_all_changes_dbo_orders(sys.fn_cdc_get_min_lsn('dbo_orders'), sys.fn_cdc_get_max_lsn(), 'all')"


def test_what_the_primary_has_captured_is_read(inside: StandInServer, shop: Client, secondary: Client) -> None:
    shop.run("INSERT dbo.orders VALUES (1, 'pen', NULL)")
    assert secondary.rows("SELECT id FROM cdc.dbo_orders_CT") == []
    inside.step()
    assert secondary.rows(ALL) == [(1, "pen")]
    assert secondary.rows("SELECT [__$operation], item FROM cdc.dbo_orders_CT WITH (NOLOCK)") == [(2, "pen")]
    assert secondary.value("SELECT is_cdc_enabled FROM sys.databases WHERE name = 'shop'") == 1
    ((_, found),) = secondary.results("EXEC sys.sp_cdc_help_change_data_capture")
    assert [row[2] for row in found] == ["dbo_orders"]


def test_a_transaction_sees_no_new_changes_until_it_is_committed(
    inside: StandInServer, shop: Client, secondary: Client
) -> None:
    secondary.run("BEGIN TRAN")
    first = secondary.value("SELECT sys.fn_cdc_get_max_lsn()")
    shop.run("INSERT dbo.orders VALUES (1, 'pen', NULL)")
    inside.step()
    assert secondary.value("SELECT sys.fn_cdc_get_max_lsn()") == first
    assert secondary.rows("SELECT id FROM cdc.dbo_orders_CT") == []
    secondary.run("COMMIT")
    assert secondary.value("SELECT sys.fn_cdc_get_max_lsn()") != first
    assert secondary.rows(ALL) == [(1, "pen")]


def test_a_large_change_table_is_read_as_of_the_transactions_moment(
    inside: StandInServer, shop: Client, secondary: Client
) -> None:
    inside.capture.columns.least = 1
    shop.run("INSERT dbo.orders VALUES (1, 'pen', NULL)")
    inside.step()
    secondary.run("BEGIN TRAN")
    assert secondary.rows("SELECT id FROM cdc.dbo_orders_CT") == [(1,)]
    shop.run("INSERT dbo.orders VALUES (2, 'cap', NULL)")
    inside.step()
    assert secondary.rows("SELECT id FROM cdc.dbo_orders_CT") == [(1,)]


@pytest.mark.parametrize(
    "statement",
    [
        "sp_cdc_enable_db",
        "sp_cdc_disable_db",
        "sp_cdc_enable_table 'dbo', 'orders', 'second', @role_name = NULL",
        "sp_cdc_disable_table 'dbo', 'orders', 'all'",
        "sp_cdc_scan",
        "sp_cdc_cleanup_change_table 'dbo_orders', NULL",
    ],
)
def test_procedures_that_change_something_are_refused(shop: Client, secondary: Client, statement: str) -> None:
    assert secondary.error(f"EXEC sys.{statement}") == 3906
    assert shop.rows("EXEC sys.sp_cdc_help_change_data_capture")


@pytest.mark.parametrize(
    "statement",
    [
        "sp_cdc_add_job 'capture'",
        "sp_cdc_change_job 'capture', @pollinginterval = 1",
        "sp_cdc_drop_job 'capture'",
        "sp_cdc_start_job",
        "sp_cdc_stop_job",
    ],
)
def test_a_secondary_has_no_jobs_of_its_own(shop: Client, secondary: Client, statement: str) -> None:
    with pytest.raises(SqlError, match=r"The stand-in does not support sys\.sp_cdc_\w+_job on a secondary replica"):
        secondary.run(f"EXEC sys.{statement}")
    assert len(shop.rows("EXEC sys.sp_cdc_help_jobs")) == 2


def test_the_jobs_and_their_scans_are_the_primarys(inside: StandInServer, shop: Client, secondary: Client) -> None:
    inside.step()
    assert secondary.rows("EXEC sys.sp_cdc_help_jobs") == []
    assert secondary.error("SELECT * FROM msdb.dbo.cdc_jobs") == 208
    assert secondary.rows("SELECT * FROM sys.dm_cdc_log_scan_sessions") == []
    assert shop.rows("SELECT * FROM sys.dm_cdc_log_scan_sessions")


def test_capture_goes_on_after_a_fail_over(inside: StandInServer, secondary: Client) -> None:
    group = inside.engine.availability
    assert group is not None
    group.fail_over()
    writer, reader = Client(group.primary), Client(group.secondary)
    writer.run("INSERT dbo.orders VALUES (1, 'pen', NULL)")
    inside.step()
    assert reader.rows(ALL) == [(1, "pen")]
    assert secondary.error("SELECT 1") == 596
