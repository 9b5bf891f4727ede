"""One table's changes as typed rows, for the DataFrame way: what of `shared/typed_rows.py` only SQL Server can tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

import attrs
import pyarrow as pa

from tailrace.changes.records import Records
from tailrace.config.properties.sqlserver.reading import COMMIT
from tailrace.config.settings import SqlServerSettings
from tailrace.connectors.base import HistoryRecord, LogRange, Progress, SnapshotPart
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.typed_rows import BatchRows, RowStep, only_one, part_steps, row_columns, row_steps
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.capture_instances import CaptureInstances
from tailrace.connectors.sqlserver.captured import Captured, CapturedTables, with_fields
from tailrace.connectors.sqlserver.connection import connect
from tailrace.connectors.sqlserver.database_log import DatabaseLog
from tailrace.connectors.sqlserver.snapshots.part_reading import part_reader
from tailrace.connectors.sqlserver.streaming import LogReader
from tailrace.connectors.sqlserver.told_structures import ToldStructures
from tailrace.connectors.sqlserver.types import field_schema
from tailrace.connectors.sqlserver.window_tables import WindowTables
from tailrace.encoding.rows import RowSchema, arrow_type
from tailrace.errors import StructureError
from tailrace.events.shape import Prepared
from tailrace.schema.tables import Column, Table, TableId

NOT_BEGUN: Final = " that the capture job has begun with (is the SQL Server Agent running?)"


def row_settings(settings: SqlServerSettings) -> SqlServerSettings:
    """The settings under which columns come in types that Spark has, and nothing but rows of the table comes out."""
    return attrs.evolve(
        settings,
        tables=settings.tables.without_signal_tables(),
        time_precision_mode="microseconds",
        decimal_handling_mode="string",
        binary_handling_mode="bytes",
        include_schema_changes=False,
        provide_transaction_metadata=False,
        source_timestamp_mode=COMMIT,  # rows have no source block, but the time of the commit
        tombstones_on_delete=False,
    )


def row_schema(settings: SqlServerSettings, *, with_before: bool) -> RowSchema:
    """The columns of the one captured table as its newest instance has them.

    Raises:
        ConfigError: not exactly one table is captured.

    """
    settings = row_settings(settings)
    found: dict[TableId, Table] = {}
    for name in settings.database_names:
        found |= _captured_in(settings, name)
    table, _ = with_fields(found[only_one(list(found), NOT_BEGUN)], settings)

    def type_of(column: Column) -> pa.DataType:
        schema = field_schema(column, settings)
        if schema is None:
            raise StructureError(f"{table.id}.{column.name} has no field")
        # an alias type may be called anything
        kind = "DECIMAL" if column.jdbc_type in jdbc.DECIMAL_TYPES else ""
        return arrow_type(schema, kind, column.length, column.scale)

    return RowSchema(row_columns(table, settings, type_of), with_before)


def _captured_in(settings: SqlServerSettings, database: str) -> dict[TableId, Table]:
    """The captured tables of a database, each as its newest instance has it."""
    with connect(settings, database) as session:
        catalog.require_captured(session, database)
        instances = CaptureInstances(settings, ToldStructures(settings, ()))
        instances.refresh(session)
        return {each.table: instances.structure(each) for each in instances.all.values()}


def read_rows(
    settings: SqlServerSettings,
    rows: RowSchema,
    range_: LogRange,
    progress: Progress,
    history: Sequence[HistoryRecord],
) -> Iterator[RowStep]:
    """The rows of a range, batch by batch, with the progress and what the batch adds to the schema history."""
    return row_steps(_RowReader(row_settings(settings), rows, range_, progress, history).batches())


def read_part(
    settings: SqlServerSettings,
    rows: RowSchema,
    part: SnapshotPart,
    progress: Progress,
    history: Sequence[HistoryRecord],
) -> Iterator[RowStep]:
    """The rows of a part of a snapshot, batch by batch."""
    return part_steps(rows, part_reader(row_settings(settings), part, progress, history).steps())


class _RowReader(LogReader):
    """Reads a range as rows."""

    def __init__(
        self,
        settings: SqlServerSettings,
        rows: RowSchema,
        range_: LogRange,
        progress: Progress,
        history: Sequence[HistoryRecord],
    ) -> None:
        super().__init__(settings, range_, progress, history)
        self._rows = BatchRows(rows)

    def _ordered(self, batch: Batch) -> list[Records]:
        return batch.records  # rows of one table

    def _new_log(self, name: str, made: Callable[..., DatabaseLog] = DatabaseLog) -> DatabaseLog:  # noqa: ARG002
        return super()._new_log(name, partial(_RowLog, self._rows))


class _RowLog(DatabaseLog):
    """Reads one database's log as rows."""

    def __init__(self, rows: BatchRows, *args: Any, **more: Any) -> None:
        self._rows = rows
        super().__init__(*args, **more)

    def _new_reader(self, tables: CapturedTables, *, counts: bool) -> WindowTables:
        return _WindowRows(self._rows, tables, self._instances, self._lost, self._new_batch, counts=counts)


class _WindowRows(WindowTables):
    """Makes rows where others make records."""

    def __init__(self, rows: BatchRows, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._typed = rows

    def _encode(self, captured: Captured, prepared: Prepared, batch: Batch) -> None:
        self._typed.add(captured.shape, prepared, batch)
