"""Numbers as Java writes, reads and narrows them.

Source: Java's language specification, "Narrowing Primitive Conversion"; documentation of `Double.toString`, `parseDouble`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.schema.connect import Type

Ints = npt.NDArray[np.int64]
BITS: Final = {Type.INT8: 8, Type.INT16: 16, Type.INT32: 32, Type.INT64: 64}
_DTYPES: Final[dict[Type, npt.DTypeLike]] = {
    Type.INT8: np.int8,
    Type.INT16: np.int16,
    Type.INT32: np.int32,
    Type.INT64: np.int64,
}
FRACTIONS: Final[dict[Type, type[np.floating[Any]]]] = {Type.FLOAT32: np.float32, Type.FLOAT64: np.float64}
NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
"""What `BigDecimal` reads."""

_PLAIN_FROM, _PLAIN_TO = Decimal("1e-3"), Decimal("1e7")  # what Java writes without an exponent


def narrowed(numbers: Ints, type_: Type) -> Ints:
    """Integers, cut to the bits of a type."""
    return numbers.astype(_DTYPES[type_]).astype(np.int64)


def cut(number: int, type_: Type) -> int:
    """An integer, cut to the bits of a type."""
    bits = BITS[type_]
    low = number & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def truncated(numbers: npt.NDArray[np.floating], type_: Type) -> Ints:
    """Floating-point numbers as integers: towards zero, the nearest one where they are too large, 0 for NaN."""
    wide = numbers.astype(np.float64)
    bits = 64 if type_ is Type.INT64 else 32  # narrower types are cut from 32 bits
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    fits = (wide > float(low)) & (wide < float(high))
    found = np.where(fits, wide, 0.0).astype(np.int64)
    found = np.where(wide >= float(high), high, np.where(wide <= float(low), low, found))
    return narrowed(found, type_)


def number_texts(numbers: npt.NDArray[np.floating]) -> list[str]:
    """Floating-point numbers as Java writes them; row by row, because no column function knows this form."""
    return [_number_text(number) for number in numbers]


def float_text(type_: Type, number: float) -> str:
    """A floating-point number as Java writes it, with as many digits as tell it from others of its type."""
    return _number_text(FRACTIONS[type_](number))


def _number_text(number: np.floating) -> str:
    if not np.isfinite(number):
        return "NaN" if np.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "-0.0" if np.signbit(number) else "0.0"
    exact = Decimal(np.format_float_scientific(number, trim="-"))
    if _PLAIN_FROM <= abs(exact) < _PLAIN_TO:
        plain = format(exact, "f")
        return plain if "." in plain else f"{plain}.0"
    sign, digits, _ = exact.as_tuple()
    rest = "".join(map(str, digits[1:])).rstrip("0") or "0"
    return f"{'-' if sign else ''}{digits[0]}.{rest}E{exact.adjusted()}"


def decimal_texts(numbers: Sequence[Decimal | None]) -> list[str | None]:
    """Decimals as `BigDecimal.toString` writes them, which is also how Python does."""
    return [None if number is None else str(number) for number in numbers]
