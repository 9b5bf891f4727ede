"""Dates and times: converts the engine's text to the numbers of the wire and back.

A date is a number of days since 0001-01-01. A time is a number of units of its scale (100 ns for scale 7). A datetime is days
since 1900-01-01 and three-hundredths of a second.

Source: [MS-TDS] 2.2.5.5.1.8 Date/Times
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import Final

_DAYS_1900: Final = date(1900, 1, 1).toordinal() - 1
_MINUTES: Final = 24 * 60
_SECONDS: Final = 24 * 3600
_UNITS: Final = tuple(int("1" + "0" * scale) for scale in range(8))
"""Units of a second, by scale."""
_DATE: Final = 10
"""Characters of a date."""


def width(scale: int) -> int:
    """The number of bytes of a time with that scale."""
    return 3 if scale <= 2 else 4 if scale <= 4 else 5


@lru_cache(maxsize=4096)
def days(text: str) -> int:
    """Days since 0001-01-01 of `2024-02-29`."""
    return date.fromisoformat(text).toordinal() - 1


def days_text(number: int) -> str:
    """The date that many days after 0001-01-01."""
    return date.fromordinal(number + 1).isoformat()


def ticks(text: str, scale: int) -> int:
    """Units of 10^-scale s since midnight of `12:34:56.1234567`; missing digits are zeros, surplus ones are cut off."""
    return _minutes(text[:5]) * _UNITS[scale] + seconds(text[6:], scale)


def seconds(text: str, scale: int) -> int:
    """Units of 10^-scale s of `56.1234567`."""
    digits = text[:2] + text[3 : 3 + scale]
    return int(digits) if len(digits) == 2 + scale else int(digits.ljust(2 + scale, "0"))


@lru_cache(maxsize=4096)
def minute_of(text: str) -> tuple[int, bytes]:
    """Seconds up to the minute of `2024-02-29 12:34`, and the date's three bytes. Cached: times of a table are often close."""
    return _minutes(text[_DATE + 1 :]), days(text[:_DATE]).to_bytes(3, "little")


@lru_cache(maxsize=2048)
def _minutes(text: str) -> int:
    return int(text[:2]) * 3600 + int(text[3:5]) * 60


def ticks_text(number: int, scale: int) -> str:
    """The time of day that many units of 10^-scale s after midnight, with `scale` digits."""
    whole, fraction = divmod(number, _UNITS[scale])
    minutes, seconds = divmod(whole, 60)
    text = f"{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}"
    return f"{text}.{fraction:0{scale}d}" if scale else text


def datetime_parts(text: str) -> tuple[int, int]:
    """Days since 1900-01-01 and 1/300 s of `2024-02-29 12:34:56.123`."""
    return days(text[:_DATE]) - _DAYS_1900, (ticks(text[_DATE + 1 :], 3) * 3 + 5) // 10


def datetime_text(day: int, thirds: int) -> str:
    """The datetime of days since 1900-01-01 and 1/300 s, to the milliseconds that SQL Server shows (.000, .003, .007)."""
    return f"{days_text(day + _DAYS_1900)} {ticks_text((thirds * 10 + 1) // 3, 3)}"


def smalldatetime_parts(text: str) -> tuple[int, int]:
    """Days since 1900-01-01 and minutes."""
    return days(text[:_DATE]) - _DAYS_1900, int(text[_DATE + 1 : _DATE + 3]) * 60 + int(text[_DATE + 4 : _DATE + 6])


def smalldatetime_text(day: int, minutes: int) -> str:
    """The smalldatetime of days since 1900-01-01 and minutes."""
    return f"{days_text(day + _DAYS_1900)} {minutes // 60:02d}:{minutes % 60:02d}:00"


def offset_parts(text: str, scale: int) -> tuple[int, int, int]:
    """The UTC time, UTC days and offset in minutes of `2024-02-29 12:34:56.1234567 +02:00`."""
    sign, hours, minutes = text[-6], text[-5:-3], text[-2:]
    offset = (int(hours) * 60 + int(minutes)) * (-1 if sign == "-" else 1)
    unit = 60 * _UNITS[scale]
    local = days(text[:_DATE]) * _MINUTES * unit + ticks(text[_DATE + 1 : -7], scale)
    day, time = divmod(local - offset * unit, _MINUTES * unit)
    return time, day, offset


def offset_text(time: int, day: int, offset: int, scale: int) -> str:
    """The datetimeoffset of a UTC time, UTC days and an offset in minutes."""
    day_length = _SECONDS * _UNITS[scale]
    local = day * day_length + time + offset * 60 * _UNITS[scale]
    here, now = divmod(local, day_length)
    hours, minutes = divmod(abs(offset), 60)
    return f"{days_text(here)} {ticks_text(now, scale)} {'-' if offset < 0 else '+'}{hours:02d}:{minutes:02d}"
