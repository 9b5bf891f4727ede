"""Heartbeats over a real log: while nothing happens, while other tables change, and with a statement on the source."""

import json
import logging
import time

import pytest
from attrs import evolve

from support.reading import batches, begin, fresh, read_on
from tailrace.connectors.base import Lane
from tailrace.connectors.mysql.action_connection import MySqlActionConnection
from tailrace.connectors.shared.heartbeats import ActionQuery
from tailrace.events import heartbeats as beats

TOPIC = "__debezium-heartbeat.test"
PATIENCE_SECONDS = 30


@pytest.fixture
def started(mysql_server, database, monkeypatch):
    """Settings with a quick heartbeat, and a reader that stands at the head; `captured` is captured and `other` not."""
    monkeypatch.setattr(beats, "_last_beats", {})
    mysql_server.sql(
        "CREATE TABLE captured (n INT); CREATE TABLE other (n INT); CREATE TABLE beats (id INT PRIMARY KEY, n INT)",
        database,
    )
    settings, read = begin(
        mysql_server, table_include_list=f"{database}.(captured|beats)", include_schema_changes=False
    )
    return evolve(settings, heartbeat_interval_ms=50), read


def follow(settings, read, enough, **options):
    """Read live until `enough(read)`."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    reader = batches(settings, read, now_us=None, **options)
    try:
        for batch in reader:
            read.take(batch)
            yield batch
            if enough(read):
                return
            assert time.monotonic() < deadline
    finally:
        reader.close()


def beats_of(read):
    return [json.loads(record["value"])["payload"]["ts_ms"] for record in read.topics.get(TOPIC, [])]


@pytest.mark.mysql
def test_heartbeats_come_while_nothing_happens(started):
    settings, read = started
    got = list(follow(settings, fresh(read), lambda r: len(beats_of(r)) == 4))
    assert all(batch.progress.restart["file"] for batch in got)
    assert all(records.partition == 0 for batch in got for records in batch.records)
    times = [int(records.timestamps[0]) for batch in got for records in batch.records]
    assert all(later - earlier >= 50 for earlier, later in zip(times, times[1:], strict=False))


@pytest.mark.mysql
def test_positions_move_on_with_heartbeats_while_only_other_tables_change(started, mysql_server, database):
    settings, read = started
    head = mysql_server.connect(database)

    def changed(r):
        with head.cursor() as cursor:
            cursor.execute("INSERT INTO other VALUES (1)")
        return len(beats_of(r)) >= 3

    moving = fresh(read)
    list(follow(settings, moving, changed))
    assert set(moving.topics) == {TOPIC}
    positions = [record["position"] for record in moving.topics[TOPIC]]
    assert positions == sorted(positions)
    assert positions[-1] > positions[0]
    assert moving.progress.delivered >= positions[-1]


@pytest.mark.mysql
def test_the_statement_is_run_on_the_source_with_each_heartbeat(started, database):
    settings, read = started
    statement = f"INSERT INTO {database}.beats VALUES (1, 1) ON DUPLICATE KEY UPDATE n = n + 1"
    settings = evolve(settings, heartbeat_action_query=statement)
    topic = f"test.{database}.beats"
    moving = fresh(read)
    list(follow(settings, moving, lambda r: len(r.topics.get(topic, [])) >= 3))
    assert [value["after"]["n"] for value in moving.payloads(topic)][:3] == [1, 2, 3]


@pytest.mark.mysql
def test_a_statement_that_fails_is_a_warning_and_is_tried_again(started, mysql_server, database, caplog):
    settings, read = started
    settings = evolve(settings, heartbeat_action_query=f"INSERT INTO {database}.not_yet VALUES (1)")
    moving = fresh(read)
    with caplog.at_level(logging.WARNING):
        list(follow(settings, moving, lambda r: "not_yet" in caplog.text and len(beats_of(r)) > 3))
    mysql_server.sql("CREATE TABLE not_yet (n INT)", database)
    list(follow(settings, moving, lambda _: bool(mysql_server.sql("SELECT * FROM not_yet", database))))


@pytest.mark.mysql
def test_a_statement_whose_connection_was_killed_gets_a_new_one(started, mysql_server, database, caplog):
    settings, _ = started
    query = ActionQuery(f"INSERT INTO {database}.other VALUES (7)", lambda: MySqlActionConnection(settings))

    def run_until(count):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while mysql_server.sql("SELECT COUNT(*) FROM other", database)[0][0] < count:
            assert time.monotonic() < deadline
            query.run()
            query._thread.join()

    run_until(1)
    mysql_server.sql(f"KILL {query._connection._connection.thread_id()}")
    run_until(2)
    assert "heartbeat.action.query" in caplog.text
    query.close()


@pytest.mark.mysql
def test_a_statement_that_waits_does_not_keep_the_stream_waiting(started, mysql_server, database, caplog):
    settings, read = started
    settings = evolve(settings, heartbeat_action_query=f"UPDATE {database}.beats SET n = 2")
    mysql_server.sql("INSERT INTO beats VALUES (1, 1)", database)
    locking = mysql_server.connect(database)
    with locking.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE beats SET n = 5")
        moving = fresh(read)
        began = time.monotonic()
        list(follow(settings, moving, lambda r: len(beats_of(r)) > 5))
        assert time.monotonic() - began < 10
        assert "still running" in caplog.text
        cursor.execute("ROLLBACK")
    locking.close()


@pytest.mark.mysql
def test_only_the_first_lane_has_heartbeats_and_only_where_they_are_asked_for(started, mysql_server, database):
    settings, read = started
    for options in ({"lane": Lane(1, 2)}, {}):
        asked = evolve(settings, heartbeat_interval_ms=0) if not options else settings
        mysql_server.sql("INSERT INTO other VALUES (1)", database)
        moving = fresh(read)
        ended = time.monotonic() + 0.5
        list(follow(asked, moving, lambda _, ended=ended: time.monotonic() > ended, **options))
        assert moving.topics == {}


@pytest.mark.mysql
def test_a_range_that_is_to_give_the_same_again_has_none(started, mysql_server, database):
    settings, read = started
    settings = evolve(settings, heartbeat_interval_ms=1)
    mysql_server.sql("INSERT INTO captured VALUES (1)", database)
    assert set(read_on(settings, fresh(read)).topics) == {f"test.{database}.captured"}
