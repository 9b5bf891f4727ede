"""Dates, times and timestamps as numbers and as text, compared with what Python computes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.changes.vectors import Vector
from tailrace.connectors.shared.arrow_values import temporal
from tailrace.errors import StructureError

EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 -- SQL Server's datetimes have no zone
MICROSECOND = dt.timedelta(microseconds=1)
MOMENTS = st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30))  # noqa: DTZ001
TICKS = st.integers(0, 9)  # of 100 ns, behind the microseconds
NANO_MOMENTS = st.datetimes(dt.datetime(1677, 9, 22), dt.datetime(2262, 4, 11))  # noqa: DTZ001


def micros(moment: dt.datetime) -> int:
    return (moment - EPOCH) // MICROSECOND


def arrays(rows: Sequence[tuple[dt.datetime, int] | None]) -> list[pa.Array]:
    """What is selected of a datetime2(7)."""
    values = [None if row is None else micros(row[0]) for row in rows]
    nanos = [None if row is None else row[0].microsecond * 1000 + row[1] * 100 for row in rows]
    return [pa.array(values, pa.int64()).cast(pa.timestamp("us")), pa.array(nanos, pa.int32())]


def listed(vector: Vector) -> list[object]:
    found: list[object] = vector.to_arrow().to_pylist()
    return found


def iso(moment: dt.datetime, tick: int) -> str:
    fraction = f"{moment.microsecond:06d}{tick}".rstrip("0")
    return f"{moment.replace(microsecond=0).isoformat()}{'.' + fraction if fraction else ''}"


@given(st.lists(st.none() | st.tuples(MOMENTS, TICKS)))
def test_timestamps_are_counted_in_milliseconds_and_microseconds(rows: list[tuple[dt.datetime, int] | None]) -> None:
    found = arrays(rows)
    assert listed(temporal.timestamps(1)(found)) == [None if row is None else micros(row[0]) for row in rows]
    assert listed(temporal.timestamps(1000)(found)) == [None if row is None else micros(row[0]) // 1000 for row in rows]


@given(st.lists(st.none() | st.tuples(NANO_MOMENTS, TICKS)))
def test_nanoseconds_have_the_seventh_digit(rows: list[tuple[dt.datetime, int] | None]) -> None:
    found = temporal.nano_timestamps("x", optional=False)(arrays(rows))
    assert listed(found) == [None if row is None else micros(row[0]) * 1000 + row[1] * 100 for row in rows]


def test_what_nanoseconds_have_no_room_for_is_null_as_in_debezium() -> None:
    days = ("1677-09-21T23:59:59", "1677-09-22T00:00:00", "2262-04-11T23:47:16", "2262-04-11T23:47:17", "9999-12-31")
    rows = [(dt.datetime.fromisoformat(day), 0) for day in days]
    found = listed(temporal.nano_timestamps("x", optional=True)(arrays(rows)))
    assert [value is None for value in found] == [True, False, False, True, True]


def test_nanoseconds_that_have_no_room_stop_a_column_without_nulls() -> None:
    rows = [(dt.datetime(9999, 12, 31), 0)]  # noqa: DTZ001
    with pytest.raises(StructureError, match=r"column ends may not be null.*isostring"):
        temporal.nano_timestamps("ends", optional=False)(arrays(rows))


@given(st.lists(st.none() | st.tuples(MOMENTS, TICKS)))
def test_iso_timestamps_have_as_many_digits_as_they_need(rows: list[tuple[dt.datetime, int] | None]) -> None:
    found = listed(temporal.timestamp_texts(arrays(rows)))
    assert found == [None if row is None else f"{iso(*row)}Z" for row in rows]


@given(st.lists(st.tuples(MOMENTS, TICKS, st.integers(-14 * 60, 14 * 60))))
def test_zoned_timestamps_are_local_with_their_offset(rows: list[tuple[dt.datetime, int, int]]) -> None:
    utc = [moment - dt.timedelta(minutes=zone) for moment, _, zone in rows]
    values = pa.array([micros(moment) for moment in utc], pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    zones = pa.array([zone for *_, zone in rows], pa.int32())
    nanos = pa.array([moment.microsecond * 1000 + tick * 100 for moment, tick, _ in rows], pa.int32())
    assert listed(temporal.zoned_texts([values, zones, nanos])) == [
        iso(moment, tick) + offset(zone) for moment, tick, zone in rows
    ]
    assert listed(temporal.zoned_texts([values, zones])) == [iso(moment, 0) + offset(zone) for moment, _, zone in rows]


def offset(minutes: int) -> str:
    if minutes == 0:
        return "Z"
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02d}:{rest:02d}"


@given(st.lists(st.none() | st.dates()))
def test_days_are_counted_or_written(days: list[dt.date | None]) -> None:
    values = [pa.array(days, pa.date32())]
    assert listed(temporal.days(values)) == [None if day is None else (day - EPOCH.date()).days for day in days]
    assert listed(temporal.day_texts(values)) == [None if day is None else f"{day.isoformat()}Z" for day in days]


@given(st.lists(st.none() | st.tuples(st.times(), TICKS)))
def test_times_are_counted_from_midnight_or_written(rows: list[tuple[dt.time, int] | None]) -> None:
    nanos = [None if row is None else since_midnight(*row) for row in rows]
    values = [pa.array(nanos, pa.int64()).cast(pa.time64("ns"))]
    for unit in (1, 1000, 1_000_000):
        assert listed(temporal.times(unit)(values)) == [None if each is None else each // unit for each in nanos]
    at = [None if row is None else (dt.datetime.combine(EPOCH.date(), row[0]), row[1]) for row in rows]
    texts = [None if each is None else f"{iso(*each).partition('T')[2]}Z" for each in at]
    assert listed(temporal.time_texts(values)) == texts


def since_midnight(time: dt.time, tick: int) -> int:
    seconds = (time.hour * 60 + time.minute) * 60 + time.second
    return (seconds * 1_000_000 + time.microsecond) * 1000 + tick * 100


def test_a_part_of_an_array_gives_its_own_values() -> None:
    rows = [None, (dt.datetime(2024, 2, 29, 1, 2, 3), 4), (dt.datetime(1, 1, 1), 0)]  # noqa: DTZ001
    whole = arrays(rows)
    assert listed(temporal.timestamp_texts([each.slice(1) for each in whole])) == [
        "2024-02-29T01:02:03.0000004Z",
        "0001-01-01T00:00:00Z",
    ]
