"""XA: rows count where they are committed, whatever comes between and wherever reading stops."""

import pytest

from support.mysql_settings import settings_for
from support.reading import SMALL_BLOCK, Read, batches, begin, fresh, read_on, read_with_stops
from tailrace.connectors.base import Progress
from tailrace.connectors.mysql import xa
from tailrace.errors import LogFormatError, PositionLostError, UnsupportedError
from tailrace_standins.servers.mysql_server import MySqlServer

DATABASE = "xa_test"
TOPIC = f"test.{DATABASE}.t"


@pytest.fixture(scope="module", params=["FULL", "MINIMAL"])
def server(request):
    with MySqlServer(gtid=request.param == "FULL", row_metadata=request.param) as started:
        yield started


@pytest.fixture
def table(server):
    for row in server.sql("XA RECOVER"):
        server.sql(f"XA ROLLBACK '{row[3].decode() if isinstance(row[3], bytes) else row[3]}'")
    server.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}; CREATE TABLE {DATABASE}.t (id INT PRIMARY KEY); CREATE TABLE {DATABASE}.other (n INT)")
    return server


def options():
    return {"table_include_list": f"{DATABASE}.t", "provide_transaction_metadata": True, "include_query": True}


def prepare(server, xid, statements):
    server.sql(f"XA START '{xid}'; {statements}; XA END '{xid}'; XA PREPARE '{xid}'", DATABASE)


def finish(server, how, xid):
    server.sql(f"XA {how} '{xid}'")


def ids(read):
    return [value["after"]["id"] for value in read.payloads(TOPIC)]


def play(server):
    prepare(server, "one", "INSERT INTO t VALUES (1), (2); INSERT INTO t VALUES (3)")
    server.sql("INSERT INTO t VALUES (10)", DATABASE)
    prepare(server, "two", "INSERT INTO t VALUES (20)")
    prepare(server, "three", "INSERT INTO other VALUES (1)")
    server.sql("FLUSH BINARY LOGS")
    server.sql("CREATE TABLE late (n INT)", DATABASE)
    finish(server, "ROLLBACK", "two")
    server.sql("INSERT INTO t VALUES (11)", DATABASE)
    finish(server, "COMMIT", "one")
    server.sql("XA START 'now'; INSERT INTO t VALUES (30), (31); XA END 'now'; XA COMMIT 'now' ONE PHASE", DATABASE)
    finish(server, "COMMIT", "three")
    server.sql("INSERT INTO t VALUES (12)", DATABASE)


EXPECTED = [10, 11, 1, 2, 3, 30, 31, 12]


@pytest.mark.mysql
def test_rows_come_where_they_are_committed_and_not_where_they_are_prepared(table):
    settings, start = begin(table, **options())
    play(table)
    read = read_on(settings, fresh(start))
    assert ids(read) == EXPECTED
    positions = [record["position"] for record in read.topics[TOPIC]]
    assert positions == sorted(set(positions))
    queries = [value["source"]["query"] for value in read.payloads(TOPIC)]
    assert queries[2:5] == ["INSERT INTO t VALUES (1), (2)"] * 2 + ["INSERT INTO t VALUES (3)"]
    orders = [value["transaction"]["total_order"] for value in read.payloads(TOPIC)]
    assert orders == [1, 1, 1, 2, 3, 1, 2, 1]
    ends = [v for v in read.payloads("test.transaction") if v["status"] == "END" and v["event_count"]]
    assert [v["event_count"] for v in ends] == [1, 1, 3, 2, 1]
    assert not read.progress.restart.get("is_prepared")


@pytest.mark.mysql
@pytest.mark.parametrize("every", [1, 3])
def test_reading_with_stops_gives_the_same(table, every):
    settings, start = begin(table, **options())
    play(table)
    whole = read_on(settings, fresh(start))
    stopped = read_with_stops(settings, fresh(start), every, block_bytes=SMALL_BLOCK)
    assert stopped.topics == whole.topics
    assert [r["ddl"] for r in stopped.history] == [r["ddl"] for r in whole.history]
    assert stopped.progress == whole.progress


