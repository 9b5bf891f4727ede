"""Initial snapshots of a SQL Server: as of one position, whatever is written meanwhile, wherever they are interrupted."""

import json
import random
import threading
import zlib

import pytest
from tests.connectors.sqlserver.snapshots.conftest import NO_SCHEMAS, changes_behind
from tests.connectors.sqlserver.snapshots.writing import KEYS, SEED, Writer

from support.snapshotting import keyed, linear, taken
from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.snapshots import source
from tailrace.connectors.load import from_mapping
from tailrace.connectors.sqlserver import tables_with_changes
from tailrace.connectors.sqlserver.connection import Session
from tailrace.errors import ConfigError, PositionLostError, RetriableError, SnapshotLockError

LAG = 0.6


def stepping(database, writer):
    """Writes, and a scan of the log now and then: the capture job lags behind."""
    own = random.Random(SEED + 1)

    def between():
        writer.write()
        while own.random() < LAG:
            database.step()

    return between


def assert_exact(database, settings, writer, in_between, lanes=1, stop_every=None):
    between = stepping(database, writer)
    in_between.append(writer.write)
    snapshot = taken(settings, lanes, stop_every, between=between, counts=lambda batch: bool(batch.records))
    in_between.clear()
    database.capture_all()
    topic = f"s.{database.name}.dbo.t"
    behind = changes_behind(settings, snapshot)
    final = linear(keyed(snapshot.topics.get(topic, [])), keyed(behind.get(topic, [])))
    assert sorted(row["n"] for row in final.values()) == writer.rows(), f"seed {SEED}"
    return snapshot


def test_a_quiet_table_is_read_as_it_is(sqlserver, settings_for):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY, v nvarchar(20), d decimal(8,2))")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES (1, N'one', 1.5), (2, NULL, -2), (3, N'Ünïcode', 0)")
    sqlserver.capture_all()
    snapshot = taken(settings_for(), between=sqlserver.step)
    topic = f"s.{sqlserver.name}.dbo.t"
    assert [(row["id"], row["v"]) for row in snapshot.rows(topic)] == [(1, "one"), (2, None), (3, "Ünïcode")]
    assert snapshot.marks(topic) == ["first", "true", "last"]
    assert {value["op"] for value in snapshot.payloads(topic)} == {"r"}
    assert snapshot.progress.snapshot == {"lanes": 1, "done": True}


@pytest.mark.parametrize("listed", ["dbo.t", "DBO[.]T", "{0}.dbo.t"])
def test_the_tables_of_a_snapshot_are_listed_by_either_name(sqlserver, settings_for, listed):
    for name in ("s", "t"):
        sqlserver.sql(f"CREATE TABLE dbo.{name} (id int PRIMARY KEY); INSERT dbo.{name} VALUES (1)")
        sqlserver.capture(name)
    sqlserver.capture_all()
    settings = settings_for(snapshot_include_collection_list=listed.format(sqlserver.name))
    snapshot = taken(settings, between=sqlserver.step)
    assert [topic for topic in snapshot.topics if topic != "s"] == [f"s.{sqlserver.name}.dbo.t"]


@pytest.mark.parametrize(
    ("shape", "marks"), [("2.1", ["true", "true", "true", "last"]), ("1.4", [True] * 4), ("current", None)]
)
def test_marks_are_among_those_that_the_schema_allows_in_every_shape(sqlserver, settings_for, shape, marks):
    for name in ("s", "t"):
        sqlserver.sql(f"CREATE TABLE dbo.{name} (id int PRIMARY KEY); INSERT dbo.{name} VALUES (1), (2)")
        sqlserver.capture(name)
    sqlserver.capture_all()
    settings = settings_for(tailrace_event_shape=shape, value_converter_schemas_enable="true")
    snapshot = taken(settings, between=sqlserver.step)
    topics = [topic for topic in sorted(snapshot.topics) if topic.endswith((".s", ".t"))]
    found = [mark for topic in topics for mark in snapshot.marks(topic)]
    assert found == (marks or ["first", "last_in_data_collection", "first_in_data_collection", "last"])
    schema = json.loads(snapshot.topics[topics[0]][0]["value"])["schema"]
    (source,) = (each for each in schema["fields"] if each["field"] == "source")
    (mark,) = (each for each in source["fields"] if each["field"] == "snapshot")
    if mark["type"] == "string":
        assert set(found) <= set(mark["parameters"]["allowed"].split(","))


