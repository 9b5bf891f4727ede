"""Records as Arrow record batches in exactly the types that Spark derives from the schema of the DataFrame way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from tailrace.changes.records import Header, Records
from tailrace.changes.source_records import Mask

SPARK_SCHEMA = (
    "topic string, partition int, key string, value string, "
    "headers array<struct<key:string,value:binary>>, timestamp timestamp, position string"
)
_HEADER = pa.struct([("key", pa.string()), ("value", pa.binary())])
_HEADERS = pa.list_(pa.field("element", _HEADER))
ARROW_SCHEMA = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("key", pa.string()),
        ("value", pa.string()),
        ("headers", _HEADERS),
        ("timestamp", pa.timestamp("us", tz="UTC")),
        ("position", pa.string()),
    ]
)
MOST_ROWS = 10_000
MOST_BYTES = 32 << 20


def record_batches(records: Records) -> Iterator[pa.RecordBatch]:
    """The records, in order, in batches of limited size: strings in Spark's Arrow types have 32-bit offsets."""
    table = pa.Table.from_arrays(_columns(records), schema=_wide(ARROW_SCHEMA))
    for first, last in _cuts(records):
        batch = table.slice(first, last - first).cast(ARROW_SCHEMA).combine_chunks()
        yield from batch.to_batches()


def _columns(records: Records) -> list[pa.Array]:
    n = len(records)
    milliseconds = pa.array(np.ascontiguousarray(records.timestamps, np.int64))
    return [
        pa.repeat(pa.scalar(records.topic, pa.large_string()), n),
        pa.repeat(pa.scalar(records.partition, pa.int32()), n),
        records.keys.to_arrow(pa.large_string()),
        records.values.to_arrow(pa.large_string()),
        header_lists(records.headers, n),
        milliseconds.cast(pa.timestamp("ms", tz="UTC")).cast(pa.timestamp("us", tz="UTC")),
        records.positions.to_arrow(pa.large_string()),
    ]


def header_lists(headers: Sequence[Header], n: int) -> pa.Array:
    """For each record the list of its headers, as `headers` in `SPARK_SCHEMA`."""
    if not headers:
        return pa.ListArray.from_arrays(pa.array(np.zeros(n + 1, np.int32)), pa.array([], _HEADER), type=_HEADERS)
    present = np.column_stack([_is_there(header) for header in headers])
    rows, which = np.nonzero(present)
    values = pa.chunked_array([header.values.to_arrow(pa.large_binary()) for header in headers])
    taken = values.take(pa.array(which * n + rows)).combine_chunks().cast(pa.binary())
    names = pa.array([header.name for header in headers]).take(pa.array(which))
    offsets = np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int32)
    if isinstance(taken, pa.ChunkedArray):
        taken = pa.concat_arrays(taken.chunks)
    pairs = pa.StructArray.from_arrays([names, taken], fields=list(_HEADER))
    return pa.ListArray.from_arrays(pa.array(offsets), pairs, type=_HEADERS)


def _is_there(header: Header) -> Mask:
    """Which records have the header, with a value or with null."""
    valid = header.values.valid
    if valid is None:
        return np.ones(len(header.values), np.bool_)
    return valid if header.nulls is None else valid | header.nulls


def _cuts(records: Records) -> Iterator[tuple[int, int]]:
    """Row ranges of at most `MOST_ROWS` rows and `MOST_BYTES` bytes; a larger row has a range of its own."""
    ends = records.values.offsets[1:] + records.keys.offsets[1:]
    first = 0
    while first < len(records):
        limit = records.values.offsets[first] + records.keys.offsets[first] + MOST_BYTES
        fitting = int(np.searchsorted(ends, limit, side="right"))
        last = min(max(fitting, first + 1), first + MOST_ROWS)
        yield first, last
        first = last


def _wide(schema: pa.Schema) -> pa.Schema:
    fields = [field.with_type(pa.large_string()) if field.type == pa.string() else field for field in schema]
    return pa.schema(fields)
