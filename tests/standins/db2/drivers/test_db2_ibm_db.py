"""ibm_db, over IBM's CLI driver, against the wire."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from tests.standins.db2.drivers.children import Child, DriverError, ibm_db
from tests.standins.db2.drivers.server_certificate import written_pair
from tests.standins.db2.samples import BY_NAME, SAMPLES, Sample
from tests.standins.db2.scripted import ScriptedServer, Table

from tailrace_standins.db2.drda.types import LARGE
from tailrace_standins.db2.server import StandIn

pytestmark = pytest.mark.drivers
READ = [sample for sample in SAMPLES if sample.type.name not in LARGE]  # it asks for locators of these unless told not to
MICROSECONDS = 26


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with ibm_db() as started:
        yield started


def told(sample: Sample) -> str:
    if isinstance(sample.value, bytes):
        return sample.value.hex()
    if sample.name == "DE31":
        return str(sample.value)[1:]  # without the 0 before the point
    if isinstance(sample.value, Decimal):
        return f"{sample.value:f}"
    return str(sample.value)[:MICROSECONDS] if sample.type.name == "timestamp" else str(sample.value)


def given(sample: Sample) -> list[str]:
    if isinstance(sample.value, bytes):
        return ["bytes", sample.value.hex()]
    whole = sample.type.name in {"smallint", "integer", "bigint", "boolean"}
    return ["int" if whole else "text", str(int(sample.value)) if whole else told(sample)]


@pytest.mark.parametrize("sample", READ, ids=lambda sample: sample.name)
def test_every_type_is_read_and_so_is_its_null(connected: Child, sample: Sample) -> None:
    rows = connected.ask("query", f"SELECT * FROM read_{sample.name}")
    assert rows == [["1", told(sample)], ["2", None], ["3", told(sample)]]


@pytest.mark.parametrize("sample", [BY_NAME["CL"], BY_NAME["BL"]], ids=lambda sample: sample.name)
def test_large_objects_are_read_as_long_values(
    scripted: ScriptedServer, server: StandIn, child: Child, sample: Sample
) -> None:
    child.ask("connect", server.port, scripted.password, "TESTDB", "LONGDATACOMPAT=1;")
    scripted.tables["long"] = Table((sample.column,), [(sample.value * size,) for size in (1, 20, 200)])
    rows = child.ask("query", "SELECT * FROM long")
    assert rows == [[told(sample) * size] for size in (1, 20, 200)]


@pytest.mark.parametrize("sample", READ, ids=lambda sample: sample.name)
def test_every_type_is_written_and_so_is_its_null(scripted: ScriptedServer, connected: Child, sample: Sample) -> None:
    rows = [[["int", 1], given(sample)], [["int", 2], ["text", None]]]
    assert connected.ask("prepared", f"INSERT INTO write_{sample.name} VALUES (?, ?)", *rows) == 1
    cut = "2024-02-29 12:34:56.123456000000" if sample.name == "T12" else sample.value
    assert scripted.tables[f"write_{sample.name.lower()}"].rows == [(1, cut), (2, None)]


@pytest.mark.parametrize(
    ("table", "shape"),
    [("wide", [3, 200, 0]), ("fat", [5, 3, 10]), ("many", [30_000, 2, 449_985_000]), ("empty", [0, 1, 0])],
)
def test_results_of_any_shape_are_read_whole(connected: Child, table: str, shape: list[int]) -> None:
    assert connected.ask("shape", f"SELECT * FROM {table}") == shape


@pytest.mark.parametrize(
    ("sql", "code", "state", "text"),
    [
        ("SELECT * FROM nosuch", -204, "42704", '"nosuch" is an undefined name'),
        ("SELEC", -104, "42601", 'token "SELEC" was found following "BEGIN-OF-STATEMENT"'),
        ("SELECT * FROM locked", -913, "57033", 'Reason code "68"'),
        ("SELECT * FROM dead", -911, "40001", 'Reason code "2"'),
        ("SELECT * FROM late", -952, "57014", "due to an interrupt"),
    ],
)
def test_errors_have_code_state_and_the_text_with_its_tokens(
    connected: Child, sql: str, code: int, state: str, text: str
) -> None:
    with pytest.raises(DriverError, match=text) as raised:
        connected.ask("shape", sql)
    assert (raised.value.code, raised.value.state) == (code, state)


def test_bytes_are_bound_as_bytes(scripted: ScriptedServer, connected: Child) -> None:
    sql = "SELECT * FROM bits WHERE a > ? AND a <= ?"
    assert connected.ask("bound", sql, ["bytes", "0001"], ["bytes", "fffe"]) == [["7"]]
    assert scripted.sessions[-1].parameters[-1] == (b"\x00\x01", b"\xff\xfe")


def test_rows_are_counted_and_the_transaction_ended(scripted: ScriptedServer, connected: Child) -> None:
    assert connected.ask("update", "DELETE FROM many") == 30_000
    assert connected.ask("update", "DELETE FROM many") == 0
    assert connected.ask("end", "commit")
    assert connected.ask("end", "rollback")
    assert {"commit", "rollback"} <= set(scripted.sessions[-1].asked)


def test_a_wrong_password_is_told_as_one(server: StandIn, child: Child) -> None:
    with pytest.raises(DriverError, match=r"SQL30082N.*PASSWORD INVALID"):
        child.ask("connect", server.port, "wrong")


def test_an_unknown_database_is_told_with_its_name(scripted: ScriptedServer, server: StandIn, child: Child) -> None:
    with pytest.raises(DriverError, match=r"SQL30061N.*NOSUCH"):
        child.ask("connect", server.port, scripted.password, "NOSUCH")


def test_it_reads_over_tls_what_it_trusts(scripted: ScriptedServer, child: Child, tmp_path: Path) -> None:
    certificate, authority = written_pair(tmp_path)
    options = f"SECURITY=SSL;SSLServerCertificate={authority};"
    with StandIn(scripted, certificate=certificate) as server:
        child.ask("connect", server.port, scripted.password, "TESTDB", options)
        assert child.ask("shape", "SELECT * FROM many")[0] == 30_000
