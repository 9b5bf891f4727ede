"""Columns of values of one type as another type, as Kafka's Cast converts them.

Source: Kafka's documentation of Cast; Java's conversions (`java_numbers`); comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from tailrace.changes.source_records import Mask
from tailrace.changes.vectors import Kind, Vector, from_arrow
from tailrace.java_numbers import BITS, cut, decimal_texts, narrowed, number_texts, truncated
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.column_values import decimals_of
from tailrace.transforms.java_date_formats import JavaDateFormat
from tailrace.transforms.logical_types import DATE, DAY_MS, DECIMAL_NAME, TIME, TIMESTAMP, scale_of

Cast = tuple[Vector, Mask | None]
"""The values in the new type, and which failed, shape (n,); None: none."""

_INTEGER: Final = "^[+-]?[0-9]+$"
_FRACTION: Final = r"^[\x00-\x20]*([+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?))[\x00-\x20]*$"
_TIME, _DATE, _TIMESTAMP = (
    JavaDateFormat(pattern) for pattern in ("HH:mm:ss.SSS'Z'", "yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
)


def cast(vector: Vector, schema: Schema, target: Type) -> Cast:
    """The values of a column of that schema as another type."""
    if schema.name == DECIMAL_NAME:
        return _of_decimals(vector, schema, target)
    if schema.name in {TIMESTAMP.name, DATE.name, TIME.name} and target is Type.STRING:
        return _texts(vector, _moment_texts(vector.data * (DAY_MS if schema.name == DATE.name else 1))), None
    return _BY_KIND[vector.kind](vector, target)


def _of_integers(vector: Vector, target: Type) -> Cast:
    if target is Type.STRING:
        return _texts(vector, pl.Series(vector.data).cast(pl.String)), None
    return _numbers(vector, vector.data, target), None


def _of_booleans(vector: Vector, target: Type) -> Cast:
    if target is Type.STRING:
        return _texts(vector, pl.Series(["false", "true"]).gather(pl.Series(vector.data))), None
    return _numbers(vector, vector.data, target), None


def _of_fractions(vector: Vector, target: Type) -> Cast:
    if target is Type.STRING:
        return _texts(vector, pl.Series(number_texts(vector.data), dtype=pl.String)), None
    if target in BITS:
        return _numbers(vector, truncated(vector.data, target), target), None
    if target is Type.BOOLEAN:
        return _numbers(vector, truncated(vector.data, Type.INT64), target), None
    return _numbers(vector, vector.data, target), None


def _of_texts(vector: Vector, target: Type) -> Cast:
    texts = pl.Series(vector.to_arrow())
    if target is Type.STRING:
        return vector, None
    if target is Type.BOOLEAN:
        return _numbers(vector, texts.str.to_lowercase().eq("true").fill_null(value=False).to_numpy(), target), None
    if target in BITS:
        digits = texts.str.extract(f"({_INTEGER[1:-1]})").str.strip_prefix("+")
        parsed = pl.select(pl.when(texts.str.contains(_INTEGER)).then(digits)).to_series().cast(pl.Int64, strict=False)
        found = parsed.fill_null(0).to_numpy()
        failed = (parsed.is_null() & texts.is_not_null()).to_numpy() | (narrowed(found, target) != found)
        return _numbers(vector, found, target), failed
    type_ = pl.Float32 if target is Type.FLOAT32 else pl.Float64
    plain = texts.str.extract(_FRACTION).str.replace("[fFdD]$", "").str.replace("Infinity", "inf")
    fractions = plain.cast(type_, strict=False)
    failed = (fractions.is_null() & texts.is_not_null()).to_numpy()
    return _numbers(vector, fractions.fill_null(0).to_numpy(), target), failed


def _of_bytes(vector: Vector, target: Type) -> Cast:
    if target is Type.STRING:
        return _texts(vector, pl.Series(vector.to_arrow()).bin.encode("base64")), None
    return _numbers(vector, np.zeros(vector.length, np.int64), target), vector.is_valid()


def _of_decimals(vector: Vector, schema: Schema, target: Type) -> Cast:
    """Decimals, row by row."""
    decimals = decimals_of(vector, scale_of(schema))
    if target is Type.STRING:
        return _texts(vector, pl.Series(decimal_texts(decimals), dtype=pl.String)), None
    return _numbers(vector, _decimal_numbers(decimals, target), target), None


def _decimal_numbers(decimals: list[Decimal | None], target: Type) -> npt.NDArray[Any]:
    if target in BITS:
        return np.array([0 if each is None else cut(int(each), target) for each in decimals], np.int64)
    if target is Type.BOOLEAN:
        return np.array([each is not None and cut(int(each), Type.INT64) != 0 for each in decimals], np.bool_)
    return np.array([0.0 if each is None else float(each) for each in decimals], np.float64)


_BY_KIND: Final[dict[Kind, Callable[[Vector, Type], Cast]]] = {
    Kind.INT: _of_integers,
    Kind.BOOL: _of_booleans,
    Kind.FLOAT32: _of_fractions,
    Kind.FLOAT64: _of_fractions,
    Kind.TEXT: _of_texts,
    Kind.BYTES: _of_bytes,
}


def _numbers(vector: Vector, numbers: npt.NDArray[Any], target: Type) -> Vector:
    """Numbers in the form of a type; null where the vector is."""
    if target in BITS:
        return Vector(Kind.INT, vector.length, narrowed(np.asarray(numbers, np.int64), target), vector.valid)
    if target is Type.BOOLEAN:
        return Vector(Kind.BOOL, vector.length, (np.asarray(numbers) != 0).astype(np.int64), vector.valid)
    kind, dtype = (Kind.FLOAT32, np.float32) if target is Type.FLOAT32 else (Kind.FLOAT64, np.float64)
    with np.errstate(over="ignore"):  # too large for a float: infinite, as in Java
        return Vector(kind, vector.length, np.asarray(numbers).astype(dtype), vector.valid)


def _texts(vector: Vector, texts: pl.Series) -> Vector:
    found = from_arrow(texts.to_arrow(compat_level=pl.CompatLevel.newest()))
    return Vector(Kind.TEXT, vector.length, found.data, vector.valid, found.buffers)


def _moment_texts(moments: npt.NDArray[np.int64]) -> pl.Series:
    """Moments as Connect writes them: a time within the first day (or before), else a date at midnight, else both."""
    times, dates, both = (each.texts(moments) for each in (_TIME, _DATE, _TIMESTAMP))
    is_time, is_date = pl.Series(moments < DAY_MS), pl.Series(moments % DAY_MS == 0)
    return pl.select(pl.when(is_time).then(times).when(is_date).then(dates).otherwise(both)).to_series()
