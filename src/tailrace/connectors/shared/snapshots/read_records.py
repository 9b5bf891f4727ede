"""Rows as of one position, as changes: the read events of a snapshot, whether rows were selected or are images of the log.

Their source block has the position that the snapshot is of, and says in `snapshot` where in it a row stands.
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
_ANY: Final = "true"  # of a snapshot, wherever in it


class TouchedImages(Protocol):
    """Changes of one table in one structure, of which the images before may be rows at P."""

    @property
    def table(self) -> Table:
        """The structure."""

    @property
    def columns(self) -> list[Vector | None]:
        """The images: a vector for each column, None for one that is not wanted."""

    @property
    def before(self) -> INT32:
        """Index of the image before each change, -1 where there is none, or none that can be shown; shape (n,)."""


@dataclass(frozen=True, slots=True)
class ReadChanges:
    """Makes changes of rows as they were at one position.

    Attributes:
        source: fields of the source block that the position gives.
        position: the integers of its text.
        constants: the source block's other fields, of a table.
        is_flag: whether `source.snapshot` is true instead of telling a mark, as in older shapes.
        marks: those that the schema of `source.snapshot` allows; any other one is told as `true`.

    """

    source: Mapping[str, Fact]
    position: tuple[Fact, ...]
    constants: Callable[[TableId], Constants]
    is_flag: bool = False
    marks: Collection[str] = MARKS[CURRENT]

    def of(self, table: TableId, columns: list[Vector | None], rows: INT32, mark: str, read_us: int) -> Changes:
        """The changes that rows become.

        Args:
            table: whose.
            columns: of its structure, over all rows.
            rows: which of them, in order; shape (n,).
            mark: what `source.snapshot` says of them.
            read_us: when they were read, microseconds since the epoch; told as it is.

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
            source={**self.source, **_times(read_us), "snapshot": self._told(mark)},
            constants=self.constants(table),
            position=self.position,
            log_order=np.arange(n, dtype=np.int64),
        )

    def of_piece(
        self, of: Any, rows: Rows, mark: str, read_us: int, shape_of: Callable[[Table], Shape]
    ) -> Iterator[tuple[Shape, Changes]]:
        """The read events of one piece, with what shows them.

        Args:
            of: a `ReadChunk`, or `TableTouches` of which the images before are meant.
            rows: which of its rows or changes, in order; shape (n,).
            mark: what `source.snapshot` says of them.
            read_us: when they were read, microseconds since the epoch.
            shape_of: shows the read events of a structure.

        """
        if isinstance(of, ReadChunk):
            for block, some in of.parts(rows):
                columns = block.columns
                yield of.table.shape, self.of(of.table.table.id, columns, _that_are(block.rows[some]), mark, read_us)
        elif isinstance(of, TableTouches):
            touched: TouchedImages = of.images
            images = _that_are(touched.before[rows])
            yield shape_of(touched.table), self.of(touched.table.id, touched.columns, images, mark, read_us)

    def _told(self, mark: str) -> Fact:
        if self.is_flag:
            return for_all(Vector(Kind.BOOL, 1, np.ones(1, np.int64)))
        return text_for_all(mark if mark in self.marks else _ANY)


def events_of(shown: Iterator[tuple[Shape, Changes]], now_us: int) -> Iterator[RowChanges]:
    """Changes as events; `now_us` is the processing time, microseconds since the epoch."""
    for shape, made in shown:
        if len(made):
            yield shape.prepare(made, now_us)


def _that_are(places: INT32) -> INT32:
    """Those that can be shown."""
    return places[places >= 0]


def for_all(vector: Vector) -> Fact:
    """A fact that holds for all changes: a vector of one value."""
    return Fact(vector, Level.BATCH)


def number_for_all(number: int | None) -> Fact:
    """A number that holds for all changes, or null."""
    if number is None:
        return for_all(Vector(Kind.INT, 1, np.zeros(1, np.int64), np.zeros(1, np.uint8)))
    return for_all(integers(np.array([number])))


def text_for_all(text: str | None) -> Fact:
    """A text that holds for all changes, or null."""
    return for_all(vector_of([None if text is None else text.encode()]))


def _times(time_us: int) -> dict[str, Fact]:
    """The source block's times of one moment."""
    return {name: number_for_all(time) for name, time in source_times(time_us).items()}