@pytest.mark.usefixtures("small_chunks", "always_split")
@pytest.mark.parametrize("lanes", [1, 3])
@pytest.mark.parametrize("stop_every", [None, 1, 3])
@pytest.mark.parametrize("key", ["int", "nvarchar(20) COLLATE Latin1_General_CI_AS"])
def test_rows_are_as_of_one_position_while_others_write(sqlserver, settings_for, in_between, lanes, stop_every, key):
    """GIVEN a writer that inserts, updates, deletes and moves keys, and a capture job that lags behind, WHEN a snapshot is taken
    in small chunks by lanes that stop again and again, THEN it and the log after it are the table's history without a break."""
    writer = Writer(sqlserver, key)
    writer.fill(40)
    assert_exact(sqlserver, settings_for(), writer, in_between, lanes, stop_every)


@pytest.fixture
def one_chunk_ahead(monkeypatch):
    monkeypatch.setattr(source, "size_of", lambda _chunk: 1)
    monkeypatch.setattr(source, "PENDING_BYTES", 1)
    monkeypatch.setattr(source, "HELD_BYTES", 2)


@pytest.mark.usefixtures("small_chunks", "always_split", "one_chunk_ahead")
@pytest.mark.parametrize("lanes", [1, 2])
def test_so_they_are_where_little_is_read_ahead(sqlserver, settings_for, in_between, lanes):
    writer = Writer(sqlserver, "int")
    writer.fill(80)
    assert_exact(sqlserver, settings_for(), writer, in_between, lanes)


@pytest.mark.usefixtures("small_chunks", "one_chunk_ahead")
def test_what_was_read_ahead_is_not_waited_for_again(sqlserver, settings_for, monkeypatch):
    writer = Writer(sqlserver, "int")
    writer.fill(80)
    sqlserver.capture_all()
    scans = []

    def scan():
        scans.append(sqlserver.step())

    taken(settings_for(), between=scan)
    with_settled = len(scans)
    monkeypatch.setattr(source.ChangeTableSource, "_settle", lambda _self: None)
    taken(settings_for(), between=scan)
    assert with_settled < len(scans) - with_settled


@pytest.mark.usefixtures("small_chunks")
def test_tables_that_are_gone_are_not_waited_for(sqlserver, settings_for, in_between):
    """WHEN tables are dropped before their turn comes, THEN the others take no more scans of the log than before."""
    names = "abcdefgh"
    for name in names:
        sqlserver.sql(f"CREATE TABLE dbo.{name} (k int PRIMARY KEY); INSERT dbo.{name} VALUES (1), (2), (3)")
        sqlserver.capture(name)
    scans, drops = [], [f"DROP TABLE dbo.{name}" for name in names[1:7]]

    def scan():
        scans.append(sqlserver.step())

    def drop():
        while drops:
            sqlserver.sql(drops.pop())

    taken(settings_for(), between=scan)
    as_before = len(scans)
    in_between.append(drop)
    snapshot = taken(settings_for(), between=scan)
    assert [len(snapshot.rows(f"s.{sqlserver.name}.dbo.{name}")) for name in "ah"] == [3, 3]
    assert len(scans) - as_before <= as_before + 3


@pytest.mark.usefixtures("small_chunks", "always_split")
@pytest.mark.parametrize("versions", ["ON", "OFF"])
def test_so_they_are_where_writers_reads_and_the_capture_job_go_on_side_by_side(sqlserver, settings_for, versions):
    """GIVEN a writer and a capture job that nobody steps, WHEN lanes read while both go on, THEN nothing is lost or double."""
    sqlserver.sql(f"ALTER DATABASE [{sqlserver.name}] SET READ_COMMITTED_SNAPSHOT {versions} WITH ROLLBACK IMMEDIATE")
    writer = Writer(sqlserver, "int")
    writer.fill(60)
    sqlserver.resume()
    stopped = threading.Event()

    def write():
        while not stopped.is_set():
            writer.write()

    thread = threading.Thread(target=write)
    thread.start()
    settings = settings_for()
    try:
        snapshot = taken(settings, lanes=2)
    finally:
        stopped.set()
        thread.join()
    sqlserver.pause()
    sqlserver.capture_all()
    topic = f"s.{sqlserver.name}.dbo.t"
    final = linear(keyed(snapshot.topics[topic]), keyed(changes_behind(settings, snapshot).get(topic, [])))
    assert sorted(row["n"] for row in final.values()) == writer.rows(), f"seed {SEED}"


