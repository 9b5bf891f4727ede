"""Encodes a connector's events as the configuration says, because encoded records are easier to compare than events."""

from dataclasses import dataclass, field, fields

from tailrace.connectors.base import LogBatch
from tailrace.encoding.json import JsonEncoder, JsonFormat
from tailrace.events.pipeline import RecordPipeline, pipeline_of

PLAIN = JsonFormat(schemas=False)
WITHOUT_SCHEMAS = JsonEncoder(PLAIN, PLAIN, PLAIN)


@dataclass
class EncodedBatch(LogBatch):
    """A batch with its records."""

    records: list = field(default_factory=list)


def records_of(batch, settings=None):
    """The records of a batch, in the form that the settings want; None: without schemas."""
    if isinstance(batch, EncodedBatch):
        return batch.records
    pipeline = RecordPipeline(WITHOUT_SCHEMAS) if settings is None else pipeline_of(settings)
    return pipeline.records(list(batch.events), interleaved=batch.is_interleaved)


def records_of_event(event, *, schemas=True):
    """The records of an event alone."""
    format_ = JsonFormat(schemas=schemas)
    return JsonEncoder(format_, format_, format_).encode(event.source_records())


def encoded(batches, settings):
    """The batches of a reader, each encoded when it comes."""
    try:
        for batch in batches:
            given = {each.name: getattr(batch, each.name) for each in fields(batch)}
            yield EncodedBatch(**given, records=records_of(batch, settings))
    finally:
        batches.close()
