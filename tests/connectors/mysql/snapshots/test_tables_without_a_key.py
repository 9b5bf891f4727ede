"""Tables without a key in snapshots of a real server: as they were at P, whatever is written meanwhile."""

import random
from collections import Counter

import pymysql
import pytest
from attrs import evolve

from support.mysql_settings import settings_for
from support.reading import read_on
from support.snapshotting import begun, taken
from support.writing import SEED, written
from tailrace.config.overrides import LIST, SelectOverride, SelectOverrides
from tailrace.connectors import connector_for
from tailrace.connectors.base import Lane
from tailrace.connectors.mysql import connection as mysql
from tailrace.connectors.mysql.selecting import rows as selecting
from tailrace.connectors.mysql.snapshots import splitting, views
from tailrace.connectors.shared.snapshots import chunk_sizes
from tailrace.schema.tables import TableId

pytestmark = pytest.mark.mysql

NO_SCHEMAS = {"key_converter_schemas_enable": False, "value_converter_schemas_enable": False}
COLUMNS = "(n INT, v VARCHAR(20), f FLOAT, j JSON)"
OF_A_BLOCK = 40


class Keyless:
    """A table of equal rows, in which a thread writes."""

    def __init__(self, server, database, rows=200):
        self.server, self.database = server, database
        self.random = random.Random(SEED)
        server.sql(f"CREATE TABLE t {COLUMNS}; CREATE TABLE other (n INT)", database)
        with server.connect(database) as connection, connection.cursor() as cursor:
            for _ in range(rows):
                self.insert(cursor)
            cursor.execute("ANALYZE TABLE t")

    def insert(self, cursor):
        n = self.random.randrange(8)
        document = self.random.choice(["NULL", "'{\"a\": 1.0}'", "'{\"a\": 2}'", "JSON_ARRAY(TIME('10:00'))"])
        cursor.execute(f"INSERT INTO t VALUES ({n}, 'v{n % 2}', {n % 3} / 3, {document})")

    def change(self, cursor):
        what, n = self.random.random(), self.random.randrange(8)
        if what < 0.35:
            self.insert(cursor)
        elif what < 0.65:
            cursor.execute("DELETE FROM t WHERE n = %s LIMIT %s", (n, self.random.randrange(1, 4)))
        elif what < 0.9:
            cursor.execute("UPDATE t SET n = %s WHERE n = %s LIMIT 2", (self.random.randrange(8), n))
        else:
            cursor.execute("UPDATE t SET j = %s WHERE n = %s LIMIT 1", (self.random.choice([None, '{"a": 1}', "[1]"]), n))

    def written(self):
        return written(self)


@pytest.fixture(params=["gtids", "lock"])
def server(request):
    """One with GTIDs, and one on which only a lock proves anything."""
    return request.getfixturevalue("mysql_server" if request.param == "gtids" else "mysql_minimal")


@pytest.fixture
def own(server):
    name = f"keyless_{random.SystemRandom().randrange(1 << 40):010x}"
    server.sql(f"CREATE DATABASE {name}")
    yield name
    server.sql(f"DROP DATABASE {name}")


@pytest.fixture
def settings(server, own):
    return settings_for(server, database_include_list=own, snapshot_mode="initial", **NO_SCHEMAS)


@pytest.fixture
def small_blocks(monkeypatch):
    """Rows come in several blocks, and chunks are small."""
    monkeypatch.setattr(selecting.Selection.__init__, "__kwdefaults__", {"limit": OF_A_BLOCK})
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)
    monkeypatch.setattr(splitting, "LEAST_ROWS", 10)  # so that there are lanes


def shown(row):
    """A row as the stream shows it, whoever read it; its document as its text without blanks."""
    return tuple(
        value.replace(" ", "").replace(".000000", "").replace("1.0", "1") if isinstance(value, str) else value
        for value in row.values()
    )


def followed(reads, changes):
    """The multiset of rows after all events, each of which has to fit what was there before it."""
    rows = Counter(shown(value["after"]) for value in reads)
    assert all(value["op"] == "r" for value in reads)
    for value in changes:
        if value["before"] is not None:
            before = shown(value["before"])
            assert rows[before] > 0, f"{value['op']} of {before}, which was never told: seed {SEED}"
            rows[before] -= 1
        if value["after"] is not None:
            rows[shown(value["after"])] += 1
    return +rows


def of_table(server, database, table="t"):
    with server.connect(database) as connection, connection.cursor(pymysql.cursors.DictCursor) as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        return Counter(shown(row) for row in cursor.fetchall())


