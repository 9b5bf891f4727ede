# mypy: disable-error-code="no-any-return, assignment"
"""Dates, times and timestamps: as numbers, or as text in the form of Java's ISO formatters, which Debezium uses.

Arrow has a `datetime2` in microseconds; for a column with seven digits, the nanosecond of the second is selected as
another column. A `datetimeoffset` is a UTC time in Arrow; its offset in minutes is another column, and the text is
local.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.vectors import Kind, Vector
from tailrace.connectors.shared.arrow_values.arrays import bitmap, numbers, packed, validity
from tailrace.connectors.shared.calendar_text import put_clock, put_date, put_fraction
from tailrace.errors import StructureError
from tailrace.kernels import argument_types as arg
from tailrace.kernels.arrays import put_null_view, put_view
from tailrace.kernels.compiling import Int, compiled, entry

log = logging.getLogger(__name__)

_MILLION: Final = 1_000_000
_THOUSAND: Final = 1000
_SECOND: Final = 1_000_000_000  # in nanoseconds
_DAY: Final = 86400
_MINUTE: Final = 60
_LAST_DAY: Final = 2_932_896  # 9999-12-31
_TEN_THOUSAND_YEARS: Final = 3_652_425  # in days
_DAY_IN_MICROS: Final = _DAY * _MILLION
_LONGEST: Final = 40  # bytes of a text
# Whole days: Debezium multiplies the days first, so a first day that fits only in part overflows as a whole.
_FIRST_NANO_DAY: Final = -106751
_MOST_NANO_MICROS: Final = (2**63 - 1) // _THOUSAND
_NOTHING: Final = np.empty(0, np.int64)

Integers = npt.NDArray[np.int64]


def days(arrays: Sequence[pa.Array]) -> Vector:
    """The days since 1970-01-01."""
    array = _cast(arrays[0], pa.date32())
    return Vector(Kind.INT, len(array), numbers(array, 4), bitmap(array))


def day_texts(arrays: Sequence[pa.Array]) -> Vector:
    """Texts such as 2024-02-29Z."""
    array = _cast(arrays[0], pa.date32())
    return _texts(array, _put_days, numbers(array, 4))


def times(unit: int) -> Callable[[Sequence[pa.Array]], Vector]:
    """Converts to the time since midnight, in units of `unit` nanoseconds."""

    def convert(arrays: Sequence[pa.Array]) -> Vector:
        array = _cast(arrays[0], pa.time64("ns"))
        return Vector(Kind.INT, len(array), _in_unit(numbers(array, 8), unit), bitmap(array))

    return convert


def time_texts(arrays: Sequence[pa.Array]) -> Vector:
    """Texts such as 12:34:56.5Z."""
    array = _cast(arrays[0], pa.time64("ns"))
    return _texts(array, _put_times, numbers(array, 8))


def timestamps(unit: int) -> Callable[[Sequence[pa.Array]], Vector]:
    """Converts to the time since 1970-01-01T00:00:00, in units of `unit` microseconds."""

    def convert(arrays: Sequence[pa.Array]) -> Vector:
        array = _moments(arrays[0])
        return Vector(Kind.INT, len(array), _in_unit(numbers(array, 8), unit), bitmap(array))

    return convert


def nano_timestamps(name: str, *, optional: bool) -> Callable[[Sequence[pa.Array]], Vector]:
    """The same in nanoseconds; null outside the range of 64 bits (before 1677-09-22, after 2262-04-11).

    As in Debezium, a NOT NULL column with such a value stops the connector.
    """

    def convert(arrays: Sequence[pa.Array]) -> Vector:
        array = _moments(arrays[0])
        micros, valid = numbers(array, 8), validity(array)
        fits = (micros >= _FIRST_NANO_DAY * _DAY_IN_MICROS) & (micros <= _MOST_NANO_MICROS)
        count = int(np.count_nonzero(valid & ~fits))
        if not count:
            return Vector(Kind.INT, len(array), _nanos(micros, arrays[1:]), bitmap(array))
        _warn_of_lost(name, count, optional=optional)
        values = np.where(fits, _nanos(np.where(fits, micros, 0), arrays[1:]), 0)
        return Vector(Kind.INT, len(array), values, packed(valid & fits))

    return convert


def timestamp_texts(arrays: Sequence[pa.Array]) -> Vector:
    """Texts such as 2024-02-29T12:34:56.5Z."""
    array = _moments(arrays[0])
    fraction = _fraction(arrays[1]) if len(arrays) > 1 else _NOTHING
    return _texts(array, _put_moments, numbers(array, 8), fraction, _NOTHING)


def zoned_texts(arrays: Sequence[pa.Array]) -> Vector:
    """Texts such as 2024-02-29T12:34:56.5+05:30, with Z for UTC."""
    array = _moments(arrays[0])
    fraction = _fraction(arrays[2]) if len(arrays) > 2 else _NOTHING
    return _texts(array, _put_moments, numbers(array, 8), fraction, _fraction(arrays[1]))


def _warn_of_lost(name: str, count: int, *, optional: bool) -> None:
    advice = "set time.precision.mode to microseconds or isostring"
    if not optional:
        raise StructureError(
            f"column {name} may not be null and has a day that nanoseconds of 64 bits have no room for: {advice}"
        )
    log.warning("%d values of column %s are null in events: nanoseconds have no room for them; %s", count, name, advice)


def _cast(array: pa.Array, type_: pa.DataType) -> pa.Array:
    return array if array.type == type_ else array.cast(type_)


def _moments(array: pa.Array) -> pa.Array:
    """The array in microseconds; a column with a time zone is in UTC already."""
    if pa.types.is_timestamp(array.type) and array.type.unit == "us":
        return array
    return array.cast(pa.timestamp("us"))


def _in_unit(values: Integers, unit: int) -> Integers:
    return values if unit == 1 else values // unit


def _nanos(micros: Integers, beside: Sequence[pa.Array]) -> Integers:
    """Nanoseconds; `beside` may have the nanosecond of the second, which has one more digit."""
    values = micros * _THOUSAND
    if beside:
        values += _fraction(beside[0]) % _THOUSAND
    return values


def _fraction(array: pa.Array) -> Integers:
    return numbers(_cast(array, pa.int32()), 4)


def _texts(array: pa.Array, put: Any, *columns: Integers) -> Vector:
    n = len(array)
    data = np.empty((n, 4), np.uint32)
    room = np.empty(_LONGEST * n + 8, np.uint8)
    used = put(validity(array), data.reshape(-1).view(np.uint8), room, *columns)
    return Vector(Kind.TEXT, n, data, bitmap(array), (room[:used],))


@entry(arg.READ_FLAGS, arg.BYTES, arg.BYTES, arg.READ_INTS)
def _put_days(valid: Any, mem: Any, room: Any, values: Any) -> Int:
    end = 0
    for i in range(len(valid)):
        if not valid[i]:
            put_null_view(mem, 16 * i)
            continue
        put_date(room, end, values[i])
        room[end + 10] = 90
        put_view(mem, 16 * i, room, 0, end, 11)
    return end


@entry(arg.READ_FLAGS, arg.BYTES, arg.BYTES, arg.READ_INTS)
def _put_times(valid: Any, mem: Any, room: Any, nanos: Any) -> Int:
    end = 0
    for i in range(len(valid)):
        if not valid[i]:
            put_null_view(mem, 16 * i)
            continue
        second = nanos[i] // _SECOND
        p = put_clock(room, end, second)
        p = put_fraction(room, p, nanos[i] - second * _SECOND, 9, 0)
        room[p] = 90
        put_view(mem, 16 * i, room, 0, end, p + 1 - end)
        if p + 1 - end > 12:
            end = p + 1
    return end


@entry(arg.READ_FLAGS, arg.BYTES, arg.BYTES, arg.READ_INTS, arg.READ_INTS, arg.READ_INTS)
def _put_moments(valid: Any, mem: Any, room: Any, micros: Any, nanos: Any, zones: Any) -> Int:
    """Write timestamps; `nanos` of the second and `zones` in minutes may be empty."""
    end = 0
    for i in range(len(valid)):
        if not valid[i]:
            put_null_view(mem, 16 * i)
            continue
        seconds = micros[i] // _MILLION
        fraction = nanos[i] if len(nanos) else (micros[i] - seconds * _MILLION) * _THOUSAND
        zone = zones[i] if len(zones) else np.int64(0)
        seconds += zone * _MINUTE
        day = seconds // _DAY
        p = _put_day(room, end, day)
        room[p] = 84
        p = put_clock(room, p + 1, seconds - day * _DAY)
        p = put_fraction(room, p, fraction, 9, 0)
        p = _put_zone(room, p, zone)
        put_view(mem, 16 * i, room, 0, end, p - end)
        end = p
    return end


@compiled
def _put_day(room: Any, p: Int, day: Int) -> Int:
    """Write a date, with a sign before the year 10000, which 24:00:00 of a last day is in; the index after it."""
    if day > _LAST_DAY:
        room[p], room[p + 1] = 43, 49
        p += 2
        day -= _TEN_THOUSAND_YEARS
    put_date(room, p, day)
    return p + 10


@compiled
def _put_zone(room: Any, p: Int, zone: Int) -> Int:
    """Write Z, or hours and minutes; the index after them."""
    if zone == 0:
        room[p] = 90
        return p + 1
    room[p] = 43 if zone > 0 else 45
    minutes = abs(zone)
    for k, value in ((1, minutes // 60), (4, minutes % 60)):
        room[p + k] = np.uint8(48 + value // 10)
        room[p + k + 1] = np.uint8(48 + value % 10)
    room[p + 3] = 58
    return p + 6
