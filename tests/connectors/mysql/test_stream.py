"""The log's bytes as they come from real servers."""

import socket
import threading
import uuid

import pytest

from support.mysql_settings import settings_for
from support.packets import event_type, events, next_position
from tailrace.connectors.mysql import stream_errors
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.stream import BinlogStream, DumpPosition, Options, dump_command, framed
from tailrace.errors import LogFormatError, PositionLostError, RetriableError, SourceSetupError
from tailrace_standins.servers.mysql_server import MySqlServer
from tailrace_standins.servers.waiting import wait_until

QUERY, ROTATE, FORMAT, ROWS, GTID, PREVIOUS_GTIDS, HEARTBEAT, TAGGED_GTID = 2, 4, 15, 30, 33, 35, 27, 42
TO_THE_END = Options(blocking=False)


def head(server):
    status = server.sql("SHOW BINARY LOG STATUS")[0]
    return DumpPosition(file=status[0], pos=status[1]), GtidSet.parse(status[4])


def read_all(server, start, options=TO_THE_END, **changes):
    with BinlogStream(settings_for(server, **changes), start, options) as stream:
        return list(events(stream))


@pytest.fixture
def table(mysql_server, database):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, b LONGBLOB)", database)
    return f"{database}.t"


@pytest.mark.mysql
@pytest.mark.parametrize("mode", ["disabled", "required"])
def test_a_file_is_read_from_an_offset_on_with_and_without_tls(mysql_server, table, mode):
    start, _ = head(mysql_server)
    mysql_server.sql(f"INSERT INTO {table} VALUES (1, 'first')")
    found = read_all(mysql_server, start, database_ssl_mode=mode)
    assert [event_type(e) for e in found[:2]] == [ROTATE, FORMAT]
    assert any(event_type(e) == ROWS and b"first" in e for e in found)
    assert next_position(found[-1]) == head(mysql_server)[0].pos


@pytest.mark.mysql
def test_only_transactions_outside_the_gtid_set_come(mysql_server, table):
    mysql_server.sql(f"INSERT INTO {table} VALUES (1, 'before')")
    _, executed = head(mysql_server)
    mysql_server.sql(f"INSERT INTO {table} VALUES (2, 'after')")
    found = read_all(mysql_server, DumpPosition(gtids=executed))
    assert sum(event_type(e) in {GTID, TAGGED_GTID} for e in found) == 1
    assert any(b"after" in e for e in found)
    assert not any(b"before" in e for e in found)


@pytest.mark.mysql
def test_tagged_gtids_are_understood_by_the_server_and_from_it(database):
    with MySqlServer() as server:  # a tag once executed is in every set of this server from then on
        server.sql("CREATE DATABASE d; CREATE TABLE d.t (v TEXT)")
        server.sql(
            "SET gtid_next = 'AUTOMATIC:audit'; INSERT INTO d.t VALUES ('tagged one'); FLUSH BINARY LOGS"
        )
        start, executed = head(server)
        assert any(source.tag == "audit" for source in executed.sources)
        server.sql("SET gtid_next = 'AUTOMATIC:audit'; INSERT INTO d.t VALUES ('tagged two')")
        found = read_all(server, DumpPosition(gtids=executed))
        assert any(b"tagged two" in e for e in found)
        assert not any(b"tagged one" in e for e in found)
        (previous,) = (e for e in read_all(server, DumpPosition(file=start.file)) if event_type(e) == PREVIOUS_GTIDS)
        assert executed.subtract(GtidSet.decode(previous[19:-4])).count() <= 1


@pytest.mark.mysql
@pytest.mark.parametrize("mode", ["disabled", "required"])
def test_an_event_of_more_than_16_mb_comes_whole_through_a_small_buffer(mysql_server, table, mode):
    start, _ = head(mysql_server)
    mysql_server.sql(f"INSERT INTO {table} VALUES (1, REPEAT('x', 34000000))")
    settings = settings_for(mysql_server, database_ssl_mode=mode)
    with BinlogStream(settings, start, TO_THE_END) as stream:
        longest = max(events(stream, buffer_size=1 << 22), key=len)
    assert event_type(longest) == ROWS
    assert longest.count(b"x") >= 34_000_000


@pytest.mark.mysql
def test_a_log_without_checksums_is_read():
    with MySqlServer(flags=("--binlog-checksum=NONE",)) as server:
        start, _ = head(server)
        server.sql("CREATE DATABASE d; CREATE TABLE d.t (v TEXT); INSERT INTO d.t VALUES ('plain')")
        found = read_all(server, start)
        (rows_event,) = (e for e in found if event_type(e) == ROWS)
        assert rows_event.endswith(b"plain")


