"""A source that waits for a replica before it commits (AFTER_SYNC) has sent the transaction by then, and has it in its log."""

import threading

import pytest

from support.one_table import ONLY_IT, ids, insert, make_table
from support.reading import batches, begin, read_on
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace_standins.servers.mysql_server import MySqlServer

pytestmark = pytest.mark.mysql

WAITING = "SET GLOBAL rpl_semi_sync_source_timeout = 120000, GLOBAL rpl_semi_sync_source_enabled = ON"


@pytest.fixture
def waiting():
    """A source that commits nothing, as no replica is there, and its reading."""
    with MySqlServer() as source:
        source.sql("INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'")
        make_table(source)
        settings, read = begin(source, **ONLY_IT)
        source.sql(WAITING)
        yield source, settings, read


def test_what_it_has_sent_and_not_committed_does_not_count_as_missing(waiting):
    source, settings, read = waiting
    inserting = threading.Thread(target=insert, args=(source, 1))
    inserting.start()
    try:
        reader = batches(settings, read)
        while not ids(read):
            read.take(next(reader))
        reader.close()
        assert not GtidSet.parse(read.progress.restart["gtids"]).is_subset(GtidSet.parse(source.variable("gtid_executed")))
        MySqlConnector(settings).require_retained(read.progress)
        read_on(settings, read)
    finally:
        source.sql("SET GLOBAL rpl_semi_sync_source_enabled = OFF")
        inserting.join()
    insert(source, 2)
    assert ids(read_on(settings, read)) == [1, 2]
