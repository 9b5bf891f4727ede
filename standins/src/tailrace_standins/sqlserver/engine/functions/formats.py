"""FORMAT, with custom patterns of dates and numbers.

Source: "FORMAT", https://learn.microsoft.com/sql/t-sql/functions/format-transact-sql
"""

# ruff: noqa: E501  # tables have long lines
from __future__ import annotations

import calendar
import datetime as dt
from typing import Any

from tailrace_standins.sqlserver.engine import temporal
from tailrace_standins.sqlserver.engine.errors import unsupported
from tailrace_standins.sqlserver.engine.functions import dates


def formatted(value: Any, pattern: str | None, kind: str) -> str | None:
    """FORMAT, with custom patterns of dates (yyyy MM dd HH mm ss fff) and of numbers (0.00, N2, D5)."""
    if value is None or pattern is None:
        return None
    if kind == "date":
        day, ticks = dates.clock_time(value)
        date = dt.date.fromordinal(day)
        clock = temporal.time_text(ticks)
        out = pattern
        for key, shown in (("yyyy", f"{date.year:04}"), ("MMMM", "\1"), ("MMM", "\2"), ("MM", f"{date.month:02}"), ("dddd", "\3"), ("dd", f"{date.day:02}"), ("HH", clock[:2]), ("mm", clock[3:5]), ("ss", clock[6:8]), ("fffffff", clock[9:16]), ("fff", clock[9:12])):  # fmt: skip
            out = out.replace(key, shown)
        names = {
            "\1": calendar.month_name[date.month],
            "\2": calendar.month_abbr[date.month],
            "\3": calendar.day_name[date.weekday()],
        }
        return "".join(names.get(c, c) for c in out)
    kind, digits = pattern[:1].upper(), pattern[1:]
    if kind in {"N", "F"} and (not digits or digits.isdigit()):
        return f"{value:{',' if kind == 'N' else ''}.{int(digits or 2)}f}"
    if kind == "D" and digits.isdigit():
        return f"{int(value):0{int(digits)}}"
    whole, _, fraction = pattern.partition(".")
    if not set(whole + fraction) <= set("0#,"):
        raise unsupported(f"FORMAT with {pattern}")
    shown = f"{abs(value):{',' if ',' in whole else ''}.{len(fraction)}f}"
    head, _, tail = shown.partition(".")
    keep = fraction.count("0")
    while len(tail) > keep and tail.endswith("0"):
        tail = tail[:-1]
    head = head.rjust(whole.count("0"), "0") if head != "0" or "0" in whole else ""
    return ("-" if value < 0 else "") + head + ("." + tail if tail else "")
