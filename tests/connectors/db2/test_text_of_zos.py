"""Text of Db2 for z/OS, whose tables are EBCDIC as a rule: the server converts all that is read to UTF-8.

The stand-in has no EBCDIC. So what it is asked is looked at too: nothing becomes FOR BIT DATA, or a BLOB, that was not converted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from support.change_table_reading import read_on, started
from support.db2_reading import settings_of, write
from support.snapshotting import taken
from tailrace.connectors.change_tables.snapshots import capture
from tailrace.connectors.db2.connection import Session
from tailrace.connectors.db2.snapshots import capture_progress
from tailrace.connectors.db2.types import expressions
from tailrace.connectors.shared import jdbc
from tailrace.schema.tables import Column
from tailrace_standins.servers.db2_server import Database, StandInServer

KEY, TEXT = "Ärger", "naïve € 日本"
UNCONVERTED = re.compile(r"([^ ]+) AS VARCHAR\(\d+\) FOR BIT DATA")
OF_CATALOGUE = re.compile(r"(CAST\(([ckitsu]\.)?[A-Z]+|^END)$")
"""Names and choices of them in the catalogue, which is Unicode."""


def selected(type_: str, number: int, length: int) -> str:
    return expressions(Column("C", type_, type_, number, length=length), is_zos=True)[0]


@pytest.mark.parametrize(
    ("type_", "number", "length", "expected"),
    [
        ("VARCHAR", jdbc.VARCHAR, 10, "CAST(CAST({} AS VARCHAR(30) CCSID UNICODE) AS VARCHAR(30) FOR BIT DATA)"),
        ("CHAR", jdbc.CHAR, 2, "CAST(CAST({} AS VARCHAR(6) CCSID UNICODE) AS VARCHAR(6) FOR BIT DATA)"),
        ("VARCHAR", jdbc.VARCHAR, 32704, "BLOB(X'00') CONCAT BLOB(CAST({} AS CLOB(98112) CCSID UNICODE))"),
        ("CLOB", jdbc.CLOB, 2147483647, "BLOB(X'00') CONCAT BLOB(CAST({} AS CLOB(2147483647) CCSID UNICODE))"),
        ("VARGRAPHIC", jdbc.VARCHAR, 4, "CAST(CAST(CAST({} AS VARGRAPHIC(4) CCSID UNICODE) AS VARCHAR(12) CCSID UNICODE) AS VARCHAR(12) FOR BIT DATA)"),
        ("DBCLOB", jdbc.CLOB, 9, "BLOB(X'00') CONCAT BLOB(CAST(CAST({} AS DBCLOB(9) CCSID UNICODE) AS CLOB(27) CCSID UNICODE))"),
        ("DECFLOAT", jdbc.OTHER, 34, "CAST(CAST(CAST({} AS VARCHAR(42)) AS VARCHAR(42) CCSID UNICODE) AS VARCHAR(42) FOR BIT DATA)"),
        ("VARCHAR () FOR BIT DATA", jdbc.VARBINARY, 9, "{}"),
    ],
)  # fmt: skip
def test_text_is_converted_before_it_becomes_bytes(type_: str, number: int, length: int, expected: str) -> None:
    assert selected(type_, number, length) == expected


@pytest.fixture
def zos(db2_server: StandInServer) -> Iterator[Database]:
    made = db2_server.create_database(platform="ZOS")
    made.sql(
        "CREATE TABLE S.T (K VARCHAR(9) NOT NULL, G VARGRAPHIC(9) NOT NULL, C CHAR(5), V VARCHAR(30), D DECFLOAT, "
        "L CLOB(99), M DBCLOB(99), PRIMARY KEY (K, G))"
    )
    made.register("S.T")
    made.replication.step()
    yield made
    db2_server.drop_database(made)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements."""
    found: list[str] = []
    real = Session.batches

    def batches(self: Session, sql: str, *params: Any) -> Any:
        found.append(sql)
        return real(self, sql, *params)

    monkeypatch.setattr(Session, "batches", batches)
    return found


def row(key: str) -> str:
    return f"INSERT INTO S.T VALUES ('{key}', '{key}', 'ß', '{TEXT}', 1.5, '{TEXT}', '{TEXT}')"


def of_row(value: dict[str, Any], names: str) -> list[Any]:
    return [value[name] for name in names]


@pytest.mark.drivers
def test_snapshots_and_changes_ask_for_converted_text_alone(
    zos: Database, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_progress, "CLOCK_SECONDS", 0.0)
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.01)
    of_zos = {"db2_platform": "ZOS", "decimal_handling_mode": "string"}
    write(zos, row(KEY))
    snapshot = taken(settings_of(zos, snapshot_mode="initial", **of_zos), between=zos.replication.step)
    assert [of_row(each, "KGCVDLM") for each in snapshot.rows("s.S.T")] == [[KEY, KEY, "ß   ", TEXT, "1.5", TEXT, TEXT]]
    settings = settings_of(zos, **of_zos)
    read = started(settings)
    write(zos, row("ž"))
    read_on(settings, read)
    (event,) = read.of("S.T")
    assert of_row(event["value"]["after"], "KGCVD") == ["ž", "ž", "ß   ", TEXT, "1.5"]
    becoming = {text for sql in asked for text in UNCONVERTED.findall(sql)}
    assert [text for text in becoming if text.endswith("UNICODE)")]
    assert [text for text in becoming if not text.endswith("UNICODE)") and not OF_CATALOGUE.search(text)] == []
