"""Incremental snapshots of a real server: beside the log, exact whoever writes meanwhile, wherever they are stopped."""

import json
import time

import pytest

from support.mysql_settings import settings_for
from support.signalling import begin, consumed, execute, read_all, signal_table
from support.writing import SEED, Table
from tailrace.connectors.base import Lane

pytestmark = pytest.mark.mysql


def test_a_table_is_read_beside_the_log(mysql_server, database, settings):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9)); INSERT INTO t VALUES (1, 'a'), (2, 'b')", database)
    followed = begin(settings)
    execute(mysql_server, database, f"{database}.t")
    read_all(followed)
    topic = f"test.{database}.t"
    assert [(value["op"], value["after"]) for value in followed.payloads(topic)] == [
        ("r", {"id": 1, "v": "a"}),
        ("r", {"id": 2, "v": "b"}),
    ]
    assert followed.marked(topic) == [("r", "incremental")] * 2
    assert followed.marked(f"test.{database}.signals") == [("c", "false")]
    assert followed.progress.signalled is None
    assert [(told["rows"], told["done"], told["ended"], told["beside"]) for told in followed.figures] == [(2, 1, True, True)]
    assert [type_ for type_, _ in followed.notifications()] == ["STARTED", "IN_PROGRESS", "TABLE_SCAN_COMPLETED", "COMPLETED"]
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"] == {
        "connector_name": "test",
        "data_collections": f"{database}.t",
        "scanned_collection": f"{database}.t",
        "status": "SUCCEEDED",
        "total_rows_scanned": "2",
    }


@pytest.mark.usefixtures("small_chunks", "settings")
def test_where_nobody_writes_one_chunk_follows_the_other_at_once(mysql_server, database, given):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY)", database)
    mysql_server.sql("INSERT INTO t VALUES " + ", ".join(f"({n})" for n in range(30)), database)
    followed = begin(settings_for(mysql_server, **given | {"poll_interval_ms": 20_000}))
    execute(mysql_server, database, f"{database}.t")
    started = time.monotonic()
    followed.until(lambda: "COMPLETED" in dict(followed.notifications()))
    assert len(followed.payloads(f"test.{database}.t")) == 30
    assert time.monotonic() - started < 20, "no chunk waits for the log"


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stop_every", [None, 3])
@pytest.mark.parametrize("key", ["INT", "VARCHAR(20)"])
def test_it_is_exact_while_others_write(mysql_server, database, settings, key, stop_every):
    """GIVEN a writer that inserts, updates, deletes and moves keys, WHEN a table is read in small chunks by readers that stop
    again and again, THEN no event ever contradicts what was told before, and in the end a consumer has the table."""
    assert_exact(mysql_server, database, settings, key, stop_every)


def assert_exact(server, database, settings, key, stop_every):
    table = Table(server, database, key)
    followed = begin(settings)
    with table.written() as writer:
        execute(server, database, f"{database}.t")
        followed.until(lambda: "tables" in (followed.progress.signalled or {}))
        followed.until(followed.is_idle, stop_every=stop_every, between=writer.wait_for_more)
    read_all(followed)
    topic = f"test.{database}.t"
    assert len([1 for op, _ in followed.marked(topic) if op == "r"]) > 10, f"seed {SEED}"
    rows = consumed(followed.topics[topic])
    assert sorted(row["n"] for row in rows.values()) == table.numbers(), f"seed {SEED}"


@pytest.mark.usefixtures("small_chunks")
def test_so_it_is_without_gtids(mysql_minimal, request, given):
    """A read lock on the table, held for a moment, says from where on everything is visible."""
    database = "without_gtids"
    mysql_minimal.sql(f"CREATE DATABASE {database}")
    signal_table(mysql_minimal, database)
    request.addfinalizer(lambda: mysql_minimal.sql(f"DROP DATABASE {database}"))
    given |= {"database_include_list": database, "signal_data_collection": f"{database}.signals"}
    assert_exact(mysql_minimal, database, settings_for(mysql_minimal, **given), "INT", stop_every=4)


