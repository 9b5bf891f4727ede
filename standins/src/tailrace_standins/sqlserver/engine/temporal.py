"""Dates and times with seven digits: text to ticks and back, rounding, offsets.

A time is a pair (day, ticks): the day's number as in `datetime.date.toordinal`, and units of 100 ns since midnight.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Final, TypeAlias

from tailrace_standins.sqlserver.engine.errors import error

Moment: TypeAlias = tuple[int, int]

SECOND: Final = 10_000_000
DAY: Final = 86_400 * SECOND
EPOCH: Final = dt.date(1900, 1, 1).toordinal()
_LAST: Final = dt.date.max.toordinal()
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONE: Final = re.compile(r"\s*(?:(Z)|([+-])(\d{1,2}):(\d{2}))$")
_TIME: Final = re.compile(r"(?:^|[T\s])\s*(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:[.:](\d{1,9}))?)?)?\s*([AaPp][Mm])?$")
_ISO: Final = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$")
_COMPACT: Final = re.compile(r"(\d{4})(\d{2})(\d{2})$")
_AMERICAN: Final = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$")
_NAMED: Final = re.compile(r"([A-Za-z]{3})[a-z]*\.?\s+(\d{1,2}),?\s+(\d{4})$")
_NAMED_LAST: Final = re.compile(r"(\d{1,2})[\s-]+([A-Za-z]{3})[a-z]*\.?,?[\s-]+(\d{4})$")


def seven_digits(text: str) -> str:
    """A time or a date and time with seven fractional digits."""
    head, _, fraction = text.partition(".")
    return f"{head}.{fraction:0<7}"


def date_text(day: int) -> str:
    """`2024-02-29`; raises 517 outside of the years 1 to 9999."""
    if not 1 <= day <= _LAST:
        raise error(517, "datetime2")
    return dt.date.fromordinal(day).isoformat()


def time_text(ticks: int) -> str:
    """`12:34:56.1234567`."""
    seconds, fraction = divmod(ticks, SECOND)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:07}"


def text(moment: Moment) -> str:
    """As it is stored: `2024-02-29 12:34:56.1234567`."""
    day, ticks = moment[0] + moment[1] // DAY, moment[1] % DAY
    return f"{date_text(day)} {time_text(ticks)}"


def ticks_of(time: str) -> int:
    """Ticks of a stored time."""
    return (int(time[:2]) * 3600 + int(time[3:5]) * 60 + int(time[6:8])) * SECOND + int(time[9:16])


def day_of(date: str) -> int:
    """The day of a stored value that begins with a date."""
    return dt.date(int(date[:4]), int(date[5:7]), int(date[8:10])).toordinal()


def moment(stored: str) -> Moment:
    """The day and ticks of a stored date, date and time, or time (on 1900-01-01)."""
    if len(stored) == 16:
        return EPOCH, ticks_of(stored)
    return day_of(stored), ticks_of(stored[11:27]) if len(stored) > 10 else 0


def offset_minutes(stored: str) -> int:
    """The offset of a stored datetimeoffset, in minutes."""
    minutes = int(stored[-5:-3]) * 60 + int(stored[-2:])
    return -minutes if stored[-6] == "-" else minutes


def offset_text(minutes: int) -> str:
    """`+02:00`."""
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def local(stored: str) -> Moment:
    """The local day and ticks of a stored datetimeoffset."""
    day, ticks = moment(stored[:27])
    ticks += offset_minutes(stored) * 60 * SECOND
    return day + ticks // DAY, ticks % DAY


def with_offset(shown: Moment, minutes: int) -> str:
    """A stored datetimeoffset from local day and ticks."""
    return text((shown[0], shown[1] - minutes * 60 * SECOND)) + offset_text(minutes)


def offset_stored(value: str) -> str:
    """Of `2024-02-29 12:34:56.1234567 +02:00`."""
    shown, _, offset = value.rpartition(" ")
    return with_offset(moment(seven_digits(shown)), offset_minutes(offset))


def offset_value(stored: str, scale: int) -> str:
    """Back from `offset_stored`, with `scale` digits."""
    return f"{text(local(stored))[: 20 + scale if scale else 19]} {stored[-6:]}"


def rounded(value: Moment, scale: int) -> Moment:
    """To `scale` digits of seconds, half up."""
    unit = 10 ** (7 - scale)
    ticks = (value[1] + unit // 2) // unit * unit
    return value[0] + ticks // DAY, ticks % DAY


def as_datetime(value: Moment) -> Moment:
    """To 1/300 s, as datetime has it, shown as .000, .003, .007.

    Source: "datetime", https://learn.microsoft.com/sql/t-sql/data-types/datetime-transact-sql
    """
    parts = (value[1] * 300 + SECOND // 2) // SECOND
    day, parts = value[0] + parts // (300 * 86_400), parts % (300 * 86_400)
    if day < dt.date(1753, 1, 1).toordinal():
        raise error(242, "varchar", "datetime")
    return day, parts // 3 * 100_000 + (0, 30_000, 70_000)[parts % 3]


def as_smalldatetime(value: Moment) -> Moment:
    """To the minute; raises 242 outside of 1900 to 2079."""
    minute = 60 * SECOND
    ticks = (value[1] + minute // 2) // minute * minute
    day, ticks = value[0] + ticks // DAY, ticks % DAY
    if not EPOCH <= day <= dt.date(2079, 6, 6).toordinal():
        raise error(242, "varchar", "smalldatetime")
    return day, ticks


def parsed(given: str) -> tuple[Moment, int | None]:
    """Parse a text into day and ticks, and its offset in minutes if it has one; raises 241."""
    rest = given.strip()
    offset: int | None = None
    zone = _ZONE.search(rest)
    if zone and ":" in rest[: zone.start()]:
        offset = (
            0 if zone.group(1) else (int(zone.group(3)) * 60 + int(zone.group(4))) * (-1 if zone.group(2) == "-" else 1)
        )
        rest = rest[: zone.start()]
    ticks = 0
    clock = _TIME.search(rest)
    if clock and (clock.group(2) or clock.group(5)):
        ticks = _clock(clock)
        rest = rest[: clock.start()].strip()
    if not rest:
        return (EPOCH, ticks), offset
    try:
        return (_date(rest).toordinal() + ticks // DAY, ticks % DAY), offset
    except ValueError:
        raise error(241) from None


def _clock(match: re.Match[str]) -> int:
    hour, minute, second = int(match.group(1)), int(match.group(2) or 0), int(match.group(3) or 0)
    half = (match.group(5) or "").upper()
    if half:
        if not 1 <= hour <= 12:
            raise error(241)
        hour = hour % 12 + (12 if half == "PM" else 0)
    if hour > 23 or minute > 59 or second > 59:
        raise error(241)
    fraction = f"{match.group(4) or '':0<8}"
    ticks = int(fraction[:7]) + (1 if fraction[7] >= "5" else 0)
    return (hour * 3600 + minute * 60 + second) * SECOND + ticks


def _date(given: str) -> dt.date:
    for pattern in (_ISO, _COMPACT):
        if match := pattern.match(given):
            return dt.date(*map(int, match.groups()))
    if match := _AMERICAN.match(given):
        month, day, year = map(int, match.groups())
        return dt.date(year, month, day)
    if match := _NAMED.match(given):
        return dt.date(int(match.group(3)), _month(match.group(1)), int(match.group(2)))
    if match := _NAMED_LAST.match(given):
        return dt.date(int(match.group(3)), _month(match.group(2)), int(match.group(1)))
    raise ValueError(given)


def _month(name: str) -> int:
    return _MONTHS.index(name.lower()) + 1
