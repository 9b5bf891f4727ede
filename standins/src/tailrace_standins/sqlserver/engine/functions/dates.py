"""Functions of dates and times over stored values; the date part is a text.

Source: "Date and time data types and functions",
https://learn.microsoft.com/sql/t-sql/functions/date-and-time-data-types-and-functions-transact-sql
"""

# ruff: noqa: E501  # tables have long lines
from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Callable
from typing import Any, Final

from tailrace_standins.sqlserver.engine import temporal
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.engine.temporal import DAY, SECOND, Moment

PARTS: Final = {
    **dict.fromkeys(("YEAR", "YY", "YYYY"), "year"),
    **dict.fromkeys(("QUARTER", "QQ", "Q"), "quarter"),
    **dict.fromkeys(("MONTH", "MM", "M"), "month"),
    **dict.fromkeys(("DAYOFYEAR", "DY", "Y"), "dayofyear"),
    **dict.fromkeys(("DAY", "DD", "D"), "day"),
    **dict.fromkeys(("WEEK", "WK", "WW"), "week"),
    **dict.fromkeys(("WEEKDAY", "DW", "W"), "weekday"),
    **dict.fromkeys(("HOUR", "HH"), "hour"),
    **dict.fromkeys(("MINUTE", "MI", "N"), "minute"),
    **dict.fromkeys(("SECOND", "SS", "S"), "second"),
    **dict.fromkeys(("MILLISECOND", "MS"), "millisecond"),
    **dict.fromkeys(("MICROSECOND", "MCS"), "microsecond"),
    **dict.fromkeys(("NANOSECOND", "NS"), "nanosecond"),
    **dict.fromkeys(("TZOFFSET", "TZ"), "tzoffset"),
    **dict.fromkeys(("ISO_WEEK", "ISOWK", "ISOWW"), "iso_week"),
}
_TICKS: Final = {
    "week": 7 * DAY, "weekday": DAY, "day": DAY, "dayofyear": DAY, "hour": 3600 * SECOND, "minute": 60 * SECOND, "second": SECOND,
    "millisecond": 10_000, "microsecond": 10,
}  # fmt: skip
_MONTHS: Final = {"year": 12, "quarter": 3, "month": 1}


def part_named(name: str, function: str) -> str:
    """The part's own name for one of its short forms; raises 155."""
    found = PARTS.get(name.upper())
    if found is None:
        raise error(155, name, function.lower())
    return found


def clock_time(value: str) -> Moment:
    """A stored date or time as its clock shows it."""
    return temporal.local(value) if len(value) > 27 else temporal.moment(value)


def _like(value: str, moment: Moment, type_name: str) -> str:
    """Day and ticks in the stored form of `value`, rounded like its type."""
    if type_name == "datetime":
        moment = temporal.as_datetime(moment)
    if len(value) == 10:
        return temporal.date_text(moment[0])
    if len(value) == 16:
        return temporal.time_text(moment[1])
    return temporal.with_offset(moment, temporal.offset_minutes(value)) if len(value) > 27 else temporal.text(moment)


