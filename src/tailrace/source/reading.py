"""How the DataFrame way reads a range: as records of any table, or as typed rows of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from tailrace.config.load import from_mapping
from tailrace.config.settings import Settings
from tailrace.connectors import load_object, typed_rows_of
from tailrace.connectors.base import HistoryRecord, LogRange, Progress, RangeConnector
from tailrace.source.arrow import MOST_ROWS, record_batches
from tailrace.source.options import ReadJob
from tailrace.source.retry import retrying

Step = tuple[Iterator[pa.RecordBatch], Progress, Sequence[HistoryRecord]]
Reading = Callable[[ReadJob, LogRange, Progress, Sequence[HistoryRecord]], Iterator[Step]]


def new_connector(job: ReadJob) -> RangeConnector:
    """The connector, with placeholders replaced here and now."""
    connector: RangeConnector = load_object(job.connector)(job.document)
    return connector


def read_records(
    job: ReadJob, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]
) -> Iterator[Step]:
    """A range as records."""
    for batch in new_connector(job).read(range_, progress, history):
        rows = (rows for records in batch.records for rows in record_batches(records))
        yield rows, batch.progress, batch.history


def spark_schema(job: ReadJob) -> Any:
    """The columns of the one captured table as it is now, and tailrace's own, as Spark's types."""
    settings = _settings(job)
    find = typed_rows_of(settings).row_schema
    rows = retrying(job.pace, lambda: find(settings, with_before=job.with_before), lambda _notice: None)
    return from_arrow_schema(rows.schema())


def row_reading(job: ReadJob, schema: Any) -> Reading:
    """A range as typed rows, in the columns that the query was started with."""
    from tailrace.encoding.rows import BEFORE, OPERATION, RowSchema

    arrow = to_arrow_schema(schema, timezone="UTC")
    columns = pa.schema(list(arrow)[: arrow.get_field_index(OPERATION)])
    return partial(_read_rows, RowSchema(columns, job.with_before and BEFORE in arrow.names), arrow)


def _read_rows(
    rows: Any,
    schema: pa.Schema,
    job: ReadJob,
    range_: LogRange,
    progress: Progress,
    history: Sequence[HistoryRecord],
) -> Iterator[Step]:
    settings = _settings(job)
    read = typed_rows_of(settings).read_rows
    for batches, reached, new in read(settings, rows, range_, progress, history):
        yield _in_pieces(batches, schema), reached, new


def _in_pieces(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        fitting = batch if batch.schema.equals(schema) else batch.cast(schema)
        for first in range(0, fitting.num_rows, MOST_ROWS):
            yield fitting.slice(first, MOST_ROWS)


def _settings(job: ReadJob) -> Settings:
    return from_mapping(job.document, source="the options of mysql-cdc")
