"""Tables that get a captured name from one whose structure is not remembered (online schema changes), and what is known then.

The history remembers only captured tables, a restart comes between the making of the other table and the change of names.
"""

import pytest

from support.mysql_settings import settings_for
from support.reading import Read, begin, read_on
from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.mysql.missing_structures import may_change
from tailrace.connectors.mysql.rebuilt_structures import rebuild
from tailrace.connectors.mysql.structures import Structures
from tailrace.errors import StructureError
from tailrace.schema.tables import TableId
from tailrace_standins.servers.mysql_server import MySqlServer

DATABASE = "online"
TOPIC = f"test.{DATABASE}.t"
LANES = 3
MADE = "CREATE TABLE _t_gho (id INT PRIMARY KEY, x VARCHAR(9))"  # as many columns as t has, of the same types
CUT_OVER = "RENAME TABLE t TO _t_del, _t_gho TO t"


@pytest.fixture(scope="module", params=["gtids", "no-gtids"])
def minimal(request):
    with MySqlServer(row_metadata="MINIMAL", gtid=request.param == "gtids") as started:
        yield started


@pytest.fixture(scope="module")
def full():
    with MySqlServer() as started:
        yield started


@pytest.fixture
def server(minimal):
    return made(minimal)


def made(server):
    server.sql(f"DROP DATABASE IF EXISTS {DATABASE}; DROP DATABASE IF EXISTS other; CREATE DATABASE {DATABASE}; CREATE DATABASE other")
    server.sql("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9))", DATABASE)
    return server


def options(**more):
    only = {"schema_history_internal_store_only_captured_tables_ddl": True}
    return {"table_include_list": f"{DATABASE}.t", **only, **more}


def play(server, settings, read, *statements):
    """Each of them is read by a reader of its own."""
    for each in statements:
        server.sql(each, DATABASE)
        read_on(settings, read)


def after_images(read):
    return [value["after"] for value in read.payloads(TOPIC)]


@pytest.mark.mysql
@pytest.mark.parametrize(
    ("making", "cut_over"),
    [
        (MADE, CUT_OVER),
        ("CREATE TABLE _t_gho LIKE t; ALTER TABLE _t_gho CHANGE v x VARCHAR(9)", CUT_OVER),
        (MADE, "ALTER TABLE t RENAME TO _t_old; ALTER TABLE _t_gho RENAME TO t"),
        (MADE, "DROP TABLE t; RENAME TABLE _t_gho TO t"),
        (MADE, "RENAME TABLE t TO tmp, _t_gho TO t, tmp TO _t_gho"),
        (MADE, "RENAME TABLE t TO _t_del, _t_gho TO a, a TO t"),
        (MADE, "RENAME TABLE t TO other.t; CREATE TABLE t LIKE _t_gho"),
        (MADE.replace("_t_gho", "other._t_gho"), "RENAME TABLE t TO other.t, other._t_gho TO t"),
        (MADE.replace("_t_gho", "other._t_gho"), f"DROP DATABASE {DATABASE}; CREATE DATABASE {DATABASE}; RENAME TABLE other._t_gho TO {DATABASE}.t"),
    ],
)
def test_a_table_that_comes_under_a_captured_name_is_read_with_its_own_structure(server, making, cut_over):
    settings, read = begin(server, **options())
    play(server, settings, read, "INSERT INTO t VALUES (1, 'a')", making, cut_over)
    play(server, settings, read, f"INSERT INTO {DATABASE}.t VALUES (2, 'b')", f"INSERT INTO {DATABASE}.t VALUES (3, 'c')")
    assert after_images(read) == [{"id": 1, "v": "a"}, {"id": 2, "x": "b"}, {"id": 3, "x": "c"}]
    play(server, settings, read, f"ALTER TABLE {DATABASE}.t CHANGE x y CHAR(9)", f"INSERT INTO {DATABASE}.t VALUES (4, 'd')")
    assert after_images(read)[3:] == [{"id": 4, "y": "d"}]


@pytest.mark.mysql
def test_an_uncaptured_database_gives_a_table_where_only_captured_databases_are_remembered(server):
    only = {"schema_history_internal_store_only_captured_tables_ddl": False, "schema_history_internal_store_only_captured_databases_ddl": True}
    settings, read = begin(server, **{**options(**only), "table_include_list": None, "database_include_list": DATABASE})
    making = MADE.replace("_t_gho", "other._t_gho")
    play(server, settings, read, making, "RENAME TABLE t TO other.t, other._t_gho TO t", "INSERT INTO t VALUES (2, 'b')")
    assert after_images(read) == [{"id": 2, "x": "b"}]


@pytest.mark.mysql
def test_what_was_changed_behind_the_rows_stops_reading_with_the_statement(server):
    settings, read = begin(server, **options())
    play(server, settings, read, MADE, CUT_OVER)
    server.sql("INSERT INTO t VALUES (2, 'b'); ALTER TABLE t CHANGE x y VARCHAR(9); INSERT INTO t VALUES (3, 'c')", DATABASE)
    with pytest.raises(StructureError, match=rf"{DATABASE}\.t .*store\.only\.captured\.tables\.ddl.*ALTER TABLE t CHANGE x y.*snapshot\.mode=recovery"):
        read_on(settings, read)
    assert after_images(read) == []


@pytest.mark.mysql
def test_recovery_takes_the_structure_of_now_on_the_users_word(server):
    settings, read = begin(server, **options())
    play(server, settings, read, MADE, CUT_OVER)
    server.sql("INSERT INTO t VALUES (2, 'b'); ALTER TABLE t ADD INDEX (x); TRUNCATE t", DATABASE)
    with pytest.raises(StructureError, match=r"a statement behind it may have changed the table: .*ADD INDEX"):
        read_on(settings, read)
    read_on(settings_for(server, **options(snapshot_mode="recovery")), read)
    assert after_images(read) == [{"id": 2, "x": "b"}]