@pytest.mark.usefixtures("small_chunks", "always_split")
@pytest.mark.parametrize("key", KEYS)
def test_so_they_are_by_keys_of_every_kind(sqlserver, settings_for, in_between, key):
    writer = Writer(sqlserver, key, seed=SEED + zlib.crc32(key.encode()))
    writer.fill(40)
    assert_exact(sqlserver, settings_for(), writer, in_between, lanes=2, stop_every=3)


def test_a_row_that_came_and_went_in_a_transaction_without_command_ids_is_not_read(sqlserver, settings_for):
    """GIVEN changes that an older version of SQL Server captured, WHEN one transaction inserts a row and deletes it, THEN the
    snapshot does not have it."""
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY); INSERT dbo.t VALUES (1)")
    sqlserver.capture("t")
    sqlserver.capture_all()
    work = ["BEGIN TRANSACTION; INSERT dbo.t VALUES (2); DELETE dbo.t WHERE id = 2; COMMIT TRANSACTION"]

    def between():
        while work:
            sqlserver.sql(work.pop())
            sqlserver.capture_all()
            sqlserver.sql("UPDATE cdc.dbo_t_CT SET [__$command_id] = NULL")
        sqlserver.step()

    snapshot = taken(settings_for(), between=between)
    assert [row["id"] for row in snapshot.rows(f"s.{sqlserver.name}.dbo.t")] == [1]


@pytest.mark.usefixtures("small_chunks")
def test_row_versions_in_place_of_locks_do_not_matter(sqlserver, settings_for, in_between):
    sqlserver.sql(f"ALTER DATABASE [{sqlserver.name}] SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE")
    writer = Writer(sqlserver, "int")
    writer.fill(40)
    assert_exact(sqlserver, settings_for(), writer, in_between)


def test_a_reader_waits_for_a_change_that_is_not_committed_also_where_there_are_row_versions(sqlserver, settings_for):
    """It would see the version before, of a transaction that may have been captured by then."""
    sqlserver.sql(f"ALTER DATABASE [{sqlserver.name}] SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE")
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY)")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES (1)")
    sqlserver.capture_all()
    other = sqlserver.server.connect(sqlserver.name)
    try:
        other.cursor().execute("BEGIN TRANSACTION; DELETE dbo.t")
        with pytest.raises(SnapshotLockError, match="Lock request time out"):
            taken(settings_for(snapshot_lock_timeout_ms="0"), between=sqlserver.step)
    finally:
        other.close()


def test_so_does_a_statement_of_the_users_own(sqlserver, settings_for):
    sqlserver.sql(f"ALTER DATABASE [{sqlserver.name}] SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE")
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY)")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES (1)")
    sqlserver.capture_all()
    override = {
        "snapshot_select_statement_overrides": "dbo.t",
        "snapshot_select_statement_overrides_dbo_t": "SELECT * FROM dbo.t",
    }
    other = sqlserver.server.connect(sqlserver.name)
    try:
        other.cursor().execute("BEGIN TRANSACTION; DELETE dbo.t")
        with pytest.raises(SnapshotLockError, match="Lock request time out"):
            taken(settings_for(snapshot_lock_timeout_ms="0", **override), between=sqlserver.step)
    finally:
        other.close()


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("when", ["before the window is looked at", "when it was looked at"])
def test_a_table_that_is_dropped_while_the_log_is_read_is_left_out_and_the_others_are_read(
    sqlserver, settings_for, in_between, monkeypatch, when
):
    """GIVEN a change table that goes while a wave reads the log, WHEN the wave comes to it, THEN what was read of its table in that
    wave comes to nothing, and the other tables are as they were."""
    for name in ("gone", "kept"):
        sqlserver.sql(f"CREATE TABLE dbo.{name} (k int PRIMARY KEY, n int)")
        sqlserver.capture(name)
        sqlserver.sql(f"INSERT dbo.{name} VALUES " + ", ".join(f"({k}, 0)" for k in range(20)))
    sqlserver.capture_all()
    dropped = []

    def drop():
        if not dropped:
            dropped.append(True)
            sqlserver.uncapture("gone")
            sqlserver.sql("DROP TABLE dbo.gone")

    real = tables_with_changes.has_rows

    def looked_at(*given):
        if when.startswith("before"):
            drop()
        found = real(*given)
        drop()
        return found

    monkeypatch.setattr(tables_with_changes, "has_rows", looked_at)
    in_between.append(
        lambda: sqlserver.sql(
            "UPDATE dbo.kept SET n = n + 1; IF OBJECT_ID('dbo.gone') IS NOT NULL UPDATE dbo.gone SET n = 1"
        )
    )
    snapshot = taken(settings_for(), between=sqlserver.step)
    kept = snapshot.rows(f"s.{sqlserver.name}.dbo.kept")
    assert sorted((row["k"], row["n"]) for row in kept) == [(k, 0) for k in range(20)]
    assert dropped
    assert f"s.{sqlserver.name}.dbo.gone" not in snapshot.topics


