"""`output="rows"` of SQL Server, on the stand-in and without Spark: typed rows of one table."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from support.streaming_frames import job_of, next_batch, options_of, read
from tailrace.errors import ConfigError, StructureError
from tailrace.source.cdc_source import INITIAL, CdcReader
from tailrace.source.frame_reading import row_reading, spark_schema
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = pytest.mark.drivers


def begun(options: dict[str, str]) -> Any:
    """The offset behind a stream's first batch."""
    return next_batch(options, INITIAL)


COLUMNS = (
    "id int PRIMARY KEY, small tinyint, yes bit, big bigint, price decimal(38, 10), cash money, wide numeric(20, 0), real_ real, "
    "far float, d date, t time(7), at_ datetime2(7), old datetime, zoned datetimeoffset(7), guid uniqueidentifier, "
    "bytes varbinary(8), note nvarchar(max), doc xml, ver rowversion, any_ sql_variant"
)
VALUES = (
    "255, 1, 9223372036854775807, 1234567890.0123456789, -922.3375, 99999999999999999999, 0.5, 1e300, '2026-02-28', "
    "'23:59:59.1234567', '2026-02-28 12:00:00.1234567', '1999-12-31 23:59:59.997', '2026-02-28 12:00:00.1234567 +02:00', "
    "'00112233-4455-6677-8899-AABBCCDDEEFF', 0x0102, N'ä', N'<a/>', 1"
)
NAMES = "id, small, yes, big, price, cash, wide, real_, far, d, t, at_, old, zoned, guid, bytes, note, doc, any_"


def test_rows_have_the_columns_of_the_one_table_in_sparks_types(sqlserver: Database) -> None:
    sqlserver.sql(f"CREATE TABLE wide_ ({COLUMNS})")
    sqlserver.capture("wide_")
    options = options_of(sqlserver, output="rows", rowImage="both", table_include_list="dbo[.]wide_")
    start = begun(options)
    assert read(options, INITIAL, start) == []
    sqlserver.sql(f"INSERT wide_ ({NAMES}) VALUES (1, {VALUES})")
    sqlserver.sql("UPDATE wide_ SET cash = 1; UPDATE wide_ SET id = 2; DELETE wide_")
    sqlserver.capture_all()
    end = next_batch(options, start)
    rows = read(options, start, end)
    assert [(row["_op"], row["id"]) for row in rows] == [("c", 1), ("u", 1), ("d", 1), ("c", 2), ("d", 2)]
    moment = dt.datetime(2026, 2, 28, 12, 0, 0, 123456)  # noqa: DTZ001 -- a datetime2 has no zone
    expected = {
        "small": 255,
        "yes": True,
        "big": 2**63 - 1,
        "price": Decimal("1234567890.0123456789"),
        "cash": Decimal("-922.3375"),
        "wide": Decimal(10**20 - 1),
        "real_": 0.5,
        "far": 1e300,
        "d": dt.date(2026, 2, 28),
        "t": 86_399_123_456,
        "at_": moment,
        "old": dt.datetime(1999, 12, 31, 23, 59, 59, 997000),  # noqa: DTZ001 -- as above
        "zoned": moment.replace(hour=10, tzinfo=dt.UTC),
        "guid": "00112233-4455-6677-8899-AABBCCDDEEFF",
        "bytes": b"\x01\x02",
        "note": "ä",
        "doc": "<a/>",
    }
    assert {name: rows[0][name] for name in expected} == expected
    assert "any_" not in rows[0]
    assert (rows[1]["cash"], rows[1]["_before"]["cash"], rows[0]["_before"]) == (Decimal(1), expected["cash"], None)
    assert [row["_sequence"] for row in rows] == sorted(row["_sequence"] for row in rows)
    assert {row["_commit_time"].tzinfo for row in rows} == {rows[0]["_commit_time"].tzinfo} != {None}
    assert read(options, start, end) == rows


def test_a_column_that_comes_while_a_query_runs_stops_it_and_is_there_when_it_is_started_again(shop: Database) -> None:
    options = options_of(shop, output="rows", table_include_list="dbo[.]t")
    start = begun(options)
    running = CdcReader(job_of(options), row_reading(job_of(options), spark_schema(job_of(options))))
    shop.sql("INSERT t VALUES (1, N'old'); ALTER TABLE t ADD b int")
    shop.capture_all()
    shop.capture("t", instance="t_2")
    shop.sql("INSERT t VALUES (2, N'new', 2)")
    shop.capture_all()
    end = next_batch(options, start)
    with pytest.raises(StructureError, match="columns now that the DataFrame does not have: b"):
        list(running.read(running.partitions(start, end)[0]))
    assert [(row["id"], row["b"]) for row in read(options, start, end)] == [(1, None), (2, 2)]


def test_rows_tell_the_time_of_the_commit_also_where_source_blocks_tell_that_of_reading(shop: Database) -> None:
    by_commit, by_reading = (
        options_of(shop, output="rows", table_include_list="dbo[.]t", source_timestamp_mode=mode)
        for mode in ("commit", "processing")
    )
    start = begun(by_commit)
    shop.sql("INSERT t VALUES (1, N'x')")
    shop.capture_all()
    end = next_batch(by_commit, start)
    assert len(rows := read(by_commit, start, end)) == 1
    assert read(by_reading, start, end) == rows


def test_rows_are_of_exactly_one_table(shop: Database) -> None:
    options = options_of(shop, output="rows")
    with pytest.raises(ConfigError, match=rf"captures 2: {shop.name}.dbo.other, {shop.name}.dbo.t"):
        spark_schema(job_of(options))
