"""Stopping anywhere and going on gives what reading without a stop gives."""

import pytest

from support.reading import SMALL_BLOCK, begin, fresh, read_on, read_with_stops
from tailrace.connectors.mysql.log import payload
from tailrace.connectors.mysql.positions import WIDTHS
from tailrace_standins.servers.mysql_server import MySqlServer

DATABASE = "resume"
OF_A_TRANSACTION = 150
SMALL_EVENTS = ("--binlog-row-event-max-size=256",)


@pytest.fixture(scope="module", params=["gtid-full", "nogtid-minimal"])
def server(request):
    gtid = request.param == "gtid-full"
    with MySqlServer(gtid=gtid, row_metadata="FULL" if gtid else "MINIMAL", flags=SMALL_EVENTS) as started:
        yield started


@pytest.fixture
def played(server):
    """A log with everything that may lie around a stop, and a reading that stands before it."""
    server.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}")
    server.sql("CREATE TABLE a (id INT PRIMARY KEY, v VARCHAR(200)); CREATE TABLE b (n INT); CREATE TABLE other (n INT)", DATABASE)
    settings, read = begin(server, table_include_list=f"{DATABASE}.(a|b|ab)", provide_transaction_metadata=True, include_query=True)
    play(server)
    return settings, read


def play(server):
    big = "INSERT INTO a (id, v) SELECT n, REPEAT('x', 100) FROM (WITH RECURSIVE s AS (SELECT {from_} n UNION ALL SELECT n+1 FROM s WHERE n < {to}) SELECT n FROM s) t"
    some = ";".join(f"INSERT INTO b (n) VALUES ({n}); UPDATE a SET v = 'u{n}' WHERE id = {n}" for n in range(10))
    script = [
        "INSERT INTO a VALUES (-1, 'first'), (-2, 'second')",
        f"BEGIN; {big.format(from_=1, to=OF_A_TRANSACTION)}; {some}; DELETE FROM a WHERE id < 0; COMMIT",
        "ALTER TABLE b ADD COLUMN w INT DEFAULT 7",
        "INSERT INTO b VALUES (1, 2)",
        "UPDATE a SET id = -5 WHERE id = 5",
        "FLUSH BINARY LOGS",
        "INSERT INTO other VALUES (1)",
        "BEGIN; INSERT INTO other VALUES (2); INSERT INTO b VALUES (3, 4); ROLLBACK",
        f"SET binlog_transaction_compression = ON; BEGIN; {big.format(from_=1001, to=1000 + OF_A_TRANSACTION)}; {some}; COMMIT; INSERT INTO b VALUES (5, 6); INSERT INTO b VALUES (7, 8)",
        "ALTER TABLE a MODIFY v TEXT, ADD COLUMN z INT FIRST",
        "DELETE FROM a WHERE id BETWEEN 100 AND 150",
        "CREATE TABLE made AS SELECT * FROM b",
        "SET binlog_transaction_compression = ON; CREATE TABLE ab AS SELECT * FROM b",
        "TRUNCATE TABLE b",
        "DROP TABLE made",
        "INSERT INTO b VALUES (9, 9)",
    ]
    for statements in script:
        server.sql(statements, DATABASE)


@pytest.mark.mysql
@pytest.mark.parametrize("every", [1, 7])
def test_a_log_read_with_stops_gives_the_same_records_as_read_whole(played, every):
    settings, start = played
    whole = read_on(settings, fresh(start))
    assert {f"test.{DATABASE}.{table}" for table in ("a", "b", "ab")} | {"test", "test.transaction"} <= set(whole.topics)
    assert len(whole.topics[f"test.{DATABASE}.a"]) > 2 * OF_A_TRANSACTION
    stopped = read_with_stops(settings, fresh(start), every, block_bytes=SMALL_BLOCK)
    assert stopped.batches > 20
    assert stopped.topics == whole.topics
    assert [r["ddl"] for r in stopped.history] == [r["ddl"] for r in whole.history]
    assert (stopped.progress.delivered, stopped.progress.restart) == (whole.progress.delivered, whole.progress.restart)


@pytest.mark.mysql
def test_positions_strictly_increase_within_a_topic(played):
    """But for the records of one change: a delete and what follows it, when a key changes."""
    settings, start = played
    whole = read_on(settings, fresh(start))
    for records in whole.topics.values():
        positions = [r["position"] for r in records if r["value"] is not None and "__debezium.oldkey" not in r["headers"]]
        assert positions == sorted(set(positions))
    assert max(r["position"] for records in whole.topics.values() for r in records) < whole.progress.delivered


@pytest.mark.mysql
def test_reading_may_stop_within_a_compressed_transaction(played, monkeypatch):
    settings, start = played
    whole = read_on(settings, fresh(start))
    monkeypatch.setattr(payload, "PIECE", 600)
    stopped = read_with_stops(settings, fresh(start), 1, batch_bytes=1)
    assert sum(not text.endswith("." + "0" * WIDTHS[-1]) for text in stopped.delivered) > 10
    assert stopped.topics == whole.topics
    assert stopped.progress == whole.progress