@pytest.mark.usefixtures("small_chunks")
def test_a_column_that_is_dropped_meanwhile_is_gone_from_the_rows_that_are_read_behind_that(
    sqlserver, settings_for, in_between
):
    """A read that fails for it is tried again with the structure of then."""
    sqlserver.sql("CREATE TABLE dbo.t (k int PRIMARY KEY, a int, b int)")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES " + ", ".join(f"({k}, 1, 2)" for k in range(30)))
    sqlserver.capture_all()
    chunks = iter(range(1000))

    def alter():
        if next(chunks) == 3:
            sqlserver.sql("ALTER TABLE dbo.t DROP COLUMN a")

    in_between.append(alter)
    rows = taken(settings_for(), between=sqlserver.step).rows(f"s.{sqlserver.name}.dbo.t")
    assert sorted(row["k"] for row in rows) == list(range(30))
    assert tuple(rows[-1]) == ("k", "b")


@pytest.mark.usefixtures("small_chunks")
def test_a_victim_of_a_deadlock_reads_its_chunk_again(sqlserver, settings_for, monkeypatch):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY)")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES " + ", ".join(f"({n})" for n in range(20)))
    sqlserver.capture_all()
    real, failed = Session.batches, []

    def batches(self, sql, *given, rows):
        if "FROM [dbo].[t]" in sql and len(failed) < 3:
            failed.append(sql)
            raise RetriableError("this reader was chosen as the victim of a deadlock")
        return real(self, sql, *given, rows=rows)

    monkeypatch.setattr(Session, "batches", batches)
    snapshot = taken(settings_for(), between=sqlserver.step)
    assert [row["id"] for row in snapshot.rows(f"s.{sqlserver.name}.dbo.t")] == list(range(20))
    assert len(failed) == 3


@pytest.mark.usefixtures("small_chunks")
def test_values_that_images_lack_are_taken_from_where_they_are_known(sqlserver, settings_for, in_between):
    """GIVEN updates that leave a column of a max type alone, and some that change it, WHEN their rows are told by images,
    THEN they have the value of the position, as the table had it."""
    writer = Writer(sqlserver, "int", more=", big nvarchar(max) NULL, w int NULL")
    writer.fill(30)
    sqlserver.sql("UPDATE dbo.t SET big = N'as it was ' + CAST(k AS nvarchar(9)) WHERE k % 3 > 0")
    sqlserver.capture_all()
    at_p = {row[0]: row[1:] for row in sqlserver.sql("SELECT k, n, big FROM dbo.t")}
    own = random.Random(SEED)

    def between():
        writer.set("w" if own.random() < 0.7 else "big", str(own.randint(0, 9)))
        sqlserver.step()

    in_between.append(between)
    snapshot = taken(settings_for(), between=between)
    rows = snapshot.rows(f"s.{sqlserver.name}.dbo.t")
    assert {row["k"]: (row["n"], row["big"]) for row in rows} == at_p, f"seed {SEED}"
    assert len(rows) == len(at_p)