@pytest.mark.mysql
@pytest.mark.parametrize("mode", ["disabled", "required"])
def test_a_blocking_stream_waits_for_what_is_committed_later(mysql_server, table, mode):
    start, _ = head(mysql_server)
    with BinlogStream(settings_for(mysql_server, database_ssl_mode=mode), start) as stream:
        buffer = memoryview(bytearray(1 << 16))
        while stream.read(buffer, 100):
            pass
        assert stream.read(buffer, 0) == 0
        mysql_server.sql(f"INSERT INTO {table} VALUES (1, 'later')")
        received = b""

        def arrived():
            nonlocal received
            received += bytes(buffer[: stream.read(buffer, 1000)])
            return b"later" in received

        wait_until(arrived, 20, lambda: "the row did not come")


@pytest.mark.mysql
def test_heartbeats_come_when_nothing_else_does(mysql_server):
    start, _ = head(mysql_server)
    options = Options(heartbeat_ms=50)
    with BinlogStream(settings_for(mysql_server), start, options) as stream:
        assert any(event_type(e) == HEARTBEAT for e in events(stream))


@pytest.mark.mysql
def test_a_tiny_buffer_loses_no_byte(mysql_server):
    start, _ = head(mysql_server)
    with BinlogStream(settings_for(mysql_server), start, TO_THE_END) as stream:
        found = list(events(stream, buffer_size=3))
    assert [event_type(e) for e in found[:2]] == [ROTATE, FORMAT]


@pytest.mark.mysql
def test_a_file_that_the_server_does_not_have_is_named(mysql_server):
    with pytest.raises(PositionLostError, match=r"mysql-bin\.099999.*take a new snapshot"):
        BinlogStream(settings_for(mysql_server), DumpPosition(file="mysql-bin.099999"))


@pytest.mark.mysql
def test_an_offset_beyond_the_end_of_the_file_is_named(mysql_server):
    start, _ = head(mysql_server)
    with pytest.raises(PositionLostError, match=f"{start.pos + 10**6}"):
        BinlogStream(settings_for(mysql_server), DumpPosition(start.file, start.pos + 10**6))


@pytest.mark.mysql
def test_an_offset_within_an_event_is_noticed(mysql_server, table):
    start, _ = head(mysql_server)
    mysql_server.sql(f"INSERT INTO {table} VALUES (1, REPEAT('x', 5000))")
    with pytest.raises((LogFormatError, PositionLostError, SourceSetupError)):
        read_all(mysql_server, DumpPosition(start.file, start.pos + 7))


@pytest.mark.mysql
def test_purged_transactions_are_named():
    with MySqlServer() as server:
        server.sql("CREATE DATABASE d; FLUSH BINARY LOGS; CREATE DATABASE e; FLUSH BINARY LOGS")
        last = server.sql("SHOW BINARY LOGS")[-1][0]
        server.sql(f"PURGE BINARY LOGS TO '{last}'")
        server_uuid = server.variable("server_uuid")
        with pytest.raises(PositionLostError, match=f"{server_uuid}:1.*take a new snapshot"):
            BinlogStream(settings_for(server), DumpPosition(gtids=GtidSet()))


@pytest.mark.mysql
def test_transactions_that_the_server_never_had_are_noticed(mysql_server):
    ahead = GtidSet.parse(f"{mysql_server.variable('server_uuid')}:1-1000000")
    with pytest.raises(PositionLostError, match="not on this server"):
        BinlogStream(settings_for(mysql_server), DumpPosition(gtids=ahead))


@pytest.mark.mysql
def test_a_gtid_set_on_a_server_without_gtids_says_so(mysql_minimal):
    with pytest.raises(SourceSetupError, match="GTIDs are off"):
        BinlogStream(settings_for(mysql_minimal), DumpPosition(gtids=GtidSet()))


@pytest.mark.mysql
def test_a_user_without_replication_privileges_is_told_which(mysql_server):
    mysql_server.create_connector_user("blind", "pw", "SELECT")
    settings = settings_for(mysql_server, database_user="blind", database_password="pw")
    with pytest.raises(SourceSetupError, match="REPLICATION SLAVE"):
        BinlogStream(settings, DumpPosition())


@pytest.mark.mysql
def test_a_second_reader_with_the_same_id_is_noticed_by_the_first(mysql_server):
    start, _ = head(mysql_server)
    settings = settings_for(mysql_server, database_server_id=77_001)
    noticed = pytest.raises(SourceSetupError, match=r"set database\.server\.id")
    with BinlogStream(settings, start) as first, BinlogStream(settings, start), noticed:
        list(events(first))


