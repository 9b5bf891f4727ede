"""JavaScript's conversions of values: to numbers, and to text."""

from __future__ import annotations

import math
import re
from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.transforms.expressions.decimals import Decimals
from tailrace.transforms.expressions.numbers import as_floats, digits_of
from tailrace.transforms.expressions.texts import Texts
from tailrace.transforms.expressions.values import (
    Booleans,
    Floats,
    Instants,
    Integers,
    Null,
    Undefined,
    Value,
)

_DECIMAL: Final = re.compile(r"[+-]?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
_BASED: Final = re.compile(r"0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+")
SPACES: Final = " \t\n\r\v\f\u00a0\ufeff\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def whole_of(value: Value, n: int) -> npt.NDArray[np.int64] | None:
    """Values as whole numbers, exactly; None if they may be none."""
    if isinstance(value, Integers):
        return value.data
    if isinstance(value, Booleans):
        return value.data.astype(np.int64)
    return np.zeros(n, np.int64) if isinstance(value, Null) else None


def number_of(value: Value, n: int) -> npt.NDArray[np.float64] | None:
    """Values as numbers; NaN for what is none; None for what has to be refused."""
    if isinstance(value, Floats | Integers | Decimals):
        return as_floats(value)
    if isinstance(value, Booleans | Instants):
        return value.data.astype(np.float64)
    if isinstance(value, Texts):
        return value.floats(number_of_text)
    if isinstance(value, Null | Undefined):
        return np.full(n, 0.0 if isinstance(value, Null) else np.nan)
    return None


def number_of_text(text: str) -> float:
    """A text as a number: nothing is 0, what is no number is NaN."""
    stripped = text.strip(SPACES)
    if not stripped:
        return 0.0
    if _BASED.fullmatch(stripped):
        return float(int(stripped, 0))
    return float(stripped) if _DECIMAL.fullmatch(stripped) else float("nan")


def text_of(value: Value, n: int) -> Texts | None:
    """Values as text; None for those whose text says nothing, or depends on the machine."""
    if isinstance(value, Texts):
        return value
    if isinstance(value, Null | Undefined):
        return Texts.constant("null" if isinstance(value, Null) else "undefined", n)
    if isinstance(value, Booleans):
        return Texts(None, (value.data.astype(np.int64), ("false", "true")))
    if isinstance(value, Integers):
        return Texts.of_numbers(value.data, str)
    if isinstance(value, Floats):
        return Texts.of_numbers(value.data, double_text)
    if isinstance(value, Decimals):
        return Texts.of_numbers(value.unscaled, value.text)
    return None


def double_text(number: float) -> str:
    """A double as JavaScript writes it."""
    if math.isnan(number):
        return "NaN"
    if number in {float("inf"), float("-inf")}:
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    digits, exponent = digits_of(repr(abs(number)))
    if -7 < exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    if 0 <= exponent < 21:
        whole, fraction = digits.ljust(exponent + 1, "0")[: exponent + 1], digits[exponent + 1 :]
        return f"{sign}{whole}.{fraction}" if fraction else sign + whole
    mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
    return f"{sign}{mantissa}e{'+' if exponent > 0 else '-'}{abs(exponent)}"
