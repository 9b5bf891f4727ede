"""One table's changes as typed rows, for the DataFrame way: what of `shared/typed_rows.py` only MySQL can tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import pyarrow as pa

from tailrace.changes.records import Records
from tailrace.config.settings import MySqlSettings
from tailrace.connectors.base import HistoryRecord, LogRange, Progress, SnapshotPart
from tailrace.connectors.mysql import catalog, connection, server_structures
from tailrace.connectors.mysql.captured import Captured
from tailrace.connectors.mysql.log import Query
from tailrace.connectors.mysql.run_records import RunRecords
from tailrace.connectors.mysql.snapshots.part_reading import part_reader
from tailrace.connectors.mysql.streaming import LogReader
from tailrace.connectors.mysql.types import field_schema
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.typed_rows import BatchRows, RowStep, only_one, part_steps, row_columns, row_steps
from tailrace.encoding.rows import RowSchema, arrow_type
from tailrace.errors import ConfigError
from tailrace.events.shape import Prepared
from tailrace.schema.structures import Structures
from tailrace.schema.tables import Column, TableId


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
    structures = Structures()
    for database, ddl in found.databases.items():
        structures.apply(database, ddl)
    only = only_one(list(found.tables))
    structures.apply(only.catalog, found.tables[only])

    def type_of(column: Column) -> pa.DataType:
        return arrow_type(field_schema(column, settings), column.type_name, column.length, column.scale)

    table = structures[TableId(only.catalog, "", only.name)]
    return RowSchema(row_columns(table, settings, type_of), with_before)


def read_rows(
    settings: MySqlSettings, rows: RowSchema, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]
) -> Iterator[RowStep]:
    """The rows of a range, batch by batch, with the progress and what the batch adds to the schema history."""
    return row_steps(_RowReader(row_settings(settings), rows, range_, progress, history).batches())


def read_part(
    settings: MySqlSettings, rows: RowSchema, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord]
) -> Iterator[RowStep]:
    """The rows of a part of a snapshot, batch by batch."""
    return part_steps(rows, part_reader(row_settings(settings), part, progress, history).steps())


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
        self._rows = BatchRows(rows)

    def _encode(self, captured: Captured, prepared: Prepared, batch: Batch) -> None:
        self._rows.add(captured.shape, prepared, batch)

    def truncation(self, table_id: TableId, query: Query, batch: Batch) -> None:  # noqa: ARG002
        """A truncated table has no row to show: merges can't take it, so it stops the query."""
        raise ConfigError(
            f"{query.file}:{query.start}: {table_id} was truncated, which rows can't tell. Empty the target and set a "
            'new position, or capture records instead (output="records" with skipped.operations=none)'
        )
