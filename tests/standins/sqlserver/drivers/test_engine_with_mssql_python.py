# ruff: noqa: DTZ001 -- SQL Server's datetimes have no zone
"""The stand-in whole, wire and engine, as mssql-python finds it."""

import datetime as dt
import threading
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from tests.standins.sqlserver.drivers.installed import mssql_python
from tests.standins.sqlserver.raw_client import RawClient, batch

from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.inventory import fill
from tailrace_standins.sqlserver.server import StandIn
from tailrace_standins.sqlserver.tds.packets import Kind

PASSWORD = "secret"
pytestmark = pytest.mark.drivers
SECONDS = 20

TYPES: list[tuple[str, object]] = [
    ("bit", True),
    ("tinyint", 255),
    ("smallint", -32768),
    ("int", 2147483647),
    ("bigint", -(2**63)),
    ("real", 1.5),
    ("float", 0.1),
    ("decimal(5, 2)", Decimal("-123.45")),
    ("decimal(38, 10)", Decimal("1234567890123456789012345678.0123456789")),
    ("money", Decimal("-922337203685477.5808")),
    ("smallmoney", Decimal("214748.3647")),
    ("char(5)", "ab€  "),
    ("varchar(20)", "naïve €"),
    ("varchar(40) COLLATE Latin1_General_100_CI_AS_SC_UTF8", "žluť 😀"),
    ("varchar(max)", "y" * 9000 + "é"),
    ("nchar(4)", "žž  "),
    ("nvarchar(50)", "žluť 😀"),
    ("nvarchar(max)", "x" * 9000 + "ž"),
    ("binary(4)", b"\x00\x01\xfe\xff"),
    ("varbinary(10)", b"\x00\xff"),
    ("varbinary(max)", bytes(range(256)) * 40),
    ("uniqueidentifier", uuid.UUID("12345678-9abc-def0-1234-56789abcdef0")),
    ("date", dt.date(2024, 2, 29)),
    ("time(6)", dt.time(1, 2, 3, 456789)),
    ("smalldatetime", dt.datetime(2024, 2, 29, 12, 34)),
    ("datetime", dt.datetime(1753, 1, 1, 23, 59, 59, 997000)),
    ("datetime2(3)", dt.datetime(2024, 2, 29, 12, 34, 56, 789000)),
    ("datetime2(7)", dt.datetime(9999, 12, 31, 23, 59, 59, 999999)),
    ("datetimeoffset(6)", dt.datetime(2024, 2, 29, 2, 34, 56, 123456, dt.timezone(dt.timedelta(minutes=330)))),
]


@pytest.fixture(scope="module")
def server() -> Iterator[StandIn]:
    engine = Engine(password=PASSWORD)
    try:
        assert fill(engine, "inventory", PASSWORD)
        with StandIn(engine) as started:
            yield started
    finally:
        engine.close()


def connected(server: StandIn, *, autocommit: bool = True) -> Any:
    text = f"Server=127.0.0.1,{server.port};Database=inventory;UID=sa;PWD={PASSWORD};Encrypt=no"
    return mssql_python().connect(text, autocommit=autocommit)


@pytest.fixture
def connection(server: StandIn) -> Iterator[Any]:
    made = connected(server)
    yield made
    made.close()


def table(connection: Any, columns: str) -> str:
    """A fresh table; its name."""
    name = f"t_{uuid.uuid4().hex[:10]}"
    connection.cursor().execute(f"CREATE TABLE {name} ({columns})")
    return name


@pytest.mark.parametrize(("type_", "value"), TYPES, ids=[type_ for type_, _ in TYPES])
def test_a_value_of_every_type_goes_in_as_a_parameter_and_comes_out_again(
    connection: Any, type_: str, value: object
) -> None:
    name = table(connection, f"id int PRIMARY KEY, v {type_}")
    cursor = connection.cursor()
    cursor.execute(f"INSERT INTO {name} VALUES (?, ?)", (1, value))
    cursor.execute(f"INSERT INTO {name} (id) VALUES (?)", (2,))
    assert [row[0] for row in cursor.execute(f"SELECT v FROM {name} ORDER BY id").fetchall()] == [value, None]
    assert cursor.execute(f"SELECT v FROM {name} ORDER BY id").arrow().num_rows == 2


def test_many_rows_go_in_at_once_and_come_out_as_arrow(connection: Any) -> None:
    name = table(connection, "id int PRIMARY KEY, name nvarchar(20), amount decimal(18, 4), at datetime2(3)")
    at = dt.datetime(2024, 2, 29, 12, 34, 56, 789000)
    rows = [
        (number, f"ž{number}", Decimal(number) / 10000, at) for number in range(5_000)
    ]  # more would wait for ever: Arrow is read under Python's lock
    cursor = connection.cursor()
    cursor.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", rows)
    found = cursor.execute(f"SELECT * FROM {name} ORDER BY id").arrow()
    assert list(zip(*(column.to_pylist() for column in found.columns), strict=True)) == rows


