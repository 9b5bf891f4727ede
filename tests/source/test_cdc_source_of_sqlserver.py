"""SQL Server as a DataFrame, on the stand-in and without Spark: plans of windows that give the same whenever they are read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadMaxBytes

from support.streaming_frames import ALL, batches, job_of, next_batch, options_of, read
from tailrace.connectors.change_tables import window_tables
from tailrace.connectors.sqlserver import captured
from tailrace.errors import (
    ConfigError,
    PositionLostError,
    ProgressError,
    RetriableError,
)
from tailrace.source.cdc_source import INITIAL, CdcReader
from tailrace.source.frame_reading import spark_schema
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = pytest.mark.drivers


def values(rows: Sequence[dict[str, Any]], topic: str) -> list[Any]:
    """The values of the records whose topic ends so, in their order."""
    return [json.loads(row["value"]) for row in rows if row["topic"].endswith(topic) and row["value"]]


def ids(rows: Sequence[dict[str, Any]], topic: str = ".t") -> list[int]:
    return [value["after"]["id"] for value in values(rows, topic)]


def structures(rows: Sequence[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    """The schema-change events: what happened, and the columns then."""
    events = [json.loads(row["value"]) for row in rows if row["topic"] == "s"]
    changes = [event["tableChanges"][0] for event in events]
    columns = [[] if change["table"] is None else change["table"]["columns"] for change in changes]
    return [(change["type"], [each["name"] for each in of]) for change, of in zip(changes, columns, strict=True)]


def begun(options: dict[str, str]) -> Any:
    """The offset behind a stream's first batch."""
    return next_batch(options, INITIAL)


def test_a_stream_begins_with_the_structures_and_has_each_change_once(shop: Database) -> None:
    options = options_of(shop)
    shop.sql("INSERT t VALUES (0, N'before')")
    shop.capture_all()
    first = begun(options)
    assert structures(read(options, INITIAL, first)) == [("CREATE", ["id"]), ("CREATE", ["id", "a"])]
    start, seen = first, []
    for number in (1, 2):
        shop.sql(f"INSERT t VALUES ({number}, N'x'); INSERT other VALUES ({number})")
        shop.capture_all()
        ((_, end),) = batches(options, start)
        rows = read(options, start, end)
        seen.append((ids(rows), ids(rows, ".other"), structures(rows)))
        start = end
    assert seen == [([1], [1], []), ([2], [2], [])]


