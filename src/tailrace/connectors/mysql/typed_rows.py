"""One table's changes as typed rows, for the DataFrame way with `output="rows"`.

The columns of the DataFrame are those that the table has when the query starts. The log may go back to a structure
before that: a column that was not there yet, or is gone since, is null. A column that is added while the query runs
stops it with a message, because a DataFrame can't grow one; started again, it goes on there with the column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import pyarrow as pa

from tailrace.changes.records import Records
from tailrace.changes.shape import Prepared
from tailrace.config.settings import MySqlSettings
from tailrace.connectors.base import HistoryRecord, LogRange, Progress, SnapshotPart
from tailrace.connectors.mysql import catalog, connection, server_structures
from tailrace.connectors.mysql.captured import Captured
from tailrace.connectors.mysql.log import Query
from tailrace.connectors.mysql.run_records import RunRecords
from tailrace.connectors.mysql.snapshots.part_reading import PartReader
from tailrace.connectors.mysql.streaming import LogReader
from tailrace.connectors.mysql.types import field_schema
from tailrace.connectors.shared.batches import Batch
from tailrace.encoding.rows import RowEncoder, RowSchema, arrow_type
from tailrace.errors import ConfigError
from tailrace.schema.envelope import value_columns
from tailrace.schema.names import Names
from tailrace.schema.structures import Structures
from tailrace.schema.tables import Table, TableId


def row_settings(settings: MySqlSettings) -> MySqlSettings:
    """The settings under which columns come in types that Spark has, and nothing but rows of the table comes out."""
    return attrs.evolve(
        settings,
        tables=settings.tables.without_signal_tables(),
        time_precision_mode="adaptive_time_microseconds",
        decimal_handling_mode="string",
        bigint_unsigned_handling_mode="long",  # its 64 bits; the encoder reads them as unsigned
        binary_handling_mode="bytes",
        include_schema_changes=False,
        provide_transaction_metadata=False,
        tombstones_on_delete=False,
    )


def row_schema(settings: MySqlSettings, *, with_before: bool) -> RowSchema:
    """The columns of the one captured table as it is now.

    Raises:
        ConfigError: not exactly one table is captured.

    """
    settings = row_settings(settings)
    with connection.connect(settings) as session:
        found = server_structures.structures(session, catalog.server(session), settings.tables.matches, locking=False)
    if len(found.tables) != 1:
        names = ", ".join(map(str, found.tables)) or "none"
        raise ConfigError(
            f'output="rows" is for one table, and table.include.list captures {len(found.tables)}: {names}'
        )
    structures = Structures()
    for database, ddl in found.databases.items():
        structures.apply(database, ddl)
    ((table_id, ddl),) = found.tables.items()
    structures.apply(table_id.catalog, ddl)
    return RowSchema(_columns(structures[TableId(table_id.catalog, "", table_id.name)], settings), with_before)


def _columns(table: Table, settings: MySqlSettings) -> pa.Schema:
    names = Names(settings)
    fields = []
    for index in value_columns(table, settings):
        column = table.columns[index]
        schema = field_schema(column, settings)
        type_ = arrow_type(schema, column.type_name, column.length, column.scale)
        fields.append(pa.field(names.field_name(column.name), type_))
    return pa.schema(fields)


def read_rows(
    settings: MySqlSettings, rows: RowSchema, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]
) -> Iterator[tuple[list[pa.RecordBatch], Progress, Sequence[HistoryRecord]]]:
    """The rows of a range, batch by batch, with the progress and what the batch adds to the schema history."""
    reader = _RowReader(row_settings(settings), rows, range_, progress, history)
    for batch in reader.batches():
        found: Any = batch.records
        yield found, batch.progress, batch.history


def read_part(
    settings: MySqlSettings, rows: RowSchema, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord]
) -> Iterator[tuple[list[pa.RecordBatch], Progress, Sequence[HistoryRecord]]]:
    """The rows of a part of a snapshot, batch by batch."""
    for shown, reached in PartReader(row_settings(settings), part, progress, history).steps():
        yield [RowEncoder(rows, shape).encode(shape.prepare(changes)) for shape, changes in shown], reached, ()


class _RowReader(LogReader):
    """Reads a range as rows."""

    def __init__(
        self,
        settings: MySqlSettings,
        rows: RowSchema,
        range_: LogRange,
        progress: Progress,
        history: Sequence[HistoryRecord],
    ) -> None:
        super().__init__(settings, range_, progress, history)
        self._rows = rows

    def _ordered(self, batch: Batch) -> list[Records]:
        return batch.records  # rows of one table

    def _new_runs(self) -> RunRecords:
        return _RunRows(self._rows, self._settings, self._tables, self._bounds, self._restart.era)


class _RunRows(RunRecords):
    """Makes rows where others make records."""

    def __init__(self, rows: RowSchema, *args: Any) -> None:
        super().__init__(*args)
        self._rows = rows
        self._encoders: dict[int, RowEncoder] = {}

    def _encode(self, captured: Captured, prepared: Prepared, batch: Batch) -> None:
        encoder = self._encoders.get(id(captured))
        if encoder is None:
            encoder = self._encoders[id(captured)] = RowEncoder(self._rows, captured.shape)
        rows = encoder.encode(prepared)
        if rows.num_rows:
            found: list[Any] = batch.records
            found.append(rows)
            batch.bytes += rows.nbytes

    def truncation(self, table_id: TableId, query: Query, batch: Batch) -> None:  # noqa: ARG002
        """A truncated table has no row to show: merges can't take it, so it stops the query."""
        raise ConfigError(
            f"{query.file}:{query.start}: {table_id} was truncated, which rows can't tell. Empty the target and set a "
            'new position, or capture records instead (output="records" with skipped.operations=none)'
        )
