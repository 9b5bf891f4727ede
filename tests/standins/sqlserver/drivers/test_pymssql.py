"""pymssql, on FreeTDS, against the wire: it puts parameters into the text itself, and speaks in batches."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.standins.sqlserver.drivers.installed import pymssql
from tests.standins.sqlserver.samples import SAMPLES
from tests.standins.sqlserver.scripted import ScriptedServer, rows

from tailrace_standins.sqlserver.server import StandIn

pytestmark = pytest.mark.drivers


def connected(port: int, **options: Any) -> Any:
    given = {"server": "127.0.0.1", "port": str(port), "user": "sa", "password": "secret", "database": "inventory"}
    return pymssql().connect(**(given | options))


@pytest.fixture
def connection(server: StandIn) -> Iterator[Any]:
    made = connected(server.port)
    yield made
    made.close()


@pytest.mark.parametrize(("tls", "encryption"), [(False, "off"), (True, "off"), (True, "request"), (True, "require")])
def test_it_connects_with_and_without_encryption(scripted: ScriptedServer, tls: bool, encryption: str) -> None:
    with StandIn(scripted, tls=tls) as server:
        made = connected(server.port, encryption=encryption)
        cursor = made.cursor()
        cursor.execute("SELECT 1")
        assert cursor.fetchall() == [(1,)]
        made.close()


def test_every_type_is_read_and_so_is_its_null(scripted: ScriptedServer, connection: Any) -> None:
    read = [sample for sample in SAMPLES if not sample.name.startswith("variant")]  # it gives their bytes
    columns = [(sample.name, sample.type) for sample in read]
    values = [sample.value for sample in read]
    scripted.scripts["select types"] = lambda _: [rows(columns, values, [None] * len(columns))]
    cursor = connection.cursor()
    cursor.execute("SELECT types")
    full, empty = cursor.fetchall()
    for sample, value in zip(read, full, strict=True):
        assert value == sample.python, sample.name
    assert set(empty) == {None}


def test_a_transaction_is_told_in_statements(scripted: ScriptedServer, connection: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("INSERT INTO t VALUES (%s, %s)", ("O'Hara", 7))
    assert cursor.rowcount == 1
    connection.commit()
    asked = [str(what).strip() for kind, what in scripted.sessions[0].asked if kind == "batch"]
    assert "INSERT INTO t VALUES (N'O''Hara', 7)" in asked
    assert any(text.startswith("COMMIT TRAN") for text in asked)


def test_errors_come_with_number_severity_procedure_and_line(connection: Any) -> None:
    with pytest.raises(pymssql().DatabaseError) as caught:
        connection.cursor().execute("WHATEVER")
    number, text = caught.value.args
    assert number == 2812
    assert b"Could not find what to answer to 'WHATEVER'" in text
    assert b"severity 16" in text


def test_a_procedure_is_called_by_name(scripted: ScriptedServer, connection: Any) -> None:
    scripted.scripts["sp_told"] = scripted.scripts["select parameters"]
    cursor = connection.cursor()
    cursor.callproc("sp_told", (5, "ž"))
    assert [(told[1], told[2]) for told in cursor.fetchall()] == [("int", "5"), ("nvarchar", "'ž'")]
