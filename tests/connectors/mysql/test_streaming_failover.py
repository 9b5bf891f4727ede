"""Going on with another server, and with offsets that Debezium left."""

import json
from itertools import islice

import pytest

from support.mysql_settings import settings_for
from support.one_table import ONLY_IT, ids, insert, make_table
from support.reading import SMALL_BLOCK, Read, batches, begin, fresh, read_on
from support.replicas import follow, replicate
from tailrace.connectors.base import Progress
from tailrace.connectors.mysql import received_transactions
from tailrace.connectors.mysql.gtid import GtidSet, Source
from tailrace.connectors.mysql.positions import RestartPosition, file_name, file_number
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.errors import PositionLostError
from tailrace_standins.servers.mysql_server import MySqlServer

DATABASE = "failover"
A, B = f"test.{DATABASE}.a", f"test.{DATABASE}.b"
OTHER_SERVER = "11111111-2222-3333-4444-555555555555"


@pytest.fixture(scope="module")
def pair():
    """A source and its replica, which packs rows into events in another way and has other log files."""
    with MySqlServer(flags=("--binlog-row-event-max-size=256",)) as source, MySqlServer(flags=("--binlog-row-event-max-size=700",)) as replica:
        replicate(source, replica, files=2)
        source.sql(f"CREATE DATABASE {DATABASE}; CREATE TABLE {DATABASE}.a (id INT PRIMARY KEY, v TEXT); CREATE TABLE {DATABASE}.b (n INT)")
        yield source, replica


@pytest.fixture
def played(pair):
    source, replica = pair
    source.sql("DROP TABLE a, b; CREATE TABLE a (id INT PRIMARY KEY, v TEXT); CREATE TABLE b (n INT)", DATABASE)
    settings, start = begin(source, **options())
    source.sql("INSERT INTO a VALUES (-1, 'before')", DATABASE)
    many = ";".join(f"INSERT INTO a VALUES ({n}, REPEAT('v', 40)), ({1000 + n}, 'w'), ({2000 + n}, 'z'); INSERT INTO b VALUES ({n})" for n in range(60))
    source.sql(f"BEGIN; {many}; UPDATE a SET v = 'all' WHERE id < 1030; COMMIT", DATABASE)
    source.sql("ALTER TABLE b ADD COLUMN w INT; INSERT INTO b VALUES (-7, -8)", DATABASE)
    follow(source, replica)
    return settings, start, settings_for(replica, **options())


def options(**more):
    return {"table_include_list": f"{DATABASE}.(a|b)", "provide_transaction_metadata": True, **more}


def stories(read):
    """Each topic's records without what tells the server's own place."""
    return {topic: [story(record) for record in records] for topic, records in read.topics.items()}


def story(record):
    value = json.loads(record["value"])["payload"] if record["value"] else None
    if value and "source" in value:
        value["source"] = {k: v for k, v in value["source"].items() if k not in {"file", "pos", "row", "server_id", "thread"}}
    return record["key"], value


@pytest.mark.mysql
@pytest.mark.parametrize("stop", [1, 2, 5, 11, 23, 38])
def test_another_server_goes_on_without_loss_and_without_doubles(played, stop):
    settings, start, there = played
    whole = read_on(settings, fresh(start))
    read = fresh(start)
    reader = batches(settings, read, block_bytes=SMALL_BLOCK)
    new = 0
    while new < stop:
        batch = next(reader)
        new += batch.progress.delivered > read.progress.delivered
        read.take(batch)
    reader.close()
    before = read.progress
    if stop > 5:
        assert before.restart["open_rows"] > 0
    read_on(there, read, block_bytes=SMALL_BLOCK)
    assert stories(read) == stories(whole)
    assert read.progress.restart["era"] == 1
    for records in read.topics.values():
        positions = [record["position"] for record in records if record["value"]]
        assert positions == sorted(positions)


@pytest.mark.mysql
def test_a_stop_on_the_other_server_before_the_open_transaction_has_passed_changes_nothing(played):
    settings, start, there = played
    whole = read_on(settings, fresh(start))
    read = fresh(start)
    take_new(settings, read, 25)
    for count in (1, 2, 3, 4, 5, 30):
        take_new(there, read, count)
    read_on(there, read)
    assert stories(read) == stories(whole)


@pytest.mark.mysql
def test_a_range_ends_although_the_other_server_leaves_out_what_is_not_wanted(played, pair):
    settings, start, _ = played
    unwanted = settings_for(pair[1], **options(gtid_source_excludes=pair[0].variable("server_uuid")))
    assert len(list(islice(batches(unwanted, fresh(start), MySqlConnector(settings).head()), 5))) < 5


