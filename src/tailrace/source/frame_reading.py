"""How the DataFrame way reads a range of the log or a part of a snapshot: as records of any table, or as typed rows of one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from tailrace.config.settings import Settings
from tailrace.connectors import connector_for, typed_rows_of
from tailrace.connectors.base import HistoryRecord, LogBatch, LogRange, Progress, SnapshotPart
from tailrace.connectors.interface import Connector
from tailrace.connectors.load import from_mapping
from tailrace.events.pipeline import Pipeline, RecordPipeline, pipeline_of
from tailrace.object_paths import load_object
from tailrace.preparation.executor import prepare_executor
from tailrace.source.arrow import MOST_ROWS, record_batches
from tailrace.source.options import ReadJob
from tailrace.source.retry import retrying

log = logging.getLogger(__name__)

Step = tuple[Iterator[pa.RecordBatch], Progress, Sequence[HistoryRecord]]


@dataclass(frozen=True, slots=True)
class FrameReading:
    """What gives the steps of a range, and of a part of a snapshot, from where the progress says."""

    log: Callable[[ReadJob, LogRange, Progress, Sequence[HistoryRecord]], Iterator[Step]]
    part: Callable[[ReadJob, SnapshotPart, Progress, Sequence[HistoryRecord]], Iterator[Step]]


def new_connector(job: ReadJob) -> Connector:
    """The connector, with placeholders replaced here and now."""
    connector: Connector = load_object(job.connector)(job.document)
    return connector


def read_records(
    job: ReadJob, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]
) -> Iterator[Step]:
    """A range as records."""
    prepare_executor()
    connector = new_connector(job)
    pipeline = pipeline_of(connector.settings)
    yield from _of_batches(pipeline, connector.read(range_, progress, history, pipeline.new_events))


def read_part_records(
    job: ReadJob, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord]
) -> Iterator[Step]:
    """A part of a snapshot as records."""
    prepare_executor()
    connector = new_connector(job)
    pipeline = pipeline_of(connector.settings)
    yield from _of_batches(pipeline, connector.read_part(part, progress, history, pipeline.new_events))


RECORDS = FrameReading(read_records, read_part_records)


def _of_batches(pipeline: RecordPipeline, batches: Iterator[LogBatch]) -> Iterator[Step]:
    for batch in batches:
        made = pipeline.records(batch.events, interleaved=batch.is_interleaved)
        rows = (rows for records in made for rows in record_batches(records))
        yield rows, batch.progress, batch.history


def spark_schema(job: ReadJob) -> Any:
    """The columns of the one captured table as it is now, and tailrace's own, as Spark's types."""
    settings = _settings(job)
    find = typed_rows_of(settings).row_schema
    rows = retrying(job.pace, lambda: find(settings, with_before=job.with_before), log.warning)
    return from_arrow_schema(rows.schema())


def row_reading(job: ReadJob, schema: Any) -> FrameReading:
    """Typed rows, in the columns that the query was started with."""
    from tailrace.encoding.rows import BEFORE, OPERATION, RowSchema

    arrow = to_arrow_schema(schema, timezone="UTC")
    columns = pa.schema(list(arrow)[: arrow.get_field_index(OPERATION)])
    rows = RowSchema(columns, job.with_before and BEFORE in arrow.names)
    return FrameReading(partial(_read_rows, rows, arrow), partial(_read_part_rows, rows, arrow))


def _read_rows(
    rows: Any,
    schema: pa.Schema,
    job: ReadJob,
    range_: LogRange,
    progress: Progress,
    history: Sequence[HistoryRecord],
) -> Iterator[Step]:
    prepare_executor()
    pipeline = _row_pipeline(rows)
    return _rows_of(pipeline, schema, _row_connector(job).read(range_, progress, history, pipeline.new_events))


def _read_part_rows(
    rows: Any,
    schema: pa.Schema,
    job: ReadJob,
    part: SnapshotPart,
    progress: Progress,
    history: Sequence[HistoryRecord],
) -> Iterator[Step]:
    prepare_executor()
    pipeline = _row_pipeline(rows)
    return _rows_of(pipeline, schema, _row_connector(job).read_part(part, progress, history, pipeline.new_events))


def _row_connector(job: ReadJob) -> Connector:
    """One that yields what rows can show."""
    settings = _settings(job)
    return connector_for(typed_rows_of(settings).row_settings(settings))


def _row_pipeline(rows: Any) -> Pipeline[pa.RecordBatch]:
    from tailrace.encoding.rows import RowEncoder

    return Pipeline(RowEncoder(rows))


def _rows_of(pipeline: Pipeline[pa.RecordBatch], schema: pa.Schema, batches: Iterator[LogBatch]) -> Iterator[Step]:
    for batch in batches:
        yield _in_pieces(pipeline.encoded(batch.events), schema), batch.progress, batch.history


def _in_pieces(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        fitting = batch if batch.schema.equals(schema) else batch.cast(schema)
        for first in range(0, fitting.num_rows, MOST_ROWS):
            yield fitting.slice(first, MOST_ROWS)


def _settings(job: ReadJob) -> Settings:
    return from_mapping(job.document, source=f"the options of {job.format}")