@pytest.mark.usefixtures("small_chunks")
def test_each_lane_reads_the_tables_of_its_topics(mysql_server, database, settings):
    for name in "abcd":
        mysql_server.sql(f"CREATE TABLE {name} (id INT PRIMARY KEY); INSERT INTO {name} VALUES (1), (2)", database)
    lanes = [begin(settings, Lane(n, 2)) for n in range(2)]
    execute(mysql_server, database, f"{database}[.][a-d]")
    for lane in lanes:
        read_all(lane)
    found = [sorted(topic[-1] for topic in lane.topics if topic[-2:-1] == ".") for lane in lanes]
    assert sorted(found[0] + found[1]) == list("abcd")
    assert all(found), "each lane has some"
    for lane in lanes:
        assert all(lane.marked(topic) == [("r", "incremental")] * 2 for topic in lane.topics if topic[-2:-1] == ".")
        assert [type_ for type_, _ in lane.notifications()][-1] == "COMPLETED"


def test_a_condition_says_which_rows(mysql_server, database, settings):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1), (2, 7), (3, 7), (4, 2)", database)
    followed = begin(settings)
    conditions = [{"data-collection": f"{database}.t", "filter": "v = 7"}]
    execute(mysql_server, database, f"{database}.t", **{"additional-conditions": conditions})
    read_all(followed)
    assert [value["after"]["id"] for value in followed.payloads(f"test.{database}.t")] == [2, 3]


@pytest.mark.usefixtures("small_chunks")
def test_rows_come_in_the_order_of_a_surrogate_key(mysql_server, database, settings):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, s INT NOT NULL)", database)
    mysql_server.sql("INSERT INTO t VALUES " + ", ".join(f"({n}, {(40 - n) // 3})" for n in range(40)), database)
    followed = begin(settings)
    execute(mysql_server, database, f"{database}.t", **{"surrogate-key": "s"})
    read_all(followed)
    rows = [value["after"] for value in followed.payloads(f"test.{database}.t")]
    assert sorted(row["id"] for row in rows) == list(range(40))
    assert [row["s"] for row in rows] == sorted(row["s"] for row in rows)
    assert json.loads(followed.topics[f"test.{database}.t"][0]["key"]) == {"id": rows[0]["id"]}


@pytest.mark.parametrize(
    ("table", "status"),
    [
        ("CREATE TABLE t (id INT PRIMARY KEY)", "EMPTY"),
        ("CREATE TABLE t (id INT); INSERT INTO t VALUES (1)", "NO_PRIMARY_KEY"),
        ("CREATE TABLE other (id INT PRIMARY KEY)", "UNKNOWN_SCHEMA"),
    ],
)
def test_a_table_that_gives_nothing_is_told_of(mysql_server, database, settings, table, status):
    mysql_server.sql(table, database)
    followed = begin(settings)
    execute(mysql_server, database, f"{database}.t")
    read_all(followed)
    told = followed.notifications()
    assert [type_ for type_, _ in told] == ["STARTED", "TABLE_SCAN_COMPLETED", "COMPLETED"]
    assert (told[1][1]["status"], told[1][1]["total_rows_scanned"]) == (status, "0")
    assert f"test.{database}.t" not in followed.topics


def test_a_condition_that_is_no_sql_ends_its_table_and_not_the_log(mysql_server, database, settings, caplog):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)", database)
    followed = begin(settings)
    execute(mysql_server, database, f"{database}.t", **{"additional-condition": "no_such_column = 1"})
    mysql_server.sql("INSERT INTO t VALUES (2)", database)
    read_all(followed)
    assert [(value["op"], value["after"]["id"]) for value in followed.payloads(f"test.{database}.t")] == [("c", 2)]
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"]["status"] == "SQL_EXCEPTION"
    assert "no_such_column" in caplog.text


@pytest.mark.usefixtures("small_chunks")
def test_structures_may_change_on_the_way(mysql_server, database, settings):
    """GIVEN a table that gets a column after each chunk, WHEN it is read, THEN each row comes once, as it was at its chunk."""
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY)", database)
    mysql_server.sql("INSERT INTO t VALUES " + ", ".join(f"({n})" for n in range(30)), database)
    followed = begin(settings)
    added = iter(range(4))
    topic = f"test.{database}.t"

    def alter():
        number = next(added, None) if topic in followed.topics else None
        if number is not None:
            mysql_server.sql(f"ALTER TABLE t ADD COLUMN c{number} INT NOT NULL DEFAULT {number}", database)

    execute(mysql_server, database, f"{database}.t")
    read_all(followed, between=alter)
    rows = [value["after"] for value in followed.payloads(topic)]
    assert sorted(row["id"] for row in rows) == list(range(30))
    assert {len(row) for row in rows} >= {1, 5}
    assert all(row[f"c{n}"] == n for row in rows for n in range(len(row) - 1))
