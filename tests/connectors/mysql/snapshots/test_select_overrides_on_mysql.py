"""Tables whose rows a statement of the user selects in a snapshot."""

import logging

import pytest
from attrs import evolve

from support.mysql_settings import settings_for
from support.reading import read_on
from support.snapshotting import begun, keyed, taken
from support.writing import SEED, Table
from tailrace.config.overrides import LIST, SelectOverride, SelectOverrides
from tailrace.connectors.mysql.snapshots import source
from tailrace.connectors.shared.snapshots import chunk_sizes
from tailrace.errors import ConfigError
from tailrace.schema.tables import TableId

pytestmark = pytest.mark.mysql
NO_SCHEMAS = {"key_converter_schemas_enable": False, "value_converter_schemas_enable": False}


@pytest.fixture
def settings(mysql_server, database):
    return settings_for(mysql_server, database_include_list=database, snapshot_mode="initial", **NO_SCHEMAS)


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)


def overridden(settings, database, **statements):
    given = [
        SelectOverride(TableId(database, "", table), statement, f"{LIST}.{database}.{table}")
        for table, statement in statements.items()
    ]
    return evolve(settings, select_overrides=SelectOverrides(tuple(given)))


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM {0}.t WHERE id % 3 = 0 ORDER BY id DESC -- the newest first",
        "SELECT v, id FROM {0}.t WHERE id IN (SELECT id FROM {0}.other) AND v LIKE 'v%' LIMIT 1000;",
    ],
)
def test_the_statement_says_which_rows_are_read_and_the_key_in_which_order(mysql_server, database, settings, statement):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), secret INT INVISIBLE)", database)
    mysql_server.sql("INSERT INTO t (id, v) VALUES " + ", ".join(f"({n}, 'v{n}')" for n in range(60)), database)
    mysql_server.sql("CREATE TABLE other (id INT PRIMARY KEY)", database)
    mysql_server.sql("INSERT INTO other SELECT id FROM t WHERE id % 3 = 0", database)
    statement = statement.format(database).replace("*", "*, secret").replace("v, id", "v, secret, id")
    settings = overridden(settings, database, t=statement)
    snapshot = taken(settings, stop_every=2)
    topic = f"test.{database}.t"
    assert [row["id"] for row in snapshot.rows(topic)] == list(range(0, 60, 3))
    assert snapshot.rows(topic)[1] == {"id": 3, "v": "v3", "secret": None}
    mysql_server.sql("INSERT INTO t (id, v) VALUES (100, 'new')", database)
    assert [value["after"]["id"] for value in read_on(settings, snapshot.then()).payloads(topic)] == [100]


def test_a_table_without_a_key_and_one_of_which_no_row_is_chosen(mysql_server, database, settings):
    mysql_server.sql("CREATE TABLE a (n INT); INSERT INTO a VALUES (1), (2), (3)", database)
    mysql_server.sql("CREATE TABLE b (id INT PRIMARY KEY); INSERT INTO b VALUES (1)", database)
    settings = overridden(
        settings, database, a=f"SELECT * FROM {database}.a WHERE n > 1", b=f"SELECT * FROM {database}.b WHERE FALSE"
    )
    snapshot = taken(settings)
    assert sorted(row["n"] for row in snapshot.rows(f"test.{database}.a")) == [2, 3]
    assert snapshot.marks(f"test.{database}.a") == ["first", "last"]
    assert snapshot.rows(f"test.{database}.b") == []


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stop_every", [None, 3])
def test_nothing_stale_is_told_while_others_write(mysql_server, database, settings, stop_every):
    """GIVEN a writer, WHEN only rows with an even number are chosen, THEN whoever takes the read events and applies the
    changes after them holds no row that is not so, and every chosen row that is there."""
    table = Table(mysql_server, database, "INT")
    settings = overridden(settings, database, t=f"SELECT * FROM {database}.t WHERE n % 4 = 0")
    with table.written() as writer:
        snapshot = taken(settings, 1, stop_every, between=writer.wait_for_more)
    read = read_on(settings, snapshot.then())
    topic = f"test.{database}.t"
    reads = keyed(snapshot.topics.get(topic, []))
    assert len({key for key, _ in reads}) == len(reads), f"seed {SEED}"
    assert all(value["after"]["n"] % 4 == 0 for _, value in reads), f"seed {SEED}"
    held = {key: value["after"] for key, value in reads}
    for key, value in keyed(read.topics.get(topic, [])):
        held.pop(key, None)
        if value["op"] != "d":
            held[key] = value["after"]
    there = rows(mysql_server, database)
    assert {row["k"]: (row["n"], row["v"]) for row in held.values()}.items() <= there.items(), f"seed {SEED}"
    assert {k for k, (n, _) in there.items() if n % 4 == 0} <= {row["k"] for row in held.values()}, f"seed {SEED}"


def rows(server, database):
    with server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT k, n, v FROM t")
        return {k: (n, v) for k, n, v in cursor.fetchall()}


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("SELECT id FROM {0}.t", r"its rows lack the columns v, w of .*\.t: select all columns"),
        ("SELECT * FROM {0}.nothing", r"the statement can't be read instead of .*\.t: .*nothing' doesn't exist"),
        ("DELETE FROM {0}.t", r"the statement can't be read instead of .*\.t: .*error in your SQL syntax"),
        ("SELECT * FROM {0}.t a JOIN {0}.t b USING (w)", r"the statement can't be read instead of .*: .*Duplicate column name 'id'"),
    ],
)
def test_a_statement_that_can_not_stand_in_for_the_table_is_refused(
    mysql_server, database, settings, statement, message
):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT)", database)
    name = rf"snapshot\.select\.statement\.overrides\.{database}\.t: "
    with pytest.raises(ConfigError, match=name + message):
        begun(overridden(settings, database, t=statement.format(database)), 1)


def test_columns_that_no_event_shows_need_not_be_selected(mysql_server, database):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT); INSERT INTO t VALUES (1, 2, 3)", database)
    excluded = {"column_exclude_list": rf"{database}\.t\.w", "database_include_list": database}
    settings = settings_for(mysql_server, **excluded, snapshot_mode="initial", **NO_SCHEMAS)
    settings = overridden(settings, database, t=f"SELECT v, id FROM {database}.t")
    assert taken(settings).rows(f"test.{database}.t") == [{"id": 1, "v": 2}]


@pytest.mark.usefixtures("small_chunks")
def test_a_column_that_comes_while_the_table_is_read_and_is_not_selected_is_told(
    mysql_server, database, settings, monkeypatch
):
    monkeypatch.setattr(source, "PAUSE_SECONDS", 0.01)
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY)", database)
    mysql_server.sql("INSERT INTO t VALUES " + ", ".join(f"({n})" for n in range(40)), database)
    steps = iter(range(1000))

    def alter_once():
        if next(steps) == 3:
            mysql_server.sql("ALTER TABLE t ADD COLUMN w INT", database)

    settings = overridden(settings, database, t=f"SELECT id FROM {database}.t")
    with pytest.raises(ConfigError, match=rf"{database}\.t: the statement can't be read instead.*Unknown column 'w'"):
        taken(settings, between=alter_once)


def test_a_statement_for_no_table_of_the_snapshot_is_warned_of(mysql_server, database, settings, caplog):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY)", database)
    with caplog.at_level(logging.WARNING):
        begun(overridden(settings, database, T2=f"SELECT * FROM {database}.t"), 1)
    assert f"{LIST}.{database}.T2 has no effect: the snapshot reads no table {database}.T2" in caplog.text
