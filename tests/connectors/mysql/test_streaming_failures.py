"""What goes wrong while the log is read: retried where that helps, otherwise stopped with the position; never a gap."""

import logging

import numpy as np
import pytest

from support.mysql_settings import settings_for
from support.reading import Read, batches, begin, fresh, read_on
from tailrace.connectors.base import Progress
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.connectors.mysql.rows import RowDecoder, RowError
from tailrace.errors import LogFormatError, PositionLostError, RetriableError, SourceSetupError
from tailrace_standins.servers.mysql_server import MySqlServer
from tailrace_standins.servers.waiting import wait_until

DATABASE = "failures"
TOPIC = f"test.{DATABASE}.t"
PLACE = r"mysql-bin\.\d{6}:\d+"


@pytest.fixture(scope="module")
def server():
    with MySqlServer() as started:
        yield started


@pytest.fixture
def table(server):
    server.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}; CREATE TABLE {DATABASE}.t (id INT PRIMARY KEY, v TEXT)")
    return server


def insert(server, *ids):
    for number in ids:
        server.sql(f"INSERT INTO t (id, v) VALUES ({number}, 'v')", DATABASE)


def ids(read):
    return [value["after"]["id"] for value in read.payloads(TOPIC)]


def following(settings, read):
    """A reading without an end that has come to the head of the log."""
    reader = batches(settings, read)
    for batch in reader:
        read.take(batch)
        if batch.idle:
            return reader
    raise AssertionError("ended")


def dump_threads(server):
    return [row[0] for row in server.sql("SHOW PROCESSLIST") if row[4].startswith("Binlog Dump")]


def until_it_ends(reader, read):
    for batch in reader:
        read.take(batch)


@pytest.mark.mysql
@pytest.mark.parametrize("how", ["kill", "restart"])
def test_a_lost_connection_is_worth_another_try_and_loses_nothing(table, how):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t", poll_interval_ms=50)
    insert(table, 1, 2)
    reader = following(settings, read)
    if how == "kill":
        for thread in dump_threads(table):
            table.sql(f"KILL {thread}")
    else:
        table.restart()
    with pytest.raises(RetriableError):
        until_it_ends(reader, read)
    insert(table, 3)
    read_on(settings, read)
    assert ids(read) == [1, 2, 3]


