"""The point of a snapshot: everything up to it is seen, no lock remains, and inexactness is reported."""

import contextlib
import threading
import uuid

import pytest

from support.mysql_settings import settings_for
from tailrace.connectors.mysql import catalog, server_structures
from tailrace.connectors.mysql.checks import Level
from tailrace.connectors.mysql.connection import connect
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.connectors.mysql.snapshots import point, read_locks
from tailrace.connectors.mysql.snapshots.conditions import conditions
from tailrace.connectors.mysql.snapshots.point import Exactness, take, wait_visible
from tailrace.connectors.mysql.snapshots.prepared_xa import prepared_before
from tailrace.errors import ProgressError, RetriableError, SourceSetupError
from tailrace.schema.tables import TableId
from tailrace_standins.servers.waiting import wait_until

NO_LOCKS = "SELECT, REPLICATION SLAVE, REPLICATION CLIENT"


@pytest.fixture
def minimal_database(mysql_minimal):
    name = f"t_{uuid.uuid4().hex[:10]}"
    mysql_minimal.sql(f"CREATE DATABASE {name}")
    yield name
    mysql_minimal.sql(f"DROP DATABASE {name}")


@contextlib.contextmanager
def writing(server, database, count=3):
    """So many sessions that insert until the end of the block."""
    stop = threading.Event()

    def write():
        with server.connect(database) as own, own.cursor() as cursor:
            while not stop.wait(0.005):
                cursor.execute("INSERT INTO t () VALUES ()")

    threads = [threading.Thread(target=write) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        wait_until(lambda: server.sql("SELECT COUNT(*) FROM t", database)[0][0] > 10, 20, lambda: "nobody writes")
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def taken(server, database, privileges=None, patience=0.0, **changes):
    """A point of now, taken by a user with these privileges, and the connection."""
    user = {}
    if privileges is not None:
        name = f"u_{uuid.uuid4().hex[:8]}"
        server.create_connector_user(name, "pw", privileges)
        user = {"database_user": name, "database_password": "pw"}
    settings = settings_for(server, **user, **changes)
    opened = connect(settings)
    of = catalog.server(opened)
    return take(opened, of, settings, lambda table: table.catalog == database, patience=patience), opened


def logged_inserts(connection, start, until):
    """How many rows were inserted between two places of the log, each in an event of its own."""
    events = server_structures.events_between(connection, start, until)
    places = [(event["Log_name"], event["Pos"]) for event in events if event["Event_type"].startswith("Write_rows")]
    return sum((start.file, start.pos) <= place < (until.file, until.pos) for place in places)


@pytest.mark.mysql
def test_with_gtids_everything_up_to_the_point_is_seen_after_waiting(mysql_server, database):
    """GIVEN writers, WHEN points are taken, THEN a reader that waited sees as many rows as the point has, or more."""
    mysql_server.sql("CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY)", database)
    start = GtidSet.parse(mysql_server.variable("gtid_executed"))
    with writing(mysql_server, database):
        for _ in range(5):
            found, opened = taken(mysql_server, database)
            reader = connect(settings_for(mysql_server))
            wait_visible(reader, found.head.gtids, 20)
            with reader.cursor() as cursor:
                cursor.execute(f"SELECT COUNT(*) FROM {database}.t")
                ((seen,),) = cursor.fetchall()
            assert seen >= GtidSet.parse(found.head.gtids).subtract(start).count() > 0
            opened.close()
    assert found.exactness is Exactness.BY_GTIDS
    assert "exact" in found.says
    assert not found.warnings
    assert list(found.structures.tables) == [TableId(database, "", "t")]


@pytest.mark.mysql
@pytest.mark.parametrize("privileges", [f"{NO_LOCKS}, RELOAD", f"{NO_LOCKS}, FLUSH_TABLES", f"{NO_LOCKS}, LOCK TABLES"])
def test_without_gtids_a_lock_of_a_moment_makes_the_point_exact(mysql_minimal, minimal_database, privileges):
    """GIVEN writers, WHEN points are taken, THEN all rows logged before are seen at once, and writing goes on."""
    mysql_minimal.sql("CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY)", minimal_database)
    opened = connect(settings_for(mysql_minimal))
    start = catalog.head(opened, catalog.server(opened))
    with writing(mysql_minimal, minimal_database):
        already = mysql_minimal.sql("SELECT 0")[0][0]
        for _ in range(3):
            found, own = taken(mysql_minimal, minimal_database, f"{privileges}, XA_RECOVER_ADMIN")
            with own.cursor() as cursor:
                cursor.execute(f"SELECT COUNT(*) FROM {minimal_database}.t")
                ((seen,),) = cursor.fetchall()
            assert found.exactness is Exactness.BY_LOCK
            assert not found.warnings
            assert seen >= logged_inserts(opened, start, found.head) > already
            already = seen
            wait_visible(own, found.head.gtids, 0)
    assert found.head.gtids is None


@pytest.mark.mysql
@pytest.mark.parametrize(
    ("privileges", "mode", "word"),
    [
        (NO_LOCKS, "minimal", "LOCK TABLES"),
        (f"{NO_LOCKS}, LOCK TABLES", "minimal_percona_no_table_locks", "RELOAD"),
        (f"{NO_LOCKS}, RELOAD", "none", "snapshot.locking.mode is none"),
    ],
)
def test_without_a_lock_exactness_is_not_claimed(mysql_minimal, minimal_database, privileges, mode, word):
    mysql_minimal.sql("CREATE TABLE t (id INT PRIMARY KEY)", minimal_database)
    found, _ = taken(mysql_minimal, minimal_database, f"{privileges}, XA_RECOVER_ADMIN", snapshot_locking_mode=mode)
    assert found.exactness is Exactness.NOT_CLAIMED
    (warning,) = found.warnings
    assert word in warning
    assert found.says in warning


@pytest.mark.mysql
def test_a_lock_that_is_not_to_be_had_in_time_is_worth_another_attempt(mysql_minimal, minimal_database):
    mysql_minimal.sql("CREATE TABLE t (id INT PRIMARY KEY)", minimal_database)
    with mysql_minimal.connect(minimal_database) as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLES t WRITE")
        with pytest.raises(RetriableError, match=r"no read lock within 1000 ms.*snapshot\.lock\.timeout\.ms"):
            taken(mysql_minimal, minimal_database, snapshot_lock_timeout_ms=1000)
        cursor.execute("UNLOCK TABLES")
    assert taken(mysql_minimal, minimal_database)[0].exactness is Exactness.BY_LOCK


@pytest.mark.mysql
def test_a_lock_is_given_back_when_something_fails_under_it(mysql_minimal, minimal_database, monkeypatch):
    mysql_minimal.sql("CREATE TABLE t (id INT PRIMARY KEY)", minimal_database)
    settings = settings_for(mysql_minimal)
    opened = connect(settings)
    server = catalog.server(opened)

    def fails(*_):
        raise SourceSetupError("no head")

    with monkeypatch.context() as patched:
        patched.setattr(read_locks.catalog, "head", fails)
        with pytest.raises(SourceSetupError, match="no head"):
            read_locks.head_under(opened, server, "FLUSH TABLES WITH READ LOCK", 1000)
    with mysql_minimal.connect(minimal_database) as other, other.cursor() as cursor:
        cursor.execute("SET SESSION lock_wait_timeout = 2")
        cursor.execute("INSERT INTO t VALUES (1)")


@pytest.mark.mysql
def test_structures_that_change_before_the_lock_are_read_again(mysql_minimal, minimal_database, monkeypatch):
    mysql_minimal.sql("CREATE TABLE t (id INT PRIMARY KEY)", minimal_database)
    usual, changed = point.head_under, []

    def with_change_before(*arguments):
        if not changed:
            changed.append(mysql_minimal.sql("ALTER TABLE t ADD more INT", minimal_database))
        return usual(*arguments)

    monkeypatch.setattr(point, "head_under", with_change_before)
    found, _ = taken(mysql_minimal, minimal_database)
    (ddl,) = found.structures.tables.values()
    assert "`more`" in ddl
    assert found.exactness is Exactness.BY_LOCK


@pytest.mark.mysql
def test_a_table_dropped_before_the_lock_is_no_reason_not_to_lock(mysql_minimal, minimal_database, monkeypatch):
    mysql_minimal.sql("CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE u (id INT PRIMARY KEY)", minimal_database)
    usual, dropped = point.head_under, []

    def with_drop_before(*arguments):
        if not dropped:
            dropped.append(mysql_minimal.sql("DROP TABLE u", minimal_database))
        return usual(*arguments)

    monkeypatch.setattr(point, "head_under", with_drop_before)
    privileges = f"{NO_LOCKS}, LOCK TABLES, XA_RECOVER_ADMIN"
    found, _ = taken(mysql_minimal, minimal_database, privileges)
    assert [table.name for table in found.structures.tables] == ["t"]
    assert found.exactness is Exactness.BY_LOCK


class TestXa:
    """Prepared XA transactions are in neither the rows nor the log from the point on."""

    def prepare(self, server, database, xid):
        server.sql(
            f"XA START '{xid}', 'b'; INSERT INTO t () VALUES (); XA END '{xid}', 'b'; XA PREPARE '{xid}', 'b'", database
        )

    @pytest.fixture
    def filled(self, mysql_server, database):
        mysql_server.sql("CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY)", database)
        self.prepare(mysql_server, database, "mine")
        yield database
        if mysql_server.sql("XA RECOVER"):
            mysql_server.sql("XA ROLLBACK 'mine', 'b'")

    @pytest.mark.mysql
    def test_no_point_is_taken_while_one_is_prepared(self, mysql_server, filled):
        xid = f"X'{b'mine'.hex()}',X'62',1"
        with pytest.raises(RetriableError, match=f"XA transactions are prepared: {xid}.*XA COMMIT"):
            taken(mysql_server, filled)
        mysql_server.sql(f"XA COMMIT {xid}")
        assert taken(mysql_server, filled)[0].exactness is Exactness.BY_GTIDS

    @pytest.mark.mysql
    def test_a_point_waits_for_its_end(self, mysql_server, filled):
        timer = threading.Timer(0.7, lambda: mysql_server.sql("XA COMMIT 'mine', 'b'"))
        timer.start()
        try:
            found, _ = taken(mysql_server, filled, patience=20)
        finally:
            timer.join()
        executed = GtidSet.parse(mysql_server.variable("gtid_executed"))
        assert GtidSet.parse(found.head.gtids) == executed
        assert not found.warnings

    @pytest.mark.mysql
    def test_one_that_ended_just_after_the_point_moves_it(self, mysql_server, filled, monkeypatch):
        usual, ended = point.prepared_now, []

        def ends_first(connection):
            if not ended:
                ended.append(mysql_server.sql("XA COMMIT 'mine', 'b'"))
            return usual(connection)

        monkeypatch.setattr(point, "prepared_now", ends_first)
        found, _ = taken(mysql_server, filled, patience=20)
        assert GtidSet.parse(found.head.gtids) == GtidSet.parse(mysql_server.variable("gtid_executed"))

    @pytest.mark.mysql
    def test_one_prepared_after_the_point_does_not_matter(self, mysql_server, filled, monkeypatch):
        mysql_server.sql("XA COMMIT 'mine', 'b'")
        usual, begun = point.prepared_now, []

        def prepares_first(connection):
            if not begun:
                begun.append(self.prepare(mysql_server, filled, "mine"))
            return usual(connection)

        monkeypatch.setattr(point, "prepared_now", prepares_first)
        assert taken(mysql_server, filled)[0].exactness is Exactness.BY_GTIDS

    @pytest.mark.mysql
    def test_without_the_privilege_to_see_them_there_is_a_warning(self, mysql_server, database):
        found, opened = taken(mysql_server, database, f"{NO_LOCKS}, RELOAD")
        (warning,) = found.warnings
        assert "XA_RECOVER_ADMIN" in warning
        (finding,) = conditions(opened, settings_for(mysql_server), [])
        assert finding.mend.startswith("GRANT XA_RECOVER_ADMIN ON *.* TO 'u_")
        mysql_server.sql(finding.mend)
        (finding,) = conditions(opened, settings_for(mysql_server), [])
        assert finding.level is Level.OK

    @pytest.mark.parametrize(
        ("now", "events", "before"),
        [
            ([], [], set()),
            (["X'61',X'',1"], [], {"X'61',X'',1"}),
            (["X'61',X'',1"], ["XA PREPARE X'61',X'',1"], set()),
            ([], ["XA COMMIT X'61',X'',1"], {"X'61',X'',1"}),
            ([], ["use `d`; XA ROLLBACK X'61',X'',1"], {"X'61',X'',1"}),
            ([], ["XA PREPARE X'61',X'',1", "XA COMMIT X'61',X'',1"], set()),
            (["X'61',X'',1"], ["XA COMMIT X'61',X'',1", "XA PREPARE X'61',X'',1"], {"X'61',X'',1"}),
            (["X'61',X'',1"], ["XA PREPARE X'61',X'',1", "XA COMMIT X'61',X'',1"], set()),
            ([], ["XA START X'61',X'',1", "XA COMMIT X'61',X'',1 ONE PHASE", "BEGIN"], set()),
        ],
    )
    def test_what_was_prepared_at_a_place_follows_from_now_and_the_log_since(self, now, events, before):
        assert prepared_before(now, [{"Info": info} for info in events]) == before


@pytest.mark.mysql
def test_transactions_that_never_come_are_worth_another_attempt(mysql_server):
    opened = connect(settings_for(mysql_server))
    foreign = f"{uuid.UUID(int=9)}:1-3"
    executed = mysql_server.variable("gtid_executed")
    with pytest.raises(RetriableError, match=f"does not show the transactions {foreign} "):
        wait_visible(opened, f"{executed},{foreign}", 0.5)


@pytest.mark.mysql
def test_transactions_that_come_in_time_are_waited_for(mysql_server, database):
    mysql_server.sql("CREATE TABLE t (id INT)", database)
    opened = connect(settings_for(mysql_server))
    source, executed = catalog.server(opened).uuid, GtidSet.parse(mysql_server.variable("gtid_executed"))
    (own,) = (source_ for source_ in executed.sources if str(source_) == source)
    following = executed.ranges(own)[-1][1]
    timer = threading.Timer(0.5, lambda: mysql_server.sql("INSERT INTO t VALUES (1)", database))
    timer.start()
    wait_visible(opened, f"{source}:{following}", 20)
    timer.join()
    assert mysql_server.sql("SELECT COUNT(*) FROM t", database)[0][0] == 1


@pytest.mark.mysql
def test_a_server_without_gtids_can_not_have_the_transactions_of_a_point(mysql_minimal):
    with pytest.raises(ProgressError, match="gtid_mode is OFF"):
        wait_visible(connect(settings_for(mysql_minimal)), f"{uuid.UUID(int=9)}:1-3", 1)


def warnings_of(server, database, privileges="ALL", **changes):
    name = f"u_{uuid.uuid4().hex[:8]}"
    server.create_connector_user(name, "pw", privileges)
    settings = settings_for(server, database_user=name, database_password="pw", **changes)
    opened = connect(settings)
    found = conditions(opened, settings, catalog.table_ids(opened, lambda table: table.catalog == database))
    return {finding.what: finding.mend for finding in found if finding.level is Level.WARNING}


@pytest.mark.mysql
def test_tables_that_can_not_be_read_exactly_are_named(mysql_server, database):
    mysql_server.sql(
        "CREATE TABLE fine (id INT PRIMARY KEY); CREATE TABLE keyless (id INT);"
        "CREATE TABLE old (id INT PRIMARY KEY) ENGINE = MyISAM",
        database,
    )
    found = warnings_of(mysql_server, database)
    assert len(found) == 2
    ((keyless, _),) = ((what, mend) for what, mend in found.items() if f"{database}.keyless" in what)
    assert "neither a primary key" in keyless
    ((_, mend),) = ((what, mend) for what, mend in found.items() if f"{database}.old (MyISAM)" in what)
    mysql_server.sql(mend)
    mysql_server.sql("DROP TABLE keyless", database)
    assert not warnings_of(mysql_server, database)


@pytest.mark.mysql
def test_tables_that_the_snapshot_leaves_out_do_not_matter(mysql_server, database):
    mysql_server.sql("CREATE TABLE fine (id INT PRIMARY KEY); CREATE TABLE keyless (id INT)", database)
    assert not warnings_of(mysql_server, database, snapshot_include_collection_list=rf"{database}\.fine")


@pytest.mark.mysql
def test_a_table_without_a_key_is_warned_of_once(mysql_server, database, caplog):
    mysql_server.sql("CREATE TABLE keyless (id INT)", database)
    settings = settings_for(mysql_server, database_include_list=database, snapshot_mode="initial")
    MySqlConnector(settings).start_point(1)
    assert caplog.text.count(f"{database}.keyless is read whole") == 1


@pytest.mark.mysql
def test_child_tables_whose_changes_are_not_logged_are_named(mysql_server, database):
    mysql_server.sql("CREATE TABLE p (id INT PRIMARY KEY)", database)
    mysql_server.sql(
        "CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE)", database
    )
    version = tuple(map(int, mysql_server.variable("version").split("-")[0].split(".")))
    found = warnings_of(mysql_server, database)
    assert any("cascade" in what and f"{database}.c" in what for what in found) == (version < (9, 6, 0))


@pytest.mark.mysql
@pytest.mark.parametrize(
    ("privileges", "mode", "word"),
    [
        (NO_LOCKS, "minimal", "may not take"),
        (f"{NO_LOCKS}, LOCK TABLES", "minimal_percona_no_table_locks", "may not take"),
        (f"{NO_LOCKS}, RELOAD", "none", "snapshot.locking.mode=none"),
        (f"{NO_LOCKS}, LOCK TABLES", "minimal", None),
        (f"{NO_LOCKS}, FLUSH_TABLES", "extended", None),
    ],
)
def test_without_gtids_and_locks_there_is_a_warning(mysql_minimal, minimal_database, privileges, mode, word):
    mysql_minimal.sql("CREATE TABLE t (id INT PRIMARY KEY)", minimal_database)
    found = warnings_of(mysql_minimal, minimal_database, f"{privileges}, XA_RECOVER_ADMIN", snapshot_locking_mode=mode)
    assert [word in what for what in found] == ([True] if word else [])


@pytest.mark.mysql
def test_a_row_image_that_lacks_columns_is_named(mysql_server, database):
    mysql_server.sql("SET GLOBAL binlog_row_image = MINIMAL")
    try:
        assert any("binlog_row_image is MINIMAL" in what for what in warnings_of(mysql_server, database))
    finally:
        mysql_server.sql("SET GLOBAL binlog_row_image = FULL")