def assert_exact(server, database, settings, snapshot, caplog):
    read = read_on(settings, snapshot.then())
    topic = f"test.{database}.t"
    changes = [value for value in read.payloads(topic) if value]
    assert followed(snapshot.payloads(topic), changes) == of_table(server, database), f"seed {SEED}"
    assert "not proven" not in caplog.text


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(("lanes", "stop_every"), [(1, None), (1, 3), (2, 5)])
def test_its_rows_are_as_of_one_position_while_others_write(server, own, settings, lanes, stop_every, caplog):
    table = Keyless(server, own)
    server.sql("CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1), (2), (3)", own)
    with table.written() as writer:
        snapshot = taken(settings, lanes, stop_every, between=writer.wait_for_more)
    assert snapshot.waves > 10
    assert_exact(server, own, settings, snapshot, caplog)


@pytest.mark.usefixtures("small_blocks")
def test_its_rows_are_one_transaction(server, own, settings):
    Keyless(server, own)
    snapshot = begun(settings, 1)
    batches = list(connector_for(settings).snapshot(Lane(0, 1), snapshot.progress, tuple(snapshot.history)))
    with_rows = [number for number, batch in enumerate(batches) if batch.changes]
    assert len(with_rows) > 200 // OF_A_BLOCK
    assert all(batch.is_open for batch in batches[with_rows[0] : with_rows[-1]])
    assert not batches[with_rows[-1]].is_open


@pytest.fixture
def in_doubt(monkeypatch, mysql_server, database):
    """While a view is opened, a change of the table is committed; the times that this happened, and how often it may."""
    real, times, most = views.Views._opened, [], [10**9]

    def opened(self, reading, wanted, seen):
        if seen is not None and wanted.id.name == "t" and len(times) < most[0]:
            mysql_server.sql("INSERT INTO t (n) VALUES (99)", database)
            times.append(seen)
        return real(self, reading, wanted, seen)

    monkeypatch.setattr(views.Views, "_opened", opened)
    return times, most


def with_gtids(server, database, **more):
    return settings_for(server, database_include_list=database, snapshot_mode="initial", **NO_SCHEMAS, **more)


def test_a_view_of_which_a_change_is_in_doubt_is_opened_again(mysql_server, database, in_doubt, caplog):
    settings = with_gtids(mysql_server, database)
    Keyless(mysql_server, database, rows=5)
    times, most = in_doubt
    most[0] = 2
    assert_exact(mysql_server, database, settings, taken(settings), caplog)
    assert len(times) == 2


def test_where_a_change_is_always_in_doubt_a_lock_helps(mysql_server, database, in_doubt, caplog):
    settings = with_gtids(mysql_server, database)
    Keyless(mysql_server, database, rows=5)
    assert_exact(mysql_server, database, settings, taken(settings), caplog)
    assert len(in_doubt[0]) == views.ATTEMPTS


def test_without_a_lock_that_is_said(mysql_server, database, in_doubt, caplog):
    settings = with_gtids(mysql_server, database, snapshot_locking_mode="none")
    Keyless(mysql_server, database, rows=5)
    taken(settings)
    assert len(in_doubt[0]) == views.ATTEMPTS
    assert f"the snapshot of {database}.t is not proven to be exact: it changes all the time, and no lock" in caplog.text


def test_a_change_that_is_in_the_log_and_not_visible_is_noticed(mysql_server, database, monkeypatch, caplog):
    """GIVEN commits that are in the log for a while before they can be seen, THEN the snapshot is exact all the same."""
    monkeypatch.setattr(views, "ATTEMPTS", 2)
    settings = with_gtids(mysql_server, database)
    table = Keyless(mysql_server, database)
    mysql_server.sql("SET GLOBAL binlog_group_commit_sync_delay = 200000")
    try:
        with table.written() as writer:
            snapshot = taken(settings, between=writer.wait_for_more)
    finally:
        mysql_server.sql("SET GLOBAL binlog_group_commit_sync_delay = 0")
    assert_exact(mysql_server, database, settings, snapshot, caplog)


