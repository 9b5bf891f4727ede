"""A primary and its readable secondary on ports of their own, as drivers find them."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.standins.sqlserver.drivers.installed import mssql_python, pymssql

from tailrace_standins.listener import HOST
from tailrace_standins.sqlserver.engine.availability import Access, AvailabilityGroup
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.inventory import fill
from tailrace_standins.sqlserver.server import StandIn

pytestmark = pytest.mark.drivers
PASSWORD = "secret"


@pytest.fixture
def group() -> Iterator[AvailabilityGroup]:
    engine = Engine(password=PASSWORD)
    fill(engine, "inventory", PASSWORD)
    made = AvailabilityGroup(engine, ["inventory"])
    made.secondary.access = Access.READ_ONLY
    yield made
    engine.close()


@pytest.fixture
def ports(group: AvailabilityGroup) -> Iterator[tuple[int, int]]:
    """Of the primary and of the secondary."""
    with StandIn(group.primary, tls=True) as first, StandIn(group.secondary, tls=True) as second:
        yield first.port, second.port


def connected(port: int, intent: str) -> Any:
    """A connection of mssql-python's with that ApplicationIntent."""
    text = f"Server={HOST},{port};Database=inventory;UID=sa;PWD={PASSWORD};TrustServerCertificate=yes;ApplicationIntent={intent}"
    return mssql_python().connect(text, autocommit=True)


def test_mssql_python_writes_at_the_primary_and_reads_with_read_intent_at_the_secondary(ports: tuple[int, int]) -> None:
    writer, reader = connected(ports[0], "ReadWrite"), connected(ports[1], "ReadOnly")
    writer.execute("UPDATE products SET name = N'lamp' WHERE id = 101")
    assert reader.execute("SELECT name FROM products WHERE id = 101").fetchall()[0][0] == "lamp"
    assert reader.execute("SELECT DATABASEPROPERTYEX(DB_NAME(), 'Updateability')").fetchall()[0][0] == "READ_ONLY"
    with pytest.raises(mssql_python().Error, match='Failed to update database "inventory"'):
        reader.execute("DELETE products")
    writer.close()
    reader.close()


def test_mssql_python_is_told_that_the_secondary_wants_read_intent(ports: tuple[int, int]) -> None:
    with pytest.raises(mssql_python().Error, match="when the application intent is set to read only"):
        connected(ports[1], "ReadWrite")


def test_pymssql_comes_with_read_intent_to_a_secondary_that_lets_nobody_else_in(ports: tuple[int, int]) -> None:
    given = {"server": HOST, "port": str(ports[1]), "user": "sa", "password": PASSWORD, "database": "inventory"}
    with pymssql().connect(**given, read_only=True) as reader, reader.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM products")
        assert cursor.fetchone()[0] > 0


def test_a_driver_loses_its_connection_at_a_fail_over_and_finds_the_new_roles(
    group: AvailabilityGroup, ports: tuple[int, int]
) -> None:
    reader = connected(ports[1], "ReadOnly")
    group.fail_over()
    with pytest.raises(mssql_python().Error):
        reader.execute("SELECT 1").fetchall()
    writer = connected(ports[1], "ReadWrite")
    writer.execute("UPDATE products SET name = N'lamp' WHERE id = 101")
    assert (
        connected(ports[0], "ReadOnly").execute("SELECT name FROM products WHERE id = 101").fetchall()[0][0] == "lamp"
    )
    writer.close()
