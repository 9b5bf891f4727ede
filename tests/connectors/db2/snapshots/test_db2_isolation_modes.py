"""Snapshots in one transaction, as `snapshot.isolation.mode` requests them."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from attrs import evolve
from tests.connectors.db2.snapshots.conftest import changes_behind

from support.snapshotting import begun, taken
from tailrace.connectors import connector_for
from tailrace.connectors.base import Lane
from tailrace.connectors.db2 import transactions
from tailrace.connectors.db2.connection import connect
from tailrace.connectors.db2.snapshots import source
from tailrace.errors import ConfigError, RetriableError, SnapshotLockError
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

MODES: Final = ("read_uncommitted", "read_committed", "repeatable_read", "exclusive")
ROLLED_BACK: Final = "-911|ABNUOWRM"
T: Final = "s.S.T"
U: Final = "s.S.U"
SettingsFor = Callable[..., Any]


@pytest.fixture
def tables(db2: Database) -> Database:
    """One table with a key and one without."""
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, V VARCHAR(20))", "CREATE TABLE S.U (V INTEGER, W VARCHAR(5))")
    db2.register("S.T", "S.U")
    db2.sql("INSERT INTO S.T VALUES (1, 'one'), (2, 'two'), (3, 'three')", "INSERT INTO S.U VALUES (7, 'x'), (7, 'x'), (8, NULL)")
    db2.replication.step()
    return db2


def head(settings: Any) -> str:
    """The end of what is captured, which stands still where the Capture program does."""
    with connect(settings) as session:
        found = transactions.head(session, settings).lsn
    assert found is not None
    return str(found.text)


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_reads_the_tables_and_waits_for_no_capture_program(
    tables: Database, settings_for: SettingsFor, mode: str
) -> None:
    settings = settings_for(snapshot_isolation_mode=mode)
    before = head(settings)
    snapshot = taken(settings)
    assert [(row["ID"], row["V"]) for row in snapshot.rows(T)] == [(1, "one"), (2, "two"), (3, "three")]
    assert sorted((row["V"], row["W"] or "") for row in snapshot.rows(U)) == [(7, "x"), (7, "x"), (8, "")]
    assert snapshot.marks(T) == ["first", "true", "last_in_data_collection"]
    assert snapshot.marks(U) == ["first_in_data_collection", "true", "last"]
    assert before <= snapshot.progress.restart[tables.database]["lsn"] <= head(settings)
    assert snapshot.progress.snapshot == {"lanes": 1, "done": True}


@pytest.mark.parametrize("mode", ["read_uncommitted", "read_committed"])
def test_what_is_committed_meanwhile_comes_with_the_log(tables: Database, settings_for: SettingsFor, mode: str) -> None:
    settings = settings_for(snapshot_isolation_mode=mode)
    steps = iter(range(100))

    def between() -> None:
        n = next(steps)
        tables.sql(f"INSERT INTO S.T VALUES ({100 + n}, 'new'), ({200 + n}, 'new')")

    snapshot = taken(settings, between=between)
    tables.replication.step()
    assert {row["ID"] for row in snapshot.rows(T)} >= {1, 2, 3}
    told = {row["key"] for row in changes_behind(settings, snapshot)[T]}
    assert len(told) >= 2
    everything = told | {record["key"] for record in snapshot.topics[T]}
    assert len(everything) == tables.value("SELECT COUNT(*) FROM S.T")


def test_one_that_is_stopped_begins_anew(
    tables: Database, settings_for: SettingsFor, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_for(snapshot_isolation_mode="repeatable_read")
    snapshot = begun(settings, 1)
    reader = connector_for(settings).snapshot(Lane(), snapshot.progress, snapshot.history)
    batches = [next(reader) for _ in range(2)]
    reader.close()
    assert tables
    assert "it begins anew" in caplog.text
    assert all(batch.progress == snapshot.progress for batch in batches)


@pytest.mark.parametrize(
    ("mode", "locking", "waits"),
    [
        ("exclusive", "exclusive", True),
        ("exclusive", "none", False),
        ("repeatable_read", "exclusive", False),
        ("read_committed", "exclusive", False),
    ],
)
def test_only_exclusive_keeps_writers_away_from_tables_that_are_still_to_be_read(
    tables: Database, settings_for: SettingsFor, mode: str, locking: str, *, waits: bool
) -> None:
    settings = settings_for(snapshot_isolation_mode=mode, snapshot_locking_mode=locking)
    snapshot = begun(settings, 1)
    reader = connector_for(settings).snapshot(Lane(), snapshot.progress, snapshot.history)
    next(reader)
    tables.sql("SET CURRENT LOCK TIMEOUT NOT WAIT")
    try:
        if waits:
            with pytest.raises(Exception, match=ROLLED_BACK):
                tables.sql("INSERT INTO S.U VALUES (9, 'y')")
        else:
            tables.sql("INSERT INTO S.U VALUES (9, 'y')")
    finally:
        tables.sql("SET CURRENT LOCK TIMEOUT NULL")
        reader.close()


@pytest.mark.parametrize(("mode", "waits"), [("repeatable_read", True), ("read_committed", False)])
def test_only_repeatable_read_keeps_writers_away_from_rows_that_were_read(
    tables: Database, settings_for: SettingsFor, mode: str, *, waits: bool
) -> None:
    outcomes: list[str] = []
    tables.sql("SET CURRENT LOCK TIMEOUT NOT WAIT")

    def write() -> None:
        try:
            tables.sql("UPDATE S.T SET V = 'other' WHERE ID = 1")
            outcomes.append("written")
        except Exception as error:
            outcomes.append("waited" if re.search(ROLLED_BACK, str(error)) else str(error))

    taken(settings_for(snapshot_isolation_mode=mode), between=write)
    assert outcomes[0] == "written"
    assert set(outcomes) == ({"written", "waited"} if waits else {"written"})


@pytest.fixture
def held(tables: Database) -> Iterator[Any]:
    """Somebody has changed a row of each table, and does not come to an end."""
    other = tables.connect()
    with other.cursor() as cursor:
        cursor.execute("UPDATE S.T SET V = 'held' WHERE ID = 1")
        cursor.execute("UPDATE S.U SET V = 0")
    yield other
    other.close()


@pytest.mark.usefixtures("held")
def test_read_uncommitted_shows_what_is_not_committed(tables: Database, settings_for: SettingsFor) -> None:
    snapshot = taken(settings_for(snapshot_isolation_mode="read_uncommitted"))
    assert tables
    assert [row["V"] for row in snapshot.rows(T)] == ["held", "two", "three"]


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("mode", [None, "repeatable_read", "exclusive"])
def test_a_lock_that_is_not_to_be_had_in_time_fails_the_snapshot(
    tables: Database, settings_for: SettingsFor, mode: str | None
) -> None:
    settings = settings_for(snapshot_lock_timeout_ms="0", **({"snapshot_isolation_mode": mode} if mode else {}))
    named = rf"lock {tables.database}\.S\.T within snapshot\.lock\.timeout\.ms=0: .*End its"
    with pytest.raises(SnapshotLockError, match=named):
        taken(settings, between=tables.replication.step)


@pytest.mark.usefixtures("held", "always_split")
def test_where_a_table_is_cut_no_lock_is_waited_for(tables: Database, settings_for: SettingsFor) -> None:
    tables.sql("INSERT INTO S.T VALUES " + ", ".join(f"({n}, 'more')" for n in range(100, 130)))
    snapshot = begun(settings_for(snapshot_lock_timeout_ms="0"), 2)
    assert len(snapshot.progress.snapshot["parts"]) == 2


def test_minus_one_waits_until_the_lock_is_there(tables: Database, settings_for: SettingsFor, held: Any) -> None:
    threading.Timer(0.5, held.rollback).start()
    snapshot = taken(settings_for(snapshot_lock_timeout_ms="-1", snapshot_isolation_mode="exclusive"))
    assert tables
    assert len(snapshot.rows(T)) == 3


@pytest.mark.usefixtures("held")
def test_without_a_word_on_locks_the_snapshot_goes_on_trying(
    tables: Database, settings_for: SettingsFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "ATTEMPTS", 2)
    monkeypatch.setattr("tailrace.connectors.change_tables.snapshots.chunk_reading.PAUSE_SECONDS", 0)
    settings = evolve(settings_for(table_include_list=r"S\.T"), snapshot_lock_timeout_ms=0)  # and nobody gave it
    with pytest.raises(RetriableError, match="SQLCODE=-911"):
        taken(settings, between=tables.replication.step)


def test_it_can_not_be_asked_for_in_the_midst_of_another_snapshot(tables: Database, settings_for: SettingsFor) -> None:
    snapshot = begun(settings_for(snapshot_include_collection_list=r"S\.T"), 1)
    reader = connector_for(settings_for()).snapshot(Lane(), snapshot.progress, snapshot.history)
    progress = next(reader).progress
    reader.close()
    assert tables
    settings = settings_for(snapshot_isolation_mode="read_committed")
    with pytest.raises(ConfigError, match="while a snapshot is under way"):
        next(connector_for(settings).snapshot(Lane(), progress, snapshot.history))
