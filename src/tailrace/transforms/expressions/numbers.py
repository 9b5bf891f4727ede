"""Numbers, texts and other values in order, and as text, as Java writes and compares them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tailrace.java_numbers import float_text
from tailrace.schema.connect import Type
from tailrace.transforms.expressions import decimals
from tailrace.transforms.expressions.decimals import Decimals
from tailrace.transforms.expressions.texts import Texts
from tailrace.transforms.expressions.values import Booleans, Floats, Instants, Integers, Numbers, Value

Signs = npt.NDArray[np.int8]
"""-1, 0 or 1 for each record; 2 where two values have no order (JavaScript's NaN)."""


def signs(left: Numbers, right: Numbers) -> Signs:
    """The order of numbers as Java's: doubles if one of them is floating-point, else exactly."""
    if isinstance(left, Floats) or isinstance(right, Floats):
        return _of_floats(as_floats(left), as_floats(right))
    if isinstance(left, Integers) and isinstance(right, Integers):
        return of_arrays(left.data, right.data)
    return decimals.signs(_as_decimals(left), _as_decimals(right))


def of_arrays(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> Signs:
    """The order of two arrays of numbers."""
    return (left > right).astype(np.int8) - (left < right).astype(np.int8)


def as_floats(numbers: Numbers) -> npt.NDArray[np.float64]:
    """The nearest doubles."""
    if isinstance(numbers, Floats):
        return numbers.data
    return numbers.as_floats() if isinstance(numbers, Decimals) else numbers.data.astype(np.float64)


def is_zero(numbers: Numbers) -> npt.NDArray[np.bool_]:
    """Which numbers are zero."""
    data = numbers.unscaled if isinstance(numbers, Decimals) else numbers.data
    zero: npt.NDArray[np.bool_] = np.asarray(data == 0, np.bool_)
    return zero


def text_of(value: Value) -> Texts | None:
    """Values as Java's `toString()` gives them; None for those whose text says nothing, or depends on the machine."""
    if isinstance(value, Texts):
        return value
    if isinstance(value, Booleans):
        return Texts(None, (value.data.astype(np.int64), ("false", "true")))
    if isinstance(value, Integers):
        return Texts.of_numbers(value.data, str)
    if isinstance(value, Decimals):
        return Texts.of_numbers(value.unscaled, value.text)
    if isinstance(value, Floats):
        return Texts.of_numbers(value.data, partial(float_text, Type.FLOAT64 if value.bits == 64 else Type.FLOAT32))
    return None


def digits_of(text: str) -> tuple[str, int]:
    """The significant digits of a positive number, and the exponent of the first."""
    mantissa, _, power = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    joined = whole + fraction
    stripped = joined.lstrip("0")
    exponent = len(whole) - 1 - (len(joined) - len(stripped)) + int(power or 0)
    return stripped.rstrip("0") or "0", exponent


def _of_floats(left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]) -> Signs:
    """As Java's `Double.compare`: NaN is above all and equals itself."""
    found = of_arrays(left, right)
    one, other = np.isnan(left), np.isnan(right)
    if one.any() or other.any():
        found = np.where(one | other, one.astype(np.int8) - other.astype(np.int8), found).astype(np.int8)
    return found


def _as_decimals(numbers: Numbers) -> Decimals:
    return numbers if isinstance(numbers, Decimals) else Decimals(np.asarray(numbers.data, np.int64), 0)


def same_type_signs(left: Value, right: Value) -> Signs | None:
    """The order of two texts, two truths or two dates; None for others."""
    if isinstance(left, Texts) and isinstance(right, Texts):
        return left.signs(right)
    if isinstance(left, Booleans) and isinstance(right, Booleans):
        return of_arrays(left.data.astype(np.int8), right.data.astype(np.int8))
    if isinstance(left, Instants) and isinstance(right, Instants):
        return of_arrays(left.data, right.data)
    return None
