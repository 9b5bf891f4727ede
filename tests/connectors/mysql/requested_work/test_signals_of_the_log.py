"""What signals of the signal table do while tables are read, and beside that."""

import json
import logging
from dataclasses import replace

import pytest

from support.signalling import begin, consumed, execute, read_all, signal
from tailrace.connectors.base import Lane
from tailrace.requested_work.work import TableWork
from tailrace.schema.tables import TableId

pytestmark = pytest.mark.mysql


def filled(server, database, *names, rows=30):
    for name in names:
        server.sql(f"CREATE TABLE {name} (id INT PRIMARY KEY)", database)
        server.sql(f"INSERT INTO {name} VALUES " + ", ".join(f"({n})" for n in range(rows)), database)


def types(followed):
    return [type_ for type_, _ in followed.notifications()]


def begun(followed, topic):
    return lambda: topic in followed.topics


@pytest.mark.usefixtures("small_chunks")
def test_a_snapshot_rests_and_goes_on(mysql_server, database, settings):
    filled(mysql_server, database, "t")
    followed, topic = begin(settings), f"test.{database}.t"
    execute(mysql_server, database, f"{database}.t")
    followed.until(begun(followed, topic))
    signal(mysql_server, database, "rest", "pause-snapshot")
    followed.until(lambda: "PAUSED" in types(followed))
    read = len(followed.topics[topic])
    assert read < 30
    signal(mysql_server, database, "on", "resume-snapshot")
    mysql_server.sql("INSERT INTO t VALUES (99)", database)
    followed.until(lambda: len(followed.topics[topic]) == read + 1, stop_every=2)
    assert followed.marked(topic)[-1] == ("c", "false"), "a restart does not forget that it rests"


@pytest.mark.usefixtures("small_chunks")
def test_one_that_rests_goes_on_when_it_is_told_to(mysql_server, database, settings):
    filled(mysql_server, database, "t")
    followed, topic = begin(settings), f"test.{database}.t"
    execute(mysql_server, database, f"{database}.t")
    followed.until(begun(followed, topic))
    signal(mysql_server, database, "rest", "pause-snapshot")
    signal(mysql_server, database, "on", "resume-snapshot")
    read_all(followed)
    assert sorted(value["after"]["id"] for value in followed.payloads(topic)) == list(range(30))
    assert [type_ for type_ in types(followed) if type_ in {"PAUSED", "RESUMED"}] == ["PAUSED", "RESUMED"]


@pytest.mark.usefixtures("small_chunks")
def test_one_table_is_stopped_and_the_others_are_read(mysql_server, database, settings):
    filled(mysql_server, database, "a", "b")
    followed = begin(settings)
    execute(mysql_server, database, f"{database}.a", f"{database}.b")
    signal(mysql_server, database, "stop", "stop-snapshot", **{"data-collections": [f"{database}.b"], "type": "incremental"})
    read_all(followed)
    assert len(followed.payloads(f"test.{database}.a")) == 30
    assert f"test.{database}.b" not in followed.topics
    assert dict(followed.notifications())["ABORTED"]["data_collections"] == f"{database}.b"
    assert types(followed)[-1] == "COMPLETED"


@pytest.mark.usefixtures("small_chunks")
def test_a_snapshot_is_stopped_altogether(mysql_server, database, settings):
    filled(mysql_server, database, "t")
    followed, topic = begin(settings), f"test.{database}.t"
    execute(mysql_server, database, f"{database}.t")
    followed.until(begun(followed, topic))
    signal(mysql_server, database, "stop", "stop-snapshot", type="incremental")
    read_all(followed)
    assert len(followed.topics[topic]) < 30
    assert types(followed)[-1] == "ABORTED"
    assert followed.progress.signalled is None
    assert followed.figures[-1]["ended"]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stop_every", [None, 2])
def test_a_blocking_snapshot_comes_before_the_log_goes_on(mysql_server, database, settings, stop_every):
    filled(mysql_server, database, "b", "a")
    followed = begin(settings)
    names = [f"{database}.b", f"{database}.a"]
    signal(mysql_server, database, "all", "execute-snapshot", **{"data-collections": names, "type": "blocking"})
    mysql_server.sql("INSERT INTO a VALUES (100); DELETE FROM a WHERE id = 0", database)
    read_all(followed, stop_every=stop_every)
    marks = [mark for _, mark in followed.marked(f"test.{database}.a") if mark != "false"]
    assert (marks[0], marks[-1]) == ("first", "last_in_data_collection")
    assert followed.marked(f"test.{database}.b")[-1] == ("r", "last")
    rows = consumed(followed.topics[f"test.{database}.a"])
    assert sorted(row["id"] for row in rows.values()) == [*range(1, 30), 100]
    assert followed.progress.signalled is None
    told = [notice["type"] for notice in followed.payloads("notices")]
    of_tables = ["IN_PROGRESS", "TABLE_SCAN_COMPLETED"] * 2
    assert told == ["STARTED", "COMPLETED", "STARTED", *of_tables, "COMPLETED"], "that of structures at first, then this one"


