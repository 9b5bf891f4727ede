"""Initial snapshots of a Db2: as of one position, whatever is written meanwhile, wherever they are interrupted."""

from __future__ import annotations

import json
import random
import threading
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from tests.connectors.db2.snapshots.conftest import changes_behind
from tests.connectors.db2.snapshots.writing import KEYS, SEED, Writer, filled

from support.change_table_reading import PLAIN
from support.db2_reading import is_given
from support.encoding import encoded
from support.snapshotting import begun, keyed, linear, stored, take, taken
from tailrace.connectors import connector_for
from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.change_tables.snapshots import source
from tailrace.connectors.db2.connection import Session
from tailrace.connectors.load import from_mapping
from tailrace.errors import ConfigError, PositionLostError, RetriableError, SnapshotLockError
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

LAG: Final = 0.6
GIVEN_PAUSE: Final = 0.1  # seconds between transactions of a writer on a server whose Capture program works every second
T: Final = "s.S.T"
SettingsFor = Callable[..., Any]
InBetween = list[Callable[[], object]]


def stepping(database: Database, writer: Writer) -> Callable[[], None]:
    """Writes, and a step of the Capture program now and then, sometimes half of one: it lags behind; or does so by itself."""
    if is_given(database):
        return writer.write
    own = random.Random(SEED + 1)

    def between() -> None:
        writer.write()
        while own.random() < LAG:
            own.choice([database.replication.step, database.replication.step, database.replication.capture])()

    return between


def assert_exact(
    database: Database,
    settings: Any,
    writer: Writer,
    in_between: InBetween,
    lanes: int = 1,
    stop_every: int | None = None,
) -> Any:
    in_between.append(writer.write)
    snapshot = taken(
        settings, lanes, stop_every, between=stepping(database, writer), counts=lambda batch: bool(batch.records)
    )
    in_between.clear()
    database.replication.step()
    final = linear(keyed(snapshot.topics.get(T, [])), keyed(changes_behind(settings, snapshot).get(T, [])))
    assert sorted(row["N"] for row in final.values()) == writer.rows(), f"seed {SEED}"
    return snapshot


def test_a_quiet_table_is_read_as_it_is(db2: Database, settings_for: SettingsFor) -> None:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, V VARCHAR(20), D DECIMAL(8, 2))")
    db2.register("S.T")
    db2.sql("INSERT INTO S.T VALUES (1, 'one', 1.5), (2, NULL, -2), (3, 'Ünïcode', 0)")
    db2.replication.step()
    snapshot = taken(settings_for(), between=db2.replication.step)
    assert [(row["ID"], row["V"]) for row in snapshot.rows(T)] == [(1, "one"), (2, None), (3, "Ünïcode")]
    assert snapshot.marks(T) == ["first", "true", "last"]
    assert {value["op"] for value in snapshot.payloads(T)} == {"r"}
    assert snapshot.progress.snapshot == {"lanes": 1, "done": True}


@pytest.mark.usefixtures("small_chunks", "always_split")
@pytest.mark.parametrize("lanes", [1, 3])
@pytest.mark.parametrize("stop_every", [None, 1])
def test_rows_are_as_of_one_position_while_others_write(
    db2: Database, settings_for: SettingsFor, in_between: InBetween, lanes: int, stop_every: int | None
) -> None:
    """GIVEN a writer that inserts, updates, deletes and moves keys, and a Capture program that lags behind, WHEN a snapshot is
    taken in small chunks by lanes that stop again and again, THEN it and the log after it are the table's history."""
    writer = Writer(db2, "INTEGER")
    writer.fill(40)
    assert_exact(db2, settings_for(), writer, in_between, lanes, stop_every)


@pytest.fixture
def one_chunk_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "size_of", lambda _chunk: 1)
    monkeypatch.setattr(source, "PENDING_BYTES", 1)
    monkeypatch.setattr(source, "HELD_BYTES", 2)


@pytest.mark.usefixtures("small_chunks", "always_split", "one_chunk_ahead")
def test_so_they_are_where_little_is_read_ahead(db2: Database, settings_for: SettingsFor, in_between: InBetween) -> None:
    writer = Writer(db2, "INTEGER")
    writer.fill(60)
    assert_exact(db2, settings_for(), writer, in_between, lanes=2)


@pytest.mark.usefixtures("small_chunks", "always_split")
def test_so_they_are_where_writers_reads_and_capture_go_on_side_by_side(db2: Database, settings_for: SettingsFor) -> None:
    """GIVEN a writer and a Capture program that nobody steps, WHEN lanes read while both go on, THEN nothing is lost or double."""
    writer = Writer(db2, "INTEGER")
    writer.fill(60)
    db2.replication.start(0.02)
    stopped = threading.Event()

    def write() -> None:
        while not stopped.wait(GIVEN_PAUSE if is_given(db2) else 0):
            writer.write()

    thread = threading.Thread(target=write)
    thread.start()
    settings = settings_for()
    try:
        snapshot = taken(settings, lanes=2)
    finally:
        stopped.set()
        thread.join()
        db2.replication.stop()
    db2.replication.step()
    final = linear(keyed(snapshot.topics[T]), keyed(changes_behind(settings, snapshot).get(T, [])))
    assert sorted(row["N"] for row in final.values()) == writer.rows(), f"seed {SEED}"


