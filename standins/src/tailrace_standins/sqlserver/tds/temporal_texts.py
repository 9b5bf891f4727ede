"""Parses dates and times in the engine's text form, a column at a time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailrace.kernels.compiling import entry
from tailrace_standins.sqlserver.tds.columns import validity
from tailrace_standins.sqlserver.tds.kernels import Bytes, Places
from tailrace_standins.sqlserver.tds.texts import buffers

DATE: Final = 1
TIME: Final = 2
OFFSET: Final = 4
_MARCH: Final = 306
"""Days from 0000-03-01 to 0001-01-01; the algorithm's years begin in March."""


def parsed(array: Any, parts: int) -> tuple[Places, NDArray[np.int16]]:
    """Units of 100 ns since 0001-01-01 (in UTC if there is an offset), and the offset in minutes; 0 for NULL.

    `parts` are the parts of the text: `DATE`, `TIME`, `OFFSET`. Raises `ValueError` for a text in another form.
    """
    offsets, data = buffers(array.cast(pa.large_string()))
    ticks, minutes = np.zeros(len(array), np.int64), np.zeros(len(array), np.int16)
    wrong = _parse(offsets, data, validity(array), parts, ticks, minutes)
    if wrong >= 0:
        raise ValueError(f"{array[wrong]} is no date or time of this type")
    return ticks, minutes


@entry()
def _number(data: Bytes, p: int, count: int) -> Any:
    """The number in `count` digits; negative if a character is not a digit."""
    number: Any = 0
    for k in range(p, p + count):
        digit = np.int64(data[k]) - 48
        if digit < 0 or digit > 9:
            return -(10**12)
        number = 10 * number + digit
    return number


@entry()
def _days(year: int, month: int, day: int) -> int:
    """Days since 0001-01-01; years begin in March, so that a leap day is the last of its year."""
    if month <= 2:
        year -= 1
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return 365 * year + year // 4 - year // 100 + year // 400 + of_year - _MARCH


@entry()
def _time(data: Bytes, p: int, end: int) -> Any:
    """Units of 100 ns of `12:34:56.1234567`, with up to seven digits; negative if it is not a time."""
    if end - p < 8 or end - p > 16:
        return -1
    hour, minute, second = _number(data, p, 2), _number(data, p + 3, 2), _number(data, p + 6, 2)
    count = max(0, end - p - 9)
    fraction = _number(data, p + 9, count)
    if hour < 0 or minute < 0 or second < 0 or fraction < 0:
        return -1
    for _ in range(7 - count):
        fraction *= 10
    return ((hour * 60 + minute) * 60 + second) * 10_000_000 + fraction


@entry()
def _parse(offsets: Places, data: Bytes, valid: Bytes, parts: int, ticks: Places, minutes: NDArray[np.int16]) -> int:
    """Fill `ticks` and `minutes`; returns the first row whose text is invalid, or -1."""
    for i in range(len(ticks)):
        if not valid[i]:
            continue
        p, end, found = offsets[i], offsets[i + 1], 0
        if parts & OFFSET:
            if end - p < 26:
                return i
            shift = _number(data, end - 5, 2) * 60 + _number(data, end - 2, 2)
            if shift < 0:
                return i
            if data[end - 6] == 45:
                shift = -shift
            minutes[i] = shift
            found -= shift * 600_000_000
            end -= 7
        if parts & DATE:
            if end - p < 10:
                return i
            year, month, day = _number(data, p, 4), _number(data, p + 5, 2), _number(data, p + 8, 2)
            if year < 1 or month < 1 or month > 12 or day < 1 or day > 31:
                return i
            found += _days(year, month, day) * 864_000_000_000
            p += 11
        if parts & TIME:
            time = _time(data, p, end)
            if time < 0:
                return i
            found += time
        ticks[i] = found
    return -1
