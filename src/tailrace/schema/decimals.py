"""Decimals as Kafka Connect has them: the bytes of the unscaled value, the scale in the schema's parameters."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Final

DECIMAL: Final = "org.apache.kafka.connect.data.Decimal"
_EXACT: Final = Context(prec=200)  # decimals of MySQL have up to 65 digits; Python's default context rounds to 28


def decimal_bytes(value: Decimal, scale: int) -> bytes:
    """Connect's form of a decimal: the unscaled value in two's complement, big-endian, with as few bytes as possible."""
    unscaled = int(value.scaleb(scale, _EXACT))
    magnitude = unscaled if unscaled >= 0 else ~unscaled
    return unscaled.to_bytes(magnitude.bit_length() // 8 + 1, "big", signed=True)
