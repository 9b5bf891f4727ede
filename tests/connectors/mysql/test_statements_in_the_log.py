"""Statements that changed rows and stand in the log as text: what may concern a captured table stops, what does not passes."""

import logging
import re

import pytest

from support.reading import begin, fresh, read_on
from tailrace.errors import LogFormatError
from tailrace_standins.servers.mysql_server import MySqlServer

DATABASE = "statements"
TOPIC = f"test.{DATABASE}.t"
PLACE = r"mysql-bin\.\d{6}:\d+"
SECRET = "s3cr3t"
AS_TEXT = "SET binlog_format = STATEMENT"

pytestmark = pytest.mark.mysql


@pytest.fixture(scope="module")
def server():
    with MySqlServer(flags=("--log-bin-trust-function-creators=ON",)) as started:
        yield started


@pytest.fixture
def table(server):
    server.sql(
        f"DROP DATABASE IF EXISTS {DATABASE}; DROP DATABASE IF EXISTS percona; CREATE DATABASE percona; CREATE DATABASE {DATABASE}; "
        f"USE {DATABASE}; CREATE TABLE t (id INT PRIMARY KEY, v TEXT); CREATE TABLE other (id INT PRIMARY KEY, v TEXT); "
        "CREATE TABLE third (id INT PRIMARY KEY, v TEXT); INSERT INTO other VALUES (1, 'a')"
    )
    return server


def only_t(server, **options):
    return begin(server, table_include_list=f"{DATABASE}.t", **options)


def ids(read):
    return [value["after"]["id"] for value in read.payloads(TOPIC)]


def lines(settings, read):
    """What reading on stops with."""
    with pytest.raises(LogFormatError) as stopped:
        read_on(settings, fresh(read))
    return str(stopped.value)


CARRIED = {
    "a view": ("CREATE VIEW w AS SELECT * FROM t", f"INSERT INTO w VALUES (7, '{SECRET}')", "statements.w is a view"),
    "a trigger": (
        "CREATE TRIGGER tr AFTER INSERT ON other FOR EACH ROW INSERT INTO t VALUES (NEW.id, NEW.v)",
        f"INSERT INTO other VALUES (7, '{SECRET}')",
        "statements.other has the trigger tr",
    ),
    "a trigger of one of several tables": (
        "CREATE TRIGGER tr AFTER UPDATE ON other FOR EACH ROW INSERT INTO t VALUES (NEW.id, NEW.v)",
        f"UPDATE other LEFT JOIN third ON TRUE SET other.v = '{SECRET}'",
        "the trigger tr",
    ),
    "a stored function": (
        "CREATE FUNCTION f() RETURNS INT BEGIN INSERT INTO t VALUES (7, 'f'); RETURN 1; END",
        f"INSERT INTO other VALUES (f() + 10, '{SECRET}')",
        "it calls the stored function statements.f",
    ),
    "a function in SELECT": (
        "CREATE FUNCTION f() RETURNS INT BEGIN INSERT INTO t VALUES (7, 'f'); RETURN 1; END",
        "SELECT f()",
        "its text does not tell which tables",
    ),
    "a view that is read and calls a function": (
        "CREATE FUNCTION f() RETURNS INT BEGIN INSERT INTO t VALUES (7, 'f'); RETURN 1; END; CREATE VIEW w AS SELECT f() AS n; CREATE VIEW w2 AS SELECT * FROM w",
        "INSERT INTO other SELECT n + 50, 'x' FROM w2",
        "it may read the view statements.w2, and views call stored functions (statements.f)",
    ),
    "a view that DELETE joins": (
        "CREATE FUNCTION f() RETURNS INT BEGIN INSERT INTO t VALUES (7, 'f'); RETURN 1; END; CREATE VIEW w AS SELECT f() AS n",
        "DELETE other FROM other, w WHERE id = n",
        "it may read the view statements.w",
    ),
    "a name that is no ASCII": ("CREATE VIEW `x€y` AS SELECT * FROM t; CREATE TABLE x (id INT, v TEXT)", "INSERT INTO x€y VALUES (7, 'x')", "statements.x€y is a view"),
    "a foreign key": (
        "INSERT INTO t VALUES (1, 'child'); ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES other (id) ON DELETE CASCADE",
        "DELETE FROM other",
        "a foreign key carries changes on to statements.t",
    ),
    "two foreign keys": (
        ("CREATE TABLE mid (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES other (id) ON UPDATE CASCADE); INSERT INTO mid VALUES (1); "
        "INSERT INTO t VALUES (1, 'child'); ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES mid (id) ON UPDATE CASCADE"),
        "UPDATE other SET id = 2",
        "a foreign key carries changes on to statements.t",
    ),
    "a MERGE table": (
        "ALTER TABLE t ENGINE = MyISAM; CREATE TABLE m (id INT NOT NULL, v TEXT, INDEX (id)) ENGINE = MERGE",
        "INSERT INTO m VALUES (7, 'm')",
        "statements.m has the engine MRG_MYISAM",
    ),
    "a name from another database": ("SET @x = 1", f"USE percona; REPLACE INTO {DATABASE} . `t` VALUES (7, '{SECRET}')", "statements.t is captured"),
    "a comment that MySQL runs": ("SET @x = 1", f"INSERT /*! INTO t */ VALUES (7, '{SECRET}')", "statements.t is captured"),
    "one of several tables": ("SET @x = 1", "INSERT INTO t VALUES (7, 'x'); UPDATE third, t SET t.v = 'x'", "statements.t is captured"),
}


