"""Conversions to dates and times.

Source: "CAST and CONVERT", https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tailrace_standins.sqlserver.engine import temporal
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.stored import Conversion
from tailrace_standins.sqlserver.engine.types import family
from tailrace_standins.sqlserver.values import SqlType


def _moment_of(source: SqlType) -> Callable[[Any], temporal.Moment]:
    match family(source):
        case "text":
            return lambda value: temporal.parsed(value)[0]
        case "offset":
            return temporal.local
        case "int":
            return lambda value: (temporal.EPOCH + value, 0)
        case "date" | "time" | "datetime":
            return temporal.moment
        case "float":
            return lambda value: (temporal.EPOCH, round(value * temporal.DAY))
    raise error(529, source.name, "datetime")


def to_date(source: SqlType, _target: SqlType, _style: int, _column: Any) -> Conversion | None:
    """The conversion to date; None if no value changes."""
    if source.name == "date":
        return None
    if family(source) == "datetime":
        return lambda value: value[:10]
    read = _moment_of(source)
    return lambda value: temporal.date_text(read(value)[0])


def to_time(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion | None:
    """The conversion to time; None if no value changes."""
    if source.name == "time" and source.scale <= target.scale:
        return None
    read, scale = _moment_of(source), target.scale
    return lambda value: temporal.time_text(temporal.rounded(read(value), scale)[1])


def to_datetime(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion | None:
    """The conversion to datetime, smalldatetime and datetime2; None if no value changes."""
    if target.name == "datetime2" and family(source) == "datetime" and _digits(source) <= target.scale:
        return None
    if source.name == target.name == "smalldatetime" or source.name == target.name == "datetime":
        return None
    read = _moment_of(source)
    if target.name == "datetime":
        return lambda value: temporal.text(temporal.as_datetime(read(value)))
    if target.name == "smalldatetime":
        return lambda value: temporal.text(temporal.as_smalldatetime(read(value)))
    scale = target.scale
    return lambda value: temporal.text(temporal.rounded(read(value), scale))


def _digits(of: SqlType) -> int:
    return 0 if of.name == "smalldatetime" else 3 if of.name == "datetime" else of.scale


def to_offset(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion | None:
    """The conversion to datetimeoffset; None if no value changes."""
    scale = target.scale
    if family(source) == "offset":
        if source.scale <= scale:
            return None
        return lambda value: temporal.text(temporal.rounded(temporal.moment(value[:27]), scale)) + value[-6:]
    if family(source) == "text":
        return lambda value: _parsed_offset(value, scale)
    read = _moment_of(source)
    return lambda value: temporal.with_offset(temporal.rounded(read(value), scale), 0)


def _parsed_offset(value: str, scale: int) -> str:
    shown, offset = temporal.parsed(value)
    return temporal.with_offset(temporal.rounded(shown, scale), offset or 0)
