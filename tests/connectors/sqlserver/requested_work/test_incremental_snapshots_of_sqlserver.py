"""Incremental snapshots of a SQL Server: exact, whatever is written meanwhile, wherever they are interrupted."""

import json
import random

import pytest
from tests.connectors.sqlserver.requested_work.signalling import execute, filled, ids, read_captured, signal, types
from tests.connectors.sqlserver.snapshots.writing import SEED, Writer

from support.signalling import begin, consumed
from support.sqlserver_reading import settings_of
from tailrace.connectors.base import Lane
from tailrace.connectors.change_tables.snapshots import incremental


def test_a_table_is_read_beside_the_log(sqlserver, settings):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY, v varchar(9)); INSERT dbo.t VALUES (1, 'a'), (2, 'b')")
    sqlserver.capture("t")
    followed = begin(settings)
    execute(sqlserver, "t")
    read_captured(followed, sqlserver)
    topic = f"s.{sqlserver.name}.dbo.t"
    assert [(value["op"], value["after"]) for value in followed.payloads(topic)] == [
        ("r", {"id": 1, "v": "a"}),
        ("r", {"id": 2, "v": "b"}),
    ]
    assert followed.marked(topic) == [("r", "incremental")] * 2
    assert [value["op"] for value in followed.payloads(f"s.{sqlserver.name}.dbo.signals")] == ["c"]
    assert followed.progress.signalled is None
    assert [(told["rows"], told["done"], told["ended"], told["beside"]) for told in followed.figures][-1] == (
        2,
        1,
        True,
        True,
    )
    assert types(followed) == ["STARTED", "IN_PROGRESS", "TABLE_SCAN_COMPLETED", "COMPLETED"]
    name = f"{sqlserver.name}.dbo.t"
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"] == {
        "connector_name": "s",
        "data_collections": name,
        "scanned_collection": name,
        "status": "SUCCEEDED",
        "total_rows_scanned": "2",
    }


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("stop_every", [None, 9])
@pytest.mark.parametrize("key", ["int", "nvarchar(20) COLLATE Latin1_General_CI_AS"])
def test_it_is_exact_while_others_write_and_the_capture_job_lags(sqlserver, settings, key, stop_every):
    """GIVEN a writer that inserts, updates, deletes and moves keys, and a capture job that comes by now and then, WHEN a table is
    read in small chunks by readers that stop again and again, THEN no event ever contradicts what was told before, and in the
    end a consumer has the table."""
    own = random.Random(SEED)
    writer = Writer(sqlserver, key)
    writer.fill(30)
    followed = begin(settings)
    execute(sqlserver, "t")

    def between():
        writer.write()
        while own.random() < 0.6:
            sqlserver.step()

    followed.until(lambda: "tables" in (followed.progress.signalled or {}), between=between)
    followed.until(followed.is_idle, stop_every=stop_every, between=between)
    read_captured(followed, sqlserver)
    topic = f"s.{sqlserver.name}.dbo.t"
    assert [op for op, _ in followed.marked(topic)].count("r") > 5, f"seed {SEED}"
    rows = consumed(followed.topics[topic])
    assert sorted(row["n"] for row in rows.values()) == writer.rows(), f"seed {SEED}"


@pytest.mark.usefixtures("small_steps")
def test_the_log_goes_on_while_rows_wait_for_the_capture_job(sqlserver, settings):
    """GIVEN chunks that were read, WHEN others change rows of them before the job comes by, THEN the log tells these rows, and
    the chunk only the others."""
    filled(sqlserver, "t", rows=3)
    followed, topic = begin(settings), f"s.{sqlserver.name}.dbo.t"
    execute(sqlserver, "t")
    sqlserver.capture_all()
    followed.until(lambda: (followed.progress.signalled or {}).get("tables", [{}])[0].get("key") is not None)
    before = followed.batches
    followed.until(lambda: followed.batches > before + 3)
    sqlserver.sql("UPDATE dbo.t SET id = 7 WHERE id = 1; DELETE dbo.t WHERE id = 2")
    read_captured(followed, sqlserver)
    told = [(value["op"], (value["before"] or value["after"])["id"]) for value in followed.payloads(topic)]
    assert told[-1] == ("r", 0)
    assert [op for op, _ in told].count("r") == 1
    assert sorted(row["id"] for row in consumed(followed.topics[topic]).values()) == [0, 7]


