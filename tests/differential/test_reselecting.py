"""ReselectColumnsPostProcessor: what real Debezium and tailrace read again of a table, over the same log."""

import logging

import pytest
from tests.differential import cases, debezium, reading, records
from tests.differential.compare import compare
from tests.differential.runs import PREFIX

from support.every_scenario import only_with_all
from tailrace.errors import ReselectionError
from tailrace_standins.servers.mysql_server import MySqlServer

pytestmark = [pytest.mark.debezium, pytest.mark.mysql, pytest.mark.slow]
MARKER = f"{PREFIX}.tailrace_marker.marker"
RESELECT = {
    "post.processors": "again",
    "post.processors.again.type": "io.debezium.processors.reselect.ReselectColumnsPostProcessor",
}
OPTION = "post.processors.again.reselect."
TABLE = (
    "CREATE TABLE d_again.t (id INT, code VARCHAR(10), note TEXT, price DECIMAL(9,2), raw VARBINARY(9), at DATETIME(3), "
    "kind ENUM('a', 'b'), flags SET('x', 'y'), bits BIT(3), n BIGINT UNSIGNED, day DATE, PRIMARY KEY (id, code))"
)
UPDATE = (
    "UPDATE d_again.t SET note = 'größe 😀', price = -12.5, raw = x'00ff', at = '2026-03-01 12:00:00.123', kind = 'b', "
    "flags = 'x,y', bits = 5, n = 7, day = '2026-03-01' WHERE id IN (1, 2)"
)
SQL = (
    "CREATE DATABASE d_again",
    "CREATE TABLE tailrace_marker.marker (id INT PRIMARY KEY AUTO_INCREMENT)",
    TABLE,
    "INSERT INTO d_again.t (id, code) VALUES (1, 'a'), (2, 'é'), (3, 'gone'), (4, '')",
    UPDATE,
    "INSERT INTO d_again.t (id, code) VALUES (5, 'same')",
    "UPDATE d_again.t SET code = 'SAME' WHERE id = 5",  # to its collation this is the same key
    "UPDATE d_again.t SET note = 'of both' WHERE id = 5",
    "UPDATE d_again.t SET id = 9 WHERE id = 4",
    "UPDATE d_again.t SET n = 18 WHERE id = 9",
    "DELETE FROM d_again.t WHERE id = 3",
    "CREATE TABLE d_again.by_other_key (id INT PRIMARY KEY, name CHAR(5) NOT NULL, note VARCHAR(9))",
    "INSERT INTO d_again.by_other_key VALUES (1, 'one', NULL), (2, 'ONE', NULL)",
    "UPDATE d_again.by_other_key SET note = id",
    "INSERT INTO tailrace_marker.marker VALUES ()",
    "COMMIT",
)
INCOMPLETE = (
    "CREATE TABLE d_again.large (id INT PRIMARY KEY, n INT, note TEXT)",
    "INSERT INTO d_again.large VALUES (1, 1, 'as it is now')",
    "SET SESSION binlog_row_image = NOBLOB",
    "UPDATE d_again.large SET n = 2",
    "SET SESSION binlog_row_image = FULL",
    "COMMIT",
)
VARIANTS = {
    "everything": {},
    "some columns": {f"{OPTION}columns.include.list": "d_again.T:note,d_again\\.t:n", f"{OPTION}unavailable.values": "false"},
    "all but some, by the event's key": {
        f"{OPTION}columns.exclude.list": "d_again.t:.*",
        f"{OPTION}use.event.key": "true",
        "message.key.columns": "d_again.by_other_key:name",
    },
}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A server with the whole history, and where it begins."""
    with MySqlServer() as server:
        cases.run_all(server.port, cases.FIRST)
        offset = cases.binlog_position(server.port)
        start = reading.start_point(debezium.base_properties(server.port, PREFIX, tmp_path_factory.mktemp("start")))
        cases.run_all(server.port, SQL)
        yield server, offset, start


def ours(played, tmp_path, options):
    server, _, start = played
    headers = {"tailrace.context.headers": "true"}
    return reading.read(debezium.base_properties(server.port, PREFIX, tmp_path) | headers | options, start, MARKER)


def rows(found):
    return [each for each in found if each.topic.startswith(f"{PREFIX}.d_again.")]


def values_of(found, topic):
    return [each.value["payload"]["after"] for each in found if each.topic == f"{PREFIX}.d_again.{topic}" and each.value]


@pytest.mark.parametrize(
    "variant", [pytest.param(name, marks=only_with_all) if name == "some columns" else name for name in VARIANTS]
)
def test_the_same_is_read_again(played, tmp_path, variant):
    server, offset, _ = played
    properties = debezium.base_properties(server.port, PREFIX, tmp_path) | RESELECT | VARIANTS[variant]
    (tmp_path / "history.jsonl").write_text(debezium.first_history(PREFIX, offset))
    debezium.run(properties, tmp_path / "records.jsonl", marker=MARKER, offset=offset)
    theirs = records.read(tmp_path / "records.jsonl")
    mine = ours(played, tmp_path, RESELECT | VARIANTS[variant])
    assert compare(rows(theirs), rows(mine)) == []
    first = {each["code"]: each["note"] for each in reversed(values_of(mine, "t")) if each}
    expected = (None, None) if "all but" in variant else ("größe 😀", "of both")
    assert (first["a"], first["same"]) == expected


@pytest.mark.parametrize(("unavailable", "note"), [("true", "as it is now"), ("false", "__debezium_unavailable_value")])
def test_what_a_row_image_lacks_is_read_again_too(played, tmp_path, unavailable, note):
    """Debezium stops at such images."""
    server, _, _ = played
    properties = debezium.base_properties(server.port, PREFIX, tmp_path) | RESELECT
    start = reading.start_point(properties)
    cases.run_all(server.port, ["DROP TABLE IF EXISTS d_again.large", *INCOMPLETE])
    found = reading.read(properties | {f"{OPTION}unavailable.values": unavailable}, start, MARKER)
    assert [each["note"] for each in values_of(found, "large")] == ["as it is now", note]


def test_a_row_that_is_gone_stops_it_where_that_is_wanted_and_else_is_told_once(played, tmp_path, caplog):
    with pytest.raises(ReselectionError, match=r"again: a row of d_again\.t is not there any more"):
        ours(played, tmp_path, RESELECT | {f"{OPTION}error.handling.mode": "fail"})
    with caplog.at_level(logging.WARNING):
        found = ours(played, tmp_path, RESELECT)
    assert caplog.text.count("is not there any more") == 1
    assert [each["note"] for each in values_of(found, "t") if each and each["id"] == 3] == [None]
