"""Default values of columns, as defaults in the schemas of their fields.

The catalogue has a default as an expression in parentheses: `((1))`, `('x')`, `(getdate())`. Debezium extracts literals
by cutting the text at fixed positions. So it takes some expressions for literals (`(user_name())` becomes an empty
text), and some literals for none. Consumers see the result in every schema, so it is the same here. Debezium lets the
server parse dates and times; here ISO 8601 and the American form are parsed. Debezium has no defaults for
`uniqueidentifier`, `xml`, `rowversion`, identity columns and alias types.

Source: Debezium's documentation of the SQL Server connector, "Data type mappings"; the result of Debezium 3.6.1 for the
expressions in tests/connectors/sqlserver/test_column_defaults_of_sqlserver.py.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, Final

import numpy as np

from tailrace.connectors.shared.default_values import (
    NANOS_OF_SECOND,
    encoded,
    fraction_text,
    time_value,
    timestamp_value,
)
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.decimals import decimal_bytes
from tailrace.schema.tables import Column

log = logging.getLogger(__name__)

_INTEGER: Final = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_TIME: Final = r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,7}))?)?(?:\s*([AP]M))?"
_ZONE: Final = r"(?:\s*(Z|[+-]\d\d:\d\d))?"
_ISO: Final = re.compile(rf"(\d{{4}})-?(\d\d)-?(\d\d)(?:[ T]{_TIME})?{_ZONE}", re.ASCII | re.IGNORECASE)
_AMERICAN: Final = re.compile(rf"(\d{{1,2}})/(\d{{1,2}})/(\d{{4}})(?: {_TIME})?{_ZONE}", re.ASCII | re.IGNORECASE)
_CLOCK: Final = re.compile(_TIME, re.ASCII | re.IGNORECASE)
_DIGITS: Final = Context(prec=100)
_TICKS: Final = 300  # of a datetime, per second
_MILLION: Final = 1_000_000
_HALF_MINUTE: Final = 30
_LONG: Final = 1 << 63
_BITS: Final = {Type.INT16: 16, Type.INT32: 32}
Moment = tuple[datetime, int, str]


def default_of(column: Column, schema: Schema, binary_mode: str) -> Any:
    """The default in the JSON converter's form; `NO_DEFAULT` if the field has none."""
    if column.default is None:
        return NO_DEFAULT
    reader = _READERS.get(column.type_name)
    try:
        found = reader(column, schema, column.default) if reader else NO_DEFAULT
    except (ValueError, IndexError, OverflowError):
        found = NO_DEFAULT
    if found is NO_DEFAULT:
        log.info("the default %s of column %s (%s) is not told", column.default, column.name, column.type_name)
    return encoded(found, binary_mode) if isinstance(found, bytes) and schema.name is None else found


def _bare(text: str) -> str:
    """The text between the last opening and the first closing parenthesis; raises ValueError for NULL."""
    start, end = text.rfind("(") + 1, text.find(")")
    bare = _between(text, start, len(text) if end < 0 else end)
    if bare.upper() == "NULL":
        raise ValueError("no default")
    return bare


def _inner(text: str, start: int = 2, end: int = 2) -> str:
    """A literal without the characters around it, whatever they are."""
    return _between(text, start, len(text) - end)


def _between(text: str, start: int, end: int) -> str:
    if not 0 <= start <= end:
        raise ValueError("no literal")
    return text[start:end]


def _integer(_column: Column, schema: Schema, text: str) -> int:
    bare = _bare(text)
    if schema.type is Type.INT64:
        bare = bare.removesuffix(".")
    value = int(_matched(_INTEGER, bare)[0])
    limit = 1 << _BITS.get(schema.type, 64) - 1
    if not -limit <= value < limit:
        raise ValueError("out of range")
    return value


def _boolean(_column: Column, _schema: Schema, text: str) -> bool:
    return text == "((1))"


def _decimal(column: Column, schema: Schema, text: str) -> bytes | str | float:
    value = Decimal(_matched(_NUMBER, _inner(text))[0])
    if schema.type is not Type.BYTES:
        return f"{value:f}" if schema.type is Type.STRING else float(value)
    scale = column.scale or 0
    return decimal_bytes(value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, _DIGITS), scale)


def _floating(_column: Column, schema: Schema, text: str) -> float:
    number = _matched(_NUMBER, _bare(text).strip())[0]
    return float(str(np.float32(number))) if schema.type is Type.FLOAT32 else float(number)


