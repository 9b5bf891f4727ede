"""The columns that a program reads, as the writer that compiles it asks for them."""

from __future__ import annotations

from collections.abc import Callable

from tailrace.changes.source_records import AnyColumn
from tailrace.changes.vectors import Vector

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
