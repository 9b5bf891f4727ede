"""A log that began again has the same names of files, and other contents: where reading went on there, changes were lost."""

import time
from contextlib import closing

import pytest

from support.mysql_settings import settings_for
from support.one_table import DATABASE, TOPIC, end, ids, insert, make_table, reset
from support.reading import Read, batches, begin, fresh, read_on
from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.mysql import log_file_identity
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.connectors.mysql.stream import BinlogStream, DumpPosition
from tailrace.errors import PositionLostError
from tailrace_standins.servers.mysql_server import MySqlServer
from tailrace_standins.servers.waiting import wait_until

MADE_AGAIN = "its log began again"

pytestmark = pytest.mark.mysql


@pytest.fixture(scope="module", params=[False, True], ids=["nogtid", "gtid"])
def any_server(request):
    with MySqlServer(gtid=request.param) as started:
        yield started


@pytest.fixture(scope="module")
def server():
    with MySqlServer(gtid=False) as started:
        yield started


@pytest.fixture
def table(server):
    make_table(server)
    return server


def begun_and_reset(server, **options):
    """A reading that stands at the log's end, and a new log in which an event begins at the same place.

    The rows are as long as those of the first log, so that its transactions end at the same offsets.
    """
    reset(server)
    settings, read = begin(server, table_include_list=f"{DATABASE}.t", **options)
    insert(server, 100, 101, 102)
    read_on(settings, read)
    stored = read.progress.restart
    reset(server)
    insert(server, *range(200, 214))
    starts = [row[1] for row in server.sql(f"SHOW BINLOG EVENTS IN '{stored['file']}'")]
    assert stored["pos"] in starts
    return settings, read


def test_a_log_that_began_again_is_refused_where_an_event_begins_at_the_stored_offset(table):
    settings, read = begun_and_reset(table)
    with pytest.raises(PositionLostError, match=rf"{read.progress.restart['file']}:\d+ .* {MADE_AGAIN}.*snapshot\.mode=when_needed"):
        read_on(settings, fresh(read))
    with pytest.raises(PositionLostError, match=MADE_AGAIN):
        MySqlConnector(settings).require_retained(read.progress)


def test_each_lane_compares(table):
    settings, read = begun_and_reset(table)
    for number in range(2):
        with pytest.raises(PositionLostError, match=MADE_AGAIN):
            read_on(settings, fresh(read), lane=Lane(number, 2))


def test_a_place_of_a_dataframe_is_refused_as_well_and_so_are_its_plans(table):
    settings, read = begun_and_reset(table)
    connector = MySqlConnector(settings)
    for plan in (lambda: connector.head_after(read.progress.restart, None), lambda: connector.head_after(read.progress.restart, 1000)):
        with pytest.raises(PositionLostError, match=MADE_AGAIN):
            plan()


def test_a_beginning_and_a_snapshots_point_know_their_file(table):
    settings = settings_for(table, table_include_list=f"{DATABASE}.t", snapshot_mode="initial")
    connector = MySqlConnector(settings)
    file, pos = end(table)
    created = log_file_identity.created_at(settings, DumpPosition(file, pos))
    for place in (connector.head(), connector.start_point().restart, connector.start_point(2).restart, connector.head_after(None, None)):
        assert place["file_created"] == created