def test_a_statement_of_the_signal_is_read_instead_of_the_table(mysql_server, database, settings, caplog):
    filled(mysql_server, database, "t")
    followed = begin(settings)
    name = f"{database}.t"
    for filter_ in ("SELECT nothing FROM nowhere", f"SELECT * FROM {name} WHERE id > 27"):
        conditions = [{"data-collection": name, "filter": filter_}]
        data = {"data-collections": [name], "type": "blocking", "additional-conditions": conditions}
        signal(mysql_server, database, filter_[:12] + filter_[-3:], "execute-snapshot", **data)
        read_all(followed)
    assert [value["after"]["id"] for value in followed.payloads(f"test.{name}")] == [28, 29]
    assert "ends here, and the log goes on" in caplog.text


def test_a_line_is_written_into_the_log(mysql_server, database, settings, caplog):
    caplog.set_level(logging.INFO)
    followed = begin(settings)
    signal(mysql_server, database, "say", "log", message="here: {}")
    read_all(followed)
    assert f"here: {{file={followed.progress.restart['file'][:-6]}" in caplog.text


def test_what_can_not_be_understood_is_told_and_left_out(mysql_server, database, settings, caplog):
    followed = begin(settings)
    mysql_server.sql("INSERT INTO signals VALUES ('bad', 'execute-snapshot', '{'), ('what', 'nonsense', NULL)", database)
    read_all(followed)
    assert "'bad'" in caplog.text
    assert "'nonsense'" in caplog.text
    assert len(followed.payloads(f"test.{database}.signals")) == 2


def test_a_structure_is_taken_over_from_a_signal(mysql_server, database, settings):
    """Rows of a table behind the signal have the structure that it gives, and the topic of schema changes tells it."""
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY)", database)
    followed = begin(settings)
    (created,) = [record for record in followed.history if f'"{database}"."t"' in json.dumps(record["tableChanges"]).replace("\\", "")]
    (change,) = created["tableChanges"]
    table = {**change["table"], "attributes": [{"name": "by", "value": "signal"}]}
    changes = [{**change, "type": "ALTER", "table": table}]
    with mysql_server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("ALTER TABLE signals MODIFY data TEXT")
        cursor.execute(
            "INSERT INTO signals VALUES ('s', 'schema-changes', %s)", (json.dumps({"database": database, "changes": changes}),)
        )
        cursor.execute("INSERT INTO t VALUES (1)")
        connection.commit()
    read_all(followed)
    told = followed.payloads("test")[-1]
    assert told["tableChanges"][0]["type"] == "ALTER"
    assert followed.history[-1]["tableChanges"][0]["table"]["attributes"] == [{"name": "by", "value": "signal"}]
    assert [value["after"] for value in followed.payloads(f"test.{database}.t")] == [{"id": 1}]


def test_a_lane_reads_only_what_it_delivers_of_what_it_was_given(mysql_server, database, settings):
    """GIVEN lanes that take over what others were asked for, WHEN they go on, THEN each table is read by one of them."""
    filled(mysql_server, database, "a", "b", "c", "d", rows=2)
    tables = [{"table": f'"{database}"."{name}"', "statement": None} for name in "ab"]
    beside = [TableWork(TableId(database, "", name)).to_dict() for name in "cd"]
    lanes = [begin(settings, Lane(n, 2)) for n in range(2)]
    for lane in lanes:
        signalled = {"tables": beside, "signal": "one", "blocking": {"tables": tables}}
        lane.progress = replace(lane.progress, signalled=signalled)
        read_all(lane)
    for name in "abcd":
        counts = [len(lane.payloads(f"test.{database}.{name}")) for lane in lanes]
        assert sorted(counts) == [0, 2]


def test_a_structure_from_a_signal_comes_before_the_statement_behind_it(mysql_server, database, settings):
    """Also where both are read at once, as in catching up: else the older structure would be the newer one."""
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY); ALTER TABLE signals MODIFY data TEXT", database)
    followed = begin(settings)
    change = next(
        each for record in followed.history for each in record["tableChanges"] if each["id"] == f'"{database}"."t"'
    )
    data = {"database": database, "changes": [{**change, "type": "ALTER"}]}
    with mysql_server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO signals VALUES ('s', 'schema-changes', %s)", (json.dumps(data),))
        cursor.execute("ALTER TABLE t ADD COLUMN w INT")
        cursor.execute("INSERT INTO t VALUES (1, 2)")
        connection.commit()
    read_all(followed)
    tables = [record["tableChanges"][0]["table"] for record in followed.history[-2:]]
    assert [[column["name"] for column in table["columns"]] for table in tables] == [["id"], ["id", "w"]]
    assert [value["after"] for value in followed.payloads(f"test.{database}.t")] == [{"id": 1, "w": 2}]