def test_a_view_is_opened_by_the_read_of_a_row_and_not_before(mysql_server, database):
    """What a view shows must not be older than what the server is asked for right before it; and a table may be empty."""
    mysql_server.sql("CREATE TABLE t (n INT)", database)
    with mysql.connect(settings_for(mysql_server)) as session:
        for before, expected in (("DELETE FROM t", []), ("INSERT INTO t VALUES (1)", [(2,), (1,)])):
            mysql.execute(session, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            mysql.execute(session, "START TRANSACTION READ ONLY")
            mysql.rows(session, f"SELECT 1 FROM {database}.t LIMIT 0")
            mysql_server.sql(before, database)
            mysql.rows(session, f"SELECT 1 FROM {database}.t LIMIT 1")
            mysql_server.sql("INSERT INTO t VALUES (2)", database)
            assert mysql.rows(session, f"SELECT n FROM {database}.t") == expected
            mysql.execute(session, "ROLLBACK")


STATEMENTS = {
    "TRUNCATE TABLE t": "nothing",
    "DROP TABLE t": "nothing",
    f"DROP TABLE t; CREATE TABLE t {COLUMNS}; INSERT INTO t (n) VALUES (5), (5)": "nothing",
    "ALTER TABLE t ADD INDEX (n)": "all",
    "ALTER TABLE t ADD COLUMN w INT DEFAULT 7": "all",
    "ALTER TABLE t COMMENT = 'another'": "all",
}


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements_before_it_is_read_are_gone_along_with(mysql_server, database, statement, caplog):
    settings = with_gtids(mysql_server, database)
    mysql_server.sql("CREATE TABLE a (id INT PRIMARY KEY); INSERT INTO a VALUES (1), (2), (3)", database)
    Keyless(mysql_server, database)
    mysql_server.sql("INSERT INTO t (n) VALUES (77), (77)", database)
    at_p = of_table(mysql_server, database)
    done = []

    def alter_once():
        if not done:
            done.append(statement)
            mysql_server.sql("DELETE FROM t WHERE n = 77 LIMIT 1", database)
            mysql_server.sql(statement, database)
            if STATEMENTS[statement] == "all":
                mysql_server.sql("INSERT INTO t (n) VALUES (78)", database)

    snapshot = taken(settings, between=alter_once)
    read = Counter(tuple(row[:4]) for row in map(shown, snapshot.rows(f"test.{database}.t")))
    assert read == (at_p if STATEMENTS[statement] == "all" else {(77, None, None, None): 1})
    assert "not proven" not in caplog.text


def test_rows_that_changed_before_their_structure_did_are_doubted(mysql_server, database, caplog):
    settings = with_gtids(mysql_server, database)
    Keyless(mysql_server, database, rows=5)
    statements = iter(["INSERT INTO t (n) VALUES (77)", "ALTER TABLE t ADD COLUMN w INT", *[""] * 99])

    def next_one():
        statement = next(statements)
        if statement:
            mysql_server.sql(statement, database)
            next_one()

    taken(settings, between=next_one)
    assert f"{database}.t is not proven to be exact: 1 rows that came meanwhile" in caplog.text.replace("`", "").replace('"', "")


def test_images_that_lack_columns_are_told(mysql_server, database, caplog):
    settings = with_gtids(mysql_server, database)
    mysql_server.sql("CREATE TABLE t (n INT, x TEXT); INSERT INTO t VALUES (1, 'a'), (1, 'a'), (2, 'b')", database)
    done = []

    def change_once():
        if not done:
            done.append(1)
            mysql_server.sql("SET SESSION binlog_row_image = NOBLOB; UPDATE t SET n = 50 LIMIT 1", database)

    snapshot = taken(settings, between=change_once)
    assert [row["n"] for row in snapshot.rows(f"test.{database}.t")] == [50, 1, 2]
    assert f"{database}.t is not proven to be exact: 1 changes lack columns" in caplog.text.replace('"', "")


def test_a_table_of_an_engine_without_views_is_told_of(mysql_server, database, caplog):
    settings = with_gtids(mysql_server, database)
    mysql_server.sql("CREATE TABLE t (n INT) ENGINE = MyISAM; INSERT INTO t VALUES (1), (1)", database)
    snapshot = taken(settings)
    assert [row["n"] for row in snapshot.rows(f"test.{database}.t")] == [1, 1]
    assert "its engine is MyISAM" in caplog.text


def test_rows_of_an_xa_transaction_count_from_its_commit_on(mysql_server, database, caplog):
    settings = with_gtids(mysql_server, database)
    Keyless(mysql_server, database, rows=5)
    done = []

    def prepare_and_commit():
        if not done:
            done.append(1)
            for name in "xy":
                mysql_server.sql(f"XA START '{database}{name}'; DELETE FROM t LIMIT 1; INSERT INTO t (n) VALUES (50); "
                                 f"XA END '{database}{name}'; XA PREPARE '{database}{name}'", database)
                if name == "x":
                    mysql_server.sql(f"XA COMMIT '{database}x'", database)

    try:
        snapshot = taken(settings, between=prepare_and_commit)
    finally:
        mysql_server.sql(f"XA COMMIT '{database}y'", database)
    assert_exact(mysql_server, database, settings, snapshot, caplog)


def test_of_a_statement_of_ones_own_the_chosen_rows_are_read(mysql_server, database, caplog):
    chosen = SelectOverride(TableId(database, "", "t"), f"SELECT * FROM {database}.t WHERE n > 3", f"{LIST}.{database}.t")
    settings = evolve(with_gtids(mysql_server, database), select_overrides=SelectOverrides((chosen,)))
    Keyless(mysql_server, database)
    expected = Counter({row: count for row, count in of_table(mysql_server, database).items() if row[0] > 3})
    done = []

    def insert_once():
        if not done:
            done.append(1)
            mysql_server.sql("INSERT INTO t (n) VALUES (1), (50), (50)", database)

    snapshot = taken(settings, between=insert_once)
    assert Counter(map(shown, snapshot.rows(f"test.{database}.t"))) == expected
    assert "not proven" not in caplog.text
