"""Single values as Java's `toString` shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from tailrace.schema.connect import Schema, Type
from tailrace.schema.decimals import DECIMAL, decimal_text, scale_of

_PLAIN_FROM, _PLAIN_TO = 1e-3, 1e7  # floating-point numbers in between are written without an exponent
DAY: Final = 86_400_000
_CONNECT: Final = "org.apache.kafka.connect.data."
MILLISECONDS: Final = {f"{_CONNECT}Date": DAY, f"{_CONNECT}Time": 1, f"{_CONNECT}Timestamp": 1}
"""How many milliseconds a value of Connect's own types stands for."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def java_text(schema: Schema, value: Any) -> str | None:
    """A value in the form of `connect_json.value_json`; None where it is null."""
    if value is None or isinstance(value, str):
        return value
    if schema.name in MILLISECONDS:
        return java_date(value * MILLISECONDS[schema.name])
    made = _TEXTS.get(schema.type)
    return str(value) if made is None else made(schema, value)


def _struct(schema: Schema, value: Mapping[str, Any]) -> str:
    """A struct without its null fields."""
    texts = ((field.name, java_text(field.schema, value.get(field.name))) for field in schema.fields)
    return "Struct{" + ",".join(f"{name}={text}" for name, text in texts if text is not None) + "}"


def _array(schema: Schema, value: Sequence[Any]) -> str:
    return "[" + ", ".join(_part(schema.items, item) for item in value) + "]"


def _map(schema: Schema, value: Mapping[Any, Any]) -> str:
    pairs = (f"{_part(schema.keys, key)}={_part(schema.items, item)}" for key, item in value.items())
    return "{" + ", ".join(pairs) + "}"


def _part(schema: Schema | None, value: Any) -> str:
    text = None if schema is None else java_text(schema, value)
    return "null" if text is None else text


def _bytes(schema: Schema, value: bytes | Decimal) -> str:
    if schema.name == DECIMAL or isinstance(value, Decimal):
        return decimal_text(value, scale_of(schema))
    return java_buffer(value)


def _boolean(_schema: Schema, value: Any) -> str:
    return "true" if value else "false"


def _fraction(_schema: Schema, value: float) -> str:
    return java_float(value)


def java_buffer(value: bytes) -> str:
    """Bytes: only how many there are."""
    return f"java.nio.HeapByteBuffer[pos=0 lim={len(value)} cap={len(value)}]"


def java_date(milliseconds: int) -> str:
    """A moment as Java's `Date` shows it, in UTC. Dates before 1582 are Gregorian here, and Julian in Java."""
    return (_EPOCH + timedelta(milliseconds=milliseconds)).strftime("%a %b %d %H:%M:%S UTC %Y")


def java_float(value: float) -> str:
    """A floating-point number as Java shows it.

    Source: documentation of `Double.toString`, with the shortest digits, as since Java 19.
    """
    if value != value:  # noqa: PLR0124 -- not a number
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    minus = "-" if sign else ""
    if not value:
        return f"{minus}0.0"
    numerals = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + int(exponent)  # digits before the point
    if _PLAIN_FROM <= abs(value) < _PLAIN_TO:
        padded = numerals.ljust(point, "0") if point > 0 else "0" * (1 - point) + numerals
        whole = max(point, 1)
        return f"{minus}{padded[:whole]}.{padded[whole:] or '0'}"
    return f"{minus}{numerals[0]}.{numerals[1:] or '0'}E{point - 1}"


_TEXTS: Final[Mapping[Type, Callable[[Schema, Any], str]]] = {
    Type.STRUCT: _struct,
    Type.ARRAY: _array,
    Type.MAP: _map,
    Type.BYTES: _bytes,
    Type.BOOLEAN: _boolean,
    Type.FLOAT32: _fraction,
    Type.FLOAT64: _fraction,
}
