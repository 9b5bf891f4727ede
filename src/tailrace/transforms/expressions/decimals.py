"""Columns of Connect's Decimal: exact numbers with a scale, compared as Java's BigDecimal."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Vector

_EXACT: Final = Context(prec=400)
_MOST: Final = (1 << 63) - 1
_EXACT_DOUBLE: Final = 1 << 53  # whole numbers below are doubles
_EXACT_POWER: Final = 22  # of ten, likewise


@dataclass(frozen=True, slots=True)
class Decimals:
    """Decimals of one scale, shape (n,).

    Attributes:
        unscaled: their digits, as int64; as Python's integers where one has more than 63 bits.
        scale: digits behind the point; may be negative.

    """

    unscaled: npt.NDArray[Any]
    scale: int

    @classmethod
    def constant(cls, value: Decimal, n: int) -> Decimals:
        """The same decimal for n records."""
        sign, digits, exponent = value.as_tuple()
        unscaled = int("".join(map(str, digits))) * (-1 if sign else 1)
        return cls(np.full(n, unscaled, np.int64 if abs(unscaled) <= _MOST else object), -int(exponent))

    def as_floats(self) -> npt.NDArray[np.float64]:
        """The nearest doubles."""
        small = self.unscaled.dtype != object and 0 <= self.scale <= _EXACT_POWER
        if small and (not len(self.unscaled) or np.abs(self.unscaled).max() < _EXACT_DOUBLE):
            return self.unscaled / np.float64(10**self.scale)
        distinct, codes = np.unique(self.unscaled, return_inverse=True)
        return np.array([float(_decimal(each, self.scale)) for each in distinct.tolist()], np.float64)[
            codes.reshape(-1)
        ]

    def text(self, unscaled: int) -> str:
        """The text of one, as BigDecimal's toString()."""
        return str(_decimal(unscaled, self.scale))


def decoded(vector: Vector, scale: int) -> Decimals:
    """Connect's form of decimals, two's complement with the highest byte first; nulls are undefined."""
    lengths = vector.data[:, 0].astype(np.int64)
    lengths[~vector.is_valid()] = 0
    if lengths.max(initial=0) > 8:
        return Decimals(_long(vector), scale)
    raw = np.ascontiguousarray(vector.data).view(np.uint8).reshape(-1, 16)[:, 4:12]
    left = np.ascontiguousarray(raw).view(">i8").reshape(-1).astype(np.int64)
    return Decimals(left >> np.minimum(8 * (8 - lengths), 63), scale)


def _long(vector: Vector) -> npt.NDArray[Any]:
    """Decimals of more than eight bytes, one by one: no type of numpy holds them."""
    values = vector.to_arrow().to_pylist()
    return np.array([int.from_bytes(value or b"", "big", signed=True) for value in values], object)


def signs(left: Decimals, right: Decimals) -> npt.NDArray[np.int8]:
    """-1, 0 or 1 for each record, shape (n,)."""
    scale = max(left.scale, right.scale)
    one, other = _scaled(left, scale), _scaled(right, scale)
    return (one > other).astype(np.int8) - (one < other).astype(np.int8)


def _scaled(numbers: Decimals, scale: int) -> npt.NDArray[Any]:
    """The digits at a larger scale."""
    factor = 10 ** (scale - numbers.scale)
    if factor == 1:
        return numbers.unscaled
    values = numbers.unscaled
    if values.dtype != object and len(values) and max(-int(values.min()), int(values.max())) * factor > _MOST:
        values = values.astype(object)
    scaled: npt.NDArray[Any] = values * factor
    return scaled


def _decimal(unscaled: int, scale: int) -> Decimal:
    return Decimal(unscaled).scaleb(-scale, _EXACT)
