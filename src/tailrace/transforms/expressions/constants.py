"""Literals as values."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from tailrace.transforms.expressions.decimals import Decimals
from tailrace.transforms.expressions.syntax import Constant
from tailrace.transforms.expressions.texts import Texts
from tailrace.transforms.expressions.values import NULL, Booleans, Floats, Integers, Value


def constant(value: Constant, bits: int, n: int) -> Value:
    """A literal as a value of n records."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return Booleans(np.full(n, value))
    if isinstance(value, int):
        return Integers(np.full(n, value, np.int64), bits)
    if isinstance(value, float):
        return Floats(np.full(n, np.float32(value) if bits == 32 else value, np.float64), bits)
    if isinstance(value, Decimal):
        return Decimals.constant(value, n)
    return Texts.constant(value, n)
