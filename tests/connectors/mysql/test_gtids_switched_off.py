"""A GTID set is known only while every transaction has a GTID: gtid_mode may be off on a server with a history of them."""

import pytest

from support.one_table import ONLY_IT, ids, insert, make_table
from support.reading import begin, read_on
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.errors import PositionLostError
from tailrace_standins.servers.mysql_server import MySqlServer

MODES = ["OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"]
ELSEWHERE = "11111111-2222-3333-4444-555555555555"

pytestmark = pytest.mark.mysql


@pytest.fixture(scope="module")
def server():
    with MySqlServer() as started:
        yield started


@pytest.fixture
def table(server):
    set_mode(server, "ON")
    make_table(server)
    return server


def set_mode(server, wanted):
    """Step by step, as the manual says."""
    at, to = MODES.index(server.variable("gtid_mode")), MODES.index(wanted)
    step = 1 if to > at else -1
    for i in range(at, to, step):
        server.sql(f"SET GLOBAL gtid_mode = {MODES[i + step]}")


def from_file_to_file(server, settings, read, *numbers):
    """Rows on both sides of a file's end."""
    for number in numbers:
        insert(server, number)
        server.sql("FLUSH BINARY LOGS")
    return read_on(settings, read)


@pytest.mark.parametrize("mode", MODES[:3])
def test_no_set_is_taken_from_the_files_of_a_server_whose_gtids_are_off(table, mode):
    set_mode(table, mode)
    settings, read = begin(table, **ONLY_IT)
    assert table.sql(f"SHOW BINLOG EVENTS IN '{table.sql('SHOW BINARY LOGS')[-1][0]}' LIMIT 2")[1][5], "it knows GTIDs"
    from_file_to_file(table, settings, read, 1, 2)
    assert "gtids" not in read.progress.restart
    from_file_to_file(table, settings, read, 3)
    assert ids(read) == [1, 2, 3]


def test_reading_goes_on_by_file_and_offset_when_gtids_are_switched_off(table, caplog):
    settings, read = begin(table, **ONLY_IT)
    insert(table, 1)
    read_on(settings, read)
    set_mode(table, "OFF")
    from_file_to_file(table, settings, read, 2, 3)
    assert ids(read) == [1, 2, 3]
    assert "gtids" not in read.progress.restart
    assert "gtid_mode is OFF on this server" in caplog.text


def test_but_not_without_the_file(table):
    settings, read = begin(table, **ONLY_IT)
    set_mode(table, "OFF")
    table.sql("FLUSH BINARY LOGS")
    table.sql(f"PURGE BINARY LOGS TO '{table.sql('SHOW BINARY LOGS')[-1][0]}'")
    with pytest.raises(PositionLostError, match="does not have the log file"):
        read_on(settings, read)


def test_the_set_is_taken_when_they_are_on_with_what_no_file_has(table):
    set_mode(table, "OFF")
    settings, read = begin(table, **ONLY_IT)
    table.sql(f"SET GLOBAL gtid_purged = '+{ELSEWHERE}:1-5'")
    set_mode(table, "ON")
    from_file_to_file(table, settings, read, 1, 2)
    assert GtidSet.parse(read.progress.restart["gtids"]) == GtidSet.parse(table.variable("gtid_executed"))
    from_file_to_file(table, settings, read, 3)
    assert ids(read) == [1, 2, 3]
