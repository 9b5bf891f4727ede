"""Conversions between the forms of moments that TimestampConverter knows, a column at a time.

All go by milliseconds since the epoch. Finer units are cut towards zero, as Java's `TimeUnit` cuts them.
Source: Kafka's documentation of TimestampConverter; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import polars as pl

from tailrace.changes.source_records import Mask
from tailrace.changes.vectors import Kind, Vector, from_arrow
from tailrace.java_numbers import narrowed
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.civil_calendar import Ints
from tailrace.transforms.java_date_formats import JavaDateFormat
from tailrace.transforms.java_date_parsing import JavaDateParser
from tailrace.transforms.logical_types import DATE, DAY_MS, TIME, TIMESTAMP

STRING, UNIX = "string", "unix"
TARGETS: Final = {
    STRING: Schema(Type.STRING),
    UNIX: Schema(Type.INT64),
    "Date": DATE,
    "Time": TIME,
    "Timestamp": TIMESTAMP,
}
"""The schemas of the forms."""

_SECOND: Final = 1000  # milliseconds
_PARTS: Final = {"microseconds": 1000, "nanoseconds": 1_000_000}  # of a millisecond
PRECISIONS: Final = ("nanoseconds", "microseconds", "milliseconds", "seconds")
_LEAST, _MOST = -(2**63), 2**63 - 1


def form_of(schema: Schema) -> str | None:
    """The form of a field's moments; None: it has none."""
    for form in ("Timestamp", "Date", "Time"):
        if schema.name == TARGETS[form].name:
            return form
    return {Type.STRING: STRING, Type.INT64: UNIX}.get(schema.type)


def moments_of(vector: Vector, form: str, precision: str, parser: JavaDateParser | None) -> tuple[Ints, Mask]:
    """Milliseconds since the epoch, and which texts could be read, both of shape (n,)."""
    read = np.ones(vector.length, np.bool_)
    if form == STRING:
        if parser is None:
            return np.zeros(vector.length, np.int64), ~vector.is_valid()
        return parser.moments(pl.Series(vector.to_arrow()))
    if form == UNIX:
        return _from_unix(vector.data, precision), read
    return vector.data * DAY_MS if form == "Date" else vector.data, read


def vector_of_moments(moments: Ints, valid: Mask, target: str, precision: str, writer: JavaDateFormat | None) -> Vector:
    """Moments in the form of a target; null where `valid` is false, shape (n,)."""
    bitmap = None if valid.all() else np.packbits(valid, bitorder="little")
    if target == STRING and writer is not None:
        found = from_arrow(writer.texts(moments).to_arrow(compat_level=pl.CompatLevel.newest()))
        return Vector(Kind.TEXT, len(moments), found.data, bitmap, found.buffers)
    numbers: dict[str, Callable[[], Ints]] = {
        UNIX: lambda: _to_unix(moments, precision),
        "Date": lambda: narrowed(moments // DAY_MS, Type.INT32),  # as Connect does with days beyond it
        "Time": lambda: moments % DAY_MS,
        "Timestamp": lambda: moments,
    }
    return Vector(Kind.INT, len(moments), np.asarray(numbers[target](), np.int64), bitmap)


def _from_unix(numbers: Ints, precision: str) -> Ints:
    if precision == "seconds":
        return _times(numbers, _SECOND)
    return _towards_zero(numbers, _PARTS.get(precision, 1))


def _to_unix(moments: Ints, precision: str) -> Ints:
    if precision == "seconds":
        return _towards_zero(moments, _SECOND)
    return _times(moments, _PARTS.get(precision, 1))


def _towards_zero(numbers: Ints, divisor: int) -> Ints:
    return np.where(numbers < 0, -(-numbers // divisor), numbers // divisor)


def _times(numbers: Ints, factor: int) -> Ints:
    """The product; the least or largest number where it does not fit, as in Java."""
    limit = _MOST // factor
    product = np.where(np.abs(numbers) <= limit, numbers, 0) * factor
    return np.where(numbers > limit, _MOST, np.where(numbers < -limit, _LEAST, product))
