# ruff: noqa: DTZ001 -- SQL Server's datetimes have no zone
"""mssql-python, Microsoft's driver for Python, against the wire: what it asks for and what it makes of the answers."""

import datetime as dt
import threading
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from tests.standins.sqlserver.drivers.installed import mssql_python
from tests.standins.sqlserver.samples import SAMPLES
from tests.standins.sqlserver.scripted import ScriptedServer, rows

from tailrace_standins.sqlserver.server import StandIn
from tailrace_standins.sqlserver.session import Failed, Isolation, Notice, SqlError
from tailrace_standins.sqlserver.values import SqlType

PASSWORD = "secret"
pytestmark = pytest.mark.drivers


def connected(port: int, *, encrypt: str = "no", password: str = PASSWORD, **options: Any) -> Any:
    text = (
        f"Server=127.0.0.1,{port};Database=inventory;UID=sa;PWD={password};Encrypt={encrypt};TrustServerCertificate=yes"
    )
    return mssql_python().connect(text, **options)


@pytest.fixture
def cursor(server: StandIn) -> Iterator[Any]:
    connection = connected(server.port, autocommit=True)
    yield connection.cursor()
    connection.close()


@pytest.mark.parametrize(("tls", "encrypt"), [(False, "no"), (True, "no"), (True, "yes")])
def test_it_connects_with_and_without_encryption(scripted: ScriptedServer, tls: bool, encrypt: str) -> None:
    with StandIn(scripted, tls=tls) as server:
        connection = connected(server.port, encrypt=encrypt)
        assert connection.cursor().execute("SELECT 1").fetchone()[0] == 1
        connection.close()
    login = scripted.logins[0]
    assert (login.user, login.password, login.database) == ("sa", "secret", "inventory")


def test_who_is_not_let_in_is_told_why(server: StandIn) -> None:
    with pytest.raises(Exception, match="Login failed for user 'sa'"):
        connected(server.port, password="wrong")


def test_every_type_is_read_and_so_is_its_null(scripted: ScriptedServer, cursor: Any) -> None:
    columns = [(sample.name, sample.type) for sample in SAMPLES]
    values = [sample.value for sample in SAMPLES]
    scripted.scripts["select types"] = lambda _: [rows(columns, values, [None] * len(columns), values)]
    full, empty, again = cursor.execute("SELECT types").fetchall()
    for sample, value in zip(SAMPLES, full, strict=True):
        assert value == sample.python, sample.name
    assert set(empty) == {None}
    assert tuple(again) == tuple(full)


def test_arrow_reads_the_same(scripted: ScriptedServer, cursor: Any) -> None:
    # Python has no 100 ns, and Arrow's timestamps in ns no year 9999
    plain = [sample for sample in SAMPLES if not sample.name.startswith(("variant", "time7", "datetime2_7"))]
    columns = [(sample.name, sample.type) for sample in plain]
    scripted.scripts["select types"] = lambda _: [rows(columns, [sample.value for sample in plain])]
    found = cursor.execute("SELECT types").arrow().to_pylist()[0]
    for sample in plain:
        expected = str(sample.value).upper() if sample.name == "guid" else sample.python
        if isinstance(expected, dt.datetime) and expected.tzinfo:
            expected = expected.astimezone(dt.UTC)
        assert found[sample.name] == expected, sample.name


@pytest.mark.parametrize(
    ("value", "type_", "told"),
    [
        (7, "tinyint", "7"),
        (-70_000, "int", "-70000"),
        (2**62, "bigint", str(2**62)),
        (True, "bit", "1"),
        (0.1, "float", "0.1"),
        ("žluť 😀", "nvarchar", "'žluť 😀'"),
        ("ascii", "varchar", "'ascii'"),
        ("ž" * 5000, "nvarchar", repr("ž" * 5000)),
        (b"\x00\xff", "varbinary", repr(b"\x00\xff")),
        (b"\x01" * 9000, "varbinary", repr(b"\x01" * 9000)),
        (Decimal("-123.4500"), "numeric", "Decimal('-123.4500')"),
        (dt.date(2024, 2, 29), "date", "'2024-02-29'"),
        (dt.datetime(2024, 2, 29, 1, 2, 3, 456789), "datetime2", "'2024-02-29 01:02:03.456789"),
        (
            dt.datetime(2024, 2, 29, 1, 2, 3, tzinfo=dt.timezone(dt.timedelta(hours=-3))),
            "datetimeoffset",
            "'2024-02-29 01:02:03",
        ),
        (uuid.UUID(int=5), "uniqueidentifier", repr(uuid.UUID(int=5))),
    ],
)
def test_parameters_come_with_type_and_value(cursor: Any, value: object, type_: str, told: str) -> None:
    name, found, text = cursor.execute("SELECT parameters ?", (value,)).fetchone()
    assert (name, found) == ("@P1", type_)
    assert text.startswith(told)


