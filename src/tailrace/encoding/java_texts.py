"""Single values as Java's `toString` shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from tailrace.java_numbers import float_text
from tailrace.schema.connect import Schema, Type
from tailrace.schema.decimals import DECIMAL, decimal_text, scale_of

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


def _fraction(schema: Schema, value: float) -> str:
    return float_text(schema.type, value)


def java_buffer(value: bytes) -> str:
    """Bytes: only how many there are."""
    return f"java.nio.HeapByteBuffer[pos=0 lim={len(value)} cap={len(value)}]"


def java_date(milliseconds: int) -> str:
    """A moment as Java's `Date` shows it, in UTC. Dates before 1582 are Gregorian here, and Julian in Java."""
    return (_EPOCH + timedelta(milliseconds=milliseconds)).strftime("%a %b %d %H:%M:%S UTC %Y")


_TEXTS: Final[Mapping[Type, Callable[[Schema, Any], str]]] = {
    Type.STRUCT: _struct,
    Type.ARRAY: _array,
    Type.MAP: _map,
    Type.BYTES: _bytes,
    Type.BOOLEAN: _boolean,
    Type.FLOAT32: _fraction,
    Type.FLOAT64: _fraction,
}
