"""Several lanes that go on with another server, or where Debezium stopped, in the middle of a transaction."""

import json

import pytest

from support.mysql_settings import settings_for
from support.reading import SMALL_BLOCK, Read, batches, begin, fresh, read_on
from support.replicas import catch_up, replicate
from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace_standins.servers.mysql_server import MySqlServer

DATABASE = "lanes_failover"
COUNT = 3
PLACES = {"file", "pos", "row", "server_id", "thread"}  # of the source block: they tell the server's own place


@pytest.fixture(scope="module")
def pair():
    """A source and its replica, which packs rows into events in another way and has other log files."""
    with (
        MySqlServer(flags=("--binlog-row-event-max-size=256",)) as source,
        MySqlServer(flags=("--binlog-row-event-max-size=700",)) as replica,
    ):
        replicate(source, replica, files=2)
        yield source, replica


@pytest.fixture(scope="module", params=["counted", "not-counted"])
def played(request, pair):
    source, replica = pair
    source.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}")
    for table in "abcd":
        source.sql(f"CREATE TABLE {table} (id INT PRIMARY KEY, v TEXT)", DATABASE)
    source.sql("CREATE TABLE signals (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32), data TEXT)", DATABASE)
    options = {
        "database_include_list": DATABASE,
        "provide_transaction_metadata": request.param == "counted",
        "signal_data_collection": f"{DATABASE}.signals",  # its rows are decoded by all lanes
    }
    settings, start = begin(source, **options)
    source.sql("INSERT INTO a VALUES (-1, 'before')", DATABASE)
    rounds = (
        ";".join(
            f"INSERT INTO {table} VALUES ({n}, REPEAT('v', 40)), ({1000 + n}, 'w'), ({2000 + n}, 'z')"
            for table in "abcd"
        )
        for n in range(20)
    )
    source.sql(f"BEGIN; INSERT INTO signals VALUES ('s', 'none', ''); {';'.join(rounds)}; UPDATE a SET v = 'all' WHERE id < 1010; DELETE FROM d; COMMIT", DATABASE)
    source.sql(
        "ALTER TABLE b ADD COLUMN w INT; INSERT INTO b VALUES (-7, 'x', -8); INSERT INTO c VALUES (-9, 'c')", DATABASE
    )
    catch_up(source, replica)
    return settings, start, settings_for(replica, **options)


def lanes():
    return [Lane(number, COUNT) for number in range(COUNT)]


def stories(read):
    return {topic: [story(record) for record in records] for topic, records in read.topics.items()}


def story(record):
    value = json.loads(record["value"])["payload"] if record["value"] else None
    if value and "source" in value:
        value["source"] = {name: each for name, each in value["source"].items() if name not in PLACES}
    return record["key"], value


def take_new(settings, read, count, lane):
    """So many batches with something new, or all there are up to the head."""
    reader = batches(settings, read, block_bytes=SMALL_BLOCK, lane=lane)
    new = 0
    for batch in reader:
        new += batch.progress.delivered > read.progress.delivered
        read.take(batch)
        if new == count or batch.idle:
            break
    reader.close()


@pytest.mark.mysql
@pytest.mark.parametrize("stop", [2, 6, 13, 21, 34])
def test_lanes_on_another_server_lose_and_double_nothing(played, stop):
    settings, start, there = played
    whole = read_on(settings, fresh(start))
    reads, opened = [], []
    for lane in lanes():
        read = fresh(start)
        take_new(settings, read, stop + lane.number, lane)
        opened.append(read.progress.restart.get("open_rows", 0))
        take_new(there, read, 3, lane)
        reads.append(read_on(there, read, lane=lane, block_bytes=SMALL_BLOCK))
    told = {topic: records for read in reads for topic, records in stories(read).items()}
    assert told == stories(whole)
    assert [read.progress for read in reads] == [reads[0].progress] * COUNT
    assert reads[0].progress.restart["era"] == 1
    if 5 < stop < 30:
        assert any(opened)
        assert len(set(opened)) > 1


@pytest.mark.mysql
@pytest.mark.parametrize("rows", [0, 1, 2])
def test_lanes_go_on_where_debezium_stopped_within_an_event(played, rows):
    """Debezium counts the events of all tables: only the lane that has the next one passes rows of it over."""
    settings, start, _ = played
    at = heads_of_transactions(settings, start)[1]
    offset = {"file": start.progress.restart["file"], "pos": at, "gtids": None, "event": 18, "row": rows}
    begun = Read(Progress("", RestartPosition.from_debezium(offset).to_dict()), start.history)
    whole = read_on(settings, fresh(begun))
    reads = [read_on(settings, fresh(begun), lane=lane) for lane in lanes()]
    assert {topic: records for read in reads for topic, records in read.topics.items()} == whole.topics
    assert [read.progress for read in reads] == [whole.progress] * COUNT
    everything = read_on(
        settings,
        Read(Progress("", RestartPosition.from_debezium({**offset, "event": 0, "row": 0}).to_dict()), start.history),
    )
    assert sum(map(len, everything.topics.values())) > sum(map(len, whole.topics.values()))


def heads_of_transactions(settings, start):
    """Where each transaction that has rows begins, by the offset of its first event."""
    starts = []
    for batch in batches(settings, fresh(start), block_bytes=SMALL_BLOCK):
        if batch.progress.restart["pos"] not in starts:
            starts.append(batch.progress.restart["pos"])
        if batch.idle:
            break
    return starts
