"""Incremental snapshots of a Db2: exact, whatever is written meanwhile, wherever they are interrupted."""

from __future__ import annotations

import json
import random
from typing import Any, Final

import pytest
from tests.connectors.db2.requested_work.db2_signalling import execute, filled, ids, read_captured, signal, types
from tests.connectors.db2.snapshots.writing import SEED, Writer

from support.db2_reading import is_given, settings_of
from support.signalling import begin, consumed
from tailrace.connectors.base import Lane
from tailrace.connectors.change_tables.snapshots import incremental
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

T: Final = "s.S.T"


def test_a_table_is_read_beside_the_log(db2: Database, settings: Any) -> None:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, V VARCHAR(9))")
    db2.sql("INSERT INTO S.T VALUES (1, 'a'), (2, 'b')")
    db2.register("S.T")
    db2.replication.step()
    followed = begin(settings)
    execute(db2, "T")
    read_captured(followed, db2)
    assert [(value["op"], value["after"]) for value in followed.payloads(T)] == [
        ("r", {"ID": 1, "V": "a"}), ("r", {"ID": 2, "V": "b"}),
    ]  # fmt: skip
    assert followed.marked(T) == [("r", "incremental")] * 2
    assert [value["op"] for value in followed.payloads("s.S.SIGNALS")] == ["c"]
    assert followed.progress.signalled is None
    figures = [(told["rows"], told["done"], told["ended"], told["beside"]) for told in followed.figures]
    assert figures[-1] == (2, 1, True, True)
    assert types(followed) == ["STARTED", "IN_PROGRESS", "TABLE_SCAN_COMPLETED", "COMPLETED"]
    scanned = dict(followed.notifications())["TABLE_SCAN_COMPLETED"]
    assert (scanned["status"], scanned["total_rows_scanned"]) == ("SUCCEEDED", "2")
    assert scanned["scanned_collection"].endswith("S.T")


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("stop_every", [None, 9])
@pytest.mark.parametrize("key", ["INTEGER", "VARCHAR(20)"])
def test_it_is_exact_while_others_write_and_capture_lags(
    db2: Database, settings: Any, key: str, stop_every: int | None
) -> None:
    """GIVEN a writer that inserts, updates, deletes and moves keys, and a Capture program that comes by now and then, WHEN a table
    is read in small chunks by readers that stop again and again, THEN no event ever contradicts what was told before, and in the
    end a consumer has the table."""
    own = random.Random(SEED)
    writer = Writer(db2, key)
    writer.fill(30)
    followed = begin(settings)
    execute(db2, "T")

    steps = 0.1 if is_given(db2) else 0.6  # there the program works by itself, and a step waits for it

    def between() -> None:
        writer.write()
        while own.random() < steps:
            db2.replication.step()

    followed.until(lambda: "tables" in (followed.progress.signalled or {}), between=between)
    followed.until(followed.is_idle, stop_every=stop_every, between=between)
    read_captured(followed, db2)
    assert [op for op, _ in followed.marked(T)].count("r") > 5, f"seed {SEED}"
    rows = consumed(followed.topics[T])
    assert sorted(row["N"] for row in rows.values()) == writer.rows(), f"seed {SEED}"


@pytest.mark.usefixtures("small_steps")
def test_the_log_goes_on_while_rows_wait_for_the_capture_program(db2: Database, settings: Any) -> None:
    """GIVEN chunks that were read, WHEN others change rows of them before asncap comes by, THEN the log tells these rows, and the
    chunk only the others."""
    filled(db2, "T", rows=3)
    followed = begin(settings)
    execute(db2, "T")
    db2.replication.step()
    begun(followed)
    db2.sql("UPDATE S.T SET ID = 7 WHERE ID = 1", "DELETE FROM S.T WHERE ID = 2")
    read_captured(followed, db2)
    told = [(value["op"], (value["before"] or value["after"])["ID"]) for value in followed.payloads(T)]
    assert told[-1] == ("r", 0)
    assert [op for op, _ in told].count("r") == 1
    assert sorted(row["ID"] for row in consumed(followed.topics[T]).values()) == [0, 7]


