"""adbc-driver-db2, in Go and without IBM's library, against the wire: what the connector reads with."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from tests.standins.db2.drivers.children import Child, DriverError, adbc
from tests.standins.db2.drivers.server_certificate import written_pair
from tests.standins.db2.samples import SAMPLES
from tests.standins.db2.scripted import ScriptedServer, Table

from tailrace_standins.db2.server import StandIn
from tailrace_standins.db2.session import Column
from tailrace_standins.db2.values import SqlType

pytestmark = pytest.mark.drivers
TYPES = {
    "SI": "int16", "I": "int32", "BI": "int64", "RE": "float", "DO": "double", "DE": "decimal128(18, 4)",
    "DE31": "decimal128(31, 31)", "BO": "bool", "BN": "binary", "VBN": "binary", "BL": "binary", "DA": "date32[day]",
    "TI": "time32[s]", "T0": "timestamp[s]", "T6": "timestamp[us]", "T12": "timestamp[ns]",
}  # fmt: skip
AMISS = {
    "DF34": "the driver reads the first digit 9 as 8 where all digits are used",
    "DC": "the driver has no DBCLOB",
}
READ = [sample for sample in SAMPLES if sample.name not in AMISS]


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with adbc() as started:
        yield started


def expected(name: str, value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if name in {"T6", "T12"}:
        return str(value)[: {"T6": 26, "T12": 29}[name]]
    if name not in TYPES:
        return str(value).rstrip().encode().hex()  # blanks at the end of CHAR and GRAPHIC are gone
    return str(value)


@pytest.mark.parametrize("sample", READ, ids=lambda sample: sample.name)
def test_every_type_is_read_and_so_is_its_null(connected: Child, sample) -> None:
    type_, values = connected.ask("column", f"SELECT * FROM read_{sample.name}", 1)
    assert type_ == TYPES.get(sample.name, "string")
    assert values == [expected(sample.name, sample.value), None, expected(sample.name, sample.value)]


def test_what_the_driver_has_no_type_for_is_its_error(connected: Child) -> None:
    with pytest.raises(DriverError, match="0xCD"):
        connected.ask("column", "SELECT * FROM read_dc", 1)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("wide", [3, 200, 0]), ("fat", [5, 3, 10]), ("many", [30_000, 2, 449_985_000]), ("large", [6, 2, 403_001]),
        ("empty", [0, 1, 0]),
    ],
)  # fmt: skip
def test_results_of_any_shape_are_read_whole(connected: Child, table: str, told: list[int]) -> None:
    assert connected.ask("shape", f"SELECT * FROM {table}") == told


@pytest.mark.parametrize(
    ("sql", "code", "state"),
    [
        ("SELECT * FROM nosuch", -204, "42704"), ("SELEC", -104, "42601"), ("SELECT * FROM locked", -913, "57033"),
        ("SELECT * FROM late", -952, "57014"), ("SELECT * FROM dead", -911, "40001"),
    ],
)  # fmt: skip
def test_errors_have_code_and_state(connected: Child, sql: str, code: int, state: str) -> None:
    with pytest.raises(DriverError) as told:
        connected.ask("shape", sql)
    assert (told.value.code, told.value.state) == (code, state)


@pytest.mark.parametrize(
    ("number", "read"),
    [("1.20", "1.20"), ("8999999999999999", "8999999999999999"), ("9999999999999999", "8999999999999999"), ("1E+5", "1")],
)
def test_some_decfloats_are_misread_by_the_driver(
    scripted: ScriptedServer, connected: Child, number: str, read: str
) -> None:
    scripted.tables["number"] = Table((Column("V", SqlType("decfloat", precision=16)),), [(Decimal(number),)])
    assert connected.ask("column", "SELECT * FROM number", 0) == ["string", [read.encode().hex()]]


def test_bytes_are_bound_as_bytes_although_the_driver_calls_them_text(scripted: ScriptedServer, connected: Child) -> None:
    assert connected.ask("bound", "SELECT * FROM bits WHERE a > ? AND a <= ?", "0001", "fffe") == [[7]]
    assert scripted.sessions[-1].parameters[-1] == (b"\x00\x01", b"\xff\xfe")


def test_large_objects_follow_their_rows_also_with_parameters(connected: Child) -> None:
    found = connected.ask("bound_column", "SELECT * FROM bound_large WHERE a > ?", "00")
    assert found == [b"small".hex(), bytes(100_000).hex()]


@pytest.mark.parametrize(("text", "read"), [("žluť €", "žluť €"), ("kůň", None), ("東京", None)])
def test_short_text_without_latin_letters_is_misread_by_the_driver(
    scripted: ScriptedServer, connected: Child, text: str, read: str | None
) -> None:
    scripted.tables["text"] = Table((Column("V", SqlType("varchar", 50)),), [(text,)])
    scripted.tables["bytes"] = Table((Column("V", SqlType("varchar", 50, bit_data=True)),), [(text.encode(),)])
    (found,) = connected.ask("column", "SELECT * FROM text", 0)[1]
    assert found == (read.encode() if read else text.encode().decode("cp500").encode()).hex()
    (found,) = connected.ask("column", "SELECT * FROM bytes", 0)[1]
    assert found == text.encode().hex()


def test_rows_are_written_and_the_transaction_ended(scripted: ScriptedServer, connected: Child) -> None:
    assert connected.ask("many", "INSERT INTO write_vc VALUES (?, ?)", [[1, "žluť"], [2, None], [3, ""]]) == 3
    assert scripted.tables["write_vc"].rows == [(1, "žluť"), (2, None), (3, "")]
    assert connected.ask("end", "commit")
    assert connected.ask("end", "rollback")
    asked = scripted.sessions[-1].asked
    assert asked.index("commit") < asked.index("rollback")


def test_a_wrong_password_ends_the_connection_and_the_driver_says_no_more(server: StandIn, child: Child) -> None:
    with pytest.raises(DriverError, match=r"SECCHKRM.*EOF"):
        child.ask("connect", server.port, "wrong")


def test_an_unknown_database_is_told_with_its_name(scripted: ScriptedServer, server: StandIn, child: Child) -> None:
    with pytest.raises(DriverError, match="NOSUCH"):
        child.ask("connect", server.port, scripted.password, "NOSUCH")


def test_it_reads_over_tls_what_it_trusts(scripted: ScriptedServer, child: Child, tmp_path: Path) -> None:
    certificate, authority = written_pair(tmp_path)
    with StandIn(scripted, certificate=certificate) as server:
        child.ask("connect", server.port, scripted.password, "TESTDB", f"?tls=true&tls_ca_cert={authority}")
        assert child.ask("shape", "SELECT * FROM many")[0] == 30_000
