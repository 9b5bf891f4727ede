"""Times in another time zone, column by column.

A text with an offset keeps its instant. A time without one is a local time: it becomes the instant that it is there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import polars as pl

from tailrace.changes.vectors import Vector, from_arrow
from tailrace.transforms.timezone_offsets import INT64, Zone, offset_text

_TIME: Final = "io.debezium.time."
ZONED_TIME: Final = f"{_TIME}ZonedTime"
ZONED_TIMESTAMP: Final = f"{_TIME}ZonedTimestamp"
_PER_SECOND: Final = {
    f"{_TIME}Timestamp": 1000,
    f"{_TIME}MicroTimestamp": 10**6,
    f"{_TIME}NanoTimestamp": 10**9,
    "org.apache.kafka.connect.data.Timestamp": 1000,
}
CONVERTED: Final = frozenset({ZONED_TIME, ZONED_TIMESTAMP, *_PER_SECOND})
NOT_CONVERTED: Final = frozenset(
    {
        *(f"{_TIME}{name}" for name in ("Date", "Time", "MicroTime", "NanoTime")),
        "org.apache.kafka.connect.data.Date",
        "org.apache.kafka.connect.data.Time",
    }
)
EPOCH_FIELDS: Final = {"ts_ms": 1000, "ts_us": 10**6, "ts_ns": 10**9}
"""Fields of the source block, and how many of their units a second has."""

_DAY: Final = 86_400
_TEXT: Final = r"^(?:(\d{4}-\d{2}-\d{2})T)?(\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2}(?::\d{2})?)$"
_Offsets = Callable[[INT64], INT64]


def converted(name: str, vector: Vector, zone: Zone, now: INT64) -> Vector | None:
    """Values of a type in a time zone; None if a text among them is no time.

    Args:
        name: the name of the values' schema, one of `CONVERTED`.
        vector: n values.
        zone: the time zone.
        now: seconds since the epoch, shape (n,); of a time without a date they decide which offset the zone has.

    """
    if name == ZONED_TIMESTAMP:
        return _zoned(vector, zone.at_local)
    if name == ZONED_TIME:
        return _zoned(vector, lambda _: zone.at(now))
    unit = _PER_SECOND[name]
    return _with_data(vector, vector.data - zone.at_local(vector.data // unit) * unit)


def epochs(field: str, vector: Vector, zone: Zone) -> Vector:
    """Times of the source block as if the zone's local time were UTC."""
    unit = EPOCH_FIELDS[field]
    return _with_data(vector, vector.data + zone.at(vector.data // unit) * unit)


def _with_data(vector: Vector, data: INT64) -> Vector:
    return Vector(vector.kind, vector.length, data, vector.valid)


def _zoned(vector: Vector, offsets_of: _Offsets) -> Vector | None:
    """Texts with another offset, at the same instant; `offsets_of` is given the local times."""
    given = pl.Series("t", pl.from_arrow(vector.to_arrow())).cast(pl.String)
    parts = given.str.extract_groups(_TEXT).struct.unnest()
    day, clock, fraction, offset = parts.get_columns()
    if clock.null_count() > given.null_count():
        return None
    has_day = day.is_not_null().any()
    local = _seconds(day.fill_null("1970-01-01") + "T" + clock)
    offsets = offsets_of(local)
    moved = local - _given_offsets(offset) + offsets
    moved = moved if has_day else moved % _DAY
    pattern = "%Y-%m-%dT%H:%M:%S" if has_day else "%H:%M:%S"
    head = (pl.Series(moved, dtype=pl.Int64) * 1000).cast(pl.Datetime("ms")).dt.strftime(pattern)
    rest = fraction.fill_null("").str.strip_chars_end("0")
    point = ("." + rest).replace({".": ""})
    texts = head + point + _offset_texts(offsets)
    return from_arrow(pl.select(pl.when(given.is_not_null()).then(texts)).to_series().to_arrow())


def _seconds(texts: pl.Series) -> INT64:
    """Seconds since the epoch; of a time without a date since midnight."""
    times = texts.str.to_datetime("%Y-%m-%dT%H:%M:%S", time_unit="ms", strict=False)
    found: INT64 = (times.cast(pl.Int64) // 1000).fill_null(0).to_numpy()
    return found


def _given_offsets(texts: pl.Series) -> INT64:
    """The seconds of offsets, of which there are few different ones."""
    parts = texts.str.extract_groups(r"^([+-])(\d{2}):(\d{2})(?::(\d{2}))?$").struct.unnest().get_columns()
    sign, hours, minutes, seconds = parts
    numbers = [each.cast(pl.Int64).fill_null(0).to_numpy() for each in (hours, minutes, seconds)]
    total = numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
    negative = (sign == "-").fill_null(value=False).to_numpy()
    signed: INT64 = np.where(negative, -total, total)
    return signed


def _offset_texts(offsets: INT64) -> pl.Series:
    distinct, places = np.unique(offsets, return_inverse=True)
    texts = pl.Series([offset_text(int(each)) for each in distinct], dtype=pl.String)
    return texts.gather(places.reshape(-1).astype(np.uint32))