def test_each_lane_reads_the_tables_of_its_topics(db2: Database, settings: Any) -> None:
    filled(db2, *"ABCD", rows=2)
    lanes = [begin(settings, Lane(n, 2)) for n in range(2)]
    execute(db2, "[A-D]")
    for lane in lanes:
        read_captured(lane, db2)
    found = [sorted(topic[-1] for topic in lane.topics if topic[:-1] == "s.S.") for lane in lanes]
    assert sorted(found[0] + found[1]) == list("ABCD")
    assert sum(len(lane.topics.get("s.S.SIGNALS", ())) for lane in lanes) == 1
    for lane in lanes:
        assert types(lane)[-1] == "COMPLETED"


def test_a_condition_says_which_rows(db2: Database, settings: Any) -> None:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, V INTEGER)")
    db2.sql("INSERT INTO S.T VALUES (1, 1), (2, 7), (3, 7), (4, 2)")
    db2.register("S.T")
    followed = begin(settings)
    execute(db2, "T", **{"additional-conditions": [{"data-collection": "S.T", "filter": "V = 7"}]})
    read_captured(followed, db2)
    assert ids(followed, T) == [2, 3]


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("surrogate", [{"surrogate-key": "D"}, {}], ids=["surrogate", "key"])
@pytest.mark.parametrize("has_before", [True, False])
def test_a_row_that_changes_behind_its_read_is_left_to_the_log(
    db2: Database, settings: Any, monkeypatch: pytest.MonkeyPatch, surrogate: dict[str, str], has_before: bool
) -> None:
    """Also where nothing tells which value of the surrogate key it had before."""
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, D INTEGER NOT NULL)")
    db2.register("S.T")
    if not has_before:
        db2.sql("UPDATE ASNCDC.IBMSNAP_REGISTER SET CHG_UPD_TO_DEL_INS = 'N' WHERE SOURCE_TABLE = 'T'")
        db2.replication.reinit()
    db2.sql("INSERT INTO S.T VALUES (1, 5), (2, 6), (3, 7)")
    db2.replication.step()
    followed, read, updates = begin(settings), incremental.read_pending, iter([50])

    def then_written(*given: Any) -> Any:
        found = read(*given)
        if found.chunks:
            for value in updates:
                db2.sql(f"UPDATE S.T SET D = {value} WHERE ID = 2")
        return found

    monkeypatch.setattr(incremental, "read_pending", then_written)
    execute(db2, "T", **surrogate)
    read_captured(followed, db2)
    assert list(updates) == []
    told = [(value["op"], value["after"]["ID"], value["after"]["D"]) for value in followed.payloads(T)]
    assert sorted(told) == [("r", 1, 5), ("r", 3, 7), ("u", 2, 50)]


def test_rows_come_in_the_order_of_a_surrogate_key(db2: Database, settings: Any) -> None:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, D DATE NOT NULL)")
    db2.register("S.T")
    db2.sql("INSERT INTO S.T VALUES " + ", ".join(f"({n}, '2026-01-{1 + (40 - n) // 3:02}')" for n in range(20)))
    db2.replication.step()
    followed = begin(settings)
    execute(db2, "T", **{"surrogate-key": "D"})
    read_captured(followed, db2)
    rows = [value["after"] for value in followed.payloads(T)]
    assert sorted(row["ID"] for row in rows) == list(range(20))
    assert [row["D"] for row in rows] == sorted(row["D"] for row in rows)
    assert json.loads(followed.topics[T][0]["key"]) == {"ID": rows[0]["ID"]}


