"""Values of a part of an expression: for each record one of a type, as columns; and the types that are no columns.

All columns have a row for each record; what a row means where the value does not hold (`Cases`) is undefined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tailrace.changes.field_paths import Path
from tailrace.changes.source_records import Mask, SourceHeader
from tailrace.schema.connect import Field, Schema
from tailrace.transforms.expressions.decimals import Decimals
from tailrace.transforms.expressions.texts import Texts


@dataclass(frozen=True, slots=True)
class Null:
    """Null, or SQL's NULL."""


@dataclass(frozen=True, slots=True)
class Undefined:
    """JavaScript's `undefined`."""


@dataclass(frozen=True, slots=True)
class Booleans:
    """True or false, shape (n,)."""

    data: Mask


@dataclass(frozen=True, slots=True)
class Integers:
    """Whole numbers, shape (n,); `bits`: of their type in Java, 8 to 64."""

    data: npt.NDArray[np.int64]
    bits: int = 64


@dataclass(frozen=True, slots=True)
class Floats:
    """Floating-point numbers, shape (n,); `bits`: of their type in Java, 32 or 64."""

    data: npt.NDArray[np.float64]
    bits: int = 64


@dataclass(frozen=True, slots=True)
class Instants:
    """Java's dates: milliseconds since 1970, shape (n,)."""

    data: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Structs:
    """Structs of a layout; `name`: as an expression writes it, from the variable on."""

    path: Path
    name: tuple[str, ...]

    @property
    def schema(self) -> Schema:
        """Their schema."""
        return self.path.schema


@dataclass(frozen=True, slots=True)
class PythonStructs:
    """Structs that are Python's mappings, one for each record, of records that are too rare to be columnar."""

    schema: Schema
    values: Sequence[Any]
    name: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """What is there and can only be compared with null, or with others like it.

    Attributes:
        what: it is, for messages.
        series: the bytes, if it is bytes of a column, shape (n,).

    """

    what: str
    series: pl.Series | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class SchemaOf:
    """A schema, the same for all records."""

    schema: Schema


@dataclass(frozen=True, slots=True)
class FieldOf:
    """A field of a schema."""

    field: Field


@dataclass(frozen=True, slots=True)
class Headers:
    """All headers."""


@dataclass(frozen=True, slots=True)
class HeaderOf:
    """A header that is there."""

    header: SourceHeader


@dataclass(frozen=True, slots=True)
class Found:
    """What a regular expression found in texts, shape (n,): a Matcher of Groovy, true where there is something."""

    data: Mask


Value = (
    Null | Undefined | Booleans | Integers | Floats | Decimals | Instants | Texts | Structs | PythonStructs | Opaque | SchemaOf
    | FieldOf | Headers | HeaderOf | Found
)  # fmt: skip
Numbers = Integers | Floats | Decimals
NOTHING = (Null, Undefined)
NULL = Null()
UNDEFINED = Undefined()


class Cases:
    """Which value which records have; records without any have failed or were not asked."""

    __slots__ = ("_cases",)

    def __init__(self, cases: Iterable[tuple[Mask, Value]] = ()) -> None:
        """Masks have shape (n,) and don't overlap; empty ones are left out."""
        self._cases = [(mask, value) for mask, value in cases if mask.any()]

    def __iter__(self) -> Iterator[tuple[Mask, Value]]:
        return iter(self._cases)

    def within(self, live: Mask) -> Cases:
        """Of these records only."""
        return Cases((mask & live, value) for mask, value in self)

    def joined(self, *others: Cases) -> Cases:
        """These and others, of other records."""
        return Cases([*self, *(case for other in others for case in other)])


def described(value: Value) -> str:
    """What a value is, for messages."""
    if isinstance(value, Opaque):
        return value.what
    return _DESCRIPTIONS[type(value)]


_DESCRIPTIONS = {
    Null: "null",
    Undefined: "undefined",
    Booleans: "true or false",
    Integers: "a number",
    Floats: "a number",
    Decimals: "a decimal",
    Instants: "a date",
    Texts: "text",
    Structs: "a struct",
    PythonStructs: "a struct",
    SchemaOf: "a schema",
    FieldOf: "a field of a schema",
    Headers: "the headers",
    HeaderOf: "a header",
    Found: "what a regular expression found",
}