@pytest.mark.mysql
def test_lanes_of_one_reader_do_not_disturb_each_other(mysql_server):
    start, _ = head(mysql_server)
    settings = settings_for(mysql_server, database_server_id=77_002)
    quick = {"heartbeat_ms": 50}
    with (
        BinlogStream(settings, start, Options(**quick)) as one,
        BinlogStream(settings, start, Options(**quick, lane=1)) as two,
    ):
        for stream in (one, two, one):
            assert any(event_type(e) == HEARTBEAT for e in events(stream))


@pytest.mark.mysql
def test_a_server_that_goes_away_is_worth_another_attempt():
    with MySqlServer() as server:
        start, _ = head(server)
        with BinlogStream(settings_for(server), start) as stream:
            server.kill()
            with pytest.raises(RetriableError):
                list(events(stream))
        with pytest.raises(RetriableError, match="connecting to MySQL"):
            BinlogStream(settings_for(server), start)
        server.restart()
        assert read_all(server, start)


@pytest.mark.mysql
def test_a_killed_dump_is_worth_another_attempt(mysql_server):
    start, _ = head(mysql_server)
    with BinlogStream(settings_for(mysql_server), start) as stream:
        mysql_server.sql(f"KILL {stream.thread_id}")
        with pytest.raises(RetriableError):
            list(events(stream))


@pytest.mark.mysql
def test_closing_frees_the_servers_thread(mysql_server):
    start, _ = head(mysql_server)
    stream = BinlogStream(settings_for(mysql_server), start, Options(heartbeat_ms=50))
    thread = stream.thread_id
    stream.close()

    def gone():
        return thread not in {row[0] for row in mysql_server.sql("SHOW PROCESSLIST")}

    wait_until(gone, 20, lambda: "the dump thread is still there")


@pytest.mark.mysql
def test_a_connection_that_falls_silent_counts_as_lost(mysql_server):
    """GIVEN a stream with heartbeats through a relay, WHEN the relay stops relaying, THEN reading ends."""
    start, _ = head(mysql_server)
    with Relay(mysql_server) as relay:
        settings = settings_for(relay)
        with BinlogStream(settings, start, Options(heartbeat_ms=50)) as stream:
            buffer = memoryview(bytearray(1 << 16))
            assert stream.read(buffer, 1000)
            relay.silent.set()
            with pytest.raises(RetriableError, match="not even a heartbeat"):
                wait_until(lambda: stream.read(buffer, 100) < 0, 20, lambda: "the silence was not noticed")


class Relay:
    """A port that passes one connection on to a server, until it is told to be silent."""

    def __init__(self, server):
        self.user, self.password, self.host = server.user, server.password, "127.0.0.1"
        self.silent = threading.Event()
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._ends = []

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        for end in (self._listener, *self._ends):
            end.close()

    def _serve(self):
        client, _ = self._listener.accept()
        target = socket.create_connection((self._server.host, self._server.port))
        self._ends = [client, target]
        for source, sink in ((client, target), (target, client)):
            threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source, sink):
        try:
            while data := source.recv(1 << 16):
                if not self.silent.is_set():
                    sink.sendall(data)
        except OSError:
            return


def test_a_command_longer_than_16_mb_becomes_several_packets():
    payload = bytes(0xFFFFFF)
    assert framed(b"abc") == b"\x03\0\0\0abc"
    assert framed(payload) == b"\xff\xff\xff\0" + payload + b"\0\0\0\x01"


def test_an_offset_that_the_command_has_no_room_for_is_refused():
    with pytest.raises(LogFormatError, match="4 GiB"):
        dump_command(DumpPosition("b.000001", 1 << 32), 5400, blocking=True)


def test_the_old_words_for_purged_logs_are_understood():
    text = (
        "Cannot replicate because the master purged required binary logs. Replicate the missing transactions from "
        "elsewhere, or provision a new slave from backup. The GTID set sent by the slave is '', and the missing "
        f"transactions are '{uuid.UUID(int=1)}:1-5'"
    )
    error = stream_errors.of_text(1236, text, "GTID set ''")
    assert isinstance(error, PositionLostError)
    assert f"{uuid.UUID(int=1)}:1-5" in str(error)


def test_an_error_packet_is_its_number_and_text():
    packet = (
        b"\xff"
        + (1236).to_bytes(2, "little")
        + b"#HY000Could not find first log file name in binary log index file"
    )
    assert isinstance(stream_errors.of_packet(packet, "b.000001:4"), PositionLostError)
