"""Log files that get another name (`log_bin`) are numbered from 1 again, on the same server."""

import pytest

from support.one_table import DATABASE, ONLY_IT, TOPIC, end, ids, insert, make_table
from support.reading import begin, fresh, read_on
from tailrace.connectors.base import Progress
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.positions import RestartPosition, file_number
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.errors import PositionLostError
from tailrace_standins.servers.mysql_server import MySqlServer

RENAMED = ("--log-bin=binlog",)

pytestmark = pytest.mark.mysql


def rename_and_fill(source, stored):
    """Give the files another name, and write more of them than there were, with DDL in the first."""
    source.restart(flags=RENAMED)
    source.sql("ALTER TABLE t ADD COLUMN w INT", DATABASE)
    insert(source, 100)
    while file_number(end(source)[0]) <= file_number(stored["file"]):
        source.sql("FLUSH BINARY LOGS")
    insert(source, 200)


def begun(source):
    make_table(source)
    source.sql("FLUSH BINARY LOGS")
    settings, read = begin(source, **ONLY_IT)
    insert(source, *range(1, 40))
    return settings, read_on(settings, read)


def test_with_gtids_everything_in_the_renamed_files_is_read_in_a_new_era():
    with MySqlServer() as source:
        settings, read = begun(source)
        stored = read.progress.restart
        rename_and_fill(source, stored)
        planned = RestartPosition.from_dict(MySqlConnector(settings).head_after(stored, None))
        assert planned.era == 1
        read_on(settings, read)
        assert ids(read) == [*range(1, 40), 100, 200]
        assert "ADD COLUMN w" in str(read.history)
        assert read.progress.restart["era"] == 1
        insert(source, 201)
        assert ids(read_on(settings, read))[-1] == 201
        positions = [record["position"] for record in read.topics[TOPIC]]
        assert positions == sorted(positions)


def test_a_range_that_ends_with_a_renamed_file_has_the_gtids_of_the_former_ones():
    with MySqlServer() as source:
        begun(source)
        source.restart(flags=RENAMED)
        connector = MySqlConnector(begin(source, **ONLY_IT)[0])
        start = connector.head()
        for first in (100, 200):
            insert(source, *range(first, first + 20))
            source.sql("FLUSH BINARY LOGS")
        until = connector.head_after(start, 12_000)
        assert start["file"] < until["file"] < connector.head()["file"]
        assert GtidSet.parse(source.variable("gtid_purged")).is_subset(GtidSet.parse(until["gtids"]))
        connector.require_retained(Progress("", until))


def test_with_gtids_what_was_not_read_of_the_former_files_is_lost():
    with MySqlServer() as source:
        settings, read = begun(source)
        insert(source, 50)
        rename_and_fill(source, read.progress.restart)
        with pytest.raises(PositionLostError, match="has purged the transactions"):
            read_on(settings, fresh(read))


def test_without_gtids_renamed_files_are_a_lost_position():
    with MySqlServer(gtid=False) as source:
        settings, read = begun(source)
        stored = read.progress.restart
        rename_and_fill(source, stored)
        with pytest.raises(PositionLostError, match=rf"does not have the log file {stored['file']} any more \(it has binlog"):
            read_on(settings, fresh(read))


@pytest.mark.parametrize("gtid", [True, False])
def test_files_of_both_names_in_one_index_are_not_read_as_one_log(gtid):
    """`log_bin` is changed and `log_bin_index` stays: the renamed files follow the former ones, with lower numbers."""
    index = ("--log-bin-index=files.index",)
    with MySqlServer(gtid=gtid, flags=index) as source:
        settings, read = begun(source)
        source.restart(flags=(*RENAMED, *index))
        insert(source, 100)
        files = [row[0] for row in source.sql("SHOW BINARY LOGS")]
        assert (files[-2], files[-1]) == (read.progress.restart["file"], "binlog.000001")
        with pytest.raises(PositionLostError, match=rf"goes on from {files[-2]} to binlog\.000001: its files got another name"):
            read_on(settings, fresh(read))
        settings, later = begin(source, **ONLY_IT)
        insert(source, 101)
        assert ids(read_on(settings, later)) == [101]
        if gtid:
            source.sql("PURGE BINARY LOGS TO 'binlog.000001'")
            assert ids(read_on(settings, read)) == [*range(1, 40), 100, 101]
