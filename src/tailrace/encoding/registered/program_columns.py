"""The columns that a program reads, as the writer that compiles it asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, cast

import numpy as np

from tailrace.changes.records import Binary
from tailrace.changes.source_records import AnyColumn, Lists
from tailrace.changes.vectors import Kind, Vector
from tailrace.encoding.render import Roles

Reader = Callable[[AnyColumn], Vector]
"""Makes of a column what a program takes."""


class ProgramColumns:
    """Gives columns of records their slots in a program.

    Attributes:
        wanted: the slots of the records' columns, in the program's order.
        readers: what makes of a column what the program takes, by the program's slot; other columns are taken as they are.

    """

    def __init__(self) -> None:
        self.wanted: list[int] = []
        self.readers: dict[int, Reader] = {}
        self._places: dict[int, int] = {}

    def place(self, slot: int) -> int:
        """The program's slot for a column of vectors, the same one each time."""
        if slot not in self._places:
            self._places[slot] = self._next(slot)
        return self._places[slot]

    def read(self, slot: int, reader: Reader) -> int:
        """The program's slot for what a reader makes of a column."""
        self.readers[len(self.wanted)] = reader
        return self._next(slot)

    def _next(self, slot: int) -> int:
        self.wanted.append(slot)
        return len(self.wanted) - 1


class Items(Protocol):
    """A program that writes the items of lists."""

    def render(self, columns: Sequence[AnyColumn], roles: Roles) -> Binary:
        """One piece for each item."""


def lists_of(vector: Vector) -> Lists:
    """The lists of a vector."""
    offsets = vector.data[: vector.length + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    return Lists(offsets - first, vector.children, np.arange(first, last, dtype=np.int32).reshape(1, -1))


def as_floats(kind: Kind, column: AnyColumn) -> Vector:
    """Numbers as floating-point numbers of that kind."""
    vector = cast("Vector", column)
    data = vector.data.astype(np.float32 if kind is Kind.FLOAT32 else np.float64)
    return Vector(kind, vector.length, data, vector.valid)
