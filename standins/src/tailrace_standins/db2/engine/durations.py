"""Arithmetic of dates, times and timestamps with durations.

A labelled duration (`5 DAYS`) is moved by its unit. DECIMAL(6,0), (8,0) and (14 and more) are a time's hhmmss, a date's
yyyymmdd, and both. The difference of two dates, times or timestamps is such a duration.

Source: IBM Db2 documentation, "Datetime operations and durations" (SQL reference)
"""

from __future__ import annotations

import calendar
import datetime as dt
from decimal import ROUND_DOWN, Decimal
from typing import Final

from tailrace_standins.db2.engine import convert
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import SqlType
from tailrace_standins.storage.sessions import Stored

_MICROS: Final = {
    "DAY": 86_400_000_000,
    "HOUR": 3_600_000_000,
    "MINUTE": 60_000_000,
    "SECOND": 1_000_000,
    "MICROSECOND": 1,
}
DATE_DURATION: Final = SqlType("decimal", precision=8)
TIME_DURATION: Final = SqlType("decimal", precision=6)
_UNITS_OF_DATES: Final = ("YEAR", "MONTH", "DAY")
_UNITS_OF_TIMES: Final = ("HOUR", "MINUTE", "SECOND")


def moved(value: Stored, unit: str, amount: Stored, target: SqlType) -> Stored:
    """A date, time or timestamp moved by a labelled duration."""
    if value is None or amount is None:
        return None
    steps = convert.exact(amount)
    text = f"2000-01-01 {value}" if target.name == "time" else str(value)
    begin, fraction = dt.datetime.fromisoformat(text[:19]), text[19:]
    try:
        if unit in {"YEAR", "MONTH"}:
            end = _by_months(begin, int(steps) * (12 if unit == "YEAR" else 1))
        else:
            end, fraction = _by_micros(begin, fraction, int((steps * _MICROS[unit]).to_integral_value(ROUND_DOWN)))
    except (OverflowError, ValueError):
        raise SqlError(-183, "22008") from None
    if target.name == "date":
        return end.isoformat()[:10]
    shown = end.isoformat(sep=" ") + fraction
    return shown[11:] if target.name == "time" else shown


def _by_months(begin: dt.datetime, months: int) -> dt.datetime:
    year, month = divmod(begin.year * 12 + begin.month - 1 + months, 12)
    last = (dt.date(year + month // 11, (month + 1) % 12 + 1, 1) - dt.timedelta(days=1)).day
    return begin.replace(year=year, month=month + 1, day=min(begin.day, last))


def _by_micros(begin: dt.datetime, fraction: str, micros: int) -> tuple[dt.datetime, str]:
    micros += int((Decimal("0" + fraction) * 1_000_000).to_integral_value(ROUND_DOWN)) if fraction else 0
    end = begin + dt.timedelta(microseconds=micros)
    digits = fraction[1:]
    shown = f".{end.microsecond:06}{digits[6:]}"[: len(digits) + 1] if digits else ""
    return end.replace(microsecond=0), shown


def by_duration(value: Stored, sign: int, duration: Stored, of: SqlType, digits: int) -> Stored:
    """A date, time or timestamp moved by a duration of so many whole digits."""
    if value is None or duration is None:
        return None
    number = convert.exact(duration)
    if number < 0:
        sign, number = -sign, -number
    whole = int(number)
    parts: list[tuple[str, Stored]] = []
    if digits != TIME_DURATION.precision:
        dates = whole if digits == DATE_DURATION.precision else whole // 1_000_000
        parts += zip(_UNITS_OF_DATES, (dates // 10000, dates // 100 % 100, dates % 100), strict=True)
    if digits != DATE_DURATION.precision:
        seconds = Decimal(whole % 100) + number - whole
        parts += zip(_UNITS_OF_TIMES, (whole // 10000 % 100, whole // 100 % 100, seconds), strict=True)
    for unit, amount in parts:
        value = moved(value, unit, str(sign * Decimal(amount)), of)
    return value


def between(left: Stored, right: Stored, of: SqlType) -> Stored:
    """The duration between two dates, times or timestamps, as stored text of DECIMAL."""
    if left is None or right is None:
        return None
    if left < right:
        found = between(right, left, of)
        return found if Decimal(found).is_zero() else f"-{found}"
    if of.name == "time":
        return _clock(_micros(f"2000-01-01 {left}") - _micros(f"2000-01-01 {right}"))
    a, b = _moment(str(left)), _moment(str(right))
    micros, borrowed = _of_day(a) - _of_day(b), 0
    if micros < 0:
        micros, borrowed = micros + _MICROS["DAY"], 1
    day = _days(a, b, borrowed)
    return str(day) if of.name == "date" else f"{day * 1_000_000 + int(_clock(micros))}.{micros % 1_000_000:06}"


def _days(a: dt.datetime, b: dt.datetime, borrowed: int) -> int:
    """The difference of two dates as yyyymmdd: a missing day is borrowed from the earlier date's month."""
    months, days = (a.year - b.year) * 12 + a.month - b.month, a.day - b.day - borrowed
    if days < 0:
        months, days = months - 1, days + calendar.monthrange(b.year, b.month)[1]
    return months // 12 * 10000 + months % 12 * 100 + days


def _of_day(moment: dt.datetime) -> int:
    return (moment - moment.replace(hour=0, minute=0, second=0, microsecond=0)) // dt.timedelta(microseconds=1)


def _clock(micros: int) -> str:
    seconds = micros // 1_000_000
    return str(seconds // 3600 * 10000 + seconds // 60 % 60 * 100 + seconds % 60)


def _moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text[:19]) + dt.timedelta(microseconds=int(text[20:26].ljust(6, "0")))


def _micros(text: str) -> int:
    return _of_day(_moment(text))