def test_each_lane_reads_the_tables_of_its_topics(sqlserver, settings):
    filled(sqlserver, *"abcd", rows=2)
    lanes = [begin(settings, Lane(n, 2)) for n in range(2)]
    execute(sqlserver, "[a-d]")
    for lane in lanes:
        read_captured(lane, sqlserver)
    found = [sorted(topic[-1] for topic in lane.topics if ".dbo." in topic and topic[-2:-1] == ".") for lane in lanes]
    assert sorted(found[0] + found[1]) == list("abcd")
    assert all(found), "each lane has some"
    assert sum(len(lane.topics.get(f"s.{sqlserver.name}.dbo.signals", ())) for lane in lanes) == 1
    for lane in lanes:
        assert types(lane)[-1] == "COMPLETED"


def test_a_condition_says_which_rows(sqlserver, settings):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY, v int); INSERT dbo.t VALUES (1, 1), (2, 7), (3, 7), (4, 2)")
    sqlserver.capture("t")
    followed = begin(settings)
    conditions = [{"data-collection": f"{sqlserver.name}.dbo.t", "filter": "v = 7"}]
    execute(sqlserver, "t", **{"additional-conditions": conditions})
    read_captured(followed, sqlserver)
    assert ids(followed, f"s.{sqlserver.name}.dbo.t") == [2, 3]


@pytest.mark.usefixtures("small_steps")
def test_rows_come_in_the_order_of_a_surrogate_key(sqlserver, settings):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY, s int NOT NULL)")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES " + ", ".join(f"({n}, {(40 - n) // 3})" for n in range(20)))
    sqlserver.capture_all()
    followed = begin(settings)
    execute(sqlserver, "t", **{"surrogate-key": "s"})
    read_captured(followed, sqlserver)
    rows = [value["after"] for value in followed.payloads(f"s.{sqlserver.name}.dbo.t")]
    assert sorted(row["id"] for row in rows) == list(range(20))
    assert [row["s"] for row in rows] == sorted(row["s"] for row in rows)
    assert json.loads(followed.topics[f"s.{sqlserver.name}.dbo.t"][0]["key"]) == {"id": rows[0]["id"]}


@pytest.mark.parametrize(
    ("table", "more", "status"),
    [
        ("CREATE TABLE dbo.t (id int PRIMARY KEY)", {}, "EMPTY"),
        ("CREATE TABLE dbo.t (id int); INSERT dbo.t VALUES (1)", {}, "NO_PRIMARY_KEY"),
        (
            "CREATE TABLE dbo.t (id int PRIMARY KEY, s int); INSERT dbo.t VALUES (1, 1)",
            {"surrogate-key": "s"},
            "NO_PRIMARY_KEY",
        ),
        (None, {}, "UNKNOWN_SCHEMA"),
    ],
)
def test_a_table_that_gives_nothing_is_told_of(sqlserver, settings, table, more, status):
    if table is not None:
        sqlserver.sql(table)
        sqlserver.capture("t")
        sqlserver.capture_all()
    followed = begin(settings)
    execute(sqlserver, "t", **more)
    read_captured(followed, sqlserver)
    told = followed.notifications()
    assert [type_ for type_, _ in told] == ["STARTED", "TABLE_SCAN_COMPLETED", "COMPLETED"]
    assert (told[1][1]["status"], told[1][1]["total_rows_scanned"]) == (status, "0")
    assert f"s.{sqlserver.name}.dbo.t" not in followed.topics


def test_a_condition_that_is_no_sql_ends_its_table_and_not_the_log(sqlserver, settings, caplog):
    filled(sqlserver, "t", rows=1)
    followed = begin(settings)
    execute(sqlserver, "t", **{"additional-condition": "no_such_column = 1"})
    sqlserver.sql("INSERT dbo.t VALUES (2)")
    read_captured(followed, sqlserver)
    assert [(value["op"], value["after"]["id"]) for value in followed.payloads(f"s.{sqlserver.name}.dbo.t")] == [
        ("c", 2)
    ]
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"]["status"] == "SQL_EXCEPTION"
    assert "no_such_column" in caplog.text