def _text(_column: Column, _schema: Schema, text: str) -> str:
    start, end = text.find("'") + 1, text.rfind("'")
    return _bare(_between(text, start, len(text) if end < 0 else end))


def _binary(_column: Column, _schema: Schema, text: str) -> bytes:
    return bytes.fromhex(_inner(text, 3, 1))


def _day(_column: Column, schema: Schema, text: str) -> int | str:
    day = _moment(_inner(text))[0].date()
    return f"{day}Z" if schema.type is Type.STRING else (day - datetime(1970, 1, 1).date()).days  # noqa: DTZ001


def _time(_column: Column, schema: Schema, text: str) -> int | str:
    found = _CLOCK.fullmatch(_inner(text))
    seconds, nanos = _clock(found.groups()) if found else _of_day(_moment(_inner(text)))
    return time_value(seconds * NANOS_OF_SECOND + nanos, schema)


def _datetime2(_column: Column, schema: Schema, text: str) -> int | str:
    seconds, nanos, _ = _moment(_inner(text))
    return _timestamp(seconds, nanos, schema)


def _datetime(_column: Column, schema: Schema, text: str) -> int | str:
    """Rounded to 1/300 s, in milliseconds."""
    seconds, nanos, _ = _moment(_inner(text))
    ticks = (nanos * _TICKS * 2 + NANOS_OF_SECOND) // (2 * NANOS_OF_SECOND)
    seconds += timedelta(seconds=ticks // _TICKS)
    return _timestamp(seconds, (ticks % _TICKS * 10 + 1) // 3 * _MILLION, schema)


def _smalldatetime(_column: Column, schema: Schema, text: str) -> int | str:
    """Rounded to the minute."""
    seconds, _, _ = _moment(_inner(text))
    minute = seconds.replace(second=0) + timedelta(minutes=seconds.second // _HALF_MINUTE)
    return _timestamp(minute, 0, schema)


def _datetimeoffset(_column: Column, _schema: Schema, text: str) -> str:
    seconds, nanos, zone = _moment(_inner(text))
    return f"{seconds.isoformat()}{fraction_text(nanos)}{zone}"


def _timestamp(seconds: datetime, nanos: int, schema: Schema) -> int | str:
    value = timestamp_value(seconds, nanos, schema)
    if isinstance(value, int) and not -_LONG <= value < _LONG:
        raise ValueError("out of range")
    return value


def _moment(text: str) -> Moment:
    """The date and time without fraction, the fraction in nanoseconds, and the time zone."""
    found = _ISO.fullmatch(text)
    if found:
        year, month, day = found.groups()[:3]
    else:
        found = _matched(_AMERICAN, text)
        month, day, year = found.groups()[:3]
    seconds, nanos = _clock(found.groups()[3:8])
    zone = (found[9] or "Z").upper().replace("+00:00", "Z").replace("-00:00", "Z")
    return datetime(int(year), int(month), int(day)) + timedelta(seconds=seconds), nanos, zone  # noqa: DTZ001 -- apart


def _of_day(moment: Moment) -> tuple[int, int]:
    seconds = moment[0]
    return (seconds.hour * 60 + seconds.minute) * 60 + seconds.second, moment[1]


def _clock(groups: tuple[str | None, ...]) -> tuple[int, int]:
    """The seconds of the day, and nanoseconds."""
    hour, minute, second = (int(group or 0) for group in groups[:3])
    if groups[4]:
        hour = hour % 12 + (12 if groups[4].upper() == "PM" else 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError("no time of a day")
    return (hour * 60 + minute) * 60 + second, int((groups[3] or "").ljust(9, "0"))


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError("not a literal of this type")
    return found


_READERS: Final[dict[str, Callable[[Column, Schema, str], Any]]] = {
    **dict.fromkeys(("bigint", "int", "smallint", "tinyint"), _integer),
    **dict.fromkeys(("decimal", "numeric", "money", "smallmoney"), _decimal),
    **dict.fromkeys(("float", "real"), _floating),
    **dict.fromkeys(("char", "text", "varchar", "nchar", "ntext", "nvarchar"), _text),
    **dict.fromkeys(("binary", "image", "varbinary"), _binary),
    "bit": _boolean,
    "date": _day,
    "time": _time,
    "datetime": _datetime,
    "datetime2": _datetime2,
    "smalldatetime": _smalldatetime,
    "datetimeoffset": _datetimeoffset,
}