def test_what_nobody_captured_yet_is_no_batch_and_is_looked_for_again_after_a_pause(
    shop: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    options = options_of(shop, poll_interval_ms="70")
    start = begun(options)
    shop.sql("INSERT t VALUES (1, N'x')")
    monkeypatch.setattr("tailrace.source.cdc_source.time.sleep", pauses.append)
    assert next_batch(options, start) == start
    assert pauses == [0.07]
    reader = CdcReader(job_of(options))
    reader.prepareForTriggerAvailableNow()
    assert reader.latestOffset(start, ALL) is start
    assert pauses == [0.07], "a run that ends has nothing to wait for"


def test_a_batch_gives_the_same_rows_whatever_was_done_to_the_tables_since(shop: Database) -> None:
    options = options_of(shop, provide_transaction_metadata="true")
    start = begun(options)
    shop.sql("BEGIN TRAN; INSERT t VALUES (1, N'x'); INSERT other VALUES (1); COMMIT; UPDATE t SET a = N'y'")
    shop.sql("CREATE TABLE late (id int PRIMARY KEY, n int NOT NULL)")
    shop.capture("late")
    shop.sql("INSERT late VALUES (1, 2)")
    shop.capture_all()
    end = next_batch(options, start)
    rows = read(options, start, end)
    assert structures(rows) == [("CREATE", ["id", "n"])]
    shop.sql("ALTER TABLE late ADD more int; ALTER TABLE late ALTER COLUMN n int NULL; INSERT late VALUES (2, NULL, 3)")
    shop.capture_all()
    shop.capture("late", instance="late_2")
    shop.capture_all()
    assert read(options, start, end) == rows
    assert [value["source"]["table"] for value in values(rows, ".late")] == ["late"]


def test_the_times_of_a_batch_are_those_of_the_clock_when_it_was_planned(shop: Database) -> None:
    options = options_of(shop)
    start = begun(options)
    shop.sql("INSERT t VALUES (1, N'x')")
    shop.capture_all()
    end = next_batch(options, start)
    (usual,) = values(read(options, start, end), ".t")
    position = end["position"][shop.name]
    moved = {**end, "position": {shop.name: {**position, "offset_minutes": position["offset_minutes"] + 60}}}
    (hour_before,) = values(read(options, start, moved), ".t")
    assert usual["source"]["ts_ms"] - hour_before["source"]["ts_ms"] == 3_600_000
    assert usual["ts_ms"] == end["now_us"] // 1000


def test_a_table_goes_over_to_its_second_instance_within_a_batch(shop: Database) -> None:
    options = options_of(shop)
    start = begun(options)
    shop.sql("INSERT t VALUES (1, N'old'); ALTER TABLE t ADD b int")
    shop.capture_all()
    shop.capture("t", instance="t_2")
    shop.sql("INSERT t VALUES (2, N'new', 2)")
    shop.capture_all()
    ((_, end),) = batches(options, start)
    rows = read(options, start, end)
    assert [value["after"] for value in values(rows, ".t")] == [{"id": 1, "a": "old"}, {"id": 2, "a": "new", "b": 2}]
    assert structures(rows) == [("ALTER", ["id", "a", "b"])]
    shop.sql("INSERT t VALUES (3, N'x', 3)")
    shop.capture_all()
    ((_, last),) = batches(options, end)
    assert (ids(read(options, end, last)), structures(read(options, end, last))) == ([3], [])


def test_a_file_keeps_the_structures_where_one_is_named(shop: Database, tmp_path: Path) -> None:
    file = tmp_path / "history"
    history = {
        "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
        "schema.history.internal.file.filename": str(file),
    }
    options = {**options_of(shop), **history}
    start = begun(options)
    assert "structures" not in start
    shop.sql("CREATE TABLE late (id int PRIMARY KEY)")
    shop.capture("late")
    shop.sql("INSERT late VALUES (1)")
    shop.capture_all()
    end = next_batch(options, start)
    first = read(options, start, end)
    assert (ids(first, ".late"), structures(first)) == ([1], [("CREATE", ["id"])])
    assert read(options, start, end) == first, "what the first reading wrote into the file does not count"
    assert len(file.read_text().splitlines()) == 3
    shop.sql("INSERT late VALUES (2)")
    shop.capture_all()
    with pytest.raises(
        ProgressError, match="begun with a file that keeps the structures of tables, and now none is named"
    ):
        next_batch(options_of(shop), end)
    last = next_batch(options, end)
    rows = read(options, end, last)
    assert (ids(rows, ".late"), structures(rows)) == ([2], [])


@pytest.mark.parametrize("mode", ["direct", "function"])
def test_a_limit_cuts_a_backlog_between_transactions(shop: Database, mode: str) -> None:
    options = options_of(shop, data_query_mode=mode)
    start = begun(options)
    for first in range(0, 150, 3):
        rows = ", ".join(f"({first + i}, N'{'x' * 20}')" for i in range(3))
        shop.sql(f"INSERT t VALUES {rows}")
    shop.capture_all()
    found = [ids(read(options, *each)) for each in batches(options, start, ReadMaxBytes(3000))]
    assert [number for each in found for number in each] == list(range(150))
    assert all(len(each) % 3 == 0 for each in found)
    assert 2 <= len(found) <= 10, "150 rows have some 85 bytes each"
    shop.sql("CREATE TABLE late (id int PRIMARY KEY)")
    shop.capture("late")
    shop.sql("INSERT late VALUES (1)")
    shop.capture_all()
    assert ids(read(options, start, next_batch(options, start, ReadMaxBytes(1)))) == [0, 1, 2]


def test_available_now_ends_where_the_logs_ended_at_its_beginning(shop: Database) -> None:
    other = shop.server.create_database()
    try:
        other.sql("CREATE TABLE t (id int PRIMARY KEY)")
        other.capture("t")
        options = options_of(shop, other)
        start = begun(options)
        for each in (shop, other):
            each.sql("INSERT t (id) VALUES (1); INSERT t (id) VALUES (2)")
            each.capture_all()
        reader = CdcReader(job_of(options))
        reader.prepareForTriggerAvailableNow()
        seen: dict[str, list[int]] = {shop.name: [], other.name: []}
        while (end := reader.latestOffset(start, ReadMaxBytes(1))) != start:
            rows = read(options, start, end)
            for each in (shop, other):
                seen[each.name] += ids(rows, f"{each.name}.dbo.t")
                each.sql("INSERT t (id) SELECT MAX(id) + 1 FROM t")
                each.capture_all()
            start = end
        assert seen == {shop.name: [1, 2], other.name: [1, 2]}
        (rest,) = [read(options, *each) for each in batches(options, start)]
        assert ids(rest, f"{other.name}.dbo.t")[0] == 3
    finally:
        other.drop()


def test_a_connection_that_is_lost_within_a_batch_loses_and_repeats_nothing_and_is_told_of(
    shop: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(window_tables, "FIRST_ROWS", 7)
    monkeypatch.setattr(window_tables, "MOST_ROWS", 7)
    options = options_of(shop, provide_transaction_metadata="true", retriable_restart_connector_wait_ms="1")
    start = begun(options)
    for name in ("t (id)", "other"):
        shop.sql(f"INSERT {name} VALUES {', '.join(f'({n})' for n in range(50))}")
    shop.capture_all()
    end = next_batch(options, start)
    whole = read(options, start, end)
    lost, rows_of = [], captured.rows_of

    def breaking(*given: Any) -> Iterator[Any]:
        for number, part in enumerate(rows_of(*given)):
            if number == 2 and len(lost) < 3:
                lost.append(number)
                raise RetriableError("the connection was dropped")
            yield part

    monkeypatch.setattr(captured, "rows_of", breaking)
    assert read(options, start, end) == whole
    assert len(lost) == 3
    assert caplog.text.count("the connection was dropped; trying again in 0.001 s") == 3
    assert ids(whole) == ids(whole, ".other") == list(range(50))


def test_a_table_that_was_left_when_a_batch_was_planned_stays_out_of_it_when_it_is_captured_again(
    shop: Database,
) -> None:
    options = options_of(shop)
    start = begun(options)
    shop.sql("INSERT t VALUES (1, N'x'); INSERT other VALUES (1)")
    shop.capture_all()
    shop.uncapture("t")
    end = next_batch(options, start)
    rows = read(options, start, end)
    assert (ids(rows), ids(rows, ".other"), structures(rows)) == ([], [1], [("DROP", [])])
    shop.capture("t")
    shop.sql("INSERT t VALUES (2, N'y')")
    shop.capture_all()
    assert read(options, start, end) == rows
    last = next_batch(options, end)
    rows = read(options, end, last)
    assert (ids(rows), structures(rows)) == ([2], [("CREATE", ["id", "a"])])


@pytest.mark.parametrize("late", [False, True], ids=["known before", "new in the batch"])
def test_what_was_planned_and_is_not_captured_any_more_is_not_passed_over(shop: Database, late: bool) -> None:
    options = options_of(shop)
    start = begun(options)
    table = "late" if late else "t"
    if late:
        shop.sql("CREATE TABLE late (id int PRIMARY KEY)")
        shop.capture("late")
    shop.sql(f"INSERT {table} (id) VALUES (1); INSERT other VALUES (1)")
    shop.capture_all()
    end = next_batch(options, start)
    assert ids(read(options, start, end), f".{table}") == [1]
    shop.uncapture(table)
    with pytest.raises(
        PositionLostError, match=f"{table} was captured when the reading of its log .* and is not any more"
    ):
        read(options, start, end)


@pytest.mark.parametrize("mode", ["direct", "function"])
def test_a_table_without_changes_in_a_batch_may_be_gone_when_it_is_read(
    shop: Database, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    options = options_of(shop, data_query_mode=mode)
    start = begun(options)
    shop.sql("INSERT other VALUES (1)")
    shop.capture_all()
    end = next_batch(options, start)
    rows = read(options, start, end)
    assert end["position"][shop.name]["filled"] == ["dbo.other"]
    shop.uncapture("t")
    assert read(options, start, end) == rows
    assert f"{shop.name}.dbo.t is not captured any more" in caplog.text
    shop.sql("INSERT other VALUES (2)")
    shop.capture_all()
    last = next_batch(options, end)
    assert ids(read(options, end, last), ".other") == [2]
    shop.uncapture("other")
    with pytest.raises(PositionLostError, match=r"other was captured when the reading of its log"):
        read(options, end, last)


def test_a_table_that_a_plan_does_not_know_is_in_a_later_batch(shop: Database) -> None:
    narrow, wide = options_of(shop, table_include_list="dbo[.]t"), options_of(shop)
    start = begun(narrow)
    shop.sql("INSERT t VALUES (1, N'x'); INSERT other VALUES (1)")
    shop.capture_all()
    end = next_batch(narrow, start)
    rows = read(narrow, start, end)
    assert read(wide, start, end) == rows
    shop.sql("INSERT other VALUES (2)")
    shop.capture_all()
    last = next_batch(wide, end)
    assert ids(read(wide, end, last), ".other") == [2]
    assert structures(read(wide, end, last)) == [("CREATE", ["id"])]


@pytest.mark.parametrize("with_file", [False, True], ids=["offsets", "file"])
def test_a_type_that_is_altered_after_the_plan_is_told_with_a_later_batch(
    shop: Database, tmp_path: Path, with_file: bool
) -> None:
    options = options_of(shop)
    if with_file:
        options["schema.history.internal.file.filename"] = str(tmp_path / "history")
        options["schema.history.internal"] = "io.debezium.storage.file.history.FileSchemaHistory"
    start = begun(options)
    shop.sql("INSERT t VALUES (1, N'x')")
    shop.capture_all()
    end = next_batch(options, start)
    rows = read(options, start, end)
    shop.sql("ALTER TABLE t ALTER COLUMN a nvarchar(50)")
    shop.capture_all()
    assert read(options, start, end) == rows
    shop.sql("INSERT t VALUES (2, N'y')")
    shop.capture_all()
    last = next_batch(options, end)
    assert structures(read(options, end, last)) == [("ALTER", ["id", "a"])]


def test_changes_that_are_gone_stop_the_query(shop: Database) -> None:
    options = options_of(shop)
    start = begun(options)
    shop.sql("INSERT t VALUES (1, N'x')")
    shop.capture_all()
    shop.uncapture("t")
    shop.capture("t")
    shop.sql("INSERT t VALUES (2, N'x')")
    shop.capture_all()
    with pytest.raises(PositionLostError, match="the capture instance dbo_t was dropped before it was read to its end"):
        next_batch(options, start)


USUAL = {"topic.prefix": "s", "database.hostname": "db", "database.user": "u", "database.names": "shop"}


def test_each_format_reads_its_own_connector() -> None:
    from support.mysql_frames import parse_options

    assert job_of(USUAL).format == "sqlserver-cdc"
    with pytest.raises(ConfigError, match=r'take format\("sqlserver-cdc"\) for it'):
        parse_options({**USUAL, "connector.class": "sqlserver"})


def test_a_server_that_does_not_say_which_columns_there_are_is_told_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Away:
        def row_schema(self, settings: Any, *, with_before: bool) -> Any:
            raise RetriableError("nobody answers")

    job = job_of({**USUAL, "output": "rows", "errors.max.retries": "1", "retriable.restart.connector.wait.ms": "1"})
    monkeypatch.setattr("tailrace.source.frame_reading.typed_rows_of", lambda _settings: Away())
    with pytest.raises(RetriableError):
        spark_schema(job)
    assert "nobody answers; trying again in 0.001 s" in caplog.text


def test_all_is_read_where_nothing_limits_it() -> None:
    assert CdcReader(job_of(USUAL)).getDefaultReadLimit() == ALL
