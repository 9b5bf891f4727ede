"""The effects of signals, also while tables are read; by the signal table and a file."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any, Final

import pytest
from tests.connectors.db2.requested_work.db2_signalling import (
    execute,
    filled,
    ids,
    read_captured,
    signal,
    signal_table,
    types,
)
from tests.connectors.db2.snapshots.writing import SEED, Writer

from support.db2_reading import settings_of
from support.signalling import begin, consumed
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
from tailrace.connectors.shared.snapshots import chunk_sizes
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

T: Final = "s.S.T"


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROWS_AT_LEAST", "ROWS_AT_MOST"):
        monkeypatch.setattr(chunk_sizes, name, 7)


def begun(database: Database, followed: Any, rows: int = 30) -> None:
    """Some of `S.T` is read, and not all."""
    execute(database, "T")
    database.replication.step()
    followed.until(lambda: T in followed.topics, between=database.replication.step)
    assert len(followed.topics[T]) < rows


@pytest.mark.usefixtures("small_steps")
def test_a_snapshot_rests_and_goes_on(db2: Database, settings: Any) -> None:
    filled(db2, "T")
    followed = begin(settings)
    begun(db2, followed)
    signal(db2, "rest", "pause-snapshot")
    db2.replication.step()
    followed.until(lambda: "PAUSED" in types(followed), between=db2.replication.step)
    read = len(followed.topics[T])
    db2.sql("INSERT INTO S.T VALUES 99")
    followed.until(lambda: len(followed.topics[T]) == read + 1, stop_every=2, between=db2.replication.step)
    assert [value["op"] for value in followed.payloads(T)][-1] == "c", "a restart does not forget that it rests"
    signal(db2, "on", "resume-snapshot")
    read_captured(followed, db2)
    assert sorted(set(ids(followed, T))) == [*range(30), 99]
    assert [type_ for type_ in types(followed) if type_ in {"PAUSED", "RESUMED"}] == ["PAUSED", "RESUMED"]


@pytest.mark.usefixtures("small_steps")
def test_what_was_read_of_a_snapshot_that_is_stopped_and_asked_for_again_is_read_anew(
    db2: Database, settings: Any
) -> None:
    """GIVEN rows that wait for the Capture program, WHEN their snapshot is stopped and another one asked for, THEN that begins at
    the first row."""
    filled(db2, "T")
    followed = begin(settings)
    begun(db2, followed)
    signal(db2, "stop", "stop-snapshot", type="incremental")
    execute(db2, "T", id_="two")
    read_captured(followed, db2)
    assert sorted(ids(followed, T)[-30:]) == list(range(30))
    assert types(followed).count("STARTED") == 2


@pytest.mark.usefixtures("small_steps")
def test_one_table_is_stopped_and_the_others_are_read(db2: Database, settings: Any) -> None:
    filled(db2, "A", "B")
    followed = begin(settings)
    execute(db2, "A", "B")
    signal(db2, "stop", "stop-snapshot", **{"data-collections": ["S.B"], "type": "incremental"})
    read_captured(followed, db2)
    assert len(followed.payloads("s.S.A")) == 30
    assert "s.S.B" not in followed.topics
    assert types(followed)[-1] == "COMPLETED"


@pytest.mark.parametrize("stop_every", [None, 9])
def test_a_blocking_snapshot_comes_before_the_log_goes_on(db2: Database, settings: Any, stop_every: int | None) -> None:
    filled(db2, "B", "A")
    followed = begin(settings)
    signal(db2, "all", "execute-snapshot", **{"data-collections": ["S.B", "S.A"], "type": "blocking"})
    db2.sql("INSERT INTO S.A VALUES 100", "DELETE FROM S.A WHERE ID = 0")
    read_captured(followed, db2, stop_every=stop_every)
    marks = [mark for op, mark in followed.marked("s.S.A") if op == "r"]
    assert (marks[0], marks[-1]) == ("first", "last_in_data_collection")
    assert followed.marked("s.S.B")[-1] == ("r", "last")
    rows = consumed(followed.topics["s.S.A"])
    assert sorted(row["ID"] for row in rows.values()) == [*range(1, 30), 100]
    assert followed.progress.signalled is None
    told = [notice["type"] for notice in followed.payloads("notices")]
    of_tables = ["IN_PROGRESS", "TABLE_SCAN_COMPLETED"] * 2
    assert told == ["STARTED", "COMPLETED", "STARTED", *of_tables, "COMPLETED"], (
        "that of structures at first, then this one"
    )
    structures = [(each["source"]["table"], each["source"]["snapshot"]) for each in followed.payloads("s")]
    assert structures[-2:] == [("A", "true"), ("B", "true")]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stop_every", [None, 9])
def test_a_blocking_snapshot_is_exact_while_others_write(db2: Database, settings: Any, stop_every: int | None) -> None:
    """GIVEN a writer, and a Capture program that lags, WHEN the log waits until a table is read, THEN its rows are those of where
    the log waits, and no change is missed or told twice."""
    writer = Writer(db2, "INTEGER")
    writer.fill(40)
    followed = begin(settings)
    signal(db2, "all", "execute-snapshot", **{"data-collections": ["S.T"], "type": "blocking"})
    db2.replication.step()

    def between() -> None:
        writer.write()
        db2.replication.step()

    followed.until(lambda: "blocking" in (followed.progress.signalled or {}), between=between)
    followed.until(followed.is_idle, stop_every=stop_every, between=between)
    read_captured(followed, db2)
    assert [op for op, _ in followed.marked(T)].count("r") > 5, f"seed {SEED}"
    assert sorted(row["N"] for row in consumed(followed.topics[T]).values()) == writer.rows(), f"seed {SEED}"


def test_a_blocking_snapshot_is_of_where_the_log_waits_whatever_isolation_an_initial_one_has(
    db2: Database, given: dict[str, str]
) -> None:
    """Else the changes of the other tables up to its own position would be passed over."""
    signal_table(db2)
    filled(db2, "T", "OTHER", rows=2)
    followed = begin(settings_of(db2, **given, snapshot_isolation_mode="read_committed"))
    signal(db2, "all", "execute-snapshot", **{"data-collections": ["S.T"], "type": "blocking"})
    db2.replication.step()
    followed.until(lambda: "blocking" in (followed.progress.signalled or {}))
    db2.sql("INSERT INTO S.OTHER VALUES 7")
    read_captured(followed, db2)
    assert ids(followed, T) == [0, 1]
    assert ids(followed, "s.S.OTHER") == [7]


@pytest.mark.usefixtures("small_chunks")
def test_a_blocking_snapshot_of_a_table_that_is_captured_no_more_ends(
    db2: Database, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    filled(db2, "T", "OTHER")
    followed = begin(settings)
    signal(db2, "all", "execute-snapshot", **{"data-collections": ["S.T"], "type": "blocking"})
    db2.replication.step()
    followed.until(lambda: "state" in (followed.progress.signalled or {}).get("blocking", {}))
    db2.unregister("S.T")
    db2.sql("INSERT INTO S.OTHER VALUES 99")
    read_captured(followed, db2)
    assert "ends here, and the log goes on" in caplog.text
    assert [notice["type"] for notice in followed.payloads("notices")][-1] == "ABORTED"
    assert ids(followed, "s.S.OTHER") == [99]


def test_a_statement_of_the_signal_is_read_instead_of_the_table(
    db2: Database, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    filled(db2, "T")
    followed = begin(settings)
    for number, filter_ in enumerate(("SELECT NOTHING FROM NOWHERE", "SELECT * FROM S.T WHERE ID > 27")):
        conditions = [{"data-collection": "S.T", "filter": filter_}]
        data = {"data-collections": ["S.T"], "type": "blocking", "additional-conditions": conditions}
        signal(db2, str(number), "execute-snapshot", **data)
        read_captured(followed, db2)
    assert ids(followed, T) == [28, 29]
    assert "ends here, and the log goes on" in caplog.text


@pytest.mark.usefixtures("settings")
def test_a_statements_row_whose_change_nobody_is_told_of_is_read_all_the_same(
    db2: Database, given: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIVEN `skipped.operations`, WHEN a row of the user's choice is updated behind its read, THEN it is not left to the log."""
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, V INTEGER)")
    db2.sql("INSERT INTO S.T VALUES (1, 1), (2, 2), (3, 3)")
    db2.register("S.T")
    db2.replication.step()
    followed = begin(settings_of(db2, **given, skipped_operations="u"))
    read = ChangeTableSource.read

    def then_updated(self: Any, segment: Any) -> Any:
        chunk = read(self, segment)
        db2.sql("UPDATE S.T SET V = 20 WHERE ID = 2")
        return chunk

    monkeypatch.setattr(ChangeTableSource, "read", then_updated)
    conditions = [{"data-collection": "S.T", "filter": "SELECT * FROM S.T WHERE V > 0"}]
    data = {"data-collections": ["S.T"], "type": "blocking", "additional-conditions": conditions}
    signal(db2, "one", "execute-snapshot", **data)
    read_captured(followed, db2)
    assert ids(followed, T) == [1, 2, 3]