def test_a_statement_is_prepared_once_and_run_often(cursor: Any, scripted: ScriptedServer) -> None:
    for number in range(4):
        assert cursor.execute("SELECT parameters ?, ?", (1000 + number, "a")).fetchall()[0][2] == str(1000 + number)
    assert [what for what, _ in scripted.sessions[0].asked].count("execute") == 4


def test_transactions_begin_again_at_once(server: StandIn, scripted: ScriptedServer) -> None:
    connection = connected(server.port, autocommit=False)
    connection.cursor().execute("INSERT x")
    connection.commit()
    connection.cursor().execute("INSERT x")
    connection.rollback()
    connection.close()
    asked = [what for what, _ in scripted.sessions[0].asked if what in {"begin", "commit", "rollback"}]
    assert asked[:5] == ["begin", "commit", "begin", "rollback", "begin"]  # a pool ends the last one, too
    assert ("begin", Isolation.CURRENT) in scripted.sessions[0].asked


def test_changed_rows_are_counted(cursor: Any) -> None:
    assert cursor.execute("UPDATE x").rowcount == 3


def test_several_results_come_one_after_the_other(scripted: ScriptedServer, cursor: Any) -> None:
    one = [("a", SqlType("int"))]
    scripted.scripts["exec two"] = lambda _: [Notice(0, "hello"), rows(one, (1,)), rows(one, (2,), (3,))]
    cursor.execute("EXEC two")
    assert cursor.fetchall()[0][0] == 1
    assert cursor.nextset()
    assert [row[0] for row in cursor.fetchall()] == [2, 3]
    assert not cursor.nextset()


def test_errors_come_with_their_message_and_the_connection_goes_on(cursor: Any) -> None:
    with pytest.raises(Exception, match="Could not find what to answer"):
        cursor.execute("WHATEVER")
    with pytest.raises(Exception, match="Could not find what to answer"):
        cursor.execute("WHATEVER ?", (1,))
    assert cursor.execute("SELECT 1").fetchone()[0] == 1


def test_an_error_after_rows_is_told_when_the_rows_are_over(scripted: ScriptedServer, cursor: Any) -> None:
    failed = Failed(SqlError(8134, "Divide by zero error encountered."))
    scripted.scripts["exec half"] = lambda _: [rows([("a", SqlType("int"))], (1,)), failed]
    cursor.execute("EXEC half")
    assert cursor.fetchone()[0] == 1
    with pytest.raises(Exception, match="Divide by zero"):
        cursor.nextset()
    assert cursor.execute("SELECT 1").fetchone()[0] == 1


def test_a_statement_that_takes_too_long_is_cancelled(server: StandIn) -> None:
    connection = connected(server.port, autocommit=True)
    connection.timeout = 1
    cursor = connection.cursor()
    for statement, parameters in (("WAITFOR DELAY '1:00'", ()), ("WAITFOR DELAY ?", ("1:00",))):
        with pytest.raises(Exception, match=r"(?i)timeout"):
            cursor.execute(statement, parameters)
        assert cursor.execute("SELECT 1").fetchone()[0] == 1
    connection.close()


def test_many_clients_are_served_at_once(server: StandIn) -> None:
    found: list[int] = []

    def one(number: int) -> None:
        connection = connected(server.port, autocommit=True)
        given = [1000 * number + each for each in range(10)]
        cursor = connection.cursor()
        found.extend(int(cursor.execute("SELECT parameters ?", (each,)).fetchone()[2]) for each in given)
        connection.close()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(1, 21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(found) == sorted(1000 * number + each for number in range(1, 21) for each in range(10))