@pytest.mark.usefixtures("small_chunks", "always_split")
@pytest.mark.parametrize("key", KEYS)
def test_so_they_are_by_keys_of_every_kind(
    db2: Database, settings_for: SettingsFor, in_between: InBetween, key: str
) -> None:
    writer = Writer(db2, key, seed=SEED + zlib.crc32(key.encode()))
    writer.fill(30)
    assert_exact(db2, settings_for(), writer, in_between, lanes=2, stop_every=3)


def test_a_key_that_comes_to_other_blanks_is_one_row_of_before(
    db2: Database, settings_for: SettingsFor, in_between: InBetween
) -> None:
    """For the server the two keys are equal; in the row images they are not."""
    db2.sql("CREATE TABLE S.T (K VARCHAR(5) NOT NULL PRIMARY KEY, N INTEGER)")
    db2.register("S.T")
    db2.sql("INSERT INTO S.T VALUES ('a', 1), ('b ', 2), ('c', 3)")
    db2.replication.step()
    in_between.append(lambda: db2.sql("UPDATE S.T SET K = K || ' ', N = N + 10 WHERE K < 'c'"))
    rows = taken(settings_for(), between=db2.replication.step).rows(T)
    assert sorted((row["K"], row["N"]) for row in rows) == [("a", 1), ("b ", 2), ("c", 3)]


@pytest.fixture
def held(db2: Database) -> Iterator[Any]:
    """A captured row whose delete is not committed."""
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY)")
    db2.register("S.T")
    db2.sql("INSERT INTO S.T VALUES (1)")
    db2.replication.step()
    other = db2.connect()
    with other.cursor() as cursor:
        cursor.execute("DELETE FROM S.T")
    yield other
    other.close()


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("statement", [None, "SELECT * FROM S.T"])
def test_reads_wait_for_the_outcome_of_other_transactions(
    db2: Database, settings_for: SettingsFor, statement: str | None
) -> None:
    """What was committed last may be older than the log."""
    override = {"snapshot.select.statement.overrides": "S.T", "snapshot.select.statement.overrides.S.T": statement}
    settings = from_mapping({
        **db2.properties(snapshot_mode="initial", snapshot_lock_timeout_ms="0"), **({} if statement is None else override),
    })  # fmt: skip
    with pytest.raises(SnapshotLockError, match=r"could not lock \S*S\.T within snapshot\.lock\.timeout\.ms=0: .*SQLCODE=-911"):
        taken(settings, between=db2.replication.step)


def test_a_row_whose_delete_is_rolled_back_is_read(db2: Database, settings_for: SettingsFor, held: Any) -> None:
    threading.Timer(0.3, held.rollback).start()
    assert [row["ID"] for row in taken(settings_for(), between=db2.replication.step).rows(T)] == [1]


@pytest.mark.usefixtures("small_chunks")
def test_a_victim_of_a_deadlock_reads_its_chunk_again(
    db2: Database, settings_for: SettingsFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY)")
    db2.register("S.T")
    db2.sql("INSERT INTO S.T VALUES " + ", ".join(f"({n})" for n in range(20)))
    db2.replication.step()
    real, failed = Session.batches, list[str]()

    def batches(self: Session, sql: str, *params: Any) -> Any:
        if 'FROM "S"."T"' in sql and len(failed) < 3:
            failed.append(sql)
            raise RetriableError("SQLCODE=-911: the transaction was rolled back because of a deadlock")
        return real(self, sql, *params)

    monkeypatch.setattr(Session, "batches", batches)
    monkeypatch.setattr("tailrace.connectors.change_tables.snapshots.chunk_reading.PAUSE_SECONDS", 0)
    snapshot = taken(settings_for(), between=db2.replication.step)
    assert [row["ID"] for row in snapshot.rows(T)] == list(range(20))
    assert len(failed) == 3


def test_the_structures_come_first_and_the_last_of_them_is_the_last_where_no_row_follows(
    db2: Database, settings_for: SettingsFor
) -> None:
    db2.sql(*(f"CREATE TABLE S.{name} (ID INTEGER NOT NULL PRIMARY KEY)" for name in "BA"))
    db2.register("S.A", "S.B")
    db2.replication.step()
    snapshot = taken(settings_for(), between=db2.replication.step)
    told = [(value["source"]["table"], value["source"]["snapshot"]) for value in snapshot.payloads("s")]
    assert told == [("A", "true"), ("B", "last")]


def test_a_table_that_nobody_captures_is_left_out_with_a_warning(
    db2: Database, settings_for: SettingsFor, caplog: pytest.LogCaptureFixture
) -> None:
    db2.sql(*(f"CREATE TABLE S.{name} (ID INTEGER NOT NULL PRIMARY KEY)" for name in ("T", "OTHER")))
    db2.register("S.T")
    db2.sql("INSERT INTO S.T VALUES 1", "INSERT INTO S.OTHER VALUES 1")
    db2.replication.step()
    snapshot = taken(settings_for(), between=db2.replication.step)
    assert "not captured" in caplog.text
    assert "S.OTHER" in caplog.text
    assert [topic for topic in snapshot.topics if ".S." in topic] == [T]


