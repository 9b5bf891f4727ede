"""Runs transforms as a configuration names them, over records of a table `shop.t` with columns `c0` (the key) and `c1` (text)."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from support.encoding import WITHOUT_SCHEMAS
from support.row_changes import row_changes
from support.unit_settings import unit_settings
from tailrace.changes.layouts import Column, Layout, Struct
from tailrace.changes.merging import in_log_order
from tailrace.changes.records import binary_of
from tailrace.changes.source_records import EventKind, SourceRecords, every_record
from tailrace.changes.vectors import from_arrow
from tailrace.encoding.json import JsonEncoder, JsonFormat
from tailrace.events.pipeline import RecordPipeline, transforms_of
from tailrace.schema.connect import Field, Schema, Type
from tailrace.transforms.chain import transformed

KAFKA = "org.apache.kafka.connect.transforms."
UNWRAP = ("io.debezium.transforms.ExtractNewRecordState", {"delete.tombstone.handling.mode": "rewrite-with-tombstone"})
CHANGES = [("c", None, (1, "a")), ("u", (1, "a"), (1, None)), ("d", (1, None), None)]
"""A create, an update and a delete, which has a tombstone."""


@dataclass
class Seen:
    """A record as JSON."""

    topic: str
    key: Any
    value: Any
    headers: list = field(default_factory=list)


def changes(events=CHANGES, topic=None):
    """The records of changes."""
    records = row_changes(events).source_records()
    records = replace(records, log_order=np.arange(len(records)))
    return records if topic is None else replace(records, topic=topic)


def rows(columns, topic="t", **schema):
    """Records whose values are structs; `columns` are (schema, Arrow array) by name."""
    vectors = [from_arrow(array) for _, array in columns.values()]
    n = vectors[0].length
    fields = tuple(Field(name, each) for name, (each, _) in columns.items())
    nodes = tuple(Column(each.schema, slot, 0) for slot, each in enumerate(fields))
    made = Struct(Schema(Type.STRUCT, fields=fields, **schema), nodes)
    moments = np.arange(n, dtype=np.int64) * 1000
    return SourceRecords(
        EventKind.ROWS, topic, None, Layout(made), vectors, every_record(n), moments, binary_of([b"p"] * n), np.arange(n)
    )


def properties(*chain):
    """A configuration with transforms; each is a class, or a class and its properties."""
    names = [f"t{number}" for number in range(len(chain))]
    found = {"transforms": ",".join(names)}
    for name, each in zip(names, chain, strict=True):
        type_, options = (each, {}) if isinstance(each, str) else each
        found[f"transforms.{name}.type"] = type_ if type_.count(".") else KAFKA + type_
        found |= {f"transforms.{name}.{option}": value for option, value in options.items()}
    return found


def run(records, *chain, schemas=False, defaults=True, tolerant=False):
    """What becomes of records, in log order within each topic."""
    given = properties(*chain) | ({"errors.tolerance": "all"} if tolerant else {})
    format_ = JsonFormat(schemas=schemas, defaults=defaults)
    encoder = JsonEncoder(format_, format_, format_)
    made = in_log_order([encoder.encode(each) for each in transformed(records, transforms_of(unit_settings(given)))])
    return [_seen(each, i) for each in made for i in range(len(each))]


def records_behind(event, *chain, tolerant=False):
    """(topic, partition, timestamp, key, value, headers) of each record of an event behind the pipeline, in log order."""
    given = properties(*chain) | ({"errors.tolerance": "all"} if tolerant else {})
    found = []
    for records in RecordPipeline(WITHOUT_SCHEMAS, transforms_of(unit_settings(given))).records([event], interleaved=True):
        for i in range(len(records)):
            headers = {header.name: header.values[i] for header in records.headers if header.values[i] is not None}
            place = records.topic, records.partition, int(records.timestamps[i])
            found.append((int(records.log_order[i]), *place, records.keys[i], records.values[i], headers))
    return [each[1:] for each in sorted(found, key=lambda each: each[0])]


def schema_of(message):
    """The schemas of the fields of a message with a schema, by name."""
    return {each["field"]: {k: v for k, v in each.items() if k != "field"} for each in message["schema"]["fields"]}


def _seen(records, i):
    headers = [(each.name, _json(each.values[i])) for each in records.headers if each.values[i] is not None]
    return Seen(records.topic, _json(records.keys[i]), _json(records.values[i]), headers)


def _json(text):
    return None if text is None else json.loads(text)
