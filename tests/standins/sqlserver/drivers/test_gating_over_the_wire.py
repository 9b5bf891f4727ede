"""A login with no more than a connector needs, as a driver has it."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.standins.sqlserver.drivers.installed import mssql_python

from tailrace_standins.listener import HOST
from tailrace_standins.sqlserver.cdc import ChangeDataCapture, install
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.inventory import fill
from tailrace_standins.sqlserver.server import StandIn

pytestmark = pytest.mark.drivers
CHANGES = (
    "SELECT id, name FROM cdc.fn_cdc_get_all_changes_gated"
    "(sys.fn_cdc_get_min_lsn('gated'), sys.fn_cdc_get_max_lsn(), N'all') ORDER BY [__$start_lsn]"
)


@pytest.fixture
def capture() -> Iterator[ChangeDataCapture]:
    engine = Engine(password="secret")
    fill(engine, "inventory", "secret")
    yield install(engine, automatic=False)
    engine.close()


@pytest.fixture
def port(capture: ChangeDataCapture) -> Iterator[int]:
    with StandIn(capture.engine, tls=True) as server:
        owner = connected(server.port, "sa", "secret")
        owner.execute("EXEC sys.sp_cdc_enable_db")
        owner.execute("CREATE TABLE dbo.pens (id int PRIMARY KEY, name nvarchar(20))")
        owner.execute("EXEC sys.sp_cdc_enable_table N'dbo', N'pens', N'gated', @role_name = N'cdc_readers'")
        owner.execute("INSERT dbo.pens VALUES (1, N'red')")
        capture.step("inventory")
        owner.execute("CREATE LOGIN reader WITH PASSWORD = N'Reader-1', DEFAULT_DATABASE = inventory")
        owner.execute("CREATE USER reader FOR LOGIN reader; GRANT SELECT ON dbo.pens TO reader")
        owner.close()
        yield server.port


def connected(port: int, user: str, password: str) -> Any:
    text = f"Server={HOST},{port};UID={user};PWD={password};TrustServerCertificate=yes;Database=inventory"
    return mssql_python().connect(text, autocommit=True)


def test_a_member_of_the_gating_role_reads_changes_and_nobody_else(port: int) -> None:
    owner, reader = connected(port, "sa", "secret"), connected(port, "reader", "Reader-1")
    with pytest.raises(
        mssql_python().Error, match="SELECT permission was denied on the object 'fn_cdc_get_all_changes_gated'"
    ):
        reader.execute(CHANGES).fetchall()
    owner.execute("ALTER ROLE cdc_readers ADD MEMBER reader")
    assert [tuple(row) for row in reader.execute(CHANGES).fetchall()] == [(1, "red")]
    with pytest.raises(mssql_python().Error, match="SELECT permission was denied on the object 'products'"):
        reader.execute("SELECT * FROM dbo.products").fetchall()
    assert [row[0] for row in reader.execute("SELECT name FROM sys.tables").fetchall()] == ["pens"]
    owner.close()
    reader.close()


def test_a_wrong_password_is_refused(port: int) -> None:
    with pytest.raises(mssql_python().Error, match="Login failed for user 'reader'"):
        connected(port, "reader", "secret")
