"""The effects of signals, also while tables are read; by the signal table, a file and a Kafka topic."""

import json
import logging

import pytest
from confluent_kafka import Producer
from tests.connectors.sqlserver.requested_work.signalling import (
    execute,
    filled,
    ids,
    read_captured,
    signal,
    signal_table,
    types,
)
from tests.connectors.sqlserver.snapshots.writing import SEED, Writer

from support.signalling import begin, consumed
from support.sqlserver_reading import settings_of
from tailrace.connectors.base import Lane
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
from tailrace.connectors.shared.snapshots import chunk_sizes
from tailrace.connectors.sqlserver.snapshots.capture_progress import CaptureJob


def begun(database, followed, rows=30):
    """Some of `dbo.t` is read, and not all."""
    topic = f"s.{database.name}.dbo.t"
    execute(database, "t")
    database.capture_all()
    followed.until(lambda: topic in followed.topics, between=database.step)
    assert len(followed.topics[topic]) < rows
    return topic


@pytest.mark.usefixtures("small_steps")
def test_a_snapshot_rests_and_goes_on(sqlserver, settings):
    filled(sqlserver, "t")
    followed = begin(settings)
    topic = begun(sqlserver, followed)
    signal(sqlserver, "rest", "pause-snapshot")
    sqlserver.capture_all()
    followed.until(lambda: "PAUSED" in types(followed), between=sqlserver.step)
    read = len(followed.topics[topic])
    sqlserver.sql("INSERT dbo.t VALUES (99)")
    followed.until(lambda: len(followed.topics[topic]) == read + 1, stop_every=2, between=sqlserver.step)
    assert [value["op"] for value in followed.payloads(topic)][-1] == "c", "a restart does not forget that it rests"
    signal(sqlserver, "on", "resume-snapshot")
    read_captured(followed, sqlserver)
    assert sorted(set(ids(followed, topic))) == [*range(30), 99]
    assert [type_ for type_ in types(followed) if type_ in {"PAUSED", "RESUMED"}] == ["PAUSED", "RESUMED"]


@pytest.mark.usefixtures("small_steps")
def test_one_table_is_stopped_and_the_others_are_read(sqlserver, settings):
    filled(sqlserver, "a", "b")
    followed = begin(settings)
    execute(sqlserver, "a", "b")
    names = [f"{sqlserver.name}.dbo.b"]
    signal(sqlserver, "stop", "stop-snapshot", **{"data-collections": names, "type": "incremental"})
    read_captured(followed, sqlserver)
    assert len(followed.payloads(f"s.{sqlserver.name}.dbo.a")) == 30
    assert f"s.{sqlserver.name}.dbo.b" not in followed.topics
    assert dict(followed.notifications())["ABORTED"]["data_collections"] == names[0]
    assert types(followed)[-1] == "COMPLETED"


@pytest.mark.usefixtures("small_steps")
def test_a_snapshot_is_stopped_altogether(sqlserver, settings):
    filled(sqlserver, "t")
    followed = begin(settings)
    topic = begun(sqlserver, followed)
    signal(sqlserver, "stop", "stop-snapshot", type="incremental")
    read_captured(followed, sqlserver)
    assert len(followed.topics[topic]) < 30
    assert types(followed)[-1] == "ABORTED"
    assert followed.progress.signalled is None


@pytest.mark.usefixtures("small_steps")
def test_what_was_read_of_a_snapshot_that_is_stopped_and_asked_for_again_is_read_anew(sqlserver, settings):
    """GIVEN rows that wait for the capture job, WHEN their snapshot is stopped and another one asked for, THEN that begins at the
    first row."""
    filled(sqlserver, "t")
    followed = begin(settings)
    topic = begun(sqlserver, followed)
    signal(sqlserver, "stop", "stop-snapshot", type="incremental")
    execute(sqlserver, "t", id_="two")
    read_captured(followed, sqlserver)
    found = ids(followed, topic)
    assert sorted(found[-30:]) == list(range(30))
    assert types(followed).count("STARTED") == 2