@pytest.mark.mysql
def test_a_server_that_is_down_is_worth_another_try(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    table.stop()
    try:
        with pytest.raises(RetriableError):
            next(batches(settings, read))
    finally:
        table.start()


@pytest.mark.mysql
def test_purged_logs_stop_it_and_name_what_is_missing(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    insert(table, 1)
    table.sql("FLUSH BINARY LOGS; SET @f = 1")
    newest = table.sql("SHOW BINARY LOG STATUS")[0][0]
    table.sql(f"PURGE BINARY LOGS TO '{newest}'")
    with pytest.raises(PositionLostError, match=r"purged the transactions [0-9a-f-]+:\d+"):
        read_on(settings, fresh(read))
    plain = {k: v for k, v in read.progress.restart.items() if k != "gtids"}
    with pytest.raises(PositionLostError, match=plain["file"]):
        read_on(settings, Read(Progress("", plain), read.history))


@pytest.mark.mysql
def test_a_duplicate_server_id_is_named(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t", poll_interval_ms=50, database_server_id=424242)
    reader = following(settings, read)
    other = following(settings, fresh(read))
    with pytest.raises(SourceSetupError, match=r"set database\.server\.id"):
        until_it_ends(reader, read)
    other.close()


@pytest.mark.mysql
def test_a_revoked_privilege_is_named(table):
    table.create_connector_user()
    settings, read = begin(table, table_include_list=f"{DATABASE}.t", database_user="tailrace", database_password="tailrace")
    insert(table, 1)
    read_on(settings, read)
    table.sql("REVOKE REPLICATION SLAVE ON *.* FROM 'tailrace'@'%'")
    with pytest.raises(SourceSetupError, match=r"(?i)replication slave|privileges"):
        read_on(settings, read)
    table.sql("GRANT REPLICATION SLAVE ON *.* TO 'tailrace'@'%'")
    assert ids(read_on(settings, read)) == [1]


@pytest.mark.mysql
@pytest.mark.parametrize("gtid", [True, False])
def test_another_server_with_other_data_is_refused(table, gtid):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    insert(table, 1)
    read_on(settings, read)
    with MySqlServer(gtid=gtid) as other:
        there = settings_for(other, table_include_list=f"{DATABASE}.t")
        progress = read.progress if gtid else Progress(read.progress.delivered, {k: v for k, v in read.progress.restart.items() if k != "gtids"})
        with pytest.raises(PositionLostError, match=r"this server|this is server"):
            next(batches(there, Read(progress, read.history)))


@pytest.mark.mysql
def test_a_statement_that_changed_rows_of_a_captured_table_stops_it_with_the_position(table):
    table.sql("CREATE TABLE other (n INT)", DATABASE)
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    table.sql("SET binlog_format = STATEMENT; INSERT INTO other VALUES (1)", DATABASE)
    insert(table, 1)
    assert ids(read_on(settings, read)) == [1]
    table.sql("SET binlog_format = STATEMENT; UPDATE t SET v = 'changed'", DATABASE)
    with pytest.raises(LogFormatError, match=rf"{PLACE}: a statement that changes rows of {DATABASE}.t"):
        read_on(settings, fresh(read))
    with pytest.raises(LogFormatError, match=rf"{PLACE}: a statement that changes rows of {DATABASE}.t"):
        read_on(settings, Read(read.progress, []))


@pytest.mark.mysql
def test_all_that_came_before_such_a_statement_is_delivered_as_the_error_says_to_go_on_behind_it(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    insert(table, 1, 2)
    table.sql("SET binlog_format = STATEMENT; UPDATE t SET v = 'changed'", DATABASE)
    insert(table, 3)
    with pytest.raises(LogFormatError, match=f"{DATABASE}.t"):
        read_on(settings, read)
    assert ids(read) == [1, 2]
    again = fresh(read)
    with pytest.raises(LogFormatError, match=f"{DATABASE}.t"):
        read_on(settings, again)
    assert ids(again) == []


@pytest.mark.mysql
@pytest.mark.parametrize("mode", ["fail", "warn", "skip"])
def test_a_row_event_that_cannot_be_decoded_is_named_with_its_position(table, mode, monkeypatch, caplog):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t", event_processing_failure_handling_mode=mode)
    insert(table, 1, 2, 3)
    damaged(monkeypatch)
    if mode == "fail":
        with pytest.raises(LogFormatError, match=rf"{DATABASE}\.t: the row event at {PLACE}: damaged"):
            read_on(settings, read)
        return
    caplog.set_level(logging.DEBUG)
    assert ids(read_on(settings, read)) == [1, 3]
    (told,) = (record for record in caplog.records if "left out" in record.message)
    assert told.levelno == (logging.WARNING if mode == "warn" else logging.DEBUG)
    assert f"{DATABASE}.t: the row event at mysql-bin" in told.message


def damaged(monkeypatch):
    """The event of the row with id 2 can't be decoded any more."""
    original = RowDecoder.batches

    def batches_of(self, data, body, end, type_, limit=1 << 16):
        for event, (start, stop) in enumerate(zip(body, end, strict=True)):
            if np.frombuffer(data[start:stop].tobytes()[-8:-4], np.int32)[0] == 2 or b"\x02\x00\x00\x00\x01\x00v" in data[start:stop].tobytes():
                raise RowError("damaged", event)
        return original(self, data, body, end, type_, limit)

    monkeypatch.setattr(RowDecoder, "batches", batches_of)


@pytest.mark.mysql
def test_the_log_of_a_server_that_began_it_again_is_refused_without_gtids():
    with MySqlServer(gtid=False) as other:
        other.sql(f"CREATE DATABASE {DATABASE}; CREATE TABLE {DATABASE}.t (id INT PRIMARY KEY, v TEXT); FLUSH BINARY LOGS")
        settings, read = begin(other, table_include_list=f"{DATABASE}.t")
        insert(other, 1)
        read_on(settings, read)
        other.sql("RESET BINARY LOGS AND GTIDS")
        with pytest.raises(PositionLostError, match=read.progress.restart["file"]):
            read_on(settings, read)


@pytest.mark.mysql
def test_idle_batches_come_while_nothing_happens(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t", poll_interval_ms=20)
    reader = following(settings, read)
    assert next(reader).idle
    insert(table, 1)
    wait_until(lambda: bool(take(reader, read)), 10, lambda: "no record came")
    assert ids(read) == [1]
    reader.close()


def take(reader, read):
    read.take(next(reader))
    return read.topics.get(TOPIC)


@pytest.mark.mysql
def test_gtids_become_known_with_the_next_file_where_the_progress_had_none(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    read.progress = Progress("", {k: v for k, v in read.progress.restart.items() if k != "gtids"})
    insert(table, 1)
    table.sql("FLUSH BINARY LOGS")
    insert(table, 2)
    read_on(settings, read)
    assert ids(read) == [1, 2]
    assert read.progress.restart["gtids"] == MySqlConnector(settings).head()["gtids"]
