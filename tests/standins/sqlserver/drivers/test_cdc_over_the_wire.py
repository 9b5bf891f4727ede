"""What runs the tests of change data capture on a real server, tried on the stand-in: over the wire, job and all."""

from collections.abc import Iterator

import pytest
from tests.standins.sqlserver.cdc.servers import RealServer
from tests.standins.sqlserver.drivers.installed import pymssql

from tailrace_standins.sqlserver.cdc import install
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.server import StandIn
from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.sqlserver.values import SqlType

pytestmark = pytest.mark.drivers


@pytest.fixture
def engine() -> Iterator[Engine]:
    pymssql()
    made = Engine(password="p@ss word")
    install(made)
    yield made
    made.close()


def test_a_database_of_its_own_is_captured_step_by_step_and_dropped(engine: Engine) -> None:
    with StandIn(engine) as running:
        server = RealServer(f"mssql://sa:p%40ss%20word@127.0.0.1:{running.port}")
        name = server.database.lower()
        shop = server.connect()
        shop.run("EXEC [shop].sys.sp_cdc_enable_db")
        shop.run("CREATE TABLE t (id int PRIMARY KEY, at datetime)")
        shop.run("EXEC sys.sp_cdc_enable_table 'dbo', 't', @role_name = NULL")
        server.quiet()
        shop.run("INSERT t VALUES (1, '2026-01-02 03:04:05.678')")
        shop.run("INSERT t VALUES (2, NULL)")
        assert shop.rows("SELECT id FROM cdc.dbo_t_CT") == []
        assert server.step() == 2
        assert server.step() == 0
        found = shop.rows("SELECT id, at, [__$update_mask] FROM cdc.dbo_t_CT WHERE id = @id", id=(SqlType("int"), 1))
        assert found == [(1, "2026-01-02 03:04:05.677", b"\x03")]
        assert shop.value("SELECT is_cdc_enabled FROM sys.databases WHERE name = 'shop'") == 1
        assert shop.error("TRUNCATE TABLE t") == 4711
        with pytest.raises(SqlError, match="nothing"):
            shop.run("SELECT 1; SELECT * FROM nothing")
        assert name in engine.catalog.databases
        server.close()
        assert name not in engine.catalog.databases