@pytest.mark.parametrize("stop_every", [None, 9])
def test_a_blocking_snapshot_comes_before_the_log_goes_on(sqlserver, settings, stop_every):
    filled(sqlserver, "b", "a")
    followed = begin(settings)
    names = [f"{sqlserver.name}.dbo.{name}" for name in "ba"]
    signal(sqlserver, "all", "execute-snapshot", **{"data-collections": names, "type": "blocking"})
    sqlserver.sql("INSERT dbo.a VALUES (100); DELETE dbo.a WHERE id = 0")
    read_captured(followed, sqlserver, stop_every=stop_every)
    topic = f"s.{sqlserver.name}.dbo.a"
    marks = [mark for op, mark in followed.marked(topic) if op == "r"]
    assert (marks[0], marks[-1]) == ("first", "last_in_data_collection")
    assert followed.marked(f"s.{sqlserver.name}.dbo.b")[-1] == ("r", "last")
    rows = consumed(followed.topics[topic])
    assert sorted(row["id"] for row in rows.values()) == [*range(1, 30), 100]
    assert followed.progress.signalled is None
    told = [notice["type"] for notice in followed.payloads("notices")]
    of_tables = ["IN_PROGRESS", "TABLE_SCAN_COMPLETED"] * 2
    assert told == ["STARTED", "COMPLETED", "STARTED", *of_tables, "COMPLETED"], (
        "that of structures at first, then this one"
    )
    structures = [(each["source"]["table"], each["source"]["snapshot"]) for each in followed.payloads("s")]
    assert structures[-2:] == [("a", "true"), ("b", "true")]


@pytest.mark.parametrize("stop_every", [None, 9])
def test_a_blocking_snapshot_is_exact_while_others_write(sqlserver, settings, monkeypatch, stop_every):
    """GIVEN a writer, and a capture job that lags, WHEN the log waits until a table is read, THEN its rows are those of where the
    log waits, and no change is missed or told twice."""
    for name in ("ROWS_AT_LEAST", "ROWS_AT_MOST"):
        monkeypatch.setattr(chunk_sizes, name, 7)
    writer = Writer(sqlserver, "int")
    writer.fill(40)
    followed = begin(settings)
    names = [f"{sqlserver.name}.dbo.t"]
    signal(sqlserver, "all", "execute-snapshot", **{"data-collections": names, "type": "blocking"})
    sqlserver.capture_all()

    def between():
        writer.write()
        sqlserver.step()

    followed.until(lambda: "blocking" in (followed.progress.signalled or {}), between=between)
    followed.until(followed.is_idle, stop_every=stop_every, between=between)
    read_captured(followed, sqlserver)
    topic = f"s.{sqlserver.name}.dbo.t"
    assert [op for op, _ in followed.marked(topic)].count("r") > 5, f"seed {SEED}"
    assert sorted(row["n"] for row in consumed(followed.topics[topic]).values()) == writer.rows(), f"seed {SEED}"


def test_a_blocking_snapshot_is_of_where_the_log_waits_whatever_isolation_an_initial_one_has(sqlserver, given):
    """Else the changes of the other tables up to its own position would be passed over."""
    signal_table(sqlserver)
    filled(sqlserver, "t", "other", rows=2)
    followed = begin(settings_of(sqlserver, **given, snapshot_isolation_mode="read_committed"))
    names = [f"{sqlserver.name}.dbo.t"]
    signal(sqlserver, "all", "execute-snapshot", **{"data-collections": names, "type": "blocking"})
    sqlserver.capture_all()
    followed.until(lambda: "blocking" in (followed.progress.signalled or {}))
    sqlserver.sql("INSERT dbo.other VALUES (7)")
    read_captured(followed, sqlserver)
    assert ids(followed, f"s.{sqlserver.name}.dbo.t") == [0, 1]
    assert ids(followed, f"s.{sqlserver.name}.dbo.other") == [7]


