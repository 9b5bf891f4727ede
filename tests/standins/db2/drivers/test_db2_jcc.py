"""IBM's JDBC driver, in Debezium's version and in today's, against the wire."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from tests.standins.db2.drivers.children import DEBEZIUMS, TODAYS, Child, DriverError, jcc
from tests.standins.db2.drivers.server_certificate import written_pair
from tests.standins.db2.samples import BY_NAME, SAMPLES, Sample
from tests.standins.db2.scripted import ScriptedServer, Table

from tailrace_standins.db2.server import StandIn
from tailrace_standins.db2.session import Column, Isolation
from tailrace_standins.db2.values import SqlType

pytestmark = pytest.mark.drivers
TYPES = {
    "SI": [5, "SMALLINT"], "I": [4, "INTEGER"], "BI": [-5, "BIGINT"], "RE": [7, "REAL"], "DO": [8, "DOUBLE"],
    "DE": [3, "DECIMAL"], "DE31": [3, "DECIMAL"], "DF16": [1111, "DECFLOAT"], "DF34": [1111, "DECFLOAT"],
    "BO": [16, "BOOLEAN"], "C": [1, "CHAR"], "VC": [12, "VARCHAR"], "LV": [-1, "LONG VARCHAR"],
    "CB": [-2, "CHAR FOR BIT DATA"], "VB": [-3, "VARCHAR FOR BIT DATA"], "G": [-15, "GRAPHIC"], "VG": [-9, "VARGRAPHIC"],
    "BN": [-2, "BINARY"], "VBN": [-3, "VARBINARY"], "DA": [91, "DATE"], "TI": [92, "TIME"], "T0": [93, "TIMESTAMP"],
    "T6": [93, "TIMESTAMP"], "T12": [93, "TIMESTAMP"], "CL": [2005, "CLOB"], "BL": [2004, "BLOB"], "DC": [2011, "DBCLOB"],
    "X": [2009, "XML"],
}  # fmt: skip
SETTERS = {
    "SI": "setShort", "I": "setInt", "BI": "setLong", "RE": "setFloat", "DO": "setDouble", "DE": "setBigDecimal",
    "DE31": "setBigDecimal", "DF16": "setBigDecimal", "DF34": "setBigDecimal", "BO": "setBoolean", "CB": "setBytes",
    "VB": "setBytes", "BN": "setBytes", "VBN": "setBytes", "DA": "setDate", "TI": "setTime", "T0": "setTimestamp",
    "T6": "setTimestamp", "T12": "setTimestamp", "CL": "setCharacterStream", "DC": "setCharacterStream",
    "BL": "setBinaryStream",
}  # fmt: skip
NANOSECONDS = 29
VARCHAR = 12  # java.sql.Types


@pytest.fixture(scope="module", params=[DEBEZIUMS, TODAYS])
def child(request: pytest.FixtureRequest) -> Iterator[Child]:
    with jcc(request.param) as started:
        yield started


def told(sample: Sample) -> str:
    value = sample.value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Decimal):
        return f"{value:f}"
    return f"{value}.0" if sample.name == "T0" else str(value)[:NANOSECONDS] if sample.name == "T12" else str(value)


def given(sample: Sample) -> list[object]:
    setter = SETTERS.get(sample.name, "setString")
    plain = setter in {"setShort", "setInt", "setLong", "setFloat", "setDouble", "setBoolean"}
    return [setter, sample.value if plain else told(sample)]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_every_type_is_read_and_so_is_its_null(connected: Child, sample: Sample) -> None:
    number, name, values = connected.ask("column", f"SELECT * FROM read_{sample.name}", 2)
    assert [number, name] == TYPES[sample.name]
    assert values == [told(sample), None, told(sample)]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_every_type_is_written_and_so_is_its_null(scripted: ScriptedServer, connected: Child, sample: Sample) -> None:
    rows = [[["setInt", 1], given(sample)], [["setInt", 2], ["setNull", VARCHAR]]]
    assert connected.ask("prepared", f"INSERT INTO write_{sample.name} VALUES (?, ?)", *rows) == 2
    cut = "2024-02-29 12:34:56.123456789000" if sample.name == "T12" else sample.value
    assert scripted.tables[f"write_{sample.name.lower()}"].rows == [(1, cut), (2, None)]


@pytest.mark.parametrize("size", [1, 40_000, 300_000])
@pytest.mark.parametrize("setter", ["setBytes", "setBinaryStream"])
def test_large_objects_are_written_and_read_whole(connected: Child, setter: str, size: int) -> None:
    data = (bytes(range(256)) * (size // 256 + 1))[:size].hex()
    assert connected.ask("prepared", "INSERT INTO write_bl VALUES (?, ?)", [["setInt", 1], [setter, data]]) == 1
    assert connected.ask("column", "SELECT * FROM write_bl", 2)[2] == [data]


@pytest.mark.parametrize(
    ("table", "shape"),
    [
        ("wide", [3, 200, 0]), ("fat", [5, 3, 10]), ("many", [30_000, 2, 449_985_000]), ("large", [6, 2, 403_001]),
        ("empty", [0, 1, 0]),
    ],
)  # fmt: skip
def test_results_of_any_shape_are_read_whole(connected: Child, table: str, shape: list[int]) -> None:
    assert connected.ask("shape", f"SELECT * FROM {table}") == shape


def test_two_results_are_open_side_by_side_and_stay_over_a_commit(connected: Child) -> None:
    assert connected.ask("side_by_side", "SELECT * FROM many") == 30_000


@pytest.mark.parametrize(
    ("sql", "code", "state"),
    [
        ("SELECT * FROM nosuch", -204, "42704"), ("SELECT * FROM locked", -913, "57033"),
        ("SELECT * FROM dead", -911, "40001"), ("SELECT * FROM late", -952, "57014"),
    ],
)  # fmt: skip
def test_errors_have_code_and_state(connected: Child, sql: str, code: int, state: str) -> None:
    with pytest.raises(DriverError) as raised:
        connected.ask("shape", sql)
    assert (raised.value.code, raised.value.state) == (code, state)
    assert connected.ask("valid")


def test_bytes_are_bound_as_bytes(scripted: ScriptedServer, connected: Child) -> None:
    sql = "SELECT * FROM bits WHERE a > ? AND a <= ?"
    assert connected.ask("bound", sql, ["setBytes", "0001"], ["setBytes", "fffe"]) == ["7"]
    assert scripted.sessions[-1].parameters[-1] == (b"\x00\x01", b"\xff\xfe")


def test_a_batch_is_written_row_by_row(scripted: ScriptedServer, connected: Child) -> None:
    rows = [[["setInt", number], ["setString", f"ž{number}"]] for number in range(5)]
    assert connected.ask("batch", "INSERT INTO write_vc VALUES (?, ?)", *rows) == [1] * 5
    assert scripted.tables["write_vc"].rows == [(number, f"ž{number}") for number in range(5)]


def test_rows_are_counted(connected: Child) -> None:
    assert connected.ask("update", "DELETE FROM many") == 30_000
    assert connected.ask("update", "DELETE FROM many") == 0


def test_a_procedure_has_a_result_set(connected: Child) -> None:
    assert connected.ask("called", "CALL result") == ["of a procedure"]


def test_the_catalogue_is_asked_by_procedures(scripted: ScriptedServer, connected: Child) -> None:
    names = ("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE", "REMARKS")
    columns = tuple(Column(name, SqlType("varchar", 128)) for name in names)
    scripted.tables["sysibm.sqltables"] = Table(columns, [("C", "S", "T", "TABLE", None)])
    assert connected.ask("metadata", "getTables", None, "S", "%", None) == ["C"]
    session = scripted.sessions[-1]
    assert "SYSIBM.SQLTABLES" in session.asked
    assert session.parameters[-1][1:3] == ("S", "%")


def test_isolation_is_a_package(scripted: ScriptedServer, connected: Child) -> None:
    for level, isolation in (
        (1, Isolation.UNCOMMITTED_READ), (2, Isolation.CURSOR_STABILITY), (4, Isolation.READ_STABILITY),
        (8, Isolation.REPEATABLE_READ),
    ):  # fmt: skip
        connected.ask("isolated", level, "SELECT * FROM empty")
        assert scripted.sessions[-1].isolations[-1] is isolation


def test_a_statement_that_takes_too_long_is_cancelled(connected: Child) -> None:
    with pytest.raises(DriverError) as raised:
        connected.ask("timed_out", "WAIT")
    assert (raised.value.code, raised.value.state) == (-952, "57014")


def test_a_wrong_password_is_told_as_one(server: StandIn, child: Child) -> None:
    with pytest.raises(DriverError, match="Password invalid") as raised:
        child.ask("connect", server.port, "wrong")
    assert raised.value.code == -4214


def test_an_unknown_database_is_told_with_its_name(scripted: ScriptedServer, server: StandIn, child: Child) -> None:
    with pytest.raises(DriverError, match="NOSUCH"):
        child.ask("connect", server.port, scripted.password, "NOSUCH")


def test_it_reads_over_tls_what_it_trusts(scripted: ScriptedServer, child: Child, tmp_path: Path) -> None:
    certificate, authority = written_pair(tmp_path)
    options = f"sslConnection=true;sslCertLocation={authority};"
    with StandIn(scripted, certificate=certificate) as server:
        child.ask("connect", server.port, scripted.password, "TESTDB", options)
        assert child.ask("shape", "SELECT * FROM many")[0] == 30_000


def test_every_sample_has_a_type_here() -> None:
    assert TYPES.keys() == BY_NAME.keys()
