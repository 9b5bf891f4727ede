"""The stand-in whole, wire and engine, as pymssql finds it."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from tests.standins.sqlserver.drivers.installed import pymssql

from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.inventory import fill
from tailrace_standins.sqlserver.server import StandIn

PASSWORD = "secret"
pytestmark = pytest.mark.drivers


@pytest.fixture(scope="module")
def connection() -> Iterator[Any]:
    engine = Engine(password=PASSWORD)
    fill(engine, "inventory", PASSWORD)
    try:
        with StandIn(engine, tls=True) as server:
            options = {"server": "127.0.0.1", "port": str(server.port), "user": "sa", "password": PASSWORD}
            made = pymssql().connect(**options, database="inventory", encryption="require")
            yield made
            made.close()
    finally:
        engine.close()


def test_parameters_are_put_into_the_text_and_rows_come_back(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("SELECT name, weight FROM products WHERE id = %d OR name = %s ORDER BY id", (102, "rope"))
    assert cursor.fetchall() == [("compass", Decimal("0.140")), ("rope", Decimal("2.600"))]


def test_a_transaction_is_rolled_back_and_another_committed(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("UPDATE products_on_hand SET quantity = 0 WHERE product_id IN (101, 102)")
    assert cursor.rowcount == 2
    connection.rollback()
    cursor.execute("UPDATE products_on_hand SET quantity = 7 WHERE product_id = 101")
    connection.commit()
    cursor.execute("SELECT quantity FROM products_on_hand WHERE product_id IN (101, 102) ORDER BY product_id")
    assert cursor.fetchall() == [(7,), (41,)]


def test_several_statements_of_a_batch_give_several_results(connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("SELECT 1; UPDATE products_on_hand SET quantity = 7 WHERE product_id = 101; SELECT 2, N'ž'")
    assert cursor.fetchall() == [(1,)]
    assert cursor.nextset()
    assert cursor.fetchall() == [(2, "ž")]
    connection.commit()


def test_an_error_has_its_number_and_the_connection_goes_on(connection: Any) -> None:
    cursor = connection.cursor()
    with pytest.raises(pymssql().ProgrammingError) as caught:
        cursor.execute("SELECT * FROM nowhere")
    assert caught.value.args[0] == 208
    connection.rollback()
    cursor.execute("SELECT 1")
    assert cursor.fetchone() == (1,)


def test_a_database_that_is_not_there_is_told_at_login() -> None:
    engine = Engine(password=PASSWORD)
    try:
        with StandIn(engine) as server, pytest.raises(pymssql().OperationalError, match=r"4060|Cannot open database"):
            pymssql().connect(
                server="127.0.0.1", port=str(server.port), user="sa", password=PASSWORD, database="nowhere"
            )
    finally:
        engine.close()