def dateadd(part: str, number: int | None, value: str | None, type_name: str) -> str | None:
    """DATEADD; raises 517."""
    if number is None or value is None:
        return None
    day, ticks = clock_time(value)
    try:
        if part in _MONTHS:
            return _like(value, (_months_later(day, number * _MONTHS[part]), ticks), type_name)
        ticks += number // 100 if part == "nanosecond" else number * _TICKS[part]
        return _like(value, (day + ticks // DAY, ticks % DAY), type_name)
    except (ValueError, OverflowError):
        raise error(517, type_name) from None


def _months_later(day: int, months: int) -> int:
    date = dt.date.fromordinal(day)
    year, month = divmod(date.year * 12 + date.month - 1 + months, 12)
    return dt.date(year, month + 1, min(date.day, calendar.monthrange(year, month + 1)[1])).toordinal()


def datediff(part: str, start: str | None, end: str | None, is_big: int) -> int | None:
    """DATEDIFF and DATEDIFF_BIG: boundaries crossed; raises 535."""
    if start is None or end is None:
        return None
    count = _crossed(part, temporal.moment(start[:27]), temporal.moment(end[:27]))
    if not is_big and not -(2**31) <= count < 2**31:
        raise error(535)
    return count


def _crossed(part: str, a: Moment, b: Moment) -> int:
    if part in _MONTHS:
        x, y = dt.date.fromordinal(a[0]), dt.date.fromordinal(b[0])
        return (y.year * 12 + y.month - 1) // _MONTHS[part] - (x.year * 12 + x.month - 1) // _MONTHS[part]
    if part == "week":  # weeks begin on Sunday, whatever DATEFIRST says
        return b[0] // 7 - a[0] // 7
    if part == "nanosecond":
        return ((b[0] - a[0]) * DAY + b[1] - a[1]) * 100
    unit = _TICKS[part]
    return (b[0] * DAY + b[1]) // unit - (a[0] * DAY + a[1]) // unit


def datepart(part: str, value: str | None) -> int | None:
    """DATEPART."""
    if value is None:
        return None
    if part == "tzoffset":
        return temporal.offset_minutes(value) if len(value) > 27 else 0
    day, ticks = clock_time(value)
    return _READERS[part](dt.date.fromordinal(day), ticks)


_READERS: Final[dict[str, Callable[[dt.date, int], int]]] = {
    "year": lambda d, _t: d.year,
    "quarter": lambda d, _t: (d.month + 2) // 3,
    "month": lambda d, _t: d.month,
    "dayofyear": lambda d, _t: d.timetuple().tm_yday,
    "day": lambda d, _t: d.day,
    "week": lambda d, _t: (d.timetuple().tm_yday + d.replace(month=1, day=1).isoweekday() % 7 - 1) // 7 + 1,
    "weekday": lambda d, _t: d.isoweekday() % 7 + 1,
    "hour": lambda _d, t: t // (3600 * SECOND),
    "minute": lambda _d, t: t // (60 * SECOND) % 60,
    "second": lambda _d, t: t // SECOND % 60,
    "millisecond": lambda _d, t: t % SECOND // 10_000,
    "microsecond": lambda _d, t: t % SECOND // 10,
    "nanosecond": lambda _d, t: t % SECOND * 100,
    "iso_week": lambda d, _t: d.isocalendar()[1],
}


def datename(part: str, value: str | None) -> str | None:
    """DATENAME, in English."""
    number = datepart(part, value)
    if number is None or value is None:
        return None
    if part == "month":
        return calendar.month_name[number]
    if part == "weekday":
        return calendar.day_name[(number + 5) % 7]
    return temporal.offset_text(number) if part == "tzoffset" else str(number)


def datefromparts(*parts: int | None) -> str | None:
    """DATEFROMPARTS, and DATETIME2FROMPARTS' first six or seven parts."""
    if any(part is None for part in parts):
        return None
    year, month, day, *rest = (int(part or 0) for part in parts)
    try:
        date = dt.date(year, month, day).isoformat()
    except ValueError:
        raise error(242, "int", "date") from None
    if not rest:
        return date
    hour, minute, second, fraction = (*rest, 0)[:4]
    return f"{date} {hour:02}:{minute:02}:{second:02}.{fraction * 10_000:07}"


def eomonth(value: str | None, months: int | None = 0) -> str | None:
    """EOMONTH."""
    if value is None:
        return None
    date = dt.date.fromordinal(_months_later(clock_time(value)[0], months or 0))
    return date.replace(day=calendar.monthrange(date.year, date.month)[1]).isoformat()


def minutes_of(offset: Any) -> int:
    """`+02:00` or 120 as minutes; raises 9812's like as 241."""
    if isinstance(offset, int):
        return offset
    text = str(offset).strip()
    if len(text) != 6 or text[0] not in "+-" or not (text[1:3] + text[4:]).isdigit():
        raise error(241)
    return temporal.offset_minutes(text)


def todatetimeoffset(value: str | None, offset: Any) -> str | None:
    """TODATETIMEOFFSET: the clock stays, the offset is set."""
    return None if value is None or offset is None else temporal.with_offset(clock_time(value), minutes_of(offset))


def switchoffset(value: str | None, offset: Any) -> str | None:
    """SWITCHOFFSET: the instant stays."""
    return None if value is None or offset is None else value[:27] + temporal.offset_text(minutes_of(offset))


def at_time_zone(value: str | None, zone: str) -> str | None:
    """AT TIME ZONE, for UTC alone."""
    if zone.upper() != "UTC":
        raise unsupported(f"AT TIME ZONE {zone}")
    if value is None:
        return None
    return value[:27] + "+00:00" if len(value) > 27 else temporal.with_offset(temporal.moment(value), 0)


def isdate(value: str | None) -> int:
    """ISDATE."""
    try:
        return int(value is not None and bool(temporal.as_datetime(temporal.parsed(value)[0])))
    except Exception:  # noqa: BLE001  # any error says no
        return 0


CALLED: Final[dict[str, Callable[..., Stored]]] = {
    "dateadd": dateadd,
    "datediff": datediff,
    "datepart": datepart,
    "datename": datename,
    "datefromparts": datefromparts,
    "eomonth": eomonth,
    "todatetimeoffset": todatetimeoffset,
    "switchoffset": switchoffset,
    "at_time_zone": at_time_zone,
    "isdate": isdate,
}
