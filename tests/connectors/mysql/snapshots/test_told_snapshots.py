"""What is told of snapshots of a real server: each thing once, wherever the lanes are stopped."""

import json
from collections import Counter

import pytest

from support.mysql_settings import settings_for
from support.reading import begin, told_in
from support.snapshotting import taken
from tailrace.connectors.base import LogRange
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.connectors.mysql.snapshots import splitting
from tailrace.connectors.shared.snapshots import chunk_sizes, planning

pytestmark = pytest.mark.mysql
NOTES = "notes"
TOLD = {
    "notification_enabled_channels": "sink",
    "notification_sink_topic_name": NOTES,
    "key_converter_schemas_enable": False,
    "value_converter_schemas_enable": False,
}


@pytest.fixture
def settings(mysql_server, database):
    for name, count in (("a", 3), ("b", 0), ("c", 200)):
        mysql_server.sql(f"CREATE TABLE {name} (id INT PRIMARY KEY)", database)
        values = ", ".join(f"({n})" for n in range(count))
        mysql_server.sql(f"INSERT INTO {name} VALUES {values}" if count else "DO 0", database)
        mysql_server.sql(f"ANALYZE TABLE {name}", database)
    return settings_for(mysql_server, database_include_list=database, snapshot_mode="initial", **TOLD)


@pytest.fixture
def small(monkeypatch):
    """Chunks of few rows, and parts of them for all lanes."""
    real = splitting.split_points
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 20)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 20)
    monkeypatch.setattr(splitting, "split_points", lambda *a: real(*a, least_rows=10))
    monkeypatch.setattr(splitting, "LEAST_ROWS", 10)
    monkeypatch.setattr(planning, "TABLES_OF_A_LANE", 100)


def notifications(values, database):
    """Type, table and counts of each."""
    found = []
    for value in values:
        assert value["aggregate_type"] == "Initial Snapshot"
        data = value["additional_data"]
        assert data["connector_name"] == "test"
        name = data.get("current_collection_in_progress") or data.get("scanned_collection")
        numbers = [int(data[key]) for key in ("chunk_index", "total_rows_scanned") if key in data]
        found.append((value["type"], *([name.removeprefix(f"{database}.")] if name else []), *numbers))
        if "data_collections" in data:
            assert data["data_collections"] == ",".join(f"{database}.{table}" for table in "abc")
    return found


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("stop_every", [None, 2])
def test_one_lane_tells_of_each_table_as_it_comes_to_it(database, settings, stop_every):
    told = notifications(taken(settings, stop_every=stop_every).payloads(NOTES), database)
    assert (told[0], told[-1]) == (("STARTED",), ("COMPLETED",))
    for name, rows in (("a", 3), ("b", 0), ("c", 200)):
        of_table = [each for each in told[1:-1] if each[1] == name]
        assert of_table == [("IN_PROGRESS", name), ("TABLE_SCAN_COMPLETED", name, rows)]
    assert len(told) == 2 + 2 * 3


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("stop_every", [None, 2])
def test_of_several_lanes_each_tells_of_its_part_and_the_first_one_of_the_end(database, settings, stop_every):
    snapshot = taken(settings, lanes=3, stop_every=stop_every)
    told = notifications(snapshot.payloads(NOTES), database)
    assert (told[0], told[-2:]) == (("STARTED",), [("TABLE_SCAN_COMPLETED", "c", 200), ("COMPLETED",)])
    assert Counter(told[1:-2]) == Counter(
        [("IN_PROGRESS", name) for name in "abc"]
        + [("TABLE_SCAN_COMPLETED", "a", 3), ("TABLE_SCAN_COMPLETED", "b", 0)]
        + [("TABLE_CHUNK_IN_PROGRESS", "c", part, 0) for part in range(3)]
        + [("TABLE_CHUNK_COMPLETED", "c", part) for part in range(3)]
    )
    last_rows = max(n for n, (topic, *_) in enumerate(snapshot.told) if topic.endswith(".c"))
    completed = [n for n, (topic, *_) in enumerate(snapshot.told) if topic == NOTES][-1]
    assert last_rows < completed, "all rows come before the end is told"


@pytest.mark.usefixtures("small")
def test_figures_say_how_much_there_is_and_go_on_where_a_process_ended(settings):
    snapshot = taken(settings, stop_every=2)
    told = [figures for figures in snapshot.figures if figures]
    assert (told[0]["tables"], told[0]["rows"]) == (3, 0)
    assert 150 < told[0]["about"] < 300
    assert [each["rows"] for each in told] == sorted(each["rows"] for each in told)
    assert told[-1]["ended"]
    assert (told[-1]["rows"], told[-1]["about"], told[-1]["done"]) == (203, 203, 3)
    begun = [each["before"] for each in told]
    assert begun == sorted(begun)
    assert len(set(begun)) > 2


def test_a_snapshot_of_structures_alone_is_told_before_the_log(mysql_server, database):
    mysql_server.sql("CREATE TABLE a (id INT PRIMARY KEY)", database)
    settings = settings_for(mysql_server, database_include_list=database, **TOLD, include_schema_changes=False)
    point = MySqlConnector(settings).start_point()
    first = next(iter(MySqlConnector(settings).read(LogRange(point.restart), point.progress, point.history)))
    assert notifications([json.loads(each["value"]) for _, _, each in told_in(first)], database) == [
        ("STARTED",),
        ("COMPLETED",),
    ]
    again = next(iter(MySqlConnector(settings).read(LogRange(point.restart), first.progress, point.history)))
    assert told_in(again) == []


def test_a_start_without_a_snapshot_is_told(mysql_server, database):
    settings, read = begin(mysql_server, database_include_list=database, **TOLD)
    (records,) = MySqlConnector(settings).skipped(read.progress)
    assert json.loads(records.values[0])["type"] == "SKIPPED"
    assert len(records) == 1
    quiet = settings_for(mysql_server, database_include_list=database)
    assert MySqlConnector(quiet).skipped(read.progress) == []
