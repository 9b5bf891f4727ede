"""JSON as Java's Jackson writes it: schemas are compared as text, so theirs must be the same to the last character."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Final

import numpy as np

Member = tuple[str, str]
"""A member of an object: its name, and the text of its value."""

_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_ESCAPED: Final = re.compile(r'["\\\x00-\x1f]')


def text(value: str) -> str:
    """A string; only quotes, backslashes and control characters are escaped."""
    return f'"{_ESCAPED.sub(_escape, value)}"'


def members(pairs: Iterable[Member]) -> str:
    """An object."""
    return "{" + ",".join(f"{text(name)}:{value}" for name, value in pairs) + "}"


def items(values: Iterable[str]) -> str:
    """An array."""
    return "[" + ",".join(values) + "]"


def floating(value: float, *, single: bool) -> str:
    """A floating-point number as Java's `Double.toString` or `Float.toString` writes it.

    From 0.001 up to ten million it is written in full, else with an exponent; there is always a digit after the point.
    """
    if not math.isfinite(value):
        return text("NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity")
    number = np.float32(value) if single else np.float64(value)
    if value == 0:
        return "-0.0" if np.signbit(number) else "0.0"
    if 1e-3 <= abs(float(number)) < 1e7:
        return str(np.format_float_positional(number, unique=True, trim="0"))
    mantissa, exponent = np.format_float_scientific(number, unique=True, trim="0").split("e")
    return f"{mantissa}E{int(exponent)}"


def _escape(found: re.Match[str]) -> str:
    return _SHORT.get(found[0]) or f"\\u{ord(found[0]):04X}"
