"""Column policies: values are truncated, masked or hashed before they leave the process.

A policy is a function from a vector to a vector. Text is processed as a column; what no column expression can do (a hash,
truncation of characters beyond the basic plane) is computed once for each distinct value.

As in Debezium a mask also replaces null, while a hash of null is null. Masks and hashes apply to text columns only (ENUM and
SET included), truncation to every column that is represented as text or bytes. Keys are never changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailrace.changes.digests import Digest, digest_of, serialized
from tailrace.changes.vectors import Kind, Vector, from_arrow
from tailrace.changes.views import vector_of
from tailrace.config.filters import Hash, Mask, SourceTypes, Truncate

if TYPE_CHECKING:
    import polars as pl

Policy = Callable[[Vector], Vector]
Rule = Truncate | Mask | Hash | SourceTypes | None

BEYOND_BASIC_PLANE = r"[\x{10000}-\x{10FFFF}]"


def policy_of(rule: Rule, *, is_text: bool, length: int | None, may_be_cut: bool = True) -> Policy | None:
    """The policy of a column; None if its values stay unchanged.

    Args:
        rule: the column's rule.
        is_text: whether the column has a text type, however it is represented.
        length: the column's length in its structure.
        may_be_cut: whether the values are text or bytes, and not bytes that represent a number or bits.

    """
    if isinstance(rule, Truncate) and may_be_cut and (length is None or length > rule.length):
        cut = rule.length
        return lambda vector: truncated(vector, cut)
    if isinstance(rule, Mask) and is_text:
        asterisks = b"*" * rule.length
        return lambda vector: masked(vector, asterisks)
    if isinstance(rule, Hash) and is_text:
        hasher = Hasher(rule, length)
        return hasher.hashed
    return None


def masked(vector: Vector, mask: bytes) -> Vector:
    """The mask in place of every value, null or not."""
    if vector.kind is not Kind.TEXT:
        return vector
    one = vector_of([mask])
    return Vector(Kind.TEXT, vector.length, np.repeat(one.data, vector.length, axis=0), None, one.buffers)


def truncated(vector: Vector, length: int) -> Vector:
    """At most `length` bytes, or UTF-16 units (which Java counts as characters), of each value."""
    if vector.kind is Kind.BYTES:
        cut = pc.binary_slice(vector.to_arrow().cast(pa.large_binary()), 0, length)
        return from_arrow(cut.cast(pa.binary_view()))
    if vector.kind is not Kind.TEXT:
        return vector
    texts = _series(vector)
    cut = texts.str.slice(0, length)
    if vector.length and texts.str.contains(BEYOND_BASIC_PLANE).any():
        cut = _each_distinct(texts, lambda text: first_units(text, length))
    return _vector(cut)


class Hasher:
    """Hashes texts by one rule."""

    def __init__(self, rule: Hash, length: int | None) -> None:
        self._digest: Digest = digest_of(rule.algorithm)
        self._salt = rule.salt.encode()
        self._serialize = rule.version == 1
        self._length = length or None

    def hashed(self, vector: Vector) -> Vector:
        """The hash of each value in hexadecimal, truncated to the column's length; null stays null."""
        if vector.kind is not Kind.TEXT:
            return vector
        return _vector(_each_distinct(_series(vector), self.hash))

    def hash(self, text: str) -> str:
        """The hash of one value."""
        data = serialized(text) if self._serialize else text.encode()
        return self._digest(self._salt + data).hex()[: self._length]


def first_units(text: str, length: int) -> str:
    """The first `length` UTF-16 units of a text, as Java counts; half of a surrogate pair is left out."""
    return text.encode("utf-16-le")[: 2 * length].decode("utf-16-le", "ignore")


def _each_distinct(texts: pl.Series, function: Callable[[str], str]) -> pl.Series:
    """The column with `function` applied to each distinct value; null stays null."""
    import polars as pl  # imported here because of its memory: few tables have policies

    distinct = texts.drop_nulls().unique()
    results = pl.Series([function(text) for text in distinct.to_list()], dtype=pl.String)
    if not len(distinct):
        return texts
    return texts.replace_strict(distinct, results, default=None, return_dtype=pl.String)


def _series(vector: Vector) -> pl.Series:
    import polars as pl

    return pl.Series(pl.from_arrow(vector.to_arrow()))


def _vector(series: pl.Series) -> Vector:
    import polars as pl

    return from_arrow(series.to_arrow(compat_level=pl.CompatLevel.newest()))
