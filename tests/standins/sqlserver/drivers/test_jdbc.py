"""mssql-jdbc, Microsoft's driver for Java, which Debezium uses, against the wire."""

from collections.abc import Iterator

import pytest
from tests.standins.sqlserver.drivers.java import Jdbc, JdbcError, jdbc_of
from tests.standins.sqlserver.samples import SAMPLES
from tests.standins.sqlserver.scripted import ScriptedServer, rows

from tailrace_standins.sqlserver.server import StandIn
from tailrace_standins.sqlserver.session import ReturnValue
from tailrace_standins.sqlserver.values import SqlType

pytestmark = [pytest.mark.drivers, pytest.mark.slow]
SCRIPTED = ScriptedServer()


@pytest.fixture(scope="module")
def jdbc() -> Iterator[Jdbc]:
    with StandIn(SCRIPTED, tls=True) as server, jdbc_of(server.port) as asked:
        yield asked


@pytest.mark.parametrize(
    "options", ["encrypt=false", "encrypt=true", "encrypt=false;packetSize=512", "encrypt=true;packetSize=32767"]
)
def test_it_connects_with_and_without_encryption_and_in_packets_of_any_size(jdbc: Jdbc, options: str) -> None:
    assert jdbc.ask("query", "SELECT 1", options=options) == [["1"]]
    long = "ž" * 70_000
    found = jdbc.ask("prepared", "SELECT parameters ?", 1, ["setString", long], options=options)
    assert found[0][2] == repr(long)


def test_every_type_is_read_and_so_is_its_null(jdbc: Jdbc) -> None:
    columns = [(sample.name, sample.type) for sample in SAMPLES]
    values = [sample.value for sample in SAMPLES]
    SCRIPTED.scripts["select types"] = lambda _: [rows(columns, values, [None] * len(columns))]
    full, empty = jdbc.ask("query", "SELECT types")
    for sample, text in zip(SAMPLES, full, strict=True):
        if not sample.name.startswith(("date", "time", "smalldate", "bit", "real")):
            assert text == sample.java, sample.name
        elif sample.name.startswith(("datetime2", "datetimeoffset")):
            assert text == sample.value, sample.name
    assert set(empty) == {None}


@pytest.mark.parametrize("prepare", ["prepexec", "prepare"])
def test_a_statement_is_prepared_and_run_again_by_its_handle(jdbc: Jdbc, prepare: str) -> None:
    values = [
        ["setInt", 7],
        ["setLong", 2**40],
        ["setString", "ž"],
        ["setBytes", "00ff"],
        ["setBigDecimal", "-12.3400"],
        ["setTimestamp", "2024-02-29 01:02:03.1234567"],
        ["setDate", "2024-02-29"],
        ["setBoolean", True],
    ]
    statement = f"SELECT parameters {', '.join('?' * len(values))} -- {prepare}"
    found = jdbc.ask("prepared", statement, 4, *values, options=f"encrypt=false;prepareMethod={prepare}")
    assert [told[2] for told in found] == [
        "7", str(2**40), "'ž'", repr(b"\x00\xff"), "Decimal('-12.3400')", "'2024-02-29 01:02:03.1234567'", "'2024-02-29'", "1",
    ]  # fmt: skip
    assert [told[0] for told in found] == [f"@P{place}" for place in range(8)]


def test_changed_rows_are_counted(jdbc: Jdbc) -> None:
    assert jdbc.ask("update", "UPDATE x") == 3
    assert jdbc.ask("update", "CREATE TABLE x") == 0


def test_a_procedure_gives_its_status_and_its_output(jdbc: Jdbc) -> None:
    integer = SqlType("int")
    SCRIPTED.scripts["exec  @p0 = twice"] = lambda given: [
        ReturnValue(given[0].name, integer, 4),
        ReturnValue(given[2].name, integer, 2 * int(str(given[1].value))),
    ]
    SCRIPTED.scripts["exec thrice"] = lambda given: [ReturnValue(given[1].name, integer, 3 * int(str(given[0].value)))]
    assert jdbc.ask("called", "{? = call twice(?, ?)}", 21) == [4, 42]
    assert jdbc.ask("output", "{call thrice(?, ?)}", 21) == 63


def test_transactions_are_told_in_statements(jdbc: Jdbc) -> None:
    SCRIPTED.scripts["select @@trancount"] = lambda _: [rows([("", SqlType("int"))], (0,))]
    assert jdbc.ask("transaction", "INSERT x", "commit")
    assert jdbc.ask("transaction", "INSERT x", "rollback")
    asked = [str(what) for session in SCRIPTED.sessions for _, what in session.asked]
    assert any("implicit_transactions on" in text for text in asked)
    assert "IF @@TRANCOUNT > 0 COMMIT TRAN" in asked
    assert "IF @@TRANCOUNT > 0 ROLLBACK TRAN" in asked


def test_errors_come_with_their_number_and_the_connection_goes_on(jdbc: Jdbc) -> None:
    with pytest.raises(JdbcError, match="Could not find what to answer to 'WHATEVER'") as caught:
        jdbc.ask("query", "WHATEVER")
    assert caught.value.number == 2812
    with pytest.raises(JdbcError, match="Could not find what to answer"):
        jdbc.ask("prepared", "WHATEVER ?", 3, ["setInt", 1])
    assert jdbc.ask("query", "SELECT 1") == [["1"]]


def test_a_statement_that_takes_too_long_is_cancelled(jdbc: Jdbc) -> None:
    with pytest.raises(JdbcError, match="timed out"):
        jdbc.ask("timed_out", "WAITFOR DELAY '1:00'")
    assert jdbc.ask("query", "SELECT 1") == [["1"]]
