"""Structures that hold at a place in the log, while tables and their rows change."""

import contextlib
import dataclasses
import itertools
import threading
import uuid

import pymysql
import pytest

from support.mysql_settings import settings_for
from tailrace.connectors.mysql import catalog, server_structures
from tailrace.connectors.mysql.connection import connect, translated
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.server_structures import events_between, structures
from tailrace.errors import RetriableError, SourceSetupError
from tailrace.schema.tables import TableId
from tailrace_standins.servers.waiting import wait_until

pytestmark = pytest.mark.mysql

NO_LOCKS = "SELECT, REPLICATION SLAVE, REPLICATION CLIENT"
WITH_BACKUP_LOCK = f"{NO_LOCKS}, BACKUP_ADMIN"


def connection_of(server, privileges):
    user = f"u_{uuid.uuid4().hex[:8]}"
    server.create_connector_user(user, "pw", privileges)
    return connect(settings_for(server, database_user=user, database_password="pw"))


@pytest.mark.parametrize("privileges", [NO_LOCKS, WITH_BACKUP_LOCK])
@pytest.mark.parametrize("locking", [False, True])
def test_structures_are_those_of_all_wanted_tables(mysql_server, database, privileges, locking):
    mysql_server.sql(
        "CREATE TABLE `o``dd ta%ble` (id INT); CREATE TABLE b (`x``y` INT); CREATE VIEW v AS SELECT 1",
        database,
    )
    opened = connection_of(mysql_server, privileges)
    server = catalog.server(opened)
    found = structures(opened, server, lambda table: table.catalog == database, locking=locking)
    assert list(found.tables) == [TableId(database, "", "b"), TableId(database, "", "o`dd ta%ble")]
    assert found.tables[TableId(database, "", "b")].startswith("CREATE TABLE `b` (\n  `x``y` int")
    assert found.databases[database].startswith(f"CREATE DATABASE `{database}`")
    assert found.head == catalog.head(opened, server)
    mysql_server.sql("CREATE TABLE after_all_locks_are_gone (id INT)", database)


def test_more_tables_than_fit_one_round_trip(mysql_server, database, connection, monkeypatch):
    monkeypatch.setattr(server_structures, "STATEMENTS_AT_ONCE", 3)
    mysql_server.sql(";".join(f"CREATE TABLE t{i} (c{i} INT)" for i in range(7)), database)
    found = structures(connection, catalog.server(connection), lambda table: table.catalog == database)
    assert [f"`c{i}`" in ddl for i, ddl in enumerate(found.tables.values())] == [True] * 7


def test_others_are_read_besides_and_one_that_the_server_can_not_show_is_left_out(
    mysql_server, database, connection, caplog
):
    mysql_server.sql(
        "CREATE TABLE a (id INT); CREATE TABLE b (id INT); CREATE TABLE m (id INT) ENGINE=MyISAM", database
    )
    mysql_server.sql("CREATE TABLE merged (id INT) ENGINE=MERGE UNION=(m); DROP TABLE m", database)
    others = lambda table: table.catalog == database  # noqa: E731
    found = structures(
        connection, catalog.server(connection), lambda table: (table.catalog, table.name) == (database, "b"), others
    )
    assert (list(found.tables), list(found.others)) == ([TableId(database, "", "b")], [TableId(database, "", "a")])
    assert f"{database}.merged is not captured" in caplog.text


def test_no_table_at_all_is_fine(connection):
    found = structures(connection, catalog.server(connection), lambda table: False)
    assert not found.tables


@pytest.mark.parametrize("privileges", [NO_LOCKS, WITH_BACKUP_LOCK])
def test_the_head_of_structures_has_exactly_the_gtids_before_it(mysql_server, database, privileges):
    """GIVEN many writers, WHEN heads are taken, THEN no GTID before them lacks, and none after them is there."""
    mysql_server.sql("CREATE TABLE t (id INT)", database)
    opened = connection_of(mysql_server, privileges)
    server = catalog.server(opened)
    start = catalog.head(opened, server)
    with writers(mysql_server, database, 4):
        wait_until(lambda: catalog.head(opened, server).pos > start.pos, 20, lambda: "nobody writes")
        found = [structures(opened, server, lambda table: table.catalog == database) for _ in range(5)]
    for one in found:
        events = events_between(opened, start, one.head)
        before = [event for event in events if event["Pos"] < one.head.pos]
        assert before
        assert one.head.gtids == str(GtidSet.parse(start.gtids).union(server_structures._logged(before)))


