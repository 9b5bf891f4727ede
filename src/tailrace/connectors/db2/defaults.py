"""Default values of columns, as defaults in the schemas of their fields.

The catalogue has a default as the text of a constant or of a special register. Debezium lets the server evaluate constants of
dates and times; here ISO's forms and Db2's own (`2019-02-03-11.12.13`, `11.12.13`) are read. CURRENT DATE and the like give the
epoch for a NOT NULL column and nothing otherwise. Debezium tells no defaults of bytes, large objects, XML, LONG VARCHAR, and of
DECFLOAT where it is a struct; a quote within a text stays doubled.

Source: the result of Debezium 3.6.1 for the tables of tests/connectors/db2/all_types.py.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import Any, Final

import numpy as np

from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.default_values import NANOS_OF_SECOND, time_value, timestamp_value
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.decimals import decimal_bytes
from tailrace.schema.tables import Column

log = logging.getLogger(__name__)

_REGISTERS: Final = frozenset({"CURRENT DATE", "CURRENT TIME", "CURRENT TIMESTAMP"})
_STRING: Final = re.compile(r"\(?'((?:[^']|'')*)'\)?", re.DOTALL)
_MOMENT: Final = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[-T ](\d{1,2})[.:](\d\d)[.:](\d\d)(?:\.(\d{1,12}))?)?", re.ASCII
)
_CLOCK: Final = re.compile(r"(\d{1,2})[.:](\d\d)(?:[.:](\d\d))?", re.ASCII)
_DIGITS: Final = Context(prec=100)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def default_of(column: Column, schema: Schema) -> Any:
    """The default in the JSON converter's form; `NO_DEFAULT` if the field has none."""
    text = (column.default or "").strip()
    if not text or text.upper() == "NULL":
        return NO_DEFAULT
    if text.upper() in _REGISTERS and column.jdbc_type in {jdbc.DATE, jdbc.TIME, jdbc.TIMESTAMP}:
        return NO_DEFAULT if column.optional else _moment(0, 0, column, schema)
    try:
        found = _READERS.get(column.type_name, _none)(column, schema, text)
    except (ValueError, InvalidOperation, OverflowError):
        found = NO_DEFAULT
    if found is NO_DEFAULT:
        log.info("the default %s of column %s (%s) is not told", text, column.name, column.type_name)
    return found


def _none(_column: Column, _schema: Schema, _text: str) -> Any:
    return NO_DEFAULT


def _bare(text: str) -> str:
    found = _STRING.fullmatch(text)
    if found is None:
        raise ValueError("no constant")
    return found[1]


def _integer(_column: Column, _schema: Schema, text: str) -> int:
    return int(text)


def _boolean(_column: Column, _schema: Schema, text: str) -> bool:
    return text == "1" or text.lower() == "true"


def _floating(_column: Column, schema: Schema, text: str) -> float:
    return float(str(np.float32(text))) if schema.type is Type.FLOAT32 else float(text)


def _decimal(column: Column, schema: Schema, text: str) -> Any:
    value = Decimal(text)
    if schema.type is Type.STRUCT:
        return NO_DEFAULT  # Connect has no defaults of structs
    if schema.type is not Type.BYTES:
        return f"{value:f}" if schema.type is Type.STRING else float(value)
    scale = column.scale or 0
    return decimal_bytes(value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_EVEN, _DIGITS), scale)


def _text(column: Column, _schema: Schema, text: str) -> str:
    bare = _bare(text)
    return bare.ljust(column.length or 0) if column.type_name in {"CHAR", "GRAPHIC"} else bare


def _temporal(column: Column, schema: Schema, text: str) -> int | str:
    bare = _bare(text)
    clock = _CLOCK.fullmatch(bare)
    if column.jdbc_type == jdbc.TIME and clock is not None:
        hour, minute, second = (int(group or 0) for group in clock.groups())
        return _moment((hour * 60 + minute) * 60 + second, 0, column, schema)
    found = _MOMENT.fullmatch(bare)
    if found is None:
        raise ValueError("no constant of a date or time")
    numbers = [int(group or 0) for group in found.groups()[:6]]
    moment = datetime(numbers[0], numbers[1], numbers[2], tzinfo=UTC)
    seconds = (moment - _EPOCH) // timedelta(seconds=1) + (numbers[3] * 60 + numbers[4]) * 60 + numbers[5]
    return _moment(seconds, int((found[7] or "").ljust(9, "0")[:9]), column, schema)


def _moment(seconds: int, nanos: int, column: Column, schema: Schema) -> int | str:
    """Seconds since 1970, or since midnight for a time of day, in the unit of the schema."""
    if column.jdbc_type == jdbc.TIME:
        return time_value(seconds % 86400 * NANOS_OF_SECOND + nanos, schema)
    moment = _EPOCH + timedelta(seconds=seconds)
    if column.jdbc_type == jdbc.DATE:
        return f"{moment.date()}Z" if schema.type is Type.STRING else (moment - _EPOCH).days
    return timestamp_value(moment.replace(tzinfo=None), nanos, schema)


_READERS: Final[dict[str, Callable[[Column, Schema, str], Any]]] = {
    **dict.fromkeys(("SMALLINT", "INTEGER", "BIGINT"), _integer),
    **dict.fromkeys(("REAL", "DOUBLE"), _floating),
    **dict.fromkeys(("DECIMAL", "DECFLOAT"), _decimal),
    **dict.fromkeys(("CHAR", "VARCHAR", "GRAPHIC", "VARGRAPHIC"), _text),
    **dict.fromkeys(("DATE", "TIME", "TIMESTAMP"), _temporal),
    "BOOLEAN": _boolean,
}
