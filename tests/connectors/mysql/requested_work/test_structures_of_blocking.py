"""The structures that come before the rows of a blocking snapshot: told once, by one lane, as of the snapshot's place."""

import pytest

from support.mysql_settings import settings_for
from support.signalling import begin, read_all, signal
from tailrace.connectors.base import Lane
from tailrace.schema.names import Names
from tailrace.schema.tables import TableId

pytestmark = pytest.mark.mysql


def asked(server, database, *names):
    signal(
        server,
        database,
        "all",
        "execute-snapshot",
        **{"data-collections": [f"{database}.{name}" for name in names], "type": "blocking"},
    )


def made(server, database, *names, rows="(1), (2)"):
    for name in names:
        server.sql(f"CREATE TABLE {name} (id INT PRIMARY KEY)", database)
        if rows:
            server.sql(f"INSERT INTO {name} VALUES {rows}", database)


def told(followed):
    """(type of change, table, mark) of the schema-change events but for those of the beginning."""
    events = followed.payloads("test")
    beginning = max(i for i, event in enumerate(events) if event["source"]["snapshot"] == "last")
    return [
        (event["tableChanges"][0]["type"], event["source"]["table"], event["source"]["snapshot"])
        for event in events[beginning + 1 :]
    ]


def begun(settings, lane=None):
    """At the head, with the structures of the beginning told."""
    followed = begin(settings, lane)
    return followed.until(lambda: lane is not None or "test" in followed.topics)


@pytest.mark.parametrize("stop_every", [None, 2])
def test_they_are_told_once_however_often_it_is_stopped(mysql_server, database, settings, stop_every):
    made(mysql_server, database, "b", "a")
    followed = begun(settings)
    asked(mysql_server, database, "b", "a")
    read_all(followed, stop_every=stop_every)
    assert told(followed) == [
        ("DROP", "a", "true"),
        ("DROP", "b", "true"),
        ("CREATE", "a", "true"),
        ("CREATE", "b", "true"),
    ]
    assert followed.marked(f"test.{database}.b")[-1] == ("r", "last")


@pytest.mark.parametrize("stop_every", [None, 2])
def test_where_no_row_follows_the_last_of_them_is_the_last(mysql_server, database, settings, stop_every):
    made(mysql_server, database, "a", "b", rows=None)
    followed = begun(settings)
    asked(mysql_server, database, "a", "b")
    read_all(followed, stop_every=stop_every)
    events = followed.payloads("test")[-4:]
    changes = [(event["tableChanges"][0]["type"], event["source"]["snapshot"]) for event in events]
    assert changes == [("DROP", "true"), ("DROP", "true"), ("CREATE", "true"), ("CREATE", "last")]


def test_the_first_lane_tells_them_also_of_tables_that_others_deliver(mysql_server, database, settings):
    names = [f"t{n}" for n in range(8)]
    second = [name for name in names if Lane(1, 2).owns(Names(settings).topic(TableId(database, "", name)))][:2]
    assert len(second) == 2
    made(mysql_server, database, *second)
    lanes = [begun(settings, Lane(n, 2)) for n in range(2)]
    asked(mysql_server, database, *second)
    for lane in lanes:
        read_all(lane, stop_every=2)
    types = [event["tableChanges"][0]["type"] for event in lanes[0].payloads("test")[-4:]]
    assert types == ["DROP", "DROP", "CREATE", "CREATE"]
    assert "test" not in lanes[1].topics
    assert [len(lane.payloads(f"test.{database}.{second[0]}")) for lane in lanes] == [0, 2]
    assert all(lane.progress.signalled is None for lane in lanes)


def test_a_table_that_is_altered_meanwhile_is_told_as_it_was_without_a_statement(mysql_server, database, settings):
    made(mysql_server, database, "a")
    followed = begun(settings)
    asked(mysql_server, database, "a")
    followed.until(lambda: "blocking" in (followed.progress.signalled or {}))
    mysql_server.sql("ALTER TABLE a ADD COLUMN v INT DEFAULT 7", database)
    read_all(followed)
    created, altered = followed.payloads("test")[-2:]
    assert created["ddl"] is None
    assert [column["name"] for column in created["tableChanges"][0]["table"]["columns"]] == ["id"]
    assert altered["ddl"].startswith("ALTER TABLE")
    assert [value["after"]["id"] for value in followed.payloads(f"test.{database}.a")] == [1, 2]


def test_after_ddl_of_the_stream_the_servers_statement_is_told(mysql_server, database, settings):
    made(mysql_server, database, "a")
    followed = begun(settings)
    mysql_server.sql(
        "ALTER TABLE a ADD COLUMN v VARCHAR(9) CHARACTER SET latin1 NOT NULL DEFAULT 'x' COMMENT 'y', ADD COLUMN e ENUM('a','b'),"
        " ADD COLUMN d DECIMAL(9,2) UNSIGNED, ADD COLUMN at TIMESTAMP(3) NULL, ADD KEY (v), MODIFY id BIGINT AUTO_INCREMENT",
        database,
    )
    asked(mysql_server, database, "a")
    read_all(followed)
    created = followed.payloads("test")[-1]
    assert created["ddl"].startswith("CREATE TABLE `a` (\n  `id` bigint NOT NULL AUTO_INCREMENT")
    assert [column["name"] for column in created["tableChanges"][0]["table"]["columns"]] == ["id", "v", "e", "d", "at"]


def test_without_schema_changes_nothing_is_told_of_them(mysql_server, database, settings, given):
    made(mysql_server, database, "a")
    followed = begin(settings_for(mysql_server, **given, include_schema_changes=False))
    asked(mysql_server, database, "a")
    read_all(followed, stop_every=2)
    assert "test" not in followed.topics
    assert followed.marked(f"test.{database}.a")[-1] == ("r", "last")
