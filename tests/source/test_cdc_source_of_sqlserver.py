"""SQL Server as a DataFrame, on the stand-in and without Spark: plans of windows that give the same whenever they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadMaxBytes

from support.frame_rows import begun, ids, structures, values
from support.streaming_frames import ALL, batches, job_of, next_batch, options_of, read
from tailrace.errors import (
    ConfigError,
    PositionLostError,
    RetriableError,
)
from tailrace.source.cdc_source import CdcReader
from tailrace.source.frame_reading import spark_schema
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = pytest.mark.drivers


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
