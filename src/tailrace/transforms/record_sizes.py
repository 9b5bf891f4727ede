"""The size of records as Debezium estimates it: what their keys and values take in Java's memory, without their schemas.

Source: the numbers are those of Debezium's `ApproximateStructSizeCalculator`; comparison with it (tests/formats).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from tailrace.changes.field_paths import is_null
from tailrace.changes.layouts import Array, Column, Constant, Node, Struct, Values
from tailrace.changes.source_records import Lists, Objects, SourceRecords
from tailrace.changes.vectors import Kind, Vector
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.parts import KEYS, VALUES, Part

Sizes = npt.NDArray[np.int64]

_STRUCT: Final = 56
_STRING: Final = 56
_BYTES: Final = 24
_ARRAY: Final = 64
_MAP: Final = 88
_PRIMITIVE: Final = 24
_REFERENCE: Final = 8
_HEADER: Final = 100
_TIMESTAMP: Final = 8


def record_sizes(records: SourceRecords) -> Sizes:
    """The estimated bytes of each record, shape (n,), without the connector's position, which is not known here."""
    sizes = np.full(len(records), _TIMESTAMP + len(records.topic.encode()), np.int64)
    for header in records.headers:
        sizes += _HEADER if header.present is None else _HEADER * header.present
    return sizes + _of_part(records, KEYS) + _of_part(records, VALUES)


def _of_part(records: SourceRecords, part: Part) -> Sizes:
    layout = part.layout(records)
    if layout is None:
        return np.zeros(len(records), np.int64)
    return np.where(part.there(records), _of_node(records, layout.root), 0)


def _of_node(records: SourceRecords, node: Node) -> Sizes:
    """The sizes of a value by itself, whatever is around it."""
    n = len(records)
    if isinstance(node, Constant):
        return np.full(n, _of_value(node.schema, node.value), np.int64)
    if isinstance(node, Struct):
        fields = sum((_of_node(records, each) + _REFERENCE for each in node.fields), np.full(n, _STRUCT, np.int64))
        return np.where(is_null(records, node), 0, fields)
    rows, column = records.roles[node.role], records.columns[node.slot]
    if isinstance(node, Values):
        known = np.array([_of_value(node.schema, each) for each in cast("Objects", column).values], np.int64)
    elif isinstance(node, Array):
        known = _of_lists(cast("Lists", column), node, records)
    else:
        return _of_column(records, node, cast("Vector", column))
    return np.where(rows < 0, _of_value(node.schema, None), np.append(known, 0)[rows])


def _of_column(records: SourceRecords, node: Column, column: Vector) -> Sizes:
    rows = np.maximum(records.roles[node.role], 0)
    if column.kind in (Kind.TEXT, Kind.BYTES):
        base = _STRING if node.schema.type is Type.STRING else _BYTES
        sizes = base + column.data[:, 0].astype(np.int64)  # the view's first word is the length
    elif column.kind is Kind.LIST:
        sizes = _ARRAY + np.diff(column.data) * (_REFERENCE + _PRIMITIVE)
    else:
        return np.full(len(records), _PRIMITIVE, np.int64)
    return np.where(is_null(records, replace(node, filled=False)), 0, np.append(sizes, 0)[rows])


def _of_lists(lists: Lists, node: Array, records: SourceRecords) -> Sizes:
    """The sizes of a column's lists."""
    items = replace(records, columns=lists.columns, roles=lists.roles)
    sums = np.append(0, np.cumsum(_of_node(items, node.item) + _REFERENCE))
    return _ARRAY + np.diff(sums[lists.offsets])


def _of_value(schema: Schema, value: Any) -> int:
    """The size of a Python value, of records that are too rare to be columnar."""
    if schema.type in (Type.STRING, Type.BYTES):
        if value is None:
            return 0
        return _STRING + len(value.encode()) if schema.type is Type.STRING else _BYTES + len(value)
    if schema.type not in (Type.STRUCT, Type.ARRAY, Type.MAP):
        return _PRIMITIVE
    if value is None:
        return 0
    if schema.type is Type.STRUCT:
        return _STRUCT + sum(_REFERENCE + _of_value(each.schema, value.get(each.name)) for each in schema.fields)
    item = cast("Schema", schema.items)
    if schema.type is Type.ARRAY:
        return _ARRAY + sum(_REFERENCE + _of_value(item, each) for each in value)
    key = cast("Schema", schema.keys)
    return _MAP + sum(2 * _REFERENCE + _of_value(key, name) + _of_value(item, each) for name, each in value.items())