def test_a_blocking_snapshot_of_a_table_that_was_altered_lately_lets_the_log_go_on_until_that_is_captured(
    sqlserver, settings, monkeypatch
):
    """Changes that are captured come, although no scan has proven yet that the job has passed the new column."""
    filled(sqlserver, "t", "other")
    followed = begin(settings)
    topics = [f"s.{sqlserver.name}.dbo.{table}" for table in ("t", "other")]
    sqlserver.sql("ALTER TABLE dbo.t ADD v int")
    names = [f"{sqlserver.name}.dbo.t"]
    signal(sqlserver, "all", "execute-snapshot", **{"data-collections": names, "type": "blocking"})
    sqlserver.capture_all()
    with monkeypatch.context() as stuck:
        stuck.setattr(CaptureJob, "has_passed", lambda *_: False)
        followed.until(lambda: "blocking" in (followed.progress.signalled or {}))
        sqlserver.sql("INSERT dbo.other VALUES (99)")
        sqlserver.capture_all()
        followed.until(lambda: topics[1] in followed.topics)
        assert topics[0] not in followed.topics
    read_captured(followed, sqlserver)
    assert sorted(ids(followed, topics[0])) == list(range(30))


def test_a_blocking_snapshot_of_a_table_that_is_captured_no_more_ends(sqlserver, settings, monkeypatch, caplog):
    for name in ("ROWS_AT_LEAST", "ROWS_AT_MOST"):
        monkeypatch.setattr(chunk_sizes, name, 7)
    filled(sqlserver, "t", "other")
    followed = begin(settings)
    names = [f"{sqlserver.name}.dbo.t"]
    signal(sqlserver, "all", "execute-snapshot", **{"data-collections": names, "type": "blocking"})
    sqlserver.capture_all()
    followed.until(lambda: "state" in (followed.progress.signalled or {}).get("blocking", {}))
    sqlserver.uncapture("t")
    sqlserver.sql("INSERT dbo.other VALUES (99)")
    read_captured(followed, sqlserver)
    assert "ends here, and the log goes on" in caplog.text
    assert [notice["type"] for notice in followed.payloads("notices")][-1] == "ABORTED"
    assert ids(followed, f"s.{sqlserver.name}.dbo.other") == [99]


def test_a_statement_of_the_signal_is_read_instead_of_the_table(sqlserver, settings, caplog):
    filled(sqlserver, "t")
    followed = begin(settings)
    name = f"{sqlserver.name}.dbo.t"
    for number, filter_ in enumerate(("SELECT nothing FROM nowhere", "SELECT * FROM dbo.t WHERE id > 27")):
        conditions = [{"data-collection": name, "filter": filter_}]
        data = {"data-collections": [name], "type": "blocking", "additional-conditions": conditions}
        signal(sqlserver, str(number), "execute-snapshot", **data)
        read_captured(followed, sqlserver)
    assert ids(followed, f"s.{name}") == [28, 29]
    assert "ends here, and the log goes on" in caplog.text


@pytest.mark.usefixtures("settings")
def test_a_statements_row_whose_change_nobody_is_told_of_is_read_all_the_same(sqlserver, given, monkeypatch):
    """GIVEN `skipped.operations`, WHEN a row of the user's choice is updated behind its read, THEN it is not left to the log."""
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY, v int); INSERT dbo.t VALUES (1, 1), (2, 2), (3, 3)")
    sqlserver.capture("t")
    sqlserver.capture_all()
    followed = begin(settings_of(sqlserver, **given, skipped_operations="u"))
    read, name = ChangeTableSource.read, f"{sqlserver.name}.dbo.t"

    def then_updated(self, segment):
        chunk = read(self, segment)
        sqlserver.sql("UPDATE dbo.t SET v = 20 WHERE id = 2")
        return chunk

    monkeypatch.setattr(ChangeTableSource, "read", then_updated)
    conditions = [{"data-collection": name, "filter": "SELECT * FROM dbo.t WHERE v > 0"}]
    data = {"data-collections": [name], "type": "blocking", "additional-conditions": conditions}
    signal(sqlserver, "one", "execute-snapshot", **data)
    read_captured(followed, sqlserver)
    assert ids(followed, f"s.{name}") == [1, 2, 3]


def test_a_blocking_snapshot_of_two_databases_is_of_one_place_of_each(sqlserver, sqlserver_server, settings, given):
    other = sqlserver_server.create_database()
    try:
        for database in (sqlserver, other):
            filled(database, "t", rows=4)
        followed = begin(settings_of(sqlserver, other, **given))
        signal(sqlserver, "one", "execute-snapshot", **{"data-collections": [".*[.]dbo[.]t"], "type": "blocking"})

        def between():
            sqlserver.step()
            other.step()

        sqlserver.capture_all()
        followed.until(
            lambda: [each["type"] for each in followed.payloads("notices")].count("COMPLETED") == 2, between=between
        )
        for database in (sqlserver, other):
            assert sorted(ids(followed, f"s.{database.name}.dbo.t")) == [0, 1, 2, 3]
    finally:
        other.drop()