def test_a_line_is_written_into_the_log(db2: Database, settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    followed = begin(settings)
    signal(db2, "say", "log", message="here: {}")
    read_captured(followed, db2)
    assert f"here: {db2.database} 0000" in caplog.text


def test_what_can_not_be_understood_is_told_and_left_out(
    db2: Database, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    followed = begin(settings)
    db2.sql("INSERT INTO S.SIGNALS VALUES ('bad', 'execute-snapshot', '{'), ('what', 'nonsense', NULL)")
    signal(db2, "s", "schema-changes", database=db2.database, changes=[{"type": "ALTER"}])
    read_captured(followed, db2)
    assert "'bad'" in caplog.text
    assert "'nonsense'" in caplog.text
    assert "read from its catalog" in caplog.text
    assert len(followed.payloads("s.S.SIGNALS")) == 3


def test_a_line_of_the_file_starts_a_snapshot(db2: Database, given: dict[str, str], tmp_path: Path) -> None:
    filled(db2, "T", rows=2)
    file = tmp_path / "signals.txt"
    del given["signal_data_collection"]
    given |= {"signal_enabled_channels": "file", "signal_file": str(file), "signal_poll_interval_ms": "10"}
    followed = begin(settings_of(db2, **given))
    data = {"data-collections": ["S.T"], "type": "incremental"}
    file.write_text(json.dumps({"id": "one", "type": "execute-snapshot", "data": data}) + "\n")
    followed.until(lambda: "COMPLETED" in types(followed), between=db2.replication.step)
    assert followed.marked(T) == [("r", "incremental")] * 2
    before = followed.batches
    followed.until(lambda: followed.batches >= before + 5, stop_every=2)
    assert types(followed).count("STARTED") == 1, "what was handled does not come again"
