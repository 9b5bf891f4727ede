"""The notifications of snapshots, for each connector: each is sent once, wherever the lanes are stopped."""

import json
import logging
from collections import Counter

import pytest

from support.encoding import encoded, records_of_event
from support.mysql_settings import settings_for
from support.reading import told_in
from support.snapshotting import taken
from tailrace.connectors import connector_for
from tailrace.connectors.base import LogRange
from tailrace.connectors.change_tables.snapshots import capture
from tailrace.connectors.change_tables.snapshots import splitting as sqlserver_splitting
from tailrace.connectors.load import from_mapping
from tailrace.connectors.mysql.snapshots import splitting as mysql_splitting
from tailrace.connectors.shared.snapshots import chunk_sizes, planning

NOTES = "notes"
ROWS = {"a": 3, "b": 0, "c": 200}
TOLD = {
    "notification_enabled_channels": "sink",
    "notification_sink_topic_name": NOTES,
    "key_converter_schemas_enable": False,
    "value_converter_schemas_enable": False,
    "topic_prefix": "test",
}


class MySql:
    """Three tables in a database of MySQL."""

    def __init__(self, server, database):
        self.prefix = f"{database}."
        self._server, self._database = server, database
        for name, count in ROWS.items():
            server.sql(f"CREATE TABLE {name} (id INT PRIMARY KEY)", database)
            server.sql(f"INSERT INTO {name} VALUES {keys(count)}" if count else "DO 0", database)
            server.sql(f"ANALYZE TABLE {name}", database)

    def between(self):
        """Nothing is to be done between batches."""

    def settings(self, **more):
        return settings_for(self._server, database_include_list=self._database, **TOLD | more)


class SqlServer:
    """The same in a database of SQL Server, captured."""

    def __init__(self, database):
        self.prefix = f"{database.name}.dbo."
        self._database = database
        for name, count in ROWS.items():
            database.sql(f"CREATE TABLE {name} (id int PRIMARY KEY)")
            database.capture(name)
            if count:
                database.sql(f"INSERT {name} VALUES {keys(count)}")
        database.capture_all()
        database.capture_all()

    def between(self):
        """A scan of the log: a snapshot waits for the capture job."""
        self._database.step()

    def settings(self, **more):
        given = {name: str(value) for name, value in (TOLD | more).items()}
        return from_mapping(self._database.properties(**given))


def keys(count):
    return ", ".join(f"({n})" for n in range(count))


@pytest.fixture(
    params=[pytest.param("mysql", marks=pytest.mark.mysql), pytest.param("sqlserver", marks=pytest.mark.drivers)]
)
def source(request):
    if request.param == "sqlserver":
        return SqlServer(request.getfixturevalue("sqlserver"))
    return MySql(request.getfixturevalue("mysql_server"), request.getfixturevalue("database"))


@pytest.fixture
def small(monkeypatch):
    """Chunks of few rows, and parts of them for all lanes."""
    real = mysql_splitting.split_points
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 20)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 20)
    monkeypatch.setattr(mysql_splitting, "split_points", lambda *a: real(*a, least_rows=10))
    for splitting in (mysql_splitting, sqlserver_splitting):
        monkeypatch.setattr(splitting, "LEAST_ROWS", 10)
    monkeypatch.setattr(planning, "TABLES_OF_A_LANE", 100)
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.01)


def with_records(batch):
    """Those that matter for stops; others are waits for the capture job."""
    return bool(batch.records)


