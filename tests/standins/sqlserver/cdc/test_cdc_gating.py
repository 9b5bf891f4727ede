"""Who may see changes: owners; and who may read the source and is in the gating role, if there is one."""

import pytest
from tests.standins.sqlserver.cdc.servers import StandInServer
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.session import SqlError

MIN, MAX = "sys.fn_cdc_get_min_lsn('gated')", "sys.fn_cdc_get_max_lsn()"
CHANGES = f"SELECT id FROM cdc.fn_cdc_get_all_changes_gated({MIN}, {MAX}, 'all')"
NET_CHANGES = f"SELECT id FROM cdc.fn_cdc_get_net_changes_gated({MIN}, {MAX}, 'all')"
ZERO = bytes(10)


@pytest.fixture
def owner(inside: StandInServer, shop: Client) -> Client:
    """Who owns a table with a gated capture instance."""
    shop.run("CREATE TABLE dbo.secrets (id int PRIMARY KEY, what varchar(20))")
    shop.run("EXEC sys.sp_cdc_enable_table 'dbo', 'secrets', 'gated', @role_name = N'cdc_readers  '")
    shop.run("INSERT dbo.secrets VALUES (1, 'one')")
    inside.step()
    shop.run("CREATE LOGIN reader WITH PASSWORD = 'r'; CREATE USER reader")
    return shop


@pytest.fixture
def reader(owner: Client) -> Client:
    """Who has no permission yet."""
    return Client(owner.engine, "shop", "reader", "r")


def instances(client: Client) -> list[object]:
    return [row[2] for row in client.rows("EXEC sys.sp_cdc_help_change_data_capture")]


def test_enabling_makes_the_role_or_takes_the_one_that_is_there(owner: Client) -> None:
    assert owner.rows("SELECT role_name FROM cdc.change_tables WHERE capture_instance = 'gated'") == [("cdc_readers",)]
    assert owner.value("SELECT IS_ROLEMEMBER('cdc_readers')") == 0
    owner.run("CREATE ROLE other; CREATE TABLE dbo.more (id int PRIMARY KEY)")
    owner.run("EXEC sys.sp_cdc_enable_table 'dbo', 'more', @role_name = N'OTHER'")
    assert owner.value("SELECT COUNT(*) FROM sys.database_principals WHERE name IN ('cdc_readers', 'other')") == 2


def test_a_role_that_was_made_goes_with_the_rollback(owner: Client) -> None:
    owner.run("CREATE TABLE dbo.more (id int PRIMARY KEY)")
    owner.run("BEGIN TRAN; EXEC sys.sp_cdc_enable_table 'dbo', 'more', @role_name = N'other'; ROLLBACK")
    assert owner.value("SELECT IS_ROLEMEMBER('other')") is None


def test_select_on_the_source_and_the_role_are_both_needed(owner: Client, reader: Client) -> None:
    owner.run("GRANT SELECT ON dbo.secrets TO reader")
    with pytest.raises(
        SqlError, match="The SELECT permission was denied on the object 'fn_cdc_get_all_changes_gated'"
    ) as caught:
        reader.run(CHANGES)
    assert caught.value.number == 229
    assert reader.error(NET_CHANGES) == 208
    assert reader.value(f"SELECT {MIN}") == ZERO
    owner.run("EXEC sp_addrolemember 'cdc_readers', 'reader'")
    assert reader.rows(CHANGES) == reader.rows(NET_CHANGES) == [(1,)]
    assert reader.value(f"SELECT {MIN}") != ZERO
    owner.run("REVOKE SELECT ON dbo.secrets FROM reader")
    assert reader.error(CHANGES) == 229


def test_without_a_gating_role_select_on_the_source_is_enough(
    inside: StandInServer, owner: Client, reader: Client
) -> None:
    changes = "SELECT id FROM cdc.fn_cdc_get_all_changes_dbo_orders(sys.fn_cdc_get_min_lsn('dbo_orders'), sys.fn_cdc_get_max_lsn(), 'all')"
    owner.run("INSERT dbo.orders VALUES (7, 'pen', NULL)")
    inside.step()
    assert reader.error(changes) == 229
    owner.run("GRANT SELECT ON dbo.orders TO reader")
    assert reader.rows(changes) == [(7,)]


