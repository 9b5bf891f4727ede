"""Default values of columns as defaults of their fields' schemas.

The history keeps a default as the text of the DDL. Debezium converts it to a value of the field by its own
rules: the current time is the epoch, or no default if the column is nullable; a zero date likewise; a
text that it can't parse is no default. Numbers go through a double, which rounds integers beyond 2^53.
Consumers see the result in every schema, so it is the same here.

Source: Debezium's documentation of the MySQL connector, "Default values".
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any, Final

import numpy as np

from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.default_values import (
    NANOS_OF_SECOND,
    encoded,
    fraction_text,
    time_value,
    timestamp_value,
)
from tailrace.errors import StructureError
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.decimals import decimal_bytes
from tailrace.schema.tables import Column

log = logging.getLogger(__name__)

EPOCH: Final = "1970-01-01 00:00:00"
_EPOCH_DAY = date(1970, 1, 1)
_DAY = timedelta(days=1)
_DIGITS = Context(prec=100)
_LONG = 1 << 63
_WHOLE_DAY: Final = 86_400 * NANOS_OF_SECOND
_TRIMMED = jdbc.NUMBER_TYPES | {
    jdbc.DATE,
    jdbc.TIMESTAMP,
    jdbc.TIMESTAMP_WITH_TIMEZONE,
    jdbc.TIME,
    jdbc.BOOLEAN,
}
_INTRODUCER = re.compile(r"_[A-Za-z0-9]+'(.*)'")
_ZERO_DATE = re.compile(r"\d{4}-\d{2}-00|\d{4}-00-\d{2}|0000-\d{2}-\d{2}", re.ASCII)
_ZERO_TIMESTAMP = re.compile(rf"(?:{_ZERO_DATE.pattern}) 00:00:00(?:\.\d{{1,6}})?", re.ASCII)
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_DATETIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d)(?::(\d\d)(?:\.(\d{0,9}))?)?)?", re.ASCII)
_LOOSE_TIMESTAMP = re.compile(
    r"(\d+)\D+(\d+)\D+(\d+)(?:\D+(\d+)(?:\D+(\d+)(?:\D+(\d+)(?:\.(\d{1,9}))?)?)?)?", re.ASCII
)
_TIME = re.compile(r"(?:\d*-\d*-\d* )?(-?)(\d+):(\d+)(?::(\d+)(?:\.(\d*))?)?", re.ASCII)


class _NoDefaultError(ValueError):
    """Debezium silently sets no default here."""


def default_of(column: Column, schema: Schema, settings: MySqlSettings) -> Any:
    """The default in the JSON converter's form, `NO_DEFAULT` if the field has none.

    Raises:
        StructureError: the text can't be read and `event.converting.failure.handling.mode` is `fail`.

    """
    if not column.has_default or column.default is None:
        return NO_DEFAULT
    text = column.default.strip() if column.jdbc_type in _TRIMMED else column.default
    introduced = _INTRODUCER.fullmatch(text)
    try:
        return _convert(column, schema, settings, introduced[1] if introduced else text)
    except _NoDefaultError:
        return NO_DEFAULT
    except (ValueError, OverflowError, InvalidOperation) as error:
        what = f"the default {column.default!r} of column {column.name} ({column.type_name})"
        message = f"{what} can't be read: {error}"
        if settings.event_converting_failure_handling_mode == "fail":
            raise StructureError(
                f"{message}. Set event.converting.failure.handling.mode=warn to go without it"
            ) from None
        log.warning("%s; its field has no default", message)
        return NO_DEFAULT


def _convert(column: Column, schema: Schema, settings: MySqlSettings, text: str) -> Any:
    if column.jdbc_type in jdbc.NUMBER_TYPES and text.lower() in ("true", "false"):
        text = "1" if text.lower() == "true" else "0"
    if column.jdbc_type in jdbc.BINARY_TYPES:
        return encoded(text.encode(), settings.binary_handling_mode)
    if column.jdbc_type in jdbc.DECIMAL_TYPES:
        return _decimal(column, schema, text)
    return _CONVERTERS.get(column.jdbc_type, _text)(column, schema, text)


def _text(_column: Column, _schema: Schema, text: str) -> str:
    return text


def _decimal(column: Column, schema: Schema, text: str) -> bytes | str | float:
    value = Decimal(text)
    if column.scale is not None:
        value = value.quantize(Decimal(1).scaleb(-column.scale), ROUND_HALF_UP, _DIGITS)
    if schema.type is Type.BYTES:
        return decimal_bytes(value, column.scale or 0)
    return f"{value:f}" if schema.type is Type.STRING else float(value)


def _integer(column: Column, schema: Schema, text: str) -> int | bytes:
    if column.type_name.upper().startswith("YEAR"):
        year = int(text)
        return _full_year(year)
    if schema.type is Type.BYTES:  # bigint.unsigned.handling.mode=precise
        return decimal_bytes(Decimal(text), 0)
    rounded = min(max(math.floor(float(text) + 0.5), -_LONG), _LONG - 1)
    bits = {Type.INT16: 16, Type.INT32: 32}.get(schema.type, 64)
    return (rounded + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def _floating(_column: Column, schema: Schema, text: str) -> float:
    if schema.type is Type.FLOAT32:
        return float(str(np.float32(text)))  # the shortest text that reads as the same float
    return float(text)


def _boolean(_column: Column, _schema: Schema, text: str) -> bool:
    try:
        return int(text) != 0
    except ValueError:
        return text.lower() == "true"


def _bits(column: Column, schema: Schema, text: str) -> bool | bytes:
    if schema.type is Type.BOOLEAN:
        return _boolean(column, schema, text)
    return int(text, 2).to_bytes(((column.length or 1) + 7) // 8, "little")


def _none_or_epoch(column: Column) -> str:
    if column.optional:
        raise _NoDefaultError
    return EPOCH


def _day(column: Column, schema: Schema, text: str) -> int | str:
    if text == "0" or _ZERO_DATE.fullmatch(text) or _ZERO_TIMESTAMP.fullmatch(text):
        text = _none_or_epoch(column)
    try:
        found = _moment(_DATE.fullmatch(text) or _DATETIME.fullmatch(text))[0]
    except ValueError:
        found = _moment(_DATETIME.fullmatch(_none_or_epoch(column)))[0]
    return f"{found.date()}Z" if schema.type is Type.STRING else (found.date() - _EPOCH_DAY).days


def _datetime(column: Column, schema: Schema, text: str) -> int | str:
    if text == "0" or _ZERO_TIMESTAMP.fullmatch(text):
        text = _none_or_epoch(column)
    try:
        seconds, nanos = _moment(_DATETIME.fullmatch(text))
    except ValueError:
        seconds, nanos = _moment(_DATETIME.fullmatch(_none_or_epoch(column)))
    return timestamp_value(seconds, nanos, schema)


def _timestamp(column: Column, _schema: Schema, text: str) -> str:
    if text in ("0", EPOCH) or _ZERO_TIMESTAMP.fullmatch(text):
        _none_or_epoch(column)
        return "1970-01-01T00:00:00Z"
    seconds, nanos = _moment(_LOOSE_TIMESTAMP.fullmatch(text))
    digits = column.length or 0
    fraction = "." + f"{nanos:09d}"[:digits] if digits else fraction_text(nanos)
    return f"{seconds.isoformat()}{fraction}Z"


def _time(_column: Column, schema: Schema, text: str) -> int | str:
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError("it is not a time")
    sign, hours, minutes, seconds, fraction = found.groups()
    nanos = (int(hours) * 3600 + int(minutes) * 60 + int(seconds or 0)) * NANOS_OF_SECOND
    nanos += int((fraction or "").ljust(9, "0")[:9])
    if schema.name in ("io.debezium.time.IsoTime", "org.apache.kafka.connect.data.Time"):
        if (sign and nanos) or nanos > _WHOLE_DAY:
            raise ValueError("it is no time of a day, which time.precision.mode asks for")
        return time_value(nanos % _WHOLE_DAY if schema.type is Type.STRING else nanos, schema)
    unit = 1 if schema.name == "io.debezium.time.NanoTime" else 1000
    return (nanos // unit) * (-1 if sign else 1)


def _moment(found: re.Match[str] | None) -> tuple[datetime, int]:
    """Date and time without their fraction, and the fraction in nanoseconds."""
    if found is None:
        raise ValueError("it is no date")
    groups = [*found.groups(), *[None] * 7][:7]
    year, month, day, hour, minute, second = (int(group or 0) for group in groups[:6])
    nanos = int((groups[6] or "").ljust(9, "0")[:9])
    return datetime(_full_year(year), month, day, hour, minute, second), nanos  # noqa: DTZ001 -- it has no zone


def _full_year(year: int) -> int:
    if 0 <= year <= 69:
        return year + 2000
    return year + 1900 if 70 <= year <= 99 else year


_CONVERTERS: Final[dict[int, Callable[[Column, Schema, str], Any]]] = {
    **dict.fromkeys((jdbc.TINYINT, jdbc.SMALLINT, jdbc.INTEGER, jdbc.BIGINT), _integer),
    **dict.fromkeys((jdbc.FLOAT, jdbc.REAL, jdbc.DOUBLE), _floating),
    jdbc.BOOLEAN: _boolean,
    jdbc.BIT: _bits,
    jdbc.DATE: _day,
    jdbc.TIMESTAMP: _datetime,
    jdbc.TIMESTAMP_WITH_TIMEZONE: _timestamp,
    jdbc.TIME: _time,
}