@pytest.mark.parametrize("way", CARRIED)
def test_a_statement_that_changes_a_captured_table_by_a_detour_stops_it(table, way):
    made, statement, why = CARRIED[way]
    table.sql(made, DATABASE)
    if way == "a MERGE table":
        table.sql("DROP TABLE m; ALTER TABLE t DROP PRIMARY KEY, ADD INDEX (id); CREATE TABLE m (id INT NOT NULL, v TEXT, INDEX (id)) ENGINE = MERGE UNION = (t) INSERT_METHOD = LAST", DATABASE)
    settings, read = only_t(table)
    before = table.sql(f"SELECT COUNT(*), SUM(id), MAX(v) FROM {DATABASE}.t")
    table.sql(f"{AS_TEXT}; {statement}", DATABASE)
    assert table.sql(f"SELECT COUNT(*), SUM(id), MAX(v) FROM {DATABASE}.t") != before
    said = lines(settings, read)
    assert why in said
    assert re.match(rf"{PLACE}: a statement that changes rows ", said)
    assert "SET PERSIST binlog_format = ROW" in said
    assert "event.processing.failure.handling.mode=warn" in said
    assert SECRET not in said


HARMLESS = [
    "CREATE VIEW plain AS SELECT * FROM third; INSERT INTO other SELECT id + 20, v FROM plain",
    "INSERT INTO third SELECT id + 10, CONCAT(v, 'x') FROM t",
    "REPLACE INTO other (id, v) SELECT id, SHA2(v, 256) FROM t LOCK IN SHARE MODE",
    "UPDATE other SET v = (SELECT COUNT(*) FROM t)",
    "DELETE other FROM other JOIN t ON t.id = other.id",
    "CREATE TEMPORARY TABLE x (n INT); DROP TEMPORARY TABLE x",
    "INSERT INTO mysql.servers (Server_name, Host, Db, Username, Password, Port, Socket, Wrapper, Owner) VALUES ('s', '', '', '', '', 1, '', '', ''); DELETE FROM mysql.servers",
    "FLUSH TABLES; ANALYZE TABLE other; GRANT SELECT ON *.* TO CURRENT_USER(); TRUNCATE TABLE other",
    "XA START 'x'; INSERT INTO other VALUES (9, 'x'); XA END 'x'; XA PREPARE 'x'; XA COMMIT 'x'",
    "BEGIN; SAVEPOINT a; INSERT INTO other VALUES (9, 'x'); ROLLBACK TO a; COMMIT",
]


@pytest.mark.parametrize("statement", HARMLESS)
def test_a_statement_that_concerns_no_captured_table_passes(table, statement):
    table.sql("INSERT INTO t VALUES (1, 'v')", DATABASE)
    settings, read = only_t(table)
    table.sql(f"{AS_TEXT}; {statement}", DATABASE)
    table.sql("INSERT INTO t VALUES (2, 'v')", DATABASE)
    assert ids(read_on(settings, read)) == [2]


def test_a_memory_table_that_the_server_empties_after_a_restart_passes():
    with MySqlServer() as started:
        started.sql(f"CREATE DATABASE {DATABASE}; CREATE TABLE {DATABASE}.t (id INT PRIMARY KEY); CREATE TABLE {DATABASE}.m (n INT) ENGINE = MEMORY")
        settings, read = only_t(started)
        started.restart()
        started.sql("SELECT * FROM m; INSERT INTO t VALUES (1)", DATABASE)
        assert any("MEMORY" in str(row).upper() for row in started.sql("SHOW BINLOG EVENTS IN 'mysql-bin.000002'"))
        assert ids(read_on(settings, read)) == [1]


