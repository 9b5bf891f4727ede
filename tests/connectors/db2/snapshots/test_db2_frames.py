"""DataFrames of a Db2, without Spark: a snapshot in parts, and typed rows of one table."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import random
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import pytest
from tests.connectors.db2.all_types import COLUMNS
from tests.connectors.db2.snapshots.writing import SEED, Writer

from support.change_table_reading import PLAIN
from support.meanwhile import meanwhile
from support.streaming_frames import batches, next_batch, read, tasks
from tailrace.connectors.change_tables.snapshots import capture
from tailrace.connectors.shared.snapshots import chunk_sizes, part_assembly
from tailrace.source.cdc_source import INITIAL
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

FIELDS: Final = {name: of for name, of in COLUMNS.items() if name != "C_BOOLEAN"}  # which is not captured
EXPECTED: Final = {
    "C_SMALLINT": -5,
    "C_BIGINT": 2**53 + 1,
    "C_DOUBLE": 0.1,
    "C_DECIMAL5": Decimal("-123.45"),
    "C_DECIMAL31": Decimal("123456789012345678901.0123456789"),
    "C_DECFLOAT16": "1.50",
    "C_CHAR": "ab   ",
    "C_VARCHAR_JA": "日本",
    "C_VARGRAPHIC": "žluť 😀",
    "C_CHAR_BITS": b"\x00\x01\xfe\x20",
    "C_VARBINARY": b"\xfb\xff",
    "C_DATE": dt.date(2024, 2, 29),
    "C_TIMESTAMP6": dt.datetime(1969, 12, 31, 23, 59, 59, 789123),  # noqa: DTZ001 -- a TIMESTAMP has no zone
    "C_TIMESTAMP12": dt.datetime(1969, 12, 31, 23, 59, 59, 123456),  # noqa: DTZ001 -- as above
    "C_CLOB": "clob ž",
    "C_BLOB": b"\x01\x02",
    "C_XML": "<a>ž</a>",
}


def options_of(database: Database, **more: str) -> Mapping[str, str]:
    """Options of `db2-cdc`; in `more` an underscore stands for a dot."""
    return database.properties(**{"snapshot_mode": "initial", "snapshot_max_threads": "3", **PLAIN, **more})


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_assembly, "ROWS_OF_A_PART", 10)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.01)


@pytest.mark.usefixtures("small_parts")
def test_parts_are_as_of_one_position_and_the_same_when_they_are_read_again(db2: Database) -> None:
    writer = Writer(db2, "VARCHAR(20)")
    writer.fill(50)
    expected, own = writer.rows(), random.Random(SEED)

    def write() -> None:
        writer.write()
        if own.random() < 0.6:
            db2.replication.step()

    options = options_of(db2)
    first = next_batch(options, INITIAL)
    with meanwhile(write):
        planned = [(INITIAL, first)]
        planned += itertools.takewhile(lambda pair: "snapshot" in pair[1], batches(options, first))
        found, again = ([tasks(options, *pair) for pair in planned] for _ in range(2))
    assert max(map(len, found)) > 1
    assert [sorted(map(repr, task)) for of in found for task in of] == [sorted(map(repr, task)) for of in again for task in of]
    values = [json.loads(row["value"]) for of in found for task in of for row in task if row["topic"] == "s.S.T"]
    assert {value["op"] for value in values} == {"r"}
    assert sorted(value["after"]["N"] for value in values) == expected, f"seed {SEED}"


def test_rows_have_the_columns_of_the_one_table_in_sparks_types(db2: Database) -> None:
    columns = ", ".join(f"{name} {of}" for name, (of, _) in FIELDS.items())
    db2.sql(f"CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, {columns})")
    db2.register("S.T")
    db2.sql(f"INSERT INTO S.T VALUES (1, {', '.join(value for _, value in FIELDS.values())})")
    db2.replication.step()
    options = options_of(db2, output="rows", rowImage="both", table_include_list="S[.]T")
    rows: list[dict[str, Any]] = []
    with meanwhile(db2.replication.step):
        start = next_batch(options, INITIAL)
        rows += read(options, INITIAL, start)
        for pair in batches(options, start):
            rows += read(options, *pair)
            start = pair[1]
            if rows:
                break
    assert {name: rows[0][name] for name in EXPECTED} == EXPECTED
    db2.sql("UPDATE S.T SET C_SMALLINT = 1")
    db2.sql("DELETE FROM S.T")
    db2.replication.step()
    log = [row for pair in batches(options, start) for row in read(options, *pair)]
    assert [(row["_op"], row["C_SMALLINT"]) for row in [*rows, *log]] == [("r", -5), ("u", 1), ("d", 1)]
    assert log[0]["_before"]["C_SMALLINT"] == -5
    assert log[0]["C_CLOB"] is None
    assert log[0]["_commit_time"] is not None