def test_rows_of_the_users_choice_are_read_instead(db2: Database) -> None:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, GONE INTEGER)")
    db2.register("S.T")
    db2.sql("INSERT INTO S.T VALUES (1, 0), (2, 1), (3, 0)")
    db2.replication.step()
    given = {"snapshot.select.statement.overrides": "S.T"}
    given["snapshot.select.statement.overrides.S.T"] = "SELECT * FROM S.T WHERE GONE = 0 -- a comment;"
    properties = {**db2.properties(snapshot_mode="initial", **PLAIN), **given}
    snapshot = taken(from_mapping(properties), between=db2.replication.step)
    assert [row["ID"] for row in snapshot.rows(T)] == [1, 3]
    properties["snapshot.select.statement.overrides.S.T"] = "SELECT GONE FROM S.T"
    with pytest.raises(ConfigError, match="the statement can't be read instead of"):
        taken(from_mapping(properties))


def test_another_snapshot_takes_the_place_of_progress_that_it_does_not_lie_before(
    db2: Database, settings_for: SettingsFor
) -> None:
    filled(db2, 1)
    settings = settings_for(snapshot_mode="always")
    first = taken(settings, between=db2.replication.step)
    db2.sql("INSERT INTO S.T VALUES (1, 'two')")
    db2.replication.step()
    again = taken(settings, between=db2.replication.step, after=[first.progress])
    assert [row["ID"] for row in again.rows(T)] == [0, 1]
    assert again.progress.delivered == again.progress.restart[db2.database]["lsn"]
    assert again.progress.delivered > first.progress.restart[db2.database]["lsn"]


def test_a_log_that_ends_before_what_was_delivered_is_another_one(db2: Database, settings_for: SettingsFor) -> None:
    filled(db2, 1)
    beyond = Progress("", {db2.database: {"lsn": f"{'ff' * 4}:{'ff' * 4}:{'ff' * 8}"}})
    with pytest.raises(PositionLostError, match="was restored from a backup, or is another one"):
        taken(settings_for(snapshot_mode="always"), after=[beyond])


@pytest.mark.usefixtures("small_chunks")
def test_a_database_that_was_restored_while_its_snapshot_was_stopped_is_noticed(
    db2: Database, settings_for: SettingsFor
) -> None:
    """To a time behind the snapshot's position, and its log has passed the place up to which it was read beside the rows."""
    filled(db2, 30)
    settings = settings_for()
    snapshot = begun(settings, 1)
    db2.replication.command("backup")  # type: ignore[attr-defined]
    reader = encoded(connector_for(settings).snapshot(Lane(), snapshot.progress, tuple(snapshot.history)), settings)
    while len(snapshot.rows(T)) < 14:
        db2.sql("UPDATE S.T SET V = 'then' WHERE ID = 29")
        db2.replication.step()
        batch = next(reader)
        take(snapshot, batch)
        snapshot.progress = snapshot.progress if batch.is_open else stored(batch.progress)
    reader.close()
    db2.replication.command("restore", 0)  # type: ignore[attr-defined]
    for _ in range(200):
        db2.sql("UPDATE S.T SET V = 'now' WHERE ID = 28")
        db2.replication.step()
    again = connector_for(settings).snapshot(Lane(), snapshot.progress, tuple(snapshot.history))
    with pytest.raises(PositionLostError, match="the database was restored, or it is another one"):
        list(encoded(again, settings))


@pytest.mark.parametrize(("shape", "marks"), [("2.1", ["true", "true", "true", "last"]), ("current", None)])
def test_marks_are_among_those_that_the_schema_allows_in_every_shape(
    db2: Database, settings_for: SettingsFor, shape: str, marks: list[str] | None
) -> None:
    for name in ("S", "T"):
        db2.sql(f"CREATE TABLE S.{name} (ID INTEGER NOT NULL PRIMARY KEY)")
        db2.register(f"S.{name}")
        db2.sql(f"INSERT INTO S.{name} VALUES 1, 2")
    db2.replication.step()
    settings = settings_for(tailrace_event_shape=shape, value_converter_schemas_enable="true")
    snapshot = taken(settings, between=db2.replication.step)
    topics = [topic for topic in sorted(snapshot.topics) if topic.endswith((".S", ".T"))]
    found = [mark for topic in topics for mark in snapshot.marks(topic)]
    assert found == (marks or ["first", "last_in_data_collection", "first_in_data_collection", "last"])
    schema = json.loads(snapshot.topics[topics[0]][0]["value"])["schema"]
    (of_source,) = (each for each in schema["fields"] if each["field"] == "source")
    (mark,) = (each for each in of_source["fields"] if each["field"] == "snapshot")
    assert set(found) <= set(mark["parameters"]["allowed"].split(","))