def test_a_condition_that_takes_too_long_ends_its_table_and_not_the_log(sqlserver, settings, given, caplog):
    filled(sqlserver, "t", rows=1)
    filled(sqlserver, "many", rows=300)
    followed = begin(settings_of(sqlserver, **given, database_query_timeout_ms="1000"))
    many = ", ".join(f"dbo.many m{n}" for n in range(4))
    execute(sqlserver, "t", **{"additional-condition": f"0 < (SELECT COUNT(*) FROM {many})"})
    sqlserver.sql("INSERT dbo.t VALUES (2)")
    read_captured(followed, sqlserver)
    assert [value["op"] for value in followed.payloads(f"s.{sqlserver.name}.dbo.t")] == ["c"]
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"]["status"] == "SQL_EXCEPTION"
    assert "longer than database.query.timeout.ms allows; an index for the condition" in caplog.text


def test_a_row_that_somebody_holds_makes_the_table_wait_and_not_the_log(sqlserver, settings, monkeypatch, caplog):
    monkeypatch.setattr("tailrace.connectors.sqlserver.snapshots.incremental.LOCK_MS", 10)
    filled(sqlserver, "t", "other", rows=3)
    followed = begin(settings)
    holder = sqlserver.server.connect(sqlserver.name)
    try:
        holder.cursor().execute("BEGIN TRANSACTION; UPDATE dbo.t SET id = id + 10 WHERE id = 2")
        execute(sqlserver, "t")
        sqlserver.sql("INSERT dbo.other VALUES (99)")
        sqlserver.capture_all()
        followed.until(lambda: "read later" in caplog.text)
        assert ids(followed, f"s.{sqlserver.name}.dbo.other") == [99]
        assert f"s.{sqlserver.name}.dbo.t" not in followed.topics
        holder.cursor().execute("ROLLBACK TRANSACTION")
    finally:
        holder.close()
    read_captured(followed, sqlserver)
    assert ids(followed, f"s.{sqlserver.name}.dbo.t") == [0, 1, 2]


@pytest.mark.usefixtures("small_steps")
def test_the_structure_may_change_on_the_way(sqlserver, settings):
    """GIVEN a table that gets a column, and an instance that captures it, WHEN some of its rows were read, THEN each row comes
    once, and those behind the change have the column."""
    filled(sqlserver, "t")
    followed, topic = begin(settings), f"s.{sqlserver.name}.dbo.t"
    execute(sqlserver, "t")
    sqlserver.capture_all()
    followed.until(lambda: topic in followed.topics, between=sqlserver.step)
    sqlserver.sql("ALTER TABLE dbo.t ADD c int NOT NULL DEFAULT 5")
    sqlserver.capture("t", instance="second")
    read_captured(followed, sqlserver)
    rows = [value["after"] for value in followed.payloads(topic)]
    assert sorted(row["id"] for row in rows) == list(range(30))
    assert [len(row) for row in rows] == sorted(len(row) for row in rows)
    assert {row.get("c") for row in rows} == {None, 5}


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("key", ["PRIMARY KEY NONCLUSTERED", "CONSTRAINT u UNIQUE NONCLUSTERED"])
def test_the_instance_may_be_replaced_on_the_way(sqlserver, settings, key):
    """As Debezium's documentation has it: a second one is made, and the first one goes. Both name the index."""
    sqlserver.sql(f"CREATE TABLE dbo.t (id int NOT NULL {key})")
    index = "u" if "UNIQUE" in key else None
    sqlserver.capture("t", index=index)
    sqlserver.sql("INSERT dbo.t VALUES " + ", ".join(f"({n})" for n in range(30)))
    sqlserver.capture_all()
    followed, topic = begin(settings), f"s.{sqlserver.name}.dbo.t"
    execute(sqlserver, "t")
    sqlserver.capture_all()
    followed.until(lambda: topic in followed.topics, between=sqlserver.step)
    sqlserver.sql("ALTER TABLE dbo.t ADD c int NOT NULL DEFAULT 5")
    sqlserver.capture("t", instance="second", index=index)
    sqlserver.sql("INSERT dbo.t (id) VALUES (99)")
    sqlserver.capture_all()
    followed.until(lambda: 99 in ids(followed, topic), between=sqlserver.step)
    assert len(followed.topics[topic]) < 31
    sqlserver.uncapture("t", instance="dbo_t")
    read_captured(followed, sqlserver)
    assert sorted(ids(followed, topic)) == [*range(30), 99]


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("what", ["DROP TABLE dbo.t", "uncapture"])
def test_a_table_that_goes_ends_its_snapshot(sqlserver, settings, what):
    filled(sqlserver, "t", "u")
    followed = begin(settings)
    execute(sqlserver, "t", "u")
    sqlserver.capture_all()
    followed.until(lambda: f"s.{sqlserver.name}.dbo.t" in followed.topics, between=sqlserver.step)
    sqlserver.uncapture("t")
    if what != "uncapture":
        sqlserver.sql(what)
    sqlserver.sql("INSERT dbo.u VALUES (100)")
    read_captured(followed, sqlserver)
    ended = [told["status"] for type_, told in followed.notifications() if type_ == "TABLE_SCAN_COMPLETED"]
    assert ended == ["UNKNOWN_SCHEMA", "SUCCEEDED"]
    assert set(ids(followed, f"s.{sqlserver.name}.dbo.u")) == {*range(30), 100}