@pytest.mark.mysql
def test_the_progress_stays_what_it_was_until_the_other_server_has_sent_something(played):
    settings, start, there = played
    read = read_on(settings, fresh(start))
    before = read.progress
    reader = batches(there, read)
    for _ in range(2):
        read.take(next(reader))
    reader.close()
    assert read.progress == before
    assert stories(read_on(there, read)) == stories(read_on(settings, fresh(start)))


@pytest.mark.mysql
def test_going_back_to_the_first_server_within_the_same_transaction_loses_and_doubles_nothing(played):
    settings, start, there = played
    whole = read_on(settings, fresh(start))
    read = fresh(start)
    take_new(settings, read, 15)
    take_new(there, read, 12)
    read_on(settings, read)
    assert stories(read) == stories(whole)
    assert read.progress.restart["era"] == 2


@pytest.mark.mysql
def test_readers_that_only_begin_keep_the_count_of_the_open_transactions_rows(played):
    """GIVEN a stop within a transaction, WHEN the next reader ends before that has come again, THEN another server skips its rows."""
    settings, start, there = played
    whole = read_on(settings, fresh(start))
    read = fresh(start)
    for connected, count in ((settings, 15), (there, 12)):
        take_new(connected, read, count)
        counted = read.progress
        begin_only(connected, read)
        assert read.progress == counted
        assert counted.restart["open_rows"] > 0
        assert not MySqlConnector(settings).can_change_lanes(read.progress)
    read_on(settings, read)
    assert stories(read) == stories(whole)


def begin_only(settings, read):
    """The first batch of a reader, which has nothing of the log yet."""
    reader = batches(settings, read, block_bytes=64)
    read.take(next(reader))
    reader.close()


@pytest.fixture
def cut_off(played, pair, monkeypatch):
    """The replica lacks what is written after this."""
    monkeypatch.setattr(received_transactions, "WAIT_SECONDS", 0.5)
    source, replica = pair
    replica.sql("STOP REPLICA IO_THREAD")
    yield played
    replica.sql("START REPLICA IO_THREAD")
    follow(source, replica)


@pytest.mark.mysql
def test_a_server_without_a_transaction_is_refused_if_a_part_of_it_is_delivered(cut_off, pair):
    settings, start, there = cut_off
    read = read_on(settings, fresh(start))
    pair[0].sql(f"BEGIN; {';'.join(f'INSERT INTO b (n) VALUES ({n})' for n in range(100, 160))}; COMMIT", DATABASE)
    take_new(settings, read, 9)
    assert read.progress.restart["open_rows"] > 0
    with pytest.raises(PositionLostError, match=f"transactions {read.progress.restart['open_gtid']} were read, and this server"):
        read_on(there, read)


@pytest.mark.mysql
def test_a_range_ends_without_the_transactions_that_the_other_server_never_got(cut_off, pair, caplog):
    settings, start, there = cut_off
    counts = {topic: len(records) for topic, records in read_on(settings, fresh(start)).topics.items()}
    pair[0].sql("INSERT INTO b (n) VALUES (7)", DATABASE)
    until = MySqlConnector(settings).head()
    read = fresh(start)
    for batch in islice(batches(there, read, until, now_us=None), 100):
        read.take(batch)
    assert read.batches < 100
    assert {topic: len(records) for topic, records in read.topics.items()} == counts
    assert "it ends without them" in caplog.text


@pytest.mark.mysql
def test_a_range_of_a_dataframe_is_refused_there_as_the_next_one_would_begin_behind_them(cut_off, pair):
    settings, start, there = cut_off
    pair[0].sql("INSERT INTO b (n) VALUES (7)", DATABASE)
    with pytest.raises(PositionLostError, match=r"does not have the transactions .* before it"):
        list(islice(batches(there, fresh(start), MySqlConnector(settings).head()), 100))


def take_new(settings, read, count):
    reader = batches(settings, read, block_bytes=SMALL_BLOCK)
    new = 0
    while new < count:
        batch = next(reader)
        new += batch.progress.delivered > read.progress.delivered
        read.take(batch)
    reader.close()