def notifications(values, source):
    """Type, table and counts of each."""
    found = []
    for value in values:
        assert value["aggregate_type"] == "Initial Snapshot"
        data = value["additional_data"]
        assert data["connector_name"] == "test"
        name = data.get("current_collection_in_progress") or data.get("scanned_collection")
        numbers = [int(data[key]) for key in ("chunk_index", "total_rows_scanned") if key in data]
        found.append((value["type"], *([name.removeprefix(source.prefix)] if name else []), *numbers))
        if "data_collections" in data:
            assert data["data_collections"] == ",".join(source.prefix + table for table in ROWS)
    return found


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("stop_every", [None, 2])
def test_one_lane_tells_of_each_table_as_it_comes_to_it(source, stop_every):
    told = notifications(
        taken(
            source.settings(snapshot_mode="initial"), stop_every=stop_every, counts=with_records, between=source.between
        ).payloads(NOTES),
        source,
    )
    assert (told[0], told[-1]) == (("STARTED",), ("COMPLETED",))
    for name, rows in (("a", 3), ("b", 0), ("c", 200)):
        of_table = [each for each in told[1:-1] if each[1] == name]
        assert of_table == [("IN_PROGRESS", name), ("TABLE_SCAN_COMPLETED", name, rows)]
    assert len(told) == 2 + 2 * 3


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("stop_every", [None, 1, 2])
def test_of_several_lanes_each_tells_of_its_part_and_the_first_one_of_the_end(source, stop_every):
    first_ones = iter([True] * 9)  # before any lane has rows, where the capture job is waited for
    snapshot = taken(
        source.settings(snapshot_mode="initial"),
        lanes=3,
        stop_every=stop_every,
        counts=with_records if stop_every == 2 else lambda _: next(first_ones, False),
        between=source.between,
    )
    told = notifications(snapshot.payloads(NOTES), source)
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
def test_figures_say_how_much_there_is_and_go_on_where_a_process_ended(source):
    snapshot = taken(
        source.settings(snapshot_mode="initial"), stop_every=2, counts=with_records, between=source.between
    )
    told = [figures for figures in snapshot.figures if figures]
    assert (told[0]["tables"], told[0]["rows"]) == (3, 0)
    assert 150 < told[0]["about"] < 300
    assert [each["rows"] for each in told] == sorted(each["rows"] for each in told)
    assert told[-1]["ended"]
    assert (told[-1]["rows"], told[-1]["about"], told[-1]["done"]) == (203, 203, 3)
    begun = [each["before"] for each in told]
    assert begun == sorted(begun)
    assert len(set(begun)) > 2


def test_a_snapshot_of_structures_alone_is_told_before_the_log(source):
    settings = source.settings(snapshot_mode="no_data", include_schema_changes=False)
    connector = connector_for(settings)
    point = connector.start_point()
    first = next(encoded(connector.read(LogRange(point.restart), point.progress, point.history), settings))
    told = [json.loads(each["value"]) for _, _, each in told_in(first)]
    assert notifications(told, source) == [("STARTED",), ("COMPLETED",)]
    again = next(encoded(connector.read(LogRange(point.restart), first.progress, point.history), settings))
    assert told_in(again) == []


def test_a_start_without_a_snapshot_is_told(source):
    connector = connector_for(source.settings(snapshot_mode="no_data"))
    progress = connector.start_point().progress
    (event,) = connector.skipped_notification(progress)
    records = records_of_event(event, schemas=False)
    assert [json.loads(value)["type"] for value in (records.values[i] for i in range(len(records)))] == ["SKIPPED"]
    quiet = source.settings(snapshot_mode="no_data", notification_enabled_channels="")
    assert connector_for(quiet).skipped_notification(progress) == []


def test_the_log_has_what_the_topic_has(source, caplog):
    with caplog.at_level(logging.INFO):
        snapshot = taken(
            source.settings(snapshot_mode="initial", notification_enabled_channels="log,sink"), between=source.between
        )
    kinds = [value["type"] for value in snapshot.payloads(NOTES)]
    logged = [record.getMessage() for record in caplog.records if "[Notification Service]" in record.getMessage()]
    assert len(kinds) == 2 + 2 * len(ROWS)
    assert [next(kind for kind in set(kinds) if f"type='{kind}'" in line) for line in logged] == kinds
