"""Real Debezium's SQL Server connector reads the readable secondary of the stand-in, with no more permissions than it needs.

Source: https://debezium.io/documentation/reference/stable/connectors/sqlserver.html, "SQL Server Always On" and "Verifying that
the user has access to the CDC table".
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.standins.sqlserver.debezium.shop import DATABASE, Reading, Shop, told

from tailrace_standins.sqlserver.engine.availability import Access, AvailabilityGroup
from tailrace_standins.sqlserver.server import StandIn

pytestmark = [pytest.mark.debezium, pytest.mark.slow]
SEEN = {"customers", "orders", "secrets"}


def grant(shop: Shop) -> None:
    """A login that may read what is captured, and is in the role of a gated instance; not in that of another."""
    shop.run(
        "CREATE TABLE dbo.secrets (id int PRIMARY KEY, what nvarchar(20)); CREATE TABLE dbo.hidden (id int PRIMARY KEY)",
        "EXEC sys.sp_cdc_enable_table N'dbo', N'secrets', @role_name = N'cdc_readers'",
        "EXEC sys.sp_cdc_enable_table N'dbo', N'hidden', @role_name = N'nobody'",
        "INSERT dbo.secrets VALUES (1, N'one'); INSERT dbo.hidden VALUES (1)",
        "CREATE LOGIN debezium WITH PASSWORD = N'Dbz-1'; CREATE USER debezium FOR LOGIN debezium",
        "GRANT SELECT ON dbo.customers TO debezium; GRANT SELECT ON dbo.orders TO debezium",
        "GRANT SELECT ON dbo.secrets TO debezium; GRANT SELECT ON dbo.hidden TO debezium",
        "GRANT SELECT ON SCHEMA::cdc TO debezium; ALTER ROLE cdc_readers ADD MEMBER debezium",
    )
    shop.capture.wait(DATABASE)


def test_a_restricted_login_reads_the_secondary(shop: Shop, tmp_path: Path) -> None:
    grant(shop)
    group = AvailabilityGroup(shop.capture.engine, [DATABASE])
    group.secondary.access = Access.READ_ONLY
    with StandIn(group.secondary) as secondary:
        properties = {
            "database.port": str(secondary.port),
            "database.user": "debezium",
            "database.password": "Dbz-1",
            "driver.applicationIntent": "ReadOnly",
            "snapshot.isolation.mode": "snapshot",
            "table.include.list": ",".join(f"dbo.{table}" for table in sorted(SEEN)),
        }
        with Reading(shop, tmp_path / "secondary", properties) as reading:
            reading.start()
            found = reading.until_told(8, "the snapshot")
            assert sorted(found)[:1] == [("customers", "r", 1001)]
            assert {table for table, _, _ in found} == SEEN
            shop.run(
                "INSERT dbo.secrets VALUES (2, N'two'); INSERT dbo.hidden VALUES (2)",
                "DELETE dbo.orders WHERE id = 10001",
            )
            assert reading.until_told(11, "changes")[8:] == [
                ("secrets", "c", 2),
                ("orders", "d", 10001),
                ("orders", "", 10001),
            ]
            reading.stop()
            assert len(told(reading.records)) == 11