def test_positions_that_do_not_tell_their_file_are_read_on_and_tell_it_from_then_on(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    del read.progress.restart["file_created"]
    insert(table, 1)
    read_on(settings, read)
    assert ids(read) == [1]
    assert read.progress.restart["file_created"] == MySqlConnector(settings).head()["file_created"]


def test_the_place_in_the_next_file_tells_that_file(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    first = read.progress.restart["file_created"]
    wait_until(lambda: int(time.time()) > first, 10, lambda: "the clock stands still")
    table.sql("FLUSH BINARY LOGS")
    insert(table, 1)
    read_on(settings, read)
    assert read.progress.restart["file_created"] > first
    assert ids(read_on(settings, read)) == [1]


def test_ranges_that_are_cut_tell_their_files(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    for number in range(3):
        insert(table, *range(number * 20, number * 20 + 20))
        table.sql("FLUSH BINARY LOGS")
    connector, place, seen = MySqlConnector(settings), read.progress.restart, set()
    while place["file"] != connector.head()["file"]:
        place = connector.head_after(place, 2000)
        seen.add(place["file"])
        assert place["file_created"] == log_file_identity.created_at(
            settings, DumpPosition(place["file"], place["pos"])
        )
    assert len(seen) > 2


def test_a_prepared_xa_transaction_keeps_the_reading_in_the_file_that_it_stands_in(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    first = read.progress.restart["file_created"]
    table.sql("XA START 'x'; INSERT INTO t (id, v) VALUES (1, 'x'); XA END 'x'; XA PREPARE 'x'", DATABASE)
    wait_until(lambda: int(time.time()) > first, 10, lambda: "the clock stands still")
    table.sql("FLUSH BINARY LOGS")
    insert(table, 2)
    read_on(settings, read)
    assert (read.progress.restart["is_prepared"], read.progress.restart["file_created"]) == (True, first)
    table.sql("XA COMMIT 'x'")
    assert ids(read_on(settings, read)) == [2, 1]
    assert read.progress.restart["file_created"] > first


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_reading_goes_on_from_the_end_of_a_file_that_a_restart_left(how):
    """It has no event that leads to the next file; the server sends that one's first event next."""
    with MySqlServer(gtid=False) as source:
        make_table(source)
        settings, read = begin(source, table_include_list=f"{DATABASE}.t")
        first = read.progress.restart["file"]
        if how == "kill":
            source.kill()
        else:
            source.stop()
        source.start()
        size = next(int(row[1]) for row in source.sql("SHOW BINARY LOGS") if row[0] == first)
        read.progress.restart["pos"] = size
        insert(source, 1)
        assert ids(read_on(settings, read)) == [1]
        assert read.progress.restart["file"] > first


def test_an_offset_at_which_no_event_begins_is_lost(any_server):
    make_table(any_server)
    settings, read = begin(any_server, table_include_list=f"{DATABASE}.t")
    insert(any_server, 1, 2, 3)
    restart = {name: value for name, value in read.progress.restart.items() if name != "gtids"}
    for shift in (1, 5, 19, 30, 60, 100):
        beside = Read(Progress("", {**restart, "pos": restart["pos"] + shift}), read.history)
        with pytest.raises(PositionLostError, match="no event begins there"):
            read_on(settings, beside)


def test_an_offset_behind_the_files_end_is_lost(table):
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    behind = Read(Progress("", {**read.progress.restart, "pos": read.progress.restart["pos"] + 100_000}), read.history)
    with pytest.raises(PositionLostError, match="ends at"):
        read_on(settings, behind)


def test_bytes_of_a_row_that_look_like_an_event_are_none(table):
    """A header that fits is not enough: it has to end where it says."""
    settings, read = begin(table, table_include_list=f"{DATABASE}.t")
    header = b"\x01\x00\x00\x00\x02\x01\x00\x00\x00\x20\x00\x00\x00\x04\x00\x00\x00\x00\x00" + b"x" * 13
    table.sql(f"INSERT INTO t (id, v) VALUES (1, X'{header.hex()}')", DATABASE)
    log = table.sql(f"SHOW BINLOG EVENTS IN '{read.progress.restart['file']}' FROM {read.progress.restart['pos']}")
    rows = next(row for row in log if row[2] == "Write_rows")
    with_checksum = int(rows[4]) - 4 - len(header)
    inside = Read(Progress("", {**read.progress.restart, "pos": with_checksum}), read.history)
    with pytest.raises(PositionLostError, match="no event begins there"):
        read_on(settings, inside)


def test_with_gtids_a_log_that_began_again_is_read_by_them_in_a_new_era():
    """The GTIDs that were executed are set again, as after a restore: nothing is missing, but files say nothing."""
    with MySqlServer() as source:
        make_table(source)
        reset(source)
        settings, read = begin(source, table_include_list=f"{DATABASE}.t")
        insert(source, 100, 101, 102)
        read_on(settings, read)
        executed, stored = source.variable("gtid_executed"), read.progress.restart
        reset(source)
        source.sql(f"SET GLOBAL gtid_purged = '{executed}'")
        insert(source, *range(200, 214))
        assert end(source)[0] == stored["file"]
        assert end(source)[1] > stored["pos"]
        read_on(settings, read)
        assert ids(read) == [100, 101, 102, *range(200, 214)]
        assert (read.progress.restart["era"], read.progress.restart["file"]) == (1, stored["file"])
        positions = [record["position"] for record in read.topics[TOPIC]]
        assert positions == sorted(positions)


def test_with_gtids_a_shorter_log_of_the_same_name_is_a_new_era_as_well():
    with MySqlServer() as source:
        make_table(source)
        settings, read = begin(source, table_include_list=f"{DATABASE}.t")
        insert(source, *range(20))
        read_on(settings, read)
        executed, stored = source.variable("gtid_executed"), read.progress.restart
        reset(source)
        source.sql(f"SET GLOBAL gtid_purged = '{executed}'")
        insert(source, 100)
        assert end(source) < (stored["file"], stored["pos"])
        newest = RestartPosition.from_dict(MySqlConnector(settings).head_after(stored, None))
        assert newest.era == 1
        read_on(settings, read)
        assert ids(read) == [*range(20), 100]


def test_asking_for_a_file_ends_no_reader_and_leaves_none(table):
    settings = settings_for(table)
    file, pos = end(table)
    with BinlogStream(settings, DumpPosition(file, pos)) as reader:
        log_file_identity.created_at(settings, DumpPosition(file, pos))
        buffer = memoryview(bytearray(1 << 16))
        reader.read(buffer, 1000)
        assert any(row[0] == reader.thread_id for row in table.sql("SHOW PROCESSLIST"))


def test_a_file_that_is_changed_between_the_question_and_the_reading_is_noticed(table, monkeypatch):
    settings, read = begun_and_reset(table)
    there = log_file_identity.ServerFile(read.progress.restart["file_created"], is_other=False)
    monkeypatch.setattr("tailrace.connectors.mysql.dump_start.server_file", lambda *_: there)
    with pytest.raises(PositionLostError, match=MADE_AGAIN):
        read_on(settings, fresh(read))


def test_a_dump_tells_when_its_file_was_made_wherever_it_begins(any_server):
    make_table(any_server)
    settings = settings_for(any_server)
    insert(any_server, 1)
    file, within = end(any_server)
    insert(any_server, 2)
    told = {log_file_identity.created_at(settings, DumpPosition(file, at)) for at in (4, within, end(any_server)[1])}
    assert len(told) == 1
    assert abs(told.pop() - time.time()) < 600


def follow_a_reader_into_the_next_file(server, between):
    """Read live up to row 1's, let `between` happen, and go on until row 99 comes; gives what came."""
    make_table(server)
    reset(server)
    settings, read = begin(server, table_include_list=f"{DATABASE}.t", poll_interval_ms=20)
    with closing(batches(settings, read)) as live:
        insert(server, *range(1, 40))
        for batch in live:
            read.take(batch)
            if len(ids(read)) == 39:
                break
        between()
        insert(server, 99)
        deadline = time.monotonic() + 30
        for batch in live:
            read.take(batch)
            if 99 in ids(read) or time.monotonic() > deadline:
                return ids(read)
    return None


def test_a_log_that_begins_again_under_a_reader_does_not_lose_its_first_file_in_silence(any_server):
    def begin_again():
        reset(any_server)
        insert(any_server, 50, 51)
        any_server.sql("FLUSH BINARY LOGS")

    with pytest.raises(PositionLostError, match=MADE_AGAIN):
        follow_a_reader_into_the_next_file(any_server, begin_again)


def test_a_reader_is_not_disturbed_by_files_that_follow_each_other(any_server):
    def go_on():
        any_server.sql("FLUSH BINARY LOGS")
        insert(any_server, 50)
        any_server.sql("FLUSH BINARY LOGS")

    assert follow_a_reader_into_the_next_file(any_server, go_on) == [*range(1, 40), 50, 99]
