"""Whole keys, values and headers that are no structs, as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tailrace.changes.field_paths import gathered, is_null, root_path
from tailrace.changes.layouts import Array, Layout, Struct, Values
from tailrace.changes.records import Binary
from tailrace.changes.source_records import Mask, Objects, SourceRecords
from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import vector_of

if TYPE_CHECKING:
    from tailrace.schema.connect import Schema

_CONNECT = "org.apache.kafka.connect.data."
_OTHER_CLASSES = {f"{_CONNECT}{name}" for name in ("Decimal", "Date", "Time", "Timestamp")}


def is_there(records: SourceRecords, present: Mask | None) -> Mask:
    """Which records have a schema, shape (n,): `present` says it, where it is not None."""
    return np.ones(len(records), np.bool_) if present is None else present


def live(layout: Layout, records: SourceRecords, present: Mask | None) -> Mask:
    """Which records have a whole that is not null, shape (n,)."""
    there = ~is_null(records, layout.root)
    return there if present is None else there & present


def of_own_class(schema: Schema) -> bool:
    """Whether Java's values are of the class of their type: those of Connect's logical types are not."""
    return schema.name not in _OTHER_CLASSES


def whole_bytes(layout: Layout, records: SourceRecords) -> Vector:
    """The values of a layout of bytes, one for each record."""
    node = layout.root
    if not isinstance(node, Values):
        return gathered(records, root_path(layout))
    column, rows = records.columns[node.slot], records.roles[node.role]
    values = column.values if isinstance(column, Objects) else ()
    return vector_of([None if row < 0 else values[row] for row in rows], Kind.BYTES)


def is_single(layout: Layout) -> bool:
    """Whether the whole is neither a struct nor a list."""
    return not isinstance(layout.root, Struct | Array)


def binary_over(strings: pa.Array, valid: Mask | None) -> Binary:
    """Byte strings of Arrow (`large_binary`, `large_string`), with other nulls."""
    _, offsets, data = strings.buffers()
    n = len(strings)
    held = np.frombuffer(offsets, np.int64, n + 1, strings.offset * 8) if n else np.zeros(1, np.int64)
    return Binary(np.zeros(1, np.uint8) if data is None else np.frombuffer(data, np.uint8), held, valid)
