"""A replica that has received what was read, and not applied it yet, is one to wait for."""

import threading

import pytest

from support.mysql_settings import settings_for
from support.one_table import ONLY_IT, ids, insert, make_table
from support.reading import begin, fresh, read_on
from support.replicas import catch_up, replicate
from tailrace.connectors.mysql import received_transactions
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.errors import PositionLostError, RetriableError
from tailrace_standins.servers.mysql_server import MySqlServer
from tailrace_standins.servers.waiting import wait_until

pytestmark = pytest.mark.mysql


@pytest.fixture(scope="module")
def pair():
    with MySqlServer() as source, MySqlServer() as replica:
        replicate(source, replica)
        yield source, replica


@pytest.fixture
def lagging(pair):
    """The progress of a reading of the source, and the replica that applies nothing since it began."""
    source, replica = pair
    make_table(source)
    settings, start = begin(source, **ONLY_IT)
    catch_up(source, replica)
    replica.sql("STOP REPLICA SQL_THREAD")
    insert(source, 1, 2, 3)
    executed = GtidSet.parse(source.variable("gtid_executed"))
    wait_until(lambda: executed.is_subset(received(replica)), 30, lambda: "the replica receives nothing")
    yield read_on(settings, start), replica
    replica.sql("START REPLICA SQL_THREAD")
    catch_up(source, replica)


def received(replica):
    opened = replica.connect()
    with opened.cursor() as cursor:
        cursor.execute("SHOW REPLICA STATUS")
        names = [column[0] for column in cursor.description]
        (row,) = cursor.fetchall()
    opened.close()
    has = dict(zip(names, row, strict=True))
    return GtidSet.parse(has["Retrieved_Gtid_Set"]).union(GtidSet.parse(has["Executed_Gtid_Set"]))


@pytest.mark.parametrize("privileges", ["REPLICATION SLAVE, REPLICATION CLIENT, SELECT", "REPLICATION SLAVE, REPLICATION CLIENT"])
def test_it_is_tried_again_while_the_replica_has_them_in_its_relay_log(lagging, monkeypatch, privileges):
    read, replica = lagging
    monkeypatch.setattr(received_transactions, "WAIT_SECONDS", 1.0)
    replica.sql("SET sql_log_bin = 0; CREATE USER IF NOT EXISTS reader IDENTIFIED BY 'pw'; REVOKE ALL ON *.* FROM reader")
    replica.sql(f"SET sql_log_bin = 0; GRANT {privileges} ON *.* TO reader")
    there = settings_for(replica, database_user="reader", database_password="pw", **ONLY_IT)
    with pytest.raises(RetriableError, match="has received them and not applied them yet"):
        MySqlConnector(there).require_retained(read.progress)


def test_it_is_waited_for_a_moment(lagging):
    read, replica = lagging
    applying = threading.Timer(1.0, lambda: replica.sql("START REPLICA SQL_THREAD"))
    applying.start()
    read_on(settings_for(replica, **ONLY_IT), read)
    applying.join()
    assert ids(read) == [1, 2, 3]


def test_what_it_has_not_received_either_is_lost(lagging, monkeypatch):
    read, replica = lagging
    monkeypatch.setattr(received_transactions, "WAIT_SECONDS", 0.5)
    read.progress.restart["gtids"] += ",11111111-2222-3333-4444-555555555555:1-5"
    with pytest.raises(PositionLostError, match="transactions 11111111-2222-3333-4444-555555555555:1-5 were read, and this server"):
        read_on(settings_for(replica, **ONLY_IT), fresh(read))