@pytest.mark.mysql
def test_statements_about_other_tables_do_not_matter(server):
    settings, read = begin(server, **options())
    play(server, settings, read, MADE, CUT_OVER)
    server.sql("INSERT INTO t VALUES (2, 'b'); DROP TABLE _t_del; CREATE TABLE t2 (id INT); FLUSH BINARY LOGS; ALTER TABLE t2 ADD n INT", DATABASE)
    read_on(settings, read)
    assert after_images(read) == [{"id": 2, "x": "b"}]


@pytest.mark.mysql
def test_a_table_that_is_gone_by_now_stops_reading(server):
    settings, read = begin(server, **options())
    play(server, settings, read, MADE, CUT_OVER)
    server.sql("INSERT INTO t VALUES (2, 'b'); DROP TABLE t", DATABASE)
    with pytest.raises(StructureError, match=rf"{DATABASE}\.t .*no such table on the server now"):
        read_on(settings, read)


@pytest.mark.mysql
def test_a_table_whose_statements_the_history_lacks_altogether_is_read_where_that_is_safe(server):
    """A history of Debezium's that was taken over without it, say."""
    settings, start = begin(server, **options())
    restart = {name: value for name, value in start.progress.restart.items() if name != "initial"}
    lost = Read(Progress("", restart), [])
    server.sql("INSERT INTO t VALUES (1, 'a')", DATABASE)
    assert after_images(read_on(settings, lost)) == [{"id": 1, "v": "a"}]


@pytest.mark.mysql
def test_that_such_a_table_is_emptied_is_told_where_that_is_wanted(server):
    settings, read = begin(server, **options(skipped_operations="none"))
    play(server, settings, read, MADE, CUT_OVER, "TRUNCATE t", "INSERT INTO t VALUES (2, 'b')")
    assert [(value["op"], value["after"]) for value in read.payloads(TOPIC)] == [("t", None), ("c", {"id": 2, "x": "b"})]


@pytest.mark.mysql
def test_every_lane_knows_what_it_does_not_know(server):
    tables = [f"t{number}" for number in range(6)]
    for table in tables:
        server.sql(f"CREATE TABLE {table} (id INT PRIMARY KEY, v VARCHAR(9))", DATABASE)
    settings, start = begin(server, **{**options(), "table_include_list": rf"{DATABASE}.t\d"})
    reads = [Read(start.progress, list(start.history)) for _ in range(LANES)]
    scripts = (
        "CREATE TABLE _{0}_gho (id INT PRIMARY KEY, x VARCHAR(9))",
        "RENAME TABLE {0} TO _{0}_del, _{0}_gho TO {0}",
        "INSERT INTO {0} VALUES (1, 'a')",
    )
    for script in scripts:
        server.sql(";".join(script.format(table) for table in tables), DATABASE)
        for lane, read in enumerate(reads):
            read_on(settings, read, lane=Lane(lane, LANES))
    told = [value["after"] for read in reads for table in tables for value in read.payloads(f"test.{DATABASE}.{table}")]
    assert told == [{"id": 1, "x": "a"}] * len(tables)


@pytest.mark.mysql
def test_with_full_metadata_the_log_tells_the_structure_whatever_came_later(full):
    settings, read = begin(made(full), **options())
    play(full, settings, read, MADE, CUT_OVER)
    full.sql("INSERT INTO t VALUES (2, 'b'); ALTER TABLE t CHANGE x y VARCHAR(9); INSERT INTO t VALUES (3, 'c')", DATABASE)
    read_on(settings, read)
    assert after_images(read) == [{"id": 2, "x": "b"}, {"id": 3, "y": "c"}]


@pytest.mark.mysql
def test_the_history_has_an_unknown_name_as_a_dropped_one(server):
    settings, read = begin(server, **options())
    play(server, settings, read, MADE, CUT_OVER)
    [record] = [each for each in read.history if each["tableChanges"] and each["tableChanges"][0]["type"] == "DROP"]
    assert record["ddl"] == ""
    assert record["tableChanges"][0]["id"] == f'"{DATABASE}"."t"'
    assert TableId(DATABASE, "", "t") in rebuild(read.history, Structures()).unknown


@pytest.mark.parametrize(
    ("statement", "table", "named"),
    [
        ("use `d`; ALTER TABLE t ADD c INT", "t", True),
        ("use `d`; ALTER TABLE `T` ADD c INT", "t", True),
        ('use `d`; ALTER TABLE "t" ADD c INT', "t", True),
        ("use `d`; RENAME TABLE x TO e.t", "t", True),
        ("/*!50700 ALTER TABLE t ADD c INT */", "t", True),
        ("use `d`; DROP TABLE `_t_del` /* generated by server */", "t", False),
        ("use `t`; DROP TABLE u", "t", False),
        ("use `d`; TRUNCATE t", "t", False),
        ("use `d`; TRUNCATE_T t", "t", True),
        ("use `a``; t`; DROP TABLE u", "t", False),
        ("use `d`; ALTER TABLE `o``dd` ADD c INT", "o`dd", True),
        ('use `d`; ALTER TABLE "o""dd" ADD c INT', 'o"dd', True),
        ("use `d`; ALTER TABLE `o dd` ADD c INT", "o dd", True),
        ("use `d`; ALTER TABLE `größe` ADD c INT", "GRÖßE", True),
    ],
)
def test_a_statement_that_may_change_a_table_names_it(statement, table, named):
    assert may_change(statement, TableId("d", "", table)) is named