@pytest.mark.parametrize("most", [0, server_structures.MOST_EVENTS], ids=["too many events", "few events"])
def test_a_transaction_that_is_committing_at_the_head_counts_however_long_the_log_is(
    mysql_server, database, monkeypatch, most
):
    """GIVEN one that is logged and not in the GTID set yet, WHEN DDL is blocked, THEN the head has it."""
    mysql_server.sql("CREATE TABLE t (id INT)", database)
    opened, real, heads = connection_of(mysql_server, WITH_BACKUP_LOCK), server_structures.head, []

    def lagging(session, of):
        if len(heads) == 1:
            mysql_server.sql("INSERT INTO t VALUES (1)", database)
        now = real(session, of)
        heads.append(dataclasses.replace(now, gtids=heads[0].gtids) if len(heads) == 1 else now)
        return heads[-1]

    monkeypatch.setattr(server_structures, "MOST_EVENTS", most)
    monkeypatch.setattr(server_structures, "head", lagging)
    found = structures(opened, catalog.server(opened), lambda table: table.catalog == database)
    assert found.head == real(opened, catalog.server(opened))
    assert len(heads) == 3, "one attempt is enough"


@pytest.mark.parametrize("failures", [1, server_structures.ATTEMPTS])
def test_an_event_that_is_half_written_is_asked_for_again(mysql_server, database, connection, monkeypatch, failures):
    """GIVEN the server fails so many times at the end of its log, THEN one failure is no error, and damage stays one."""
    real, left = server_structures.mappings, [failures]

    def flaky(session, sql, *arguments):
        if sql.startswith("SHOW BINLOG EVENTS") and left[0]:
            left[0] -= 1
            with translated(f"running {sql!r}"):
                raise pymysql.err.OperationalError(1220, "Error reading Log_event: binlog truncated in the middle of event")
        return real(session, sql, *arguments)

    start = catalog.head(connection, catalog.server(connection))
    mysql_server.sql("CREATE TABLE t (id INT)", database)
    head = catalog.head(connection, catalog.server(connection))
    monkeypatch.setattr(server_structures, "SETTLING_SECONDS", 0.01)
    monkeypatch.setattr(server_structures, "mappings", flaky)
    if failures < server_structures.ATTEMPTS:
        assert events_between(connection, start, head)
    else:
        with pytest.raises(SourceSetupError, match="binlog truncated"):
            events_between(connection, start, head)
    assert left == [0]


def test_a_structure_that_never_rests_is_worth_another_attempt(mysql_server, database, monkeypatch):
    monkeypatch.setattr(server_structures, "SETTLING_SECONDS", 0.5)
    monkeypatch.setattr(server_structures, "ATTEMPTS", 2)
    mysql_server.sql("CREATE TABLE t (c0 INT)", database)
    opened = connection_of(mysql_server, NO_LOCKS)
    server = catalog.server(opened)
    with altering(mysql_server, database, pause=0.05), pytest.raises(RetriableError, match="BACKUP_ADMIN"):
        structures(opened, server, lambda table: table.catalog == database)


@contextlib.contextmanager
def writers(server, database, count):
    """So many sessions that insert until the end of the block."""
    stop = threading.Event()

    def write():
        with server.connect(database) as own, own.cursor() as cursor:
            while not stop.is_set():
                cursor.execute("INSERT INTO t VALUES (1)")

    threads = [threading.Thread(target=write) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@contextlib.contextmanager
def altering(server, database, pause):
    """One session that adds columns to `t`, and rows, until the end of the block."""
    stop = threading.Event()

    def alter():
        with server.connect(database) as own, own.cursor() as cursor:
            for number in itertools.count(1):
                cursor.execute(f"ALTER TABLE t ADD c{number} INT")
                for _ in range(5):
                    cursor.execute("INSERT INTO t (c0) VALUES (1)")
                if stop.wait(pause):
                    return

    thread = threading.Thread(target=alter)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize(("privileges", "pause"), [(NO_LOCKS, 0.4), (WITH_BACKUP_LOCK, 0.02)])
def test_structures_fit_the_log_while_tables_change_all_the_time(mysql_server, database, privileges, pause):
    """GIVEN a table that gets one more column again and again, WHEN structures are read, THEN the columns are
    exactly those of the statements before the head."""
    mysql_server.sql("CREATE TABLE t (c0 INT)", database)
    opened = connection_of(mysql_server, privileges)
    server = catalog.server(opened)
    start = catalog.head(opened, server)
    with altering(mysql_server, database, pause):
        found = [structures(opened, server, lambda table: table.catalog == database) for _ in range(4)]
    for one in found:
        events = events_between(opened, start, one.head)
        alters = sum("ALTER TABLE t ADD" in event["Info"] for event in events if event["Pos"] < one.head.pos)
        (ddl,) = one.tables.values()
        assert ddl.count("\n  `c") == alters + 1
