# ruff: noqa: PLR1714, SIM109 -- compiled loops take what they need by position, and compare plainly
# mypy: disable-error-code="no-any-return, assignment"
"""DATE, TIME, DATETIME and TIMESTAMP, in the formats since MySQL 5.6.4 and before it.

An invalid date (a zero year, month or day, or one like February 30) becomes the
plan's `zero`: null, a number or a text. So does the TIMESTAMP 0. The rest are days, or milli-, micro- or
nanoseconds since 1970, or text in the form of Java's ISO formatters, which Debezium uses. TIME is a duration
with a sign; its text, and its number of milliseconds, are a time of day, so a TIME outside a day becomes null
there, as in Debezium.

Source: MySQL Internals Manual, "Date and Time Data Type Representation"; `my_time.cc`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.connectors.mysql.plan import Out, Storage
from tailrace.connectors.mysql.rows.raw import big, mark, offset_of
from tailrace.connectors.mysql.rows.scan import UNFIT
from tailrace.connectors.shared.calendar_text import day_number, put_clock, put_date, put_fraction
from tailrace.kernels.arrays import copy_bytes, load32, load64, put_null_view, put_view, store64
from tailrace.kernels.compiling import Int, compiled, inlined

_DATE, _TIME2, _DATETIME2, _TIMESTAMP2 = (
    int(w) for w in (Storage.DATE, Storage.TIME2, Storage.DATETIME2, Storage.TIMESTAMP2)
)
_OLD_TIME, _OLD_DATETIME, _OLD_TIMESTAMP = (
    int(w) for w in (Storage.OLD_TIME, Storage.OLD_DATETIME, Storage.OLD_TIMESTAMP)
)
_DAYS, _MILLIS, _MICROS, _NANOS, _ISO = (
    int(o) for o in (Out.DAYS, Out.MILLIS, Out.MICROS, Out.NANOS, Out.ISO)
)

ZERO_IS_NULL, ZERO_IS_NUMBER, ZERO_IS_TEXT = range(3)

_DAY: Final = 86400
_MILLION: Final = 1_000_000
_MOST_NANOS_IN_MICROS: Final = (2**63 - 1) // 1000
_TO_MICROS: Final = np.array([1_000_000, 10_000, 100, 1], np.int64)  # by the bytes of the fraction
_LONGEST: Final = 40  # bytes of a text


@inlined
def _is_day(year: Int, month: Int, day: Int) -> bool:
    if year == 0 or month == 0 or month > 12 or day == 0:
        return False
    if day <= 28:
        return True
    if month == 2:
        return day == 29 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return day <= 30 or (day == 31 and ((month & 1) == 1) == (month < 8))


@inlined
def _seconds(year: Int, month: Int, day: Int, second: Int, adjust: bool) -> Any:
    """(True, seconds since the epoch), or (False, 0) for an invalid day."""
    if not _is_day(year, month, day) or second < 0:
        return False, np.int64(0)
    if adjust and year < 100:
        year += 2000 if year < 70 else 1900
    return True, np.int64(day_number(year, month, day)) * _DAY + second


@inlined
def _clock(hour: Int, minute: Int, second: Int) -> Int:
    """Second of the day, -1 where there is none such."""
    return (hour * 60 + minute) * 60 + second if hour < 24 and minute < 60 and second < 60 else -1


@inlined
def _moment(data: Any, o: Int, wire: Int, digits: Int, adjust: bool) -> Any:
    """(is it one, seconds since the epoch or of the duration, microseconds from there on)."""
    n = (digits + 1) >> 1
    if wire == _DATETIME2:
        packed = big(data, o, 5)
        month = (packed >> 22) & 0x1FFFF
        clock = _clock((packed >> 12) & 31, (packed >> 6) & 63, packed & 63)
        good, seconds = _seconds(month // 13, month % 13, (packed >> 17) & 31, clock, adjust)
        return good, seconds, big(data, o + 5, n) * _TO_MICROS[n]
    if wire == _TIMESTAMP2:
        seconds = big(data, o, 4)
        micros = big(data, o + 4, n) * _TO_MICROS[n]
        return seconds != 0 or micros != 0, seconds, micros
    if wire == _DATE:
        packed = np.int64(data[o]) | np.int64(data[o + 1]) << 8 | np.int64(data[o + 2]) << 16
        good, seconds = _seconds(packed >> 9, (packed >> 5) & 15, packed & 31, 0, adjust)
        return good, seconds, np.int64(0)
    if wire == _TIME2:
        packed = big(data, o, 3 + n) - (np.int64(0x800000) << (8 * n))
        sign = np.int64(-1) if packed < 0 else np.int64(1)
        packed *= sign
        fraction = (packed & ((np.int64(1) << (8 * n)) - 1)) * _TO_MICROS[n]
        packed >>= 8 * n
        seconds = ((packed >> 12) & 1023) * 3600 + ((packed >> 6) & 63) * 60 + (packed & 63)
        return True, sign * seconds, sign * fraction
    return _old_moment(data, o, wire, adjust)


@compiled
def _old_moment(data: Any, o: Int, wire: Int, adjust: bool) -> Any:
    """The same for the formats before MySQL 5.6.4: decimal digits in a little-endian number."""
    if wire == _OLD_TIMESTAMP:
        seconds = np.int64(load32(data, o))
        return seconds != 0, seconds, np.int64(0)
    if wire == _OLD_TIME:
        packed = np.int64(data[o]) | np.int64(data[o + 1]) << 8 | np.int64(np.int8(data[o + 2])) << 16
        sign = np.int64(-1) if packed < 0 else np.int64(1)
        packed *= sign
        return True, sign * (packed // 10000 * 3600 + packed // 100 % 100 * 60 + packed % 100), np.int64(0)
    packed = np.int64(load64(data, o))
    date = packed // _MILLION
    time = packed % _MILLION
    clock = _clock(time // 10000, time // 100 % 100, time % 100)
    good, seconds = _seconds(date // 10000, date // 100 % 100, date % 100, clock, adjust)
    return good, seconds, np.int64(0)


@compiled
def moment_numbers(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Int,
    wire: Int,
    digits: Int,
    unit: Int,
    adjust: bool,
    zero: Int,
    zero_number: Int,
    bitmap: Int,
    marks: Any,
    first: Int,
    size: Int,
    state: Any,
) -> None:
    """Days, milliseconds, microseconds or nanoseconds; null if the timestamp is out of the unit's range."""
    time = wire == _TIME2 or wire == _OLD_TIME
    for j in range(k):
        o = offset_of(offsets, c, j)
        value = np.int64(0)
        if o >= 0:
            good, seconds, micros = _moment(data, o, wire, digits, adjust)
            if good and not _fits(seconds, micros, unit, time):
                mark(mem, bitmap, marks, c, first + j, size, 0)
                state[UNFIT] += 1
            elif good:
                value = _in_unit(seconds, micros, unit)
            elif zero == ZERO_IS_NUMBER:
                value = zero_number
            else:
                mark(mem, bitmap, marks, c, first + j, size, 0)
        store64(mem, at + 8 * j, np.uint64(value))


