"""How a column is selected, and how its values become a vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tailrace.changes.policies import Rule
from tailrace.changes.vectors import Vector
from tailrace.connectors.shared.default_values import encoded
from tailrace.events.shape import ColumnPolicy
from tailrace.schema.connect import Schema

Conversion = Callable[[Sequence[pa.Array]], Vector]


@dataclass(frozen=True, slots=True)
class Converter:
    """Converts the arrays of one column to vectors."""

    conversion: Conversion
    binary_mode: str | None = None

    def __call__(self, arrays: Sequence[pa.Array]) -> Vector:
        """The vector of the arrays of the column's expressions."""
        return self.conversion(arrays)

    def placeholder(self, text: str) -> str | bytes:
        """`unavailable.value.placeholder` in the column's form."""
        return text if self.binary_mode is None else encoded(text.encode(), self.binary_mode)


@dataclass(frozen=True, slots=True)
class ColumnType:
    """How a column is selected and decoded.

    Attributes:
        name: of the column.
        key: the schema of its field in a key.
        value: the same in a value, where a column policy may have added parameters.
        expressions: of the SELECT list; `{}` stands for the column.
        convert: turns the selected arrays into a vector.
        fallback: replaces NULL if the field must have a value.
        rule: the configuration's rule that changes its values or their schema; None without one.
        is_lob: whether NULL in an update's image may mean that the value is missing (`vectors.with_placeholder`).
        conversion: what its custom converter makes of the vector; None without one.

    """

    name: str
    key: Schema
    value: Schema
    expressions: tuple[str, ...]
    convert: Converter
    fallback: Any = None
    rule: Rule = None
    is_lob: bool = False
    conversion: ColumnPolicy | None = None

    @property
    def width(self) -> int:
        """The number of result columns that it takes."""
        return len(self.expressions)

    def select(self, name: str) -> tuple[str, ...]:
        """Its SELECT list; `name` is the quoted column with its alias: `c.[price]`."""
        return tuple(expression.replace("{}", name) for expression in self.expressions)