def test_tables_of_several_databases_are_read(sqlserver, sqlserver_server, settings, given):
    other = sqlserver_server.create_database()
    try:
        for database in (sqlserver, other):
            filled(database, "t", rows=4)
        followed = begin(settings_of(sqlserver, other, **given))
        signal(sqlserver, "one", "execute-snapshot", **{"data-collections": [".*[.]dbo[.]t"], "type": "incremental"})

        def between():
            sqlserver.step()
            other.step()

        sqlserver.capture_all()
        followed.until(lambda: "COMPLETED" in types(followed), between=between)
        for database in (sqlserver, other):
            assert ids(followed, f"s.{database.name}.dbo.t") == [0, 1, 2, 3]
            assert {value["source"]["db"] for value in followed.payloads(f"s.{database.name}.dbo.t")} == {database.name}
    finally:
        other.drop()


def test_statements_are_planned_anew_where_that_is_wanted(sqlserver, given, settings, monkeypatch):
    filled(sqlserver, "t", rows=3)
    settings = settings_of(sqlserver, **given, incremental_snapshot_option_recompile="true")
    followed = begin(settings)
    execute(sqlserver, "t")
    read_captured(followed, sqlserver)
    assert ids(followed, f"s.{sqlserver.name}.dbo.t") == [0, 1, 2]


@pytest.mark.parametrize("name", ["nowhere.dbo.x", "dbo.nosuch"])
def test_a_table_of_a_database_that_is_not_read_does_not_hold_up_the_others(sqlserver, settings, name):
    filled(sqlserver, "t", rows=2)
    followed = begin(settings)
    names = [name, f"{sqlserver.name}.dbo.t"]
    signal(sqlserver, "one", "execute-snapshot", **{"data-collections": names, "type": "incremental"})
    read_captured(followed, sqlserver)
    ended = [told["status"] for type_, told in followed.notifications() if type_ == "TABLE_SCAN_COMPLETED"]
    assert ended == ["UNKNOWN_SCHEMA", "SUCCEEDED"]


@pytest.mark.parametrize("type_", ["nvarchar(max)", "varbinary(max)", "varchar(8000)"])
def test_a_column_that_is_too_long_for_a_bound_is_no_surrogate_key(sqlserver, settings, type_, caplog):
    sqlserver.sql(f"CREATE TABLE dbo.t (id int PRIMARY KEY, s {type_} NOT NULL)")
    sqlserver.capture("t")
    sqlserver.sql(f"INSERT dbo.t VALUES (1, CAST('a' AS {type_}))")
    sqlserver.capture_all()
    followed = begin(settings)
    execute(sqlserver, "t", **{"surrogate-key": "s"})
    read_captured(followed, sqlserver)
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"]["status"] == "NO_PRIMARY_KEY"
    assert "the column s, which may be longer than 4000 characters" in caplog.text


def begun(followed):
    """Some batches behind that in which a table's key is known: its rows are read by then, and wait."""
    followed.until(lambda: (followed.progress.signalled or {}).get("tables", [{}])[0].get("key") is not None)
    before = followed.batches
    followed.until(lambda: followed.batches > before + 3)