@inlined
def _fits(seconds: Int, micros: Int, unit: Int, time: bool) -> bool:
    """Whether a TIME is a time of day if it must be one, and nanoseconds are in range (1677 to 2262)."""
    if unit == _NANOS:
        return abs(seconds * _MILLION + micros) <= _MOST_NANOS_IN_MICROS
    return unit != _MILLIS or not time or _of_a_day(seconds, micros)


@inlined
def _of_a_day(seconds: Int, micros: Int) -> bool:
    """Midnight at the day's end is one too."""
    return 0 <= seconds * _MILLION + micros <= _DAY * _MILLION


@inlined
def _in_unit(seconds: Int, micros: Int, unit: Int) -> Int:
    if unit == _MILLIS:  # a negative TIME's fraction is negative too: cut towards zero, as Java does
        whole = micros // 1000
        return seconds * 1000 + (whole if micros >= 0 else -(-micros // 1000))
    if unit == _MICROS:
        return seconds * _MILLION + micros
    if unit == _NANOS:
        return (seconds * _MILLION + micros) * 1000
    return seconds // _DAY


@compiled
def moment_texts(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Int,
    wire: Int,
    digits: Int,
    form: Int,
    adjust: bool,
    zero: Int,
    tables: Any,
    zero_text: Int,
    bitmap: Int,
    marks: Any,
    first: Int,
    size: Int,
    aux: Any,
    ao: Int,
    state: Any,
) -> Int:
    """Text in ISO form and UTC; the new end of `aux`, -1 where it is too small.

    With `Out.ISO` the fraction has as many digits as it needs, with `Out.ZONED` as many as the column.
    """
    if ao + _LONGEST * k > len(aux):
        return -1
    known = np.int64(-(1 << 40))
    kept = np.int64(0)
    time = wire == _TIME2 or wire == _OLD_TIME
    for j in range(k):
        o = offset_of(offsets, c, j)
        place = at + 16 * j
        if o < 0:
            put_null_view(mem, place)
            continue
        good, seconds, micros = _moment(data, o, wire, digits, adjust)
        if not good or (time and not _of_a_day(seconds, micros)):
            state[UNFIT] += good
            if zero == ZERO_IS_TEXT and not good:
                store64(mem, place, load64(tables, zero_text))
                store64(mem, place + 8, load64(tables, zero_text + 8))
            else:
                put_null_view(mem, place)
                mark(mem, bitmap, marks, c, first + j, size, 0)
            continue
        p = ao
        if time:
            p = put_clock(aux, p, seconds % _DAY)
        else:
            days = seconds // _DAY
            if days != known:  # neighbours in the log are often of one day
                put_date(aux, p, days)
                known, kept = days, np.int64(p)
            elif kept != p:
                copy_bytes(aux, p, aux, kept, 10)
            p += 10
            if wire != _DATE:
                aux[p] = 84
                p = put_clock(aux, p + 1, seconds - days * _DAY)
        p = put_fraction(aux, p, micros, 6, 0 if form == _ISO else digits)
        aux[p] = 90
        p += 1
        put_view(mem, place, aux, 1, ao, p - ao)
        if p - ao > 12:
            ao = p
    return ao