@pytest.mark.parametrize(
    ("columns", "row", "more", "status"),
    [
        ("ID INTEGER NOT NULL PRIMARY KEY", None, {}, "EMPTY"),
        ("ID INTEGER", "1", {}, "NO_PRIMARY_KEY"),
        ("ID INTEGER NOT NULL PRIMARY KEY, S INTEGER", "(1, 1)", {"surrogate-key": "S"}, "NO_PRIMARY_KEY"),
        ("ID INTEGER NOT NULL PRIMARY KEY", "1", {"surrogate-key": 'ID" DESC; DROP TABLE S.T -- '}, "NO_PRIMARY_KEY"),
        (None, None, {}, "UNKNOWN_SCHEMA"),
    ],
)
def test_a_table_that_gives_nothing_is_told_of(
    db2: Database, settings: Any, columns: str | None, row: str | None, more: dict[str, str], status: str
) -> None:
    if columns is not None:
        db2.sql(f"CREATE TABLE S.T ({columns})")
        db2.register("S.T")
        if row is not None:
            db2.sql(f"INSERT INTO S.T VALUES {row}")
        db2.replication.step()
    followed = begin(settings)
    execute(db2, "T", **more)
    read_captured(followed, db2)
    told = followed.notifications()
    assert [type_ for type_, _ in told] == ["STARTED", "TABLE_SCAN_COMPLETED", "COMPLETED"]
    assert (told[1][1]["status"], told[1][1]["total_rows_scanned"]) == (status, "0")
    assert T not in followed.topics