def test_a_statement_is_prepared_once_and_run_often(connection: Any) -> None:
    cursor = connection.cursor()
    found = [cursor.execute("SELECT name FROM products WHERE id = ?", (101 + n % 3,)).fetchone()[0] for n in range(9)]
    assert found == ["lantern", "compass", "rope"] * 3


def test_a_transaction_is_seen_when_it_is_committed_and_never_when_it_is_rolled_back(
    server: StandIn, connection: Any
) -> None:
    name = table(connection, "id int PRIMARY KEY")
    writer = connected(server, autocommit=False)
    cursor = writer.cursor()
    cursor.execute(f"INSERT INTO {name} VALUES (1)")
    assert cursor.rowcount == 1
    writer.commit()
    cursor.execute(f"INSERT INTO {name} VALUES (2)")
    writer.rollback()
    cursor.execute(f"INSERT INTO {name} VALUES (3)")
    writer.commit()
    writer.close()
    assert [row[0] for row in connection.cursor().execute(f"SELECT id FROM {name} ORDER BY id").fetchall()] == [1, 3]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT * FROM nowhere", "Invalid object name 'nowhere'"),
        ("SELECT nothing FROM products", "Invalid column name 'nothing'"),
        ("INSERT INTO products_on_hand VALUES (101, 1)", "PRIMARY KEY"),
        (
            "INSERT INTO orders (order_date, purchaser, quantity, product_id) VALUES ('2024-01-01', 1, 1, 101)",
            "FOREIGN KEY",
        ),
        ("INSERT INTO customers (first_name) VALUES ('x')", "Cannot insert the value NULL"),
        ("SELEC 1", "(?i)syntax|Could not find stored procedure"),
        ("SELECT 1 / 0", "Divide by zero"),
    ],
)
def test_errors_are_told_in_sql_server_s_words(connection: Any, sql: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        connection.cursor().execute(sql).fetchall()
    assert connection.cursor().execute("SELECT 1").fetchone()[0] == 1


def test_metadata_is_told(connection: Any) -> None:
    cursor = connection.cursor()
    tables = {row[2]: row[3] for row in cursor.tables().fetchall()}
    assert tables["orders"] == "TABLE"
    columns = [(row[3], row[5]) for row in cursor.columns(table="products").fetchall()]
    assert columns == [("id", "int identity"), ("name", "nvarchar"), ("description", "nvarchar"), ("weight", "decimal")]
    keys = [row[3] for row in cursor.primaryKeys(table="products_on_hand").fetchall()]
    assert keys == ["product_id"]


def test_a_statement_that_waits_for_a_lock_too_long_is_cancelled(server: StandIn, connection: Any) -> None:
    name = table(connection, "id int PRIMARY KEY, v int")
    connection.cursor().execute(f"INSERT INTO {name} VALUES (1, 1)")
    holder = connected(server, autocommit=False)
    holder.cursor().execute(f"UPDATE {name} SET v = 2")
    connection.timeout = 1
    with pytest.raises(Exception, match=r"(?i)timeout"):
        connection.cursor().execute(f"UPDATE {name} SET v = 3")
    connection.timeout = 0
    holder.commit()
    holder.close()
    assert connection.cursor().execute(f"SELECT v FROM {name}").fetchone()[0] == 2


def test_a_client_that_goes_in_its_transaction_leaves_no_lock(server: StandIn, connection: Any) -> None:
    name = table(connection, "id int PRIMARY KEY, v int")
    connection.cursor().execute(f"INSERT INTO {name} VALUES (1, 1)")
    with RawClient(server.port) as holder:
        holder.enter()
        holder.ask(Kind.BATCH, batch(f"BEGIN TRANSACTION; UPDATE {name} SET v = 2"))
    connection.timeout = SECONDS
    assert connection.cursor().execute(f"UPDATE {name} SET v = 3").rowcount == 1


def test_many_clients_write_at_once(server: StandIn, connection: Any) -> None:
    name = table(connection, "id int PRIMARY KEY, v int")
    failed: list[Exception] = []

    def write(number: int) -> None:
        try:
            own = connected(server)
            cursor = own.cursor()
            for each in range(20):
                cursor.execute(f"INSERT INTO {name} VALUES (?, ?)", (100 * number + each, number))
            own.close()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed
    assert connection.cursor().execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0] == 160