@pytest.mark.usefixtures("settings")
def test_rows_whose_changes_nobody_is_told_of_are_read_all_the_same(sqlserver, given):
    """GIVEN `skipped.operations`, WHEN rows of a chunk change before it is delivered, THEN none of them is left to the log."""
    sqlserver.sql("CREATE TABLE dbo.v (id int PRIMARY KEY, n int); INSERT dbo.v VALUES (1, 0), (2, 0), (3, 0)")
    sqlserver.capture("v")
    followed, topic = begin(settings_of(sqlserver, **given, skipped_operations="u")), f"s.{sqlserver.name}.dbo.v"
    execute(sqlserver, "v")
    sqlserver.capture_all()
    begun(followed)
    sqlserver.sql("UPDATE dbo.v SET n = 1 WHERE id = 2; DELETE dbo.v WHERE id = 3")
    read_captured(followed, sqlserver)
    told = [(value["op"], (value["after"] or value["before"])["id"]) for value in followed.payloads(topic)]
    assert told == [("d", 3), ("r", 1), ("r", 2)]


def test_how_large_a_table_is_is_not_asked_of_rows_that_somebody_holds(sqlserver, settings):
    """GIVEN rows that were read, WHEN somebody holds the first of them, THEN they are delivered, and the log does not wait."""
    filled(sqlserver, "t", rows=4)
    followed = begin(settings)
    execute(sqlserver, "t")
    sqlserver.capture_all()
    holder, waited = sqlserver.server.connect(sqlserver.name), []

    def hold():
        if (followed.progress.signalled or {}).get("tables", [{}])[0].get("key") is not None:
            waited.append(True)
        if len(waited) == 4:
            holder.cursor().execute("BEGIN TRANSACTION; UPDATE dbo.t SET id = id + 10 WHERE id = 0")
        if len(waited) > 4:
            sqlserver.step()

    try:
        followed.until(lambda: "COMPLETED" in types(followed), between=hold)
    finally:
        holder.close()
    assert len(waited) > 4
    assert ids(followed, f"s.{sqlserver.name}.dbo.t") == [0, 1, 2, 3]
    assert followed.figures[-1]["rows"] == 4


def test_rows_are_read_where_their_key_was_there_already(sqlserver, settings):
    """GIVEN a signal that is heard when of equal rows one was deleted, so that there can be a key, and capture has not come there,
    WHEN the rows are read, THEN the delete is told before them."""
    sqlserver.sql("CREATE TABLE dbo.t (k int NOT NULL, v varchar(9)); INSERT dbo.t VALUES (5, 'a'), (5, 'b')")
    sqlserver.capture("t")
    followed = begin(settings)
    execute(sqlserver, "t")
    sqlserver.capture_all()
    sqlserver.sql("DELETE dbo.t WHERE v = 'b'")
    sqlserver.sql("CREATE UNIQUE INDEX u ON dbo.t (k)")
    begun(followed)
    read_captured(followed, sqlserver)
    told = [(value["op"], (value["before"] or value["after"])["v"]) for value in followed.payloads(f"s.{sqlserver.name}.dbo.t")]
    assert told == [("d", "b"), ("r", "a")]


def test_a_surrogate_key_whose_collation_changes_ends_its_table(sqlserver, settings, monkeypatch, caplog):
    """Also between the look at it and the read."""
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY, s nvarchar(20) COLLATE Latin1_General_CI_AS NOT NULL)")
    sqlserver.sql("INSERT dbo.t VALUES " + ", ".join(f"({n}, N'{'aB'[n % 2]}{n}')" for n in range(20)))
    sqlserver.capture("t")
    followed, read = begin(settings), incremental.read_pending
    statements = iter(["ALTER TABLE dbo.t ALTER COLUMN s nvarchar(20) COLLATE Latin1_General_BIN2 NOT NULL"])

    def altered_before(*given):
        for statement in statements:
            sqlserver.sql(statement)
        return read(*given)

    monkeypatch.setattr(incremental, "read_pending", altered_before)
    execute(sqlserver, "t", **{"surrogate-key": "s"})
    read_captured(followed, sqlserver)
    assert f"s.{sqlserver.name}.dbo.t" not in followed.topics
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"]["status"] == "SQL_EXCEPTION"
    assert "the key s, id (the surrogate key leads), by which the snapshot reads it, was changed" in caplog.text
