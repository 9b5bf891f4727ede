"""Decimals as Kafka Connect has them: the bytes of the unscaled value, the scale in the schema's parameters."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Final

from tailrace.schema.connect import Schema

DECIMAL: Final = "org.apache.kafka.connect.data.Decimal"
_EXACT: Final = Context(prec=200)  # decimals of MySQL have up to 65 digits; Python's default context rounds to 28


def scale_of(schema: Schema) -> int:
    """The scale of a schema of decimals."""
    return int(dict(schema.parameters).get("scale", "0"))


def decimal_bytes(value: Decimal, scale: int) -> bytes:
    """Connect's form of a decimal: the unscaled value in two's complement, big-endian, with as few bytes as possible."""
    unscaled = int(value.scaleb(scale, _EXACT))
    magnitude = unscaled if unscaled >= 0 else ~unscaled
    return unscaled.to_bytes(magnitude.bit_length() // 8 + 1, "big", signed=True)


def java_decimal(unscaled: int, scale: int) -> str:
    """A decimal as Java's BigDecimal shows it: with an exponent if the scale is negative, or the number very small."""
    return str(Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale)))


def decimal_text(value: Decimal | bytes, scale: int) -> str:
    """The same of a decimal in either form: a number, or the bytes of its unscaled value."""
    held = decimal_bytes(value, scale) if isinstance(value, Decimal) else value
    return java_decimal(int.from_bytes(held, "big", signed=True), scale)
