"""One table's changes as typed rows, for the DataFrame way with `output="rows"`.

The columns of the DataFrame are those that the table has when the query starts. The log may go back to a structure
before that: a column that was not there yet, or is gone since, is null. A column that is added while the query runs
stops it with a message, because a DataFrame can't grow one; started again, it goes on there with the column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from tailrace.changes.model import Changes
from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, LogBatch, Progress
from tailrace.connectors.shared.batches import Batch
from tailrace.encoding.rows import RowEncoder, RowSchema
from tailrace.errors import ConfigError
from tailrace.events.shape import Prepared, Shape
from tailrace.schema.envelope import value_columns
from tailrace.schema.names import Names
from tailrace.schema.tables import Column, Table, TableId

RowStep = tuple[Sequence[pa.RecordBatch], Progress, Sequence[HistoryRecord]]


def only_one(tables: Sequence[TableId], hint: str = "") -> TableId:
    """The captured table; raises `ConfigError` where it is not exactly one, with a hint where there is none."""
    if len(tables) != 1:
        raise ConfigError(
            f'output="rows" is for one table, and table.include.list captures {len(tables)}: '
            f"{', '.join(map(str, tables)) or f'none{hint}'}"
        )
    return tables[0]


def row_columns(table: Table, settings: Settings, type_of: Callable[[Column], pa.DataType]) -> pa.Schema:
    """The columns that a table's rows have, each of the type that `type_of` gives for it."""
    names = Names(settings)
    columns = [table.columns[index] for index in value_columns(table, settings)]
    return pa.schema([pa.field(names.field_name(column.name), type_of(column)) for column in columns])


class BatchRows:
    """Makes rows where others make records."""

    def __init__(self, rows: RowSchema) -> None:
        self._rows = rows
        self._encoders: dict[int, tuple[Shape, RowEncoder]] = {}

    def add(self, shape: Shape, prepared: Prepared, batch: Batch) -> None:
        """Put the rows of changes into a batch, in place of records."""
        rows = self._encoder(shape).encode(prepared)
        if rows.num_rows:
            found: list[Any] = batch.records
            found.append(rows)
            batch.bytes += rows.nbytes

    def of(self, shown: Iterable[tuple[Shape, Changes]]) -> list[pa.RecordBatch]:
        """The rows of read events."""
        return [self._encoder(shape).encode(shape.prepare(changes)) for shape, changes in shown]

    def _encoder(self, shape: Shape) -> RowEncoder:
        """A shape is held with its encoder, or another one might get its number."""
        if id(shape) not in self._encoders:
            self._encoders[id(shape)] = shape, RowEncoder(self._rows, shape)
        return self._encoders[id(shape)][1]


def row_steps(batches: Iterable[LogBatch]) -> Iterator[RowStep]:
    """Batches whose records are rows, as those who read rows want them."""
    for batch in batches:
        found: Any = batch.records
        yield found, batch.progress, batch.history


def part_steps(rows: RowSchema, steps: Iterable[tuple[Iterable[tuple[Shape, Changes]], Progress]]) -> Iterator[RowStep]:
    """The rows of a part of a snapshot, batch by batch."""
    made = BatchRows(rows)
    for shown, reached in steps:
        yield made.of(shown), reached, ()