CHECKSUM = (
    "REPLACE INTO `percona`.`checksums` (db, tbl, chunk, this_cnt, this_crc) SELECT 'statements', 't', '1', COUNT(*) AS cnt, "
    "COALESCE(LOWER(CONV(BIT_XOR(CAST(CRC32(CONCAT_WS('#', `id`, `v`)) AS UNSIGNED)), 10, 16)), 0) AS crc FROM `statements`.`t`"
)


@pytest.fixture
def checksums(table):
    table.sql("CREATE TABLE percona.checksums (db CHAR(64), tbl CHAR(64), chunk INT, this_cnt INT, this_crc CHAR(40), PRIMARY KEY (db, tbl, chunk))")
    return table


def connector_user(server, more=""):
    server.create_connector_user(privileges=f"SELECT, REPLICATION SLAVE, REPLICATION CLIENT{more}")
    return {"database_user": "tailrace", "database_password": "tailrace"}


def test_checksums_of_captured_tables_pass_with_the_privilege_to_see_triggers(checksums):
    settings, read = only_t(checksums, **connector_user(checksums))
    checksums.sql(f"{AS_TEXT}; {CHECKSUM}; SET binlog_format = ROW; INSERT INTO {DATABASE}.t VALUES (3, 'v')")
    said = lines(settings, read)
    assert "whether percona.checksums has triggers can't be seen without the privilege TRIGGER" in said
    assert "GRANT TRIGGER ON `percona`.`checksums` TO 'tailrace'@'%';" in said
    checksums.sql("GRANT TRIGGER ON `percona`.`checksums` TO 'tailrace'@'%'")
    assert ids(read_on(settings, read)) == [3]


def test_a_foreign_key_of_a_table_that_the_user_does_not_see_counts_as_there(table):
    table.sql(
        "CREATE TABLE middle (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES other (id) ON DELETE CASCADE); INSERT INTO middle VALUES (1); "
        "INSERT INTO t VALUES (1, 'child'); ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES middle (id) ON DELETE CASCADE",
        DATABASE,
    )
    table.create_connector_user(privileges="REPLICATION SLAVE, REPLICATION CLIENT")
    table.sql(f"GRANT SELECT ON {DATABASE}.t TO 'tailrace'@'%'; GRANT SELECT, TRIGGER ON {DATABASE}.other TO 'tailrace'@'%'")
    settings, read = only_t(table, database_user="tailrace", database_password="tailrace")
    table.sql(f"{AS_TEXT}; DELETE FROM other", DATABASE)
    assert table.sql(f"SELECT * FROM {DATABASE}.t") == []
    assert "whether foreign keys carry changes on can't be seen without SELECT on all tables" in lines(settings, read)


def test_statements_on_tables_of_the_server_need_no_privilege(table):
    """Managed servers write some of their own; SELECT on the captured database is enough for a connector."""
    table.create_connector_user(privileges="REPLICATION SLAVE, REPLICATION CLIENT")
    table.sql(f"GRANT SELECT ON {DATABASE}.* TO 'tailrace'@'%'")
    settings, read = only_t(table, database_user="tailrace", database_password="tailrace")
    table.sql(f"{AS_TEXT}; CREATE TABLE IF NOT EXISTS beat (id INT PRIMARY KEY, at DATETIME); INSERT INTO beat SELECT 1, NOW(); DROP TABLE beat", "mysql")
    table.sql("INSERT INTO t VALUES (4, 'v')", DATABASE)
    assert ids(read_on(settings, read)) == [4]


@pytest.mark.parametrize("mode", ["warn", "skip"])
def test_the_configuration_may_let_statements_pass(checksums, caplog, mode):
    settings, read = only_t(checksums, event_processing_failure_handling_mode=mode, **connector_user(checksums))
    checksums.sql(f"{AS_TEXT}; {CHECKSUM}; UPDATE {DATABASE}.t SET v = '{SECRET}'; SET binlog_format = ROW; INSERT INTO {DATABASE}.t VALUES (3, 'v')")
    caplog.set_level(logging.DEBUG)
    assert ids(read_on(settings, read)) == [3]
    told = [record for record in caplog.records if "stands in the log instead of the rows" in record.message]
    assert ["percona.checksums (REPLACE)" in told[0].message, "statements.t (UPDATE)" in told[1].message] == [True, True]
    assert {record.levelno for record in told} == {logging.WARNING if mode == "warn" else logging.DEBUG}
    assert SECRET not in caplog.text