@pytest.mark.mysql
def test_a_server_without_the_transactions_is_refused_unless_their_source_does_not_count(played):
    settings, start, there = played
    gtids = f"{start.progress.restart['gtids']},{OTHER_SERVER}:1-5"
    ahead = Read(Progress("", {**start.progress.restart, "gtids": gtids}), start.history)
    with pytest.raises(PositionLostError, match=f"{OTHER_SERVER}:1-5"):
        read_on(there, fresh(ahead))
    excluding = settings_for_same(there, gtid_source_excludes=OTHER_SERVER)
    assert stories(read_on(excluding, fresh(ahead)))[B] == stories(read_on(settings, fresh(start)))[B]


def settings_for_same(settings, **more):
    class Reached:
        host, port, user, password = settings.database_hostname, settings.database_port, "root", ""

    return settings_for(Reached, **options(**more))


@pytest.mark.mysql
@pytest.mark.parametrize("all_events", [False, True])
def test_changes_of_servers_that_do_not_count_give_no_events_unless_that_is_off(pair, all_events):
    source, _ = pair
    _, start = begin(source, **options())
    source.sql(f"SET gtid_next='{OTHER_SERVER}:{7 + all_events}'; INSERT INTO b (n) VALUES (99); SET gtid_next='AUTOMATIC'; INSERT INTO b (n) VALUES (98)", DATABASE)
    excluding = settings_for(source, **options(gtid_source_excludes=OTHER_SERVER, gtid_source_filter_dml_events=not all_events))
    read = read_on(excluding, fresh(start))
    assert [value["after"]["n"] for value in read.payloads(B)] == ([99, 98] if all_events else [98])


@pytest.mark.mysql
@pytest.mark.parametrize("gtids", [True, False])
def test_an_offset_of_debezium_within_a_transaction_is_honoured(played, gtids):
    """BEGIN and, for each row event, the statement's text and a table map come before it."""
    settings, start, _ = played
    whole = read_on(settings, fresh(start))
    events = events_of_the_big_transaction(settings, start)
    begin_pos, file = events[0][1], events[0][0]
    rows_at = [i for i, event in enumerate(events) if event[2] == "Write_rows"]
    offset = {"file": file, "pos": begin_pos, "event": rows_at[10], "row": 0}
    if gtids:
        offset["gtids"] = gtids_before(start)
    read = Read(Progress("", RestartPosition.from_debezium(offset).to_dict()), start.history)
    read_on(settings, read)
    kept = [r for r in whole.topics[A] if position_of(r) >= events[rows_at[10]][1] and r["position"].split(".")[1] == f"{int(file[-6:]):010d}"]
    assert [r["key"] for r in read.topics[A]] == [r["key"] for r in kept]
    some = {**offset, "row": 2}
    partly = read_on(settings, Read(Progress("", RestartPosition.from_debezium(some).to_dict()), start.history))
    assert sum(map(len, read.topics.values())) - sum(map(len, partly.topics.values())) in {1, 2}


@pytest.mark.mysql
def test_an_offset_of_debezium_from_another_server_says_nothing_about_this_ones_files(mysql_server):
    """GIVEN its file has a number in the middle of this server's, WHEN reading begins twice, THEN nothing counts as delivered."""
    make_table(mysql_server)
    settings, start = begin(mysql_server, **ONLY_IT)
    insert(mysql_server, 1)
    until = MySqlConnector(settings).head()
    elsewhere = file_name("mysql-bin", file_number(until["file"]) + 4)
    for number in range(2, 10):
        mysql_server.sql("FLUSH BINARY LOGS")
        insert(mysql_server, number)
    offset = {"file": elsewhere, "pos": 300, "gtids": start.progress.restart["gtids"]}
    read = Read(Progress("", RestartPosition.from_debezium(offset).to_dict()), start.history)
    read_on(settings, read, until)
    assert ids(read) == [1]
    assert ids(read_on(settings, read)) == [*range(1, 10)]


def position_of(record):
    return int(record["position"].split(".")[2])


def gtids_before(start):
    """With the transaction of one row that comes before the big one."""
    restart = start.progress.restart
    executed = GtidSet.parse(restart["gtids"])
    source = Source(restart["server_uuid"])
    return str(executed.add_number(source, executed.ranges(source)[-1][1]))


def events_of_the_big_transaction(settings, start):
    from tailrace.connectors.mysql import connection
    from tailrace.connectors.mysql.connection import rows

    restart = start.progress.restart
    with connection.connect(settings) as session:
        found = rows(session, f"SHOW BINLOG EVENTS IN '{restart['file']}' FROM {restart['pos']}")
    events = [(row[0], int(row[1]), row[2]) for row in found]
    begins = [i for i, event in enumerate(events) if event[2] == "Query" and found[i][5] == "BEGIN"]
    return events[begins[1] :]
