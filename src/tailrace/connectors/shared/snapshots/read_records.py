"""Rows as of one position, as changes: the read events of a snapshot, of selected rows or of images in the log.

Their source block has the position of the snapshot, and `snapshot` is the row's mark in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from tailrace.changes.model import INT32, READ, Changes, Fact, Level
from tailrace.changes.vectors import Kind, Vector, integers
from tailrace.changes.views import vector_of
from tailrace.connectors.shared.snapshots.chunks import ReadChunk
from tailrace.connectors.shared.source_blocks import MARKS, source_times
from tailrace.events.shape import RowChanges, Shape
from tailrace.schema.event_shapes import CURRENT
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.first_changes import Rows, TableTouches

Constants = Mapping[str, str | int | bool | None]
_ANY: Final = "true"  # the mark of any row of a snapshot


class TouchedImages(Protocol):
    """Changes of one table in one structure; their before images may be rows at P."""

    @property
    def table(self) -> Table:
        """The structure."""

    @property
    def columns(self) -> list[Vector | None]:
        """The images: a vector for each column; None if the column is not needed."""

    @property
    def before(self) -> INT32:
        """Index of each change's before image; -1: there is none, or it can't be delivered. Shape (n,)."""


@dataclass(frozen=True, slots=True)
class ReadChanges:
    """Turns rows as of one position into changes.

    Attributes:
        source: the fields of the source block that follow from the position.
        position: the integers of the position's text.
        constants: the other fields of a table's source block.
        is_flag: whether `source.snapshot` is a boolean instead of a mark, as in older shapes.
        marks: the allowed values of `source.snapshot`; other marks become `true`.

    """

    source: Mapping[str, Fact]
    position: tuple[Fact, ...]
    constants: Callable[[TableId], Constants]
    is_flag: bool = False
    marks: Collection[str] = MARKS[CURRENT]

    def of(self, table: TableId, columns: list[Vector | None], rows: INT32, mark: str, read_us: int) -> Changes:
        """The changes for rows.

        Args:
            table: of the rows.
            columns: of its structure, over all rows.
            rows: indices of the rows, in order; shape (n,).
            mark: for `source.snapshot`.
            read_us: the read time, microseconds since the epoch; not converted.

        """
        n = len(rows)
        nothing = np.zeros(n, np.int32)
        return Changes(
            columns=columns,
            before=np.full(n, -1, np.int32),
            after=np.ascontiguousarray(rows, np.int32),
            op=np.full(n, READ, np.uint8),
            event=nothing,
            transaction=nothing,
            source={**self.source, **_times(read_us), "snapshot": self._mark_value(mark)},
            constants=self.constants(table),
            position=self.position,
            log_order=np.arange(n, dtype=np.int64),
        )

    def of_piece(
        self, of: Any, rows: Rows, mark: str, read_us: int, shape_of: Callable[[Table], Shape]
    ) -> Iterator[tuple[Shape, Changes]]:
        """The read events of one piece, with their shapes.

        Args:
            of: a `ReadChunk`; or `TableTouches`, whose before images are meant.
            rows: numbers of rows or changes in it, in order; shape (n,).
            mark: for `source.snapshot`.
            read_us: the read time, microseconds since the epoch.
            shape_of: the shape of a structure's read events.

        """
        if isinstance(of, ReadChunk):
            for block, some in of.parts(rows):
                columns = block.columns
                yield of.table.shape, self.of(of.table.table.id, columns, _that_are(block.rows[some]), mark, read_us)
        elif isinstance(of, TableTouches):
            touched: TouchedImages = of.images
            images = _that_are(touched.before[rows])
            yield shape_of(touched.table), self.of(touched.table.id, touched.columns, images, mark, read_us)

    def _mark_value(self, mark: str) -> Fact:
        if self.is_flag:
            return for_all(Vector(Kind.BOOL, 1, np.ones(1, np.int64)))
        return text_for_all(mark if mark in self.marks else _ANY)


def events_of(shown: Iterator[tuple[Shape, Changes]], now_us: int) -> Iterator[RowChanges]:
    """Changes as events; `now_us` is the processing time, microseconds since the epoch."""
    for shape, made in shown:
        if len(made):
            yield shape.prepare(made, now_us)


def _that_are(places: INT32) -> INT32:
    """The indices of rows that can be delivered."""
    return places[places >= 0]


def for_all(vector: Vector) -> Fact:
    """A fact that holds for all changes, from a vector of one value."""
    return Fact(vector, Level.BATCH)


def number_for_all(number: int | None) -> Fact:
    """A fact for all changes: a number, or null."""
    if number is None:
        return for_all(Vector(Kind.INT, 1, np.zeros(1, np.int64), np.zeros(1, np.uint8)))
    return for_all(integers(np.array([number])))


def text_for_all(text: str | None) -> Fact:
    """A fact for all changes: a text, or null."""
    return for_all(vector_of([None if text is None else text.encode()]))


def _times(time_us: int) -> dict[str, Fact]:
    """The time fields of the source block."""
    return {name: number_for_all(time) for name, time in source_times(time_us).items()}