def test_the_server_is_asked_once_until_a_statement_changes_something(checksums, monkeypatch):
    from tailrace.connectors.mysql import statement_effects

    asked = []
    original = statement_effects.PropagatedChanges.objection
    monkeypatch.setattr(
        statement_effects.PropagatedChanges, "objection", lambda *given: asked.append(1) or original(*given)
    )
    settings, read = only_t(checksums)
    for _ in range(3):
        checksums.sql(f"{AS_TEXT}; {CHECKSUM}")
    read_on(settings, read)
    assert len(asked) == 1
    checksums.sql("USE percona; CREATE TRIGGER tr AFTER INSERT ON percona.checksums FOR EACH ROW SET @x = NEW.chunk")
    checksums.sql(f"{AS_TEXT}; {CHECKSUM}")
    assert "percona.checksums has the trigger tr" in lines(settings, read)


DROPPED = {
    "a trigger": (CARRIED["a trigger"], "DROP TRIGGER tr"),
    "a trigger, from elsewhere": (CARRIED["a trigger"], f"USE percona; DROP TRIGGER IF EXISTS `{DATABASE}`.tr"),
    "a trigger, with a comment": (CARRIED["a trigger"], "DROP TRIGGER /*!50032 IF EXISTS */ tr"),
    "a trigger, in quotes": (CARRIED["a trigger"], "SET sql_mode = 'ANSI_QUOTES'; DROP TRIGGER \"tr\""),
    "the table, renamed with its trigger": (CARRIED["a trigger"], "ALTER TABLE other RENAME TO elsewhere; CREATE TABLE other (id INT PRIMARY KEY, v TEXT)"),
    "the view, altered": (CARRIED["a view that is read and calls a function"], "DROP VIEW w; ALTER VIEW w2 AS SELECT 1 AS n"),
    "a function": (CARRIED["a stored function"], "DROP FUNCTION f"),
    "the foreign key": (CARRIED["a foreign key"], "ALTER TABLE t DROP FOREIGN KEY t_ibfk_1"),
    "the view, a table in its place": (CARRIED["a view"], "DROP VIEW w; CREATE TABLE w (id INT PRIMARY KEY, v TEXT)"),
    "the table and its trigger": (CARRIED["a trigger"], "DROP TABLE other; CREATE TABLE other (id INT PRIMARY KEY, v TEXT)"),
}


@pytest.mark.parametrize("what", DROPPED)
def test_what_carried_changes_on_and_was_dropped_before_the_server_was_asked_stops_it_when_that_is_read(table, what):
    (made, statement, _), drop = DROPPED[what]
    table.sql(made, DATABASE)
    settings, read = only_t(table)
    table.sql(f"{AS_TEXT}; {statement}", DATABASE)
    table.sql("CREATE TABLE unrelated (n INT)", DATABASE)
    table.sql(drop, DATABASE)
    said = lines(settings, read)
    assert re.match(rf"{PLACE}: a statement that changes rows of .*may have dropped what carried its changes on", said)


@pytest.mark.parametrize("drop", ["DROP TRIGGER percona.p", "DROP TABLE third", "DROP FUNCTION g", "ALTER TABLE third DROP COLUMN v"])
def test_other_things_may_be_dropped(table, drop):
    table.sql("CREATE TABLE percona.x (n INT); CREATE TRIGGER percona.p AFTER INSERT ON percona.x FOR EACH ROW SET @x = 1; CREATE FUNCTION g() RETURNS INT RETURN 1", DATABASE)
    settings, read = only_t(table)
    table.sql(f"{AS_TEXT}; UPDATE other SET v = UPPER(CONCAT(v, 'x'))", DATABASE)
    table.sql(drop, DATABASE)
    table.sql("INSERT INTO t VALUES (5, 'v')", DATABASE)
    assert ids(read_on(settings, read)) == [5]


def test_a_table_made_and_filled_by_one_statement_stops_it_in_partitions_too(table):
    from tailrace.errors import StructureError

    settings, read = begin(table, database_include_list=DATABASE)
    table.sql(f"{AS_TEXT}; CREATE TABLE made (id INT PRIMARY KEY) PARTITION BY HASH(id) PARTITIONS 2 SELECT 7 AS id", DATABASE)
    with pytest.raises(StructureError, match="CREATE TABLE … SELECT of a log that is not row-based"):
        read_on(settings, fresh(read))


def test_reading_goes_on_behind_the_statement_where_the_message_says(table):
    settings, read = only_t(table)
    table.sql(f"{AS_TEXT}; INSERT INTO t VALUES (2, 'v')", DATABASE)
    table.sql("INSERT INTO t VALUES (3, 'v')", DATABASE)
    said = lines(settings, read)
    file, pos = re.search(r"\((mysql-bin\.\d+):(\d+), tailrace offsets set\)", said).groups()
    read.progress.restart.update({"file": file, "pos": int(pos)})
    read.progress.restart.pop("gtids")
    assert ids(read_on(settings, read)) == [3]


