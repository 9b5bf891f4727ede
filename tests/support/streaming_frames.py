"""Calls the data source as Spark does, without Spark: a new reader plans and reads each batch."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit

from tailrace.connectors.sqlserver.spec import SPEC
from tailrace.source.cdc_source import INITIAL, CdcReader
from tailrace.source.frame_reading import row_reading, spark_schema
from tailrace.source.options import ReadJob, parse_options
from tailrace_standins.servers.sqlserver_server import Database

Offset = Mapping[str, Any]
ALL = ReadAllAvailable()


def options_of(*databases: Database, **more: str) -> dict[str, str]:
    """Options of `sqlserver-cdc` for these databases, messages without schemas; in `more` an underscore stands for a dot."""
    plain = {"key_converter_schemas_enable": "false", "value_converter_schemas_enable": "false"}
    return databases[0].server.properties(*(each.name for each in databases), **{**plain, **more})


def job_of(options: Mapping[str, str]) -> ReadJob:
    """What the options of a DataFrame ask for."""
    return parse_options(options, options.get("connector.class", SPEC.connector_class))


def next_batch(options: Mapping[str, str], start: Offset, limit: ReadLimit = ALL) -> Offset:
    """The end of the next batch, as it comes out of a checkpoint."""
    end: Offset = json.loads(json.dumps(CdcReader(job_of(options)).latestOffset(start, limit)))
    return end


def batches(
    options: Mapping[str, str], start: Offset = INITIAL, limit: ReadLimit = ALL
) -> Iterator[tuple[Offset, Offset]]:
    """(start, end) of all batches, each planned by a new process."""
    while (end := next_batch(options, start, limit)) != start:
        yield start, end
        start = end


def tasks(options: Mapping[str, str], start: Offset, end: Offset) -> list[list[dict[str, Any]]]:
    """What each task of a batch gives, row by row."""
    job = job_of(options)
    reader = CdcReader(job, row_reading(job, spark_schema(job))) if job.output == "rows" else CdcReader(job)
    return [[row for batch in reader.read(each) for row in batch.to_pylist()] for each in reader.partitions(start, end)]


def read(options: Mapping[str, str], start: Offset, end: Offset) -> list[dict[str, Any]]:
    """What a batch gives."""
    return [row for each in tasks(options, start, end) for row in each]