def test_the_schema_cdc_is_read_by_whom_it_was_granted(owner: Client, reader: Client) -> None:
    assert reader.error("SELECT id FROM cdc.gated_CT") == 229
    assert reader.error("SELECT start_lsn FROM cdc.lsn_time_mapping") == 229
    assert reader.value(f"SELECT {MAX}") == owner.value(f"SELECT {MAX}")
    owner.run("GRANT SELECT ON SCHEMA::cdc TO reader")
    assert reader.rows("SELECT id FROM cdc.gated_CT") == [(1,)]
    assert reader.rows("SELECT capture_instance FROM cdc.change_tables ORDER BY 1") == [("dbo_orders",), ("gated",)]
    assert reader.error(CHANGES) == 229


def test_large_change_tables_are_not_read_past_the_gate(inside: StandInServer, owner: Client, reader: Client) -> None:
    inside.capture.columns.least = 1
    assert owner.rows("SELECT COUNT(*) FROM cdc.gated_CT") == [(1,)]
    assert reader.error("SELECT id FROM cdc.gated_CT") == 229
    assert reader.error(CHANGES) == 229


def test_help_tells_only_of_instances_that_one_may_read(owner: Client, reader: Client) -> None:
    assert instances(owner) == ["dbo_orders", "gated"]
    assert instances(reader) == []
    owner.run("GRANT SELECT ON SCHEMA::dbo TO reader")
    assert instances(reader) == ["dbo_orders"]
    assert reader.error("EXEC sys.sp_cdc_get_captured_columns 'gated'") == 22981
    assert reader.error("EXEC sys.sp_cdc_get_ddl_history 'gated'") == 22981
    owner.run("ALTER ROLE cdc_readers ADD MEMBER reader")
    assert instances(reader) == ["dbo_orders", "gated"]
    assert len(reader.rows("EXEC sys.sp_cdc_get_captured_columns 'gated'")) == 2


def test_owners_see_everything_without_the_role(owner: Client, reader: Client) -> None:
    owner.run("ALTER ROLE db_owner ADD MEMBER reader")
    assert instances(reader) == ["dbo_orders", "gated"]
    assert reader.rows(CHANGES) == [(1,)]
    assert reader.rows("EXEC sys.sp_cdc_help_jobs")


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("sp_cdc_enable_db", 22902),
        ("sp_cdc_disable_db", 22902),
        ("sp_cdc_enable_table 'dbo', 'orders', 'second', @role_name = NULL", 22904),
        ("sp_cdc_disable_table 'dbo', 'orders', 'all'", 22904),
        ("sp_cdc_help_jobs", 22904),
        ("sp_cdc_change_job 'capture', @pollinginterval = 1", 22904),
        ("sp_cdc_stop_job", 22904),
        ("sp_cdc_scan", 22904),
        ("sp_cdc_cleanup_change_table 'dbo_orders', NULL", 22904),
    ],
)
def test_settings_are_for_owners_and_administrators(reader: Client, statement: str, number: int) -> None:
    assert reader.error(f"EXEC sys.{statement}") == number


def test_an_owner_may_enable_tables_but_no_databases(owner: Client, reader: Client) -> None:
    owner.run("ALTER ROLE db_owner ADD MEMBER reader")
    assert reader.error("EXEC sys.sp_cdc_disable_db") == 22902
    reader.run("EXEC sys.sp_cdc_disable_table 'dbo', 'secrets', 'gated'")
    reader.run("EXEC sys.sp_cdc_enable_table 'dbo', 'secrets', @role_name = N'another'")
    assert reader.value("SELECT IS_ROLEMEMBER('another')") == 0


def test_scan_sessions_are_shown_with_view_database_state(owner: Client, reader: Client) -> None:
    scans = "SELECT COUNT(*) FROM sys.dm_cdc_log_scan_sessions"
    assert reader.error(scans) == 262
    owner.run("GRANT VIEW DATABASE STATE TO reader")
    assert reader.value(scans) == owner.value(scans)


def test_a_connectors_login_needs_no_db_owner(owner: Client, reader: Client) -> None:
    """SELECT on the captured tables, the gating role, SELECT on the schema cdc: as Debezium's page says."""
    owner.run(
        "GRANT SELECT ON dbo.secrets TO reader; GRANT SELECT ON SCHEMA::cdc TO reader; ALTER ROLE cdc_readers ADD MEMBER reader"
    )
    assert instances(reader) == ["gated"]
    assert reader.rows("SELECT name FROM sys.tables t WHERE SCHEMA_NAME(schema_id) = 'dbo'") == [("secrets",)]
    joined = "SELECT c.id FROM cdc.gated_CT c LEFT JOIN cdc.lsn_time_mapping m ON m.start_lsn = c.[__$start_lsn]"
    assert reader.rows(joined) == reader.rows("SELECT id FROM dbo.secrets") == [(1,)]
    assert reader.rows(CHANGES) == [(1,)]