def test_a_condition_that_is_no_sql_ends_its_table_and_not_the_log(
    db2: Database, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    filled(db2, "T", rows=1)
    followed = begin(settings)
    execute(db2, "T", **{"additional-condition": "NO_SUCH_COLUMN = 1"})
    db2.sql("INSERT INTO S.T VALUES 2")
    read_captured(followed, db2)
    assert [(value["op"], value["after"]["ID"]) for value in followed.payloads(T)] == [("c", 2)]
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"]["status"] == "SQL_EXCEPTION"
    assert "NO_SUCH_COLUMN" in caplog.text


def test_a_condition_that_takes_too_long_ends_its_table_and_not_the_log(
    db2: Database, settings: Any, given: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    filled(db2, "T", rows=1)
    filled(db2, "MANY", rows=100)
    assert settings
    followed = begin(settings_of(db2, **given, database_query_timeout_ms="1000"))
    many = ", ".join(f"S.MANY M{n}" for n in range(4))
    execute(db2, "T", **{"additional-condition": f"0 < (SELECT COUNT(*) FROM {many})"})
    db2.sql("INSERT INTO S.T VALUES 2")
    read_captured(followed, db2)
    assert [value["op"] for value in followed.payloads(T)] == ["c"]
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"]["status"] == "SQL_EXCEPTION"
    assert "database.query.timeout.ms=1000" in caplog.text
    assert "an index for the condition" in caplog.text


def test_a_row_that_somebody_holds_makes_the_table_wait_and_not_the_log(
    db2: Database, settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tailrace.connectors.db2.snapshots.incremental.LOCK_MS", 0)
    filled(db2, "T", "OTHER", rows=3)
    followed = begin(settings)
    holder = db2.connect()
    try:
        with holder.cursor() as cursor:
            cursor.execute("UPDATE S.T SET ID = ID + 10 WHERE ID = 2")
        execute(db2, "T")
        db2.sql("INSERT INTO S.OTHER VALUES 99")
        db2.replication.step()
        followed.until(lambda: "read later" in caplog.text)
        assert ids(followed, "s.S.OTHER") == [99]
        assert T not in followed.topics
        holder.rollback()
    finally:
        holder.close()
    read_captured(followed, db2)
    assert ids(followed, T) == [0, 1, 2]


@pytest.mark.usefixtures("small_steps")
def test_the_structure_may_change_on_the_way(db2: Database, settings: Any) -> None:
    """GIVEN a table that gets a column, and so does its change table, WHEN some of its rows were read, THEN each row comes once,
    and those behind the change have the column."""
    filled(db2, "T")
    followed = begin(settings)
    execute(db2, "T")
    db2.replication.step()
    followed.until(lambda: T in followed.topics, between=db2.replication.step)
    db2.sql(*(f"ALTER TABLE {table} ADD COLUMN C INTEGER" for table in ("S.T", "ASNCDC.CDC_S_T")))
    read_captured(followed, db2)
    rows = [value["after"] for value in followed.payloads(T)]
    assert sorted(row["ID"] for row in rows) == list(range(30))
    assert [len(row) for row in rows] == sorted(len(row) for row in rows)
    assert {len(row) for row in rows} == {1, 2}


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("what", ["dropped", "unregistered"])
def test_a_table_that_goes_ends_its_snapshot(db2: Database, settings: Any, what: str) -> None:
    filled(db2, "T", "U")
    followed = begin(settings)
    execute(db2, "T", "U")
    db2.replication.step()
    followed.until(lambda: T in followed.topics, between=db2.replication.step)
    db2.unregister("S.T")
    if what == "dropped":
        db2.sql("DROP TABLE S.T")
    db2.sql("INSERT INTO S.U VALUES 100")
    read_captured(followed, db2)
    ended = [told["status"] for type_, told in followed.notifications() if type_ == "TABLE_SCAN_COMPLETED"]
    assert ended == ["UNKNOWN_SCHEMA", "SUCCEEDED"]
    assert set(ids(followed, "s.S.U")) == {*range(30), 100}


def begun(followed: Any) -> None:
    """Some batches behind that in which a table's key is known: its rows are read by then, and wait."""
    followed.until(lambda: (followed.progress.signalled or {}).get("tables", [{}])[0].get("key") is not None)
    before = followed.batches
    followed.until(lambda: followed.batches > before + 3)


@pytest.mark.usefixtures("settings")
def test_rows_whose_changes_nobody_is_told_of_are_read_all_the_same(db2: Database, given: dict[str, str]) -> None:
    """GIVEN `skipped.operations`, WHEN rows of a chunk change before it is delivered, THEN none of them is left to the log."""
    db2.sql("CREATE TABLE S.V (ID INTEGER NOT NULL PRIMARY KEY, N INTEGER)")
    db2.sql("INSERT INTO S.V VALUES (1, 0), (2, 0), (3, 0)")
    db2.register("S.V")
    followed, topic = begin(settings_of(db2, **given, skipped_operations="u")), "s.S.V"
    execute(db2, "V")
    db2.replication.step()
    begun(followed)
    db2.sql("UPDATE S.V SET N = 1 WHERE ID = 2", "DELETE FROM S.V WHERE ID = 3")
    read_captured(followed, db2)
    told = [(value["op"], (value["after"] or value["before"])["ID"]) for value in followed.payloads(topic)]
    assert told == [("d", 3), ("r", 1), ("r", 2)]


@pytest.mark.usefixtures("small_steps")
def test_what_is_pruned_by_and_by_does_not_keep_it_from_its_end(db2: Database, settings: Any) -> None:
    """GIVEN a Capture program that prunes what is delivered, so that IBMSNAP_UOW is empty again and again, THEN all is read."""
    filled(db2, "T")
    followed = begin(settings)
    execute(db2, "T")
    db2.replication.step()
    read_captured(followed, db2, between=db2.replication.prune)
    assert ids(followed, T) == list(range(30))


@pytest.mark.parametrize("name", ["NOWHERE.S.X", "S.NOSUCH"])
def test_a_table_that_is_not_there_does_not_hold_up_the_others(db2: Database, settings: Any, name: str) -> None:
    filled(db2, "T", rows=2)
    followed = begin(settings)
    signal(db2, "one", "execute-snapshot", **{"data-collections": [name, "S.T"], "type": "incremental"})
    read_captured(followed, db2)
    ended = [told["status"] for type_, told in followed.notifications() if type_ == "TABLE_SCAN_COMPLETED"]
    assert ended == ["UNKNOWN_SCHEMA", "SUCCEEDED"]
