"""Floats as literals that SQLite reads to the last bit: it reads texts of many digits only nearly."""

from __future__ import annotations

import math
from typing import Final

_DIGITS: Final = 15  # with so many digits, and without an exponent, it reads what Python writes
_BITS: Final = 53
_STEP: Final = 60  # powers of two up to this one are read exactly


def real_literal(value: float) -> str:
    """An SQL expression whose value is the given number, which is finite."""
    text = repr(value)
    if "e" not in text and sum(map(str.isdigit, text)) <= _DIGITS:
        return text
    mantissa, exponent = math.frexp(value)
    steps, rest = divmod(abs(exponent - _BITS), _STEP)
    powers = [f"{1 << _STEP}.0"] * steps + [f"{1 << rest}.0"]
    factor = " * " if exponent > _BITS else " / "
    return f"({factor.join([f'{int(mantissa * 2**_BITS)}.0', *powers])})"