@pytest.mark.usefixtures("small_chunks")
def test_rows_with_text_that_is_not_known_are_delivered_as_they_are_read(sqlserver, settings_for):
    sqlserver.sql("CREATE TABLE dbo.t (k int PRIMARY KEY, n int, old text NULL)")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES " + ", ".join(f"({k}, {k}, 'text')" for k in range(30)))
    sqlserver.capture_all()
    settings = settings_for()
    steps = iter(range(1000))

    def between():
        n = next(steps)
        if n < 10:
            sqlserver.sql(f"UPDATE dbo.t SET n = -1, old = 'new' WHERE k = {29 - n}")
            sqlserver.sql(f"DELETE dbo.t WHERE k = {15 - n}")
        sqlserver.step()

    snapshot = taken(settings, between=between)
    sqlserver.capture_all()
    topic = f"s.{sqlserver.name}.dbo.t"
    held = {row["k"]: row["old"] for row in snapshot.rows(topic)}
    assert None not in held.values()
    for value in keyed(changes_behind(settings, snapshot)[topic]):
        after = value[1]["after"]
        held.pop((value[1]["before"] or after)["k"], None)
        if after is not None:
            held[after["k"]] = after["old"]
    assert held == dict(sqlserver.sql("SELECT k, old FROM dbo.t"))


def test_keys_that_are_handed_on_within_a_statement_are_rows_of_before(sqlserver, settings_for, in_between):
    sqlserver.sql("CREATE TABLE dbo.t (k int PRIMARY KEY, n int)")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES " + ", ".join(f"({k}, {k})" for k in range(10)))
    sqlserver.capture_all()
    in_between.append(lambda: sqlserver.sql("UPDATE dbo.t SET k = k + 1"))
    snapshot = taken(settings_for(), between=sqlserver.step)
    rows = snapshot.rows(f"s.{sqlserver.name}.dbo.t")
    assert sorted((row["k"], row["n"]) for row in rows) == [(k, k) for k in range(10)]


def test_keys_of_a_nonclustered_unique_index_that_are_handed_on_leave_the_first_row_alone(sqlserver, settings_for):
    """As the page of snapshots says: each row's update is captured by itself, and which of them are one statement's is not."""
    sqlserver.sql("CREATE TABLE dbo.t (k int NOT NULL, n int); CREATE UNIQUE INDEX u ON dbo.t (k)")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES " + ", ".join(f"({k}, {k})" for k in range(5)))
    sqlserver.capture_all()
    work = ["UPDATE dbo.t SET k = k + 1"]

    def between():
        while work:
            sqlserver.sql(work.pop())
        sqlserver.step()

    rows = taken(settings_for(), between=between).rows(f"s.{sqlserver.name}.dbo.t")
    assert [(row["k"], row["n"]) for row in rows] == [(0, 0)]


def test_several_databases_are_one_snapshot(sqlserver, sqlserver_server):
    other = sqlserver_server.create_database()
    try:
        for database in (sqlserver, other):
            database.sql("CREATE TABLE dbo.t (id int PRIMARY KEY)")
            database.capture("t")
            database.sql("INSERT dbo.t VALUES (1), (2)")
            database.capture_all()
        given = sqlserver_server.properties(sqlserver.name, other.name, snapshot_mode="initial", **NO_SCHEMAS)
        snapshot = taken(from_mapping(given), between=lambda: [each.step() for each in (sqlserver, other)])
        first, second = sqlserver.name, other.name
        assert snapshot.marks(f"s.{first}.dbo.t") == ["first", "last_in_data_collection"]
        assert snapshot.marks(f"s.{second}.dbo.t") == ["first_in_data_collection", "last"]
        assert set(snapshot.progress.restart) == {first, second}
        told = {value["source"]["db"]: value["source"]["commit_lsn"] for value in snapshot.payloads("s")}
        assert told == {name: at["lsn"] for name, at in snapshot.progress.restart.items()}
    finally:
        other.drop()


def test_the_structures_come_first_and_the_last_of_them_is_the_last_where_no_row_follows(sqlserver, settings_for):
    for name in "ba":
        sqlserver.sql(f"CREATE TABLE dbo.{name} (id int PRIMARY KEY)")
        sqlserver.capture(name)
    snapshot = taken(settings_for(), between=sqlserver.step)
    told = [(value["source"]["table"], value["source"]["snapshot"]) for value in snapshot.payloads("s")]
    assert told == [("a", "true"), ("b", "last")]


