"""Snapshots in one transaction, as `snapshot.isolation.mode` requests them."""

import threading

import pytest
from attrs import evolve
from tests.connectors.sqlserver.snapshots.conftest import changes_behind

from support.snapshotting import begun, taken
from tailrace.connectors import connector_for
from tailrace.connectors.base import Lane
from tailrace.connectors.sqlserver.snapshots import source
from tailrace.errors import ConfigError, RetriableError, SnapshotLockError, SourceSetupError

MODES = ("read_uncommitted", "read_committed", "repeatable_read", "snapshot", "exclusive")


@pytest.fixture
def tables(sqlserver):
    """One table with a key and one without."""
    sqlserver.sql(f"ALTER DATABASE [{sqlserver.name}] SET ALLOW_SNAPSHOT_ISOLATION ON")
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY, v nvarchar(20))")
    sqlserver.sql("CREATE TABLE dbo.u (v int, w nvarchar(5))")
    sqlserver.capture("t")
    sqlserver.capture("u")
    sqlserver.sql("INSERT dbo.t VALUES (1, N'one'), (2, N'two'), (3, N'three')")
    sqlserver.sql("INSERT dbo.u VALUES (7, N'x'), (7, N'x'), (8, NULL)")
    sqlserver.capture_all()
    return sqlserver


def rows_of(snapshot, database):
    return snapshot.rows(f"s.{database.name}.dbo.t"), snapshot.rows(f"s.{database.name}.dbo.u")


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_reads_the_tables_and_waits_for_no_capture_job(tables, settings_for, mode):
    snapshot = taken(settings_for(snapshot_isolation_mode=mode))
    keyed, keyless = rows_of(snapshot, tables)
    assert [(row["id"], row["v"]) for row in keyed] == [(1, "one"), (2, "two"), (3, "three")]
    assert sorted((row["v"], row["w"] or "") for row in keyless) == [(7, "x"), (7, "x"), (8, "")]
    assert snapshot.marks(f"s.{tables.name}.dbo.t") == ["first", "true", "last_in_data_collection"]
    assert snapshot.marks(f"s.{tables.name}.dbo.u") == ["first_in_data_collection", "true", "last"]
    assert snapshot.progress.restart[tables.name]["lsn"].replace(":", "") == tables.max_lsn().hex()
    assert snapshot.progress.snapshot == {"lanes": 1, "done": True}


@pytest.mark.parametrize("mode", ["snapshot", "read_committed"])
def test_what_is_committed_meanwhile_comes_with_the_log(tables, settings_for, mode):
    settings = settings_for(snapshot_isolation_mode=mode)
    steps = iter(range(100))

    def between():
        n = next(steps)
        tables.sql(f"INSERT dbo.t VALUES ({100 + n}, N'new'), ({200 + n}, N'new')")

    snapshot = taken(settings, between=between)
    tables.capture_all()
    keyed, _ = rows_of(snapshot, tables)
    assert {row["id"] for row in keyed} >= {1, 2, 3}
    told = {row["key"] for row in changes_behind(settings, snapshot)[f"s.{tables.name}.dbo.t"]}
    assert len(told) >= 2
    everything = told | {record["key"] for record in snapshot.topics[f"s.{tables.name}.dbo.t"]}
    assert len(everything) == tables.value("SELECT COUNT(*) FROM dbo.t")


@pytest.mark.parametrize("mode", MODES)
def test_the_log_goes_on_although_something_was_captured_before_the_transaction_began(tables, settings_for, mode):
    """The position of the plan is another one than that of the rows."""
    settings = settings_for(snapshot_isolation_mode=mode)
    steps = iter(range(100))

    def between():
        if next(steps) == 0:
            tables.sql("INSERT dbo.t VALUES (4, N'four')")
            tables.capture_all()

    snapshot = taken(settings, between=between)
    assert [row["id"] for row in rows_of(snapshot, tables)[0]] == [1, 2, 3, 4]
    connector_for(settings).require_retained(snapshot.progress, lambda: snapshot.history)
    tables.sql("INSERT dbo.t VALUES (5, N'five')")
    tables.capture_all()
    assert len(changes_behind(settings, snapshot)[f"s.{tables.name}.dbo.t"]) == 1


def test_one_that_is_stopped_begins_anew(tables, settings_for, caplog):
    settings = settings_for(snapshot_isolation_mode="repeatable_read")
    snapshot = begun(settings, 1)
    reader = connector_for(settings).snapshot(Lane(), snapshot.progress, snapshot.history)
    batches = [next(reader) for _ in range(2)]
    reader.close()
    assert "it begins anew" in caplog.text
    assert all(batch.progress == snapshot.progress for batch in batches)


