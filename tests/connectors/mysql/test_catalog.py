"""What servers say about themselves."""

import uuid

import pytest

from support.mysql_settings import settings_for
from support.packets import events
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import connect
from tailrace.connectors.mysql.gtid import GtidSet, source_filter
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.stream import BinlogStream, DumpPosition, Options
from tailrace.errors import PositionLostError, SourceSetupError
from tailrace_standins.servers.mysql_server import MySqlServer

pytestmark = pytest.mark.mysql

EVERY_SOURCE = source_filter()


def test_a_server_says_what_it_is(mysql_server, connection):
    server = catalog.server(connection)
    assert server.version >= (8, 0, 0)
    assert server.has_gtids
    assert server.is_on("log_bin")
    assert server["binlog_row_metadata"] == "FULL"
    assert server["no such variable"] == ""
    assert server.uuid == mysql_server.variable("server_uuid")


def test_the_head_is_where_the_next_transaction_begins(mysql_server, connection, database):
    server = catalog.server(connection)
    before = catalog.head(connection, server)
    mysql_server.sql("CREATE TABLE t (id INT)", database)
    after = catalog.head(connection, server)
    assert after.pos > before.pos
    assert GtidSet.parse(after.gtids).subtract(GtidSet.parse(before.gtids)).count() == 1
    start = DumpPosition(before.file, before.pos)
    with BinlogStream(settings_for(mysql_server), start, Options(blocking=False)) as stream:
        assert any(b"CREATE TABLE t" in event for event in events(stream))


def test_the_head_without_gtids_has_no_gtid_set(mysql_minimal):
    opened = connect(settings_for(mysql_minimal))
    server = catalog.server(opened)
    assert not server.has_gtids
    assert catalog.head(opened, server).gtids is None


def test_a_server_without_a_log_has_no_head():
    with MySqlServer(gtid=False, flags=("--skip-log-bin",)) as server:
        opened = connect(settings_for(server))
        with pytest.raises(SourceSetupError, match="no binary log"):
            catalog.head(opened, catalog.server(opened))


def test_log_files_come_with_their_sizes(connection):
    head = catalog.head(connection, catalog.server(connection))
    files = catalog.files(connection)
    assert files[head.file] >= head.pos
    assert list(files) == sorted(files)


@pytest.fixture(scope="module")
def purged():
    """A server that has but the last of its log files."""
    with MySqlServer() as server:
        server.sql("CREATE DATABASE d; FLUSH BINARY LOGS; CREATE DATABASE e; FLUSH BINARY LOGS; CREATE DATABASE f")
        last = server.sql("SHOW BINARY LOGS")[-1][0]
        server.sql(f"PURGE BINARY LOGS TO '{last}'")
        yield connect(settings_for(server))


class TestAvailability:
    """Whether the server can send everything from a restart position on."""

    def check(self, opened, restart, wanted=EVERY_SOURCE):
        catalog.require_available(opened, catalog.server(opened), restart, wanted)

    def test_the_head_is_available(self, purged):
        server = catalog.server(purged)
        self.check(purged, catalog.head(purged, server).restart(server))

    def test_a_file_that_was_purged_is_not(self, purged):
        with pytest.raises(PositionLostError, match=r"mysql-bin\.000001 any more \(it has mysql-bin\.\d+ to"):
            self.check(purged, RestartPosition(file="mysql-bin.000001"))

    def test_a_place_beyond_the_end_of_its_file_is_not(self, purged):
        last = list(catalog.files(purged))[-1]
        with pytest.raises(PositionLostError, match="lost the end of its log"):
            self.check(purged, RestartPosition(file=last, pos=10**9))

    def test_a_file_of_another_server_is_not(self, purged):
        other = str(uuid.UUID(int=7))
        with pytest.raises(PositionLostError, match=f"{other}.*without GTIDs"):
            self.check(purged, RestartPosition(file="mysql-bin.000001", server_uuid=other))

    def test_purged_transactions_are_not_unless_nobody_wants_their_source(self, purged):
        nothing_read = RestartPosition(gtids="")
        source = catalog.server(purged).uuid
        with pytest.raises(PositionLostError, match=f"purged the transactions {source}"):
            self.check(purged, nothing_read)
        self.check(purged, nothing_read, source_filter(excludes=[source]))

    def test_transactions_that_the_server_never_had_are_not(self, purged):
        foreign = f"{uuid.UUID(int=7)}:1-9"
        executed, _ = catalog.gtids(purged)
        with pytest.raises(PositionLostError, match=f"{foreign} were read"):
            self.check(purged, RestartPosition(gtids=f"{executed},{foreign}"))

    def test_gtids_need_a_server_with_gtids(self, mysql_minimal):
        with pytest.raises(SourceSetupError, match="gtid_mode is OFF"):
            self.check(connect(settings_for(mysql_minimal)), RestartPosition(gtids=""))