@pytest.mark.mysql
def test_a_structure_that_changed_since_the_prepare_is_gone_through_again(table):
    table.sql("CREATE TABLE u (id INT PRIMARY KEY)", DATABASE)
    settings, read = begin(table, **{**options(), "table_include_list": f"{DATABASE}.(t|u)"})
    prepare(table, "open", "INSERT INTO t VALUES (1)")
    quoted = """SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES'); --\n ALTER TABLE "u" RENAME COLUMN "id" TO "i" """
    table.sql(f"INSERT INTO u VALUES (1); ALTER TABLE u ADD COLUMN w INT FIRST; {quoted}; INSERT INTO u VALUES (5, 2)", DATABASE)
    read_on(settings, read)
    assert read.progress.restart["is_prepared"]
    read_on(settings, read)
    table.sql("INSERT INTO u VALUES (6, 3)", DATABASE)
    finish(table, "COMMIT", "open")
    read_on(settings, read)
    assert ids(read) == [1]
    assert [value["after"] for value in read.payloads(f"test.{DATABASE}.u")] == [{"id": 1}, {"w": 5, "i": 2}, {"w": 6, "i": 3}]
    assert len({record["ddl"] for record in read.history if "ALTER" in record["ddl"]}) == 2
    assert len([record for record in read.history if "ALTER" in record["ddl"]]) == 2


@pytest.mark.mysql
def test_readers_that_end_before_the_prepared_one_has_come_again_keep_it(table):
    """GIVEN a statement that was delivered since, WHEN readers only begin, THEN it is gone through again and a fail-over refused."""
    table.sql("CREATE TABLE u (id INT PRIMARY KEY)", DATABASE)
    settings, read = begin(table, **{**options(), "table_include_list": f"{DATABASE}.(t|u)"})
    prepare(table, "open", ";".join(f"INSERT INTO t VALUES ({n})" for n in range(20)))
    table.sql("INSERT INTO u VALUES (1); ALTER TABLE u ADD COLUMN w INT FIRST; INSERT INTO u VALUES (5, 2)", DATABASE)
    read_on(settings, read)
    stored = read.progress
    assert stored.restart["is_prepared"]
    for count in (1, 2, 4, 8):
        reader = batches(settings, read, block_bytes=64)
        for _ in range(count):
            read.take(next(reader))
        reader.close()
        assert (read.progress.restart["pos"], read.progress.restart.get("is_prepared")) == (stored.restart["pos"], True)
    table.sql("INSERT INTO u VALUES (6, 3)", DATABASE)
    finish(table, "COMMIT", "open")
    read_on(settings, read)
    assert ids(read) == [*range(20)]
    assert [value["after"] for value in read.payloads(f"test.{DATABASE}.u")] == [{"id": 1}, {"w": 5, "id": 2}, {"w": 6, "id": 3}]


@pytest.mark.mysql
def test_a_commit_whose_rows_were_before_the_beginning_stops_it_with_the_position(table):
    prepare(table, "before", "INSERT INTO t VALUES (1)")
    settings, read = begin(table, **options())
    finish(table, "COMMIT", "before")
    with pytest.raises(LogFormatError, match=r"mysql-bin\.\d+:\d+: XA COMMIT .* before the position where reading began"):
        read_on(settings, read)


@pytest.mark.mysql
def test_more_than_can_be_held_stops_it_with_the_position(table, monkeypatch):
    settings, read = begin(table, **options())
    prepare(table, "large", "INSERT INTO t VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9)")
    monkeypatch.setattr(xa.XaTransactions.__init__, "__defaults__", (40,))
    with pytest.raises(UnsupportedError, match=r"mysql-bin\.\d+:\d+: XA transactions that are not committed"):
        read_on(settings, read)
    finish(table, "ROLLBACK", "large")


@pytest.mark.mysql
def test_a_fail_over_while_one_is_prepared_is_refused(table):
    if not table.gtid:
        pytest.skip("no fail-over without GTIDs")
    settings, read = begin(table, **options())
    prepare(table, "pending", "INSERT INTO t VALUES (1)")
    table.sql("INSERT INTO t VALUES (2)", DATABASE)
    read_on(settings, read)
    elsewhere = {**read.progress.restart, "server_uuid": "11111111-2222-3333-4444-555555555555"}
    moved = Read(Progress(read.progress.delivered, elsewhere), read.history)
    with pytest.raises(PositionLostError, match="XA transaction was prepared at mysql-bin"):
        next(batches(settings_for(table, **options()), moved))
    finish(table, "ROLLBACK", "pending")