def test_a_table_that_nobody_captures_is_left_out_with_a_warning(sqlserver, settings_for, caplog):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY); CREATE TABLE dbo.other (id int PRIMARY KEY)")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES (1); INSERT dbo.other VALUES (1)")
    sqlserver.capture_all()
    snapshot = taken(settings_for(), between=sqlserver.step)
    assert "not captured" in caplog.text
    assert "dbo.other" in caplog.text
    assert [topic for topic in snapshot.topics if "dbo" in topic] == [f"s.{sqlserver.name}.dbo.t"]


@pytest.mark.usefixtures("small_chunks")
def test_changes_that_were_cleaned_up_before_the_snapshot_was_done_stop_it(sqlserver, settings_for):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY)")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES " + ", ".join(f"({n})" for n in range(20)))
    sqlserver.capture_all()
    steps = iter(range(1000))

    def between():
        n = next(steps)
        sqlserver.sql(f"DELETE dbo.t WHERE id = {n}")
        sqlserver.step()
        if n == 1:
            sqlserver.clean_up("dbo_t", sqlserver.max_lsn())

    with pytest.raises(PositionLostError, match=r"no capture instance of .* tells its changes"):
        taken(settings_for(), between=between)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    "statement", ["ALTER TABLE dbo.t ADD w int NULL", "ALTER TABLE dbo.t ALTER COLUMN v nvarchar(50) NULL"]
)
def test_a_structure_that_changes_meanwhile_is_gone_along_with(sqlserver, settings_for, statement):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY, v nvarchar(20))")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES " + ", ".join(f"({n}, N'v{n}')" for n in range(20)))
    sqlserver.capture_all()
    steps = iter(range(1000))

    def between():
        if next(steps) == 3:
            sqlserver.sql(statement)
        sqlserver.step()

    snapshot = taken(settings_for(), between=between)
    rows = snapshot.rows(f"s.{sqlserver.name}.dbo.t")
    assert rows == [{"id": n, "v": f"v{n}"} for n in range(20)]


def test_rows_of_the_users_choice_are_read_instead(sqlserver, settings_for):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY, gone int)")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES (1, 0), (2, 1), (3, 0)")
    sqlserver.capture_all()
    given = {"snapshot.select.statement.overrides": "dbo.t"}
    given["snapshot.select.statement.overrides.dbo.t"] = "SELECT * FROM dbo.t WHERE gone = 0"
    properties = {**sqlserver.properties(snapshot_mode="initial", **NO_SCHEMAS), **given}
    snapshot = taken(from_mapping(properties), between=sqlserver.step)
    assert [row["id"] for row in snapshot.rows(f"s.{sqlserver.name}.dbo.t")] == [1, 3]
    properties["snapshot.select.statement.overrides.dbo.t"] = "SELECT gone FROM dbo.t"
    with pytest.raises(ConfigError, match="the statement can't be read instead of"):
        taken(from_mapping(properties))


def test_another_snapshot_takes_the_place_of_progress_that_it_does_not_lie_before(sqlserver, settings_for):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY)")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES (1)")
    sqlserver.capture_all()
    settings = settings_for(snapshot_mode="always")
    first = taken(settings, between=sqlserver.step)
    sqlserver.sql("INSERT dbo.t VALUES (2)")
    sqlserver.capture_all()
    again = taken(settings, between=sqlserver.step, after=[first.progress])
    assert [row["id"] for row in again.rows(f"s.{sqlserver.name}.dbo.t")] == [1, 2]
    assert again.progress.delivered == again.progress.restart[sqlserver.name]["lsn"]
    assert again.progress.delivered > first.progress.restart[sqlserver.name]["lsn"]


def test_a_log_that_ends_before_what_was_delivered_is_another_one(sqlserver, settings_for):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY)")
    sqlserver.capture("t")
    beyond = Progress("", {sqlserver.name: {"lsn": "ffffffff:00000000:0000"}})
    with pytest.raises(PositionLostError, match="was restored from a backup, or is another one"):
        taken(settings_for(snapshot_mode="always"), after=[beyond])
