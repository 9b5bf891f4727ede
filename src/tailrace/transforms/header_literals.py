"""The value of `value.literal`, typed as it looks: Connect parses such texts as it parses headers.

`true` is a boolean, digits are the smallest type that holds them, a number with a point is a float, a date, time or moment in
ISO 8601 is Connect's Date, Time or Timestamp (in UTC here; Connect takes the time zone of its machine), and all else is text.
What follows a comma, colon, bracket or quote behind a number is left out, as Connect does.
Source: documentation of `org.apache.kafka.connect.data.Values.parseString`; comparison with the real one (tests/formats).
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

import numpy as np
import polars as pl

from tailrace.changes.layouts import Constant
from tailrace.config.values import NotYetError
from tailrace.java_numbers import BITS, NUMBER
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.java_date_parsing import JavaDateParser
from tailrace.transforms.logical_types import DATE, DAY_MS, DECIMAL_NAME, SCALE, TIME, TIMESTAMP

_STRING: Final = Schema(Type.STRING)
_TOKEN: Final = re.compile(r'[:,{}\[\]"]|(?:\\.|[^\\:,{}\[\]"])+\\?|\\', re.DOTALL)
_TOKENS_OF_TIME: Final = 5  # two colons and what is around them
_DAY: Final = "yyyy-MM-dd"
_HOUR: Final = "HH:mm:ss.SSS'Z'"
_MOMENTS: Final = {
    len("2026-01-31"): (DATE, JavaDateParser(_DAY), DAY_MS),
    len("12:34:56.789Z"): (TIME, JavaDateParser(_HOUR), 1),
    len("2026-01-31T12:34:56.789Z"): (TIMESTAMP, JavaDateParser(f"{_DAY}'T'{_HOUR}"), 1),
}
"""By their lengths: schema, parser, milliseconds of one."""


def parsed_literal(text: str) -> Constant:
    """The value and its schema.

    Raises:
        NotYetError: it is null, a list or a map.

    """
    tokens = _TOKEN.findall(text)
    if not tokens:
        return Constant(_STRING, text)
    first = tokens[0].strip()
    if first in {"true", "false", "null"} and len(tokens) == 1:
        if first == "null":
            raise NotYetError("value.literal: a header without a value is not supported yet")
        return Constant(Schema(Type.BOOLEAN), first == "true")
    if first in {"[", "{"}:
        raise NotYetError(f"value.literal: a text that begins with {first} may be a list or map, which is not supported yet")
    if not first:
        return Constant(_STRING, tokens[0])
    found = _moment(first, tokens) if first[0].isdigit() else None
    if found is None and (first[0].isdigit() or first[0] in "+-") and NUMBER.fullmatch(first):
        found = _number(Decimal(first))
    return found or Constant(_STRING, text)


def _moment(first: str, tokens: list[str]) -> Constant | None:
    candidates = [first]
    if len(tokens) >= _TOKENS_OF_TIME:
        candidates.insert(0, first + "".join(tokens[1:_TOKENS_OF_TIME]))
    for each in candidates:
        plain = each.replace("\\:", ":")
        if len(plain) not in _MOMENTS:
            continue
        schema, parser, unit = _MOMENTS[len(plain)]
        moments, read = parser.moments(pl.Series([plain]))
        if read[0]:
            return Constant(schema, int(moments[0]) // unit)
    return None


def _number(number: Decimal) -> Constant:
    exponent = number.as_tuple().exponent
    scale = -exponent if isinstance(exponent, int) else 0
    if number == number.to_integral_value():
        whole = int(number)
        for type_, bits in BITS.items():
            if -(1 << (bits - 1)) <= whole < 1 << (bits - 1):
                return Constant(Schema(type_), whole)
    if scale:
        fraction = _fraction(number)
        if fraction is not None:
            return fraction
    return Constant(Schema(Type.BYTES, name=DECIMAL_NAME, version=1, parameters=((SCALE, str(scale)),)), number)


def _fraction(number: Decimal) -> Constant | None:
    """The number as a float, or as a double if it is too large for that; None: it is too large for both."""
    with np.errstate(over="ignore"):
        single = np.float32(float(number))
    if np.isfinite(single):
        return Constant(Schema(Type.FLOAT32), float(str(single)))
    double = float(number)
    return Constant(Schema(Type.FLOAT64), double) if np.isfinite(double) else None
