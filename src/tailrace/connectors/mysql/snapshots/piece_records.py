"""Rows of a snapshot as records, whether they were selected or are images of the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tailrace.changes.model import Changes
from tailrace.changes.records import Records
from tailrace.changes.shape import Shape
from tailrace.connectors.mysql.snapshots.chunks import SelectedChunk
from tailrace.connectors.mysql.snapshots.read_records import ReadChanges
from tailrace.connectors.mysql.snapshots.read_tables import ReadTables
from tailrace.connectors.mysql.snapshots.touched_rows import TouchedRows
from tailrace.snapshot.first_changes import Rows, TableTouches


def records_of(
    tables: ReadTables, changes: ReadChanges, of: Any, rows: Rows, mark: str, now_us: int, read_us: int | None = None
) -> Iterator[Records]:
    """The records of one piece; `now_us` is the processing time too."""
    for shape, made in changes_of(tables, changes, of, rows, mark, now_us, read_us):
        yield shape.records(shape.prepare(made), now_us)


def changes_of(
    tables: ReadTables, changes: ReadChanges, of: Any, rows: Rows, mark: str, now_us: int, read_us: int | None = None
) -> Iterator[tuple[Shape, Changes]]:
    """The read events of one piece, with what shows them.

    Args:
        tables: how each is shown.
        changes: makes read events of rows as they were at one position.
        of: a `SelectedChunk`, or `TableTouches` of which the images before are meant.
        rows: which of its rows or changes, in order; shape (n,).
        mark: what `source.snapshot` says of them.
        now_us: now, microseconds since the epoch.
        read_us: when the rows were read; None: when their chunk was, by this machine's clock, or now.

    """
    if isinstance(of, SelectedChunk):
        read = of.table
        for block, some in of.parts(rows):
            vectors, after = block.images.vectors, block.images.after[some]
            yield read.shape, changes.of(read.table.id, vectors, after, mark, read_us or of.read_us)
    elif isinstance(of, TableTouches):
        touched: TouchedRows = of.images
        images = touched.before[rows]
        shape = tables.planned(touched.table).shape
        yield shape, changes.of(touched.table.id, touched.columns, images, mark, read_us or now_us)