@pytest.mark.parametrize(("mode", "waits"), [("exclusive", True), ("read_committed", False), ("snapshot", False)])
def test_only_exclusive_keeps_writers_away_from_tables_that_are_still_to_be_read(tables, settings_for, mode, waits):
    settings = settings_for(snapshot_isolation_mode=mode)
    snapshot = begun(settings, 1)
    reader = connector_for(settings).snapshot(Lane(), snapshot.progress, snapshot.history)
    next(reader)
    try:
        tables.sql("SET LOCK_TIMEOUT 50")
        if waits:
            with pytest.raises(Exception, match="Lock request time out"):
                tables.sql("INSERT dbo.u VALUES (9, N'y')")
        else:
            tables.sql("INSERT dbo.u VALUES (9, N'y')")
    finally:
        tables.sql("SET LOCK_TIMEOUT -1")
        reader.close()


@pytest.fixture
def held(tables):
    """Somebody has changed a row of each table, and does not come to an end."""
    other = tables.server.connect(tables.name)
    other.cursor().execute("BEGIN TRANSACTION; UPDATE dbo.t SET v = N'held' WHERE id = 1; UPDATE dbo.u SET v = 0")
    yield other
    other.close()


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("mode", [None, "read_committed", "repeatable_read", "exclusive"])
def test_a_lock_that_is_not_to_be_had_in_time_fails_the_snapshot(tables, settings_for, mode):
    settings = settings_for(snapshot_lock_timeout_ms="0", **({"snapshot_isolation_mode": mode} if mode else {}))
    with pytest.raises(SnapshotLockError, match=rf"lock {tables.name}\.dbo\.t within snapshot\.lock\.timeout\.ms=0: .*End its"):
        taken(settings, between=tables.step)


@pytest.mark.usefixtures("held", "always_split")
def test_a_lock_in_the_way_of_cutting_a_table_is_waited_for_no_longer(tables, settings_for):
    tables.sql("INSERT dbo.t SELECT object_id, N'more' FROM sys.all_objects WHERE object_id > 100")
    with pytest.raises(SnapshotLockError, match=rf"lock {tables.name}\.dbo\.t within"):
        begun(settings_for(snapshot_lock_timeout_ms="0"), 2)


@pytest.mark.usefixtures("held")
def test_a_lock_on_a_table_without_a_key_is_waited_for_no_longer(tables, settings_for):
    settings = settings_for(snapshot_lock_timeout_ms="0", table_include_list=r"dbo\.u")
    with pytest.raises(SnapshotLockError, match=rf"lock {tables.name}\.dbo\.u within snapshot\.lock\.timeout\.ms=0"):
        taken(settings, between=tables.step)


def test_minus_one_waits_until_the_lock_is_there(tables, settings_for, held):
    threading.Timer(0.5, held.close).start()
    snapshot = taken(settings_for(snapshot_lock_timeout_ms="-1", snapshot_isolation_mode="exclusive"))
    assert len(rows_of(snapshot, tables)[0]) == 3


@pytest.mark.usefixtures("held")
def test_without_a_word_on_locks_the_snapshot_goes_on_trying(tables, settings_for, monkeypatch):
    monkeypatch.setattr(source, "ATTEMPTS", 2)
    monkeypatch.setattr("tailrace.connectors.change_tables.snapshots.chunk_reading.PAUSE_SECONDS", 0)
    settings = evolve(settings_for(table_include_list=r"dbo\.t"), snapshot_lock_timeout_ms=10)  # and nobody gave it
    with pytest.raises(RetriableError, match="Lock request time out"):
        taken(settings, between=tables.step)


def test_snapshot_isolation_that_the_database_does_not_allow_is_told_with_the_statement_that_allows_it(
    tables, settings_for
):
    tables.sql(f"ALTER DATABASE [{tables.name}] SET ALLOW_SNAPSHOT_ISOLATION OFF")
    with pytest.raises(SourceSetupError, match=rf"{tables.name}.*SET ALLOW_SNAPSHOT_ISOLATION ON"):
        taken(settings_for(snapshot_isolation_mode="snapshot"))


def test_it_can_not_be_asked_for_in_the_midst_of_another_snapshot(tables, settings_for):
    snapshot = begun(settings_for(snapshot_include_collection_list=rf"{tables.name}\.dbo\.t"), 1)
    reader = connector_for(settings_for()).snapshot(Lane(), snapshot.progress, snapshot.history)
    progress = next(reader).progress
    reader.close()
    settings = settings_for(snapshot_isolation_mode="snapshot")
    with pytest.raises(ConfigError, match="while a snapshot is under way"):
        next(connector_for(settings).snapshot(Lane(), progress, snapshot.history))