def test_a_line_is_written_into_the_log(sqlserver, settings, caplog):
    caplog.set_level(logging.INFO)
    followed = begin(settings)
    signal(sqlserver, "say", "log", message="here: {}")
    read_captured(followed, sqlserver)
    assert f"here: {sqlserver.name} 0000" in caplog.text


def test_what_can_not_be_understood_is_told_and_left_out(sqlserver, settings, caplog):
    followed = begin(settings)
    sqlserver.sql("INSERT dbo.signals VALUES ('bad', 'execute-snapshot', '{'), ('what', 'nonsense', NULL)")
    structure = json.dumps({"database": sqlserver.name, "changes": [{"type": "ALTER"}]})
    sqlserver.sql("INSERT dbo.signals VALUES ('s', 'schema-changes', ?)", structure)
    read_captured(followed, sqlserver)
    assert "'bad'" in caplog.text
    assert "'nonsense'" in caplog.text
    assert "read from its catalog" in caplog.text
    assert len(followed.payloads(f"s.{sqlserver.name}.dbo.signals")) == 3


def test_signals_are_heard_where_inserts_are_not_delivered_and_changes_come_from_functions(sqlserver, given):
    signal_table(sqlserver)
    filled(sqlserver, "t", rows=3)
    followed = begin(settings_of(sqlserver, **given, skipped_operations="c", data_query_mode="function"))
    execute(sqlserver, "t")
    read_captured(followed, sqlserver)
    assert ids(followed, f"s.{sqlserver.name}.dbo.t") == [0, 1, 2]
    assert f"s.{sqlserver.name}.dbo.signals" not in followed.topics


def asked(database, id_="one"):
    data = {"data-collections": [f"{database.name}.dbo.t"], "type": "incremental"}
    return json.dumps({"id": id_, "type": "execute-snapshot", "data": data})


def test_a_line_of_the_file_starts_a_snapshot(sqlserver, given, tmp_path):
    filled(sqlserver, "t", rows=2)
    file = tmp_path / "signals.txt"
    del given["signal_data_collection"]
    given |= {"signal_enabled_channels": "file", "signal_file": str(file), "signal_poll_interval_ms": "10"}
    followed = begin(settings_of(sqlserver, **given))
    file.write_text(asked(sqlserver) + "\n")
    followed.until(lambda: "COMPLETED" in types(followed), between=sqlserver.step)
    assert followed.marked(f"s.{sqlserver.name}.dbo.t") == [("r", "incremental")] * 2
    before = followed.batches
    followed.until(lambda: followed.batches >= before + 5, stop_every=2)
    assert types(followed).count("STARTED") == 1, "what was handled does not come again"


@pytest.mark.kafka
def test_a_record_of_the_topic_starts_a_snapshot_in_its_lane(sqlserver, kafka_broker, given):
    filled(sqlserver, "t", rows=2)
    topic = f"{sqlserver.name}-signals"
    del given["signal_data_collection"]
    given |= {
        "signal_enabled_channels": "kafka",
        "signal_kafka_topic": topic,
        "signal_kafka_bootstrap_servers": kafka_broker.address,
        "signal_poll_interval_ms": "10",
    }
    producer = Producer({"bootstrap.servers": kafka_broker.address})
    producer.produce(topic, key="s", value=asked(sqlserver))
    producer.produce(topic, key="another connector", value=asked(sqlserver, "two"))
    assert producer.flush(30) == 0
    lanes = [begin(settings_of(sqlserver, **given), Lane(n, 2)) for n in range(2)]
    for lane in lanes:
        lane.until(lambda lane=lane: (lane.progress.signalled or {}).get("marks", {}).get("kafka") == 2)
        read_captured(lane, sqlserver)
    assert sorted(types(lane)[-1:] for lane in lanes) == [[], ["COMPLETED"]], "one lane has the table"
    events = [event for lane in lanes for event in lane.marked(f"s.{sqlserver.name}.dbo.t")]
    assert events == [("r", "incremental")] * 2
