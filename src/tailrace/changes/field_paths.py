"""Fields of keys and values by their path, and their values for each record.

Most transforms only rearrange layouts. Those that look at contents (a topic from a column, a condition) get the values of
a field as one column with a value for each record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from tailrace.changes.distinct import distinct_texts
from tailrace.changes.layouts import Column, Constant, Layout, Node, Struct, fills_nulls
from tailrace.changes.source_records import Mask, Objects, SourceRecords
from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import take, vector_of
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.decimals import decimal_bytes, scale_of


@dataclass(frozen=True, slots=True)
class Path:
    """The nodes from a root down to a field; at least the root."""

    nodes: tuple[Node, ...]

    @property
    def node(self) -> Node:
        """The field's node."""
        return self.nodes[-1]

    @property
    def schema(self) -> Schema:
        """The field's schema."""
        return self.node.schema


def path_to(root: Node, names: Sequence[str]) -> Path | None:
    """The path to a field, by the names of the fields on the way; None if there is none of these names."""
    nodes = [root]
    for name in names:
        node = nodes[-1]
        found = node.field(name) if isinstance(node, Struct) else None
        if found is None:
            return None
        nodes.append(found)
    return Path(tuple(nodes))


def is_null(records: SourceRecords, node: Node) -> Mask:
    """For which records a node by itself is null, whatever is around it; shape (n,)."""
    if isinstance(node, Constant):
        return np.full(len(records), node.value is None and not _has_default(node), np.bool_)
    if isinstance(node, Struct):
        if node.role is None:
            return np.zeros(len(records), np.bool_)
        rows = records.roles[node.role]
        if node.slot is None:
            return _missing(rows)
        return ~_valid(cast("Vector", records.columns[node.slot]), rows)
    rows = records.roles[node.role]
    column = records.columns[node.slot]
    if isinstance(column, Vector):
        return np.zeros(len(records), np.bool_) if fills_nulls(node) else ~_valid(column, rows)
    if isinstance(column, Objects):
        given = np.array([value is not None for value in column.values] or [False], np.bool_)
        null: Mask = _missing(rows) | ~given[np.maximum(rows, 0)]
        return null
    return _missing(rows)


def nulls_of(records: SourceRecords, path: Path) -> Mask:
    """For which records a field is null, or has no struct around it; shape (n,)."""
    null = np.zeros(len(records), np.bool_)
    for node in path.nodes:
        null |= is_null(records, node)
    return null


def values_are_null(records: SourceRecords) -> Mask:
    """For which records the value is null, with a schema or without; shape (n,)."""
    null = is_null(records, records.value.root)
    return null if records.has_value is None else null | ~records.has_value


def keys_are_null(records: SourceRecords) -> Mask:
    """For which records the key is null, with a schema or without; shape (n,)."""
    if records.key is None:
        return np.ones(len(records), np.bool_)
    null = is_null(records, records.key.root)
    return null if records.has_key is None else null | ~records.has_key


def gathered(records: SourceRecords, path: Path) -> Vector:
    """The values of a field that is no struct and no list, one for each record.

    Raises:
        TypeError: it is one, or its values are Python's.

    """
    node, n = path.node, len(records)
    if isinstance(node, Constant):
        value = node.schema.default if node.value is None and _has_default(node) else node.value
        vector = repeated(node.schema, value, n)
    elif isinstance(node, Column):
        vector = _gathered(records, node)
    else:
        raise TypeError(f"a {node.schema.type} has no column of values")
    present = ~nulls_of(records, path)
    vector.valid = None if present.all() else np.packbits(present, bitorder="little")
    return vector


def series(records: SourceRecords, path: Path) -> pl.Series:
    """`gathered` as a series of polars. Raises as that."""
    return cast("pl.Series", pl.from_arrow(gathered(records, path).to_arrow()))


def texts(records: SourceRecords, path: Path) -> tuple[list[str | None], npt.NDArray[np.int64]]:
    """The distinct texts of a field, and which one each record has, shape (n,).

    Raises:
        TypeError: it is no text.

    """
    found = gathered(records, path)
    if found.kind is not Kind.TEXT:
        raise TypeError(f"a {path.schema.type} is no text")
    firsts, codes = distinct_texts(found)
    return take(found, firsts).to_arrow().to_pylist(), codes


def root_path(layout: Layout) -> Path:
    """The path to the whole."""
    return Path((layout.root,))


def _gathered(records: SourceRecords, node: Column) -> Vector:
    column, rows = records.columns[node.slot], records.roles[node.role]
    if not isinstance(column, Vector) or column.kind in {Kind.STRUCT, Kind.LIST}:
        raise TypeError(f"a {node.schema.type} has no column of values")
    if not column.length:  # every record's row is missing
        column = _empty_row(column)
    found = take(column, np.maximum(rows, 0))
    return with_default(found, node.schema) if node.filled else found


def _empty_row(column: Vector) -> Vector:
    shape = (1, 4) if column.kind in {Kind.TEXT, Kind.BYTES} else (1,)
    return Vector(column.kind, 1, np.zeros(shape, column.data.dtype), np.zeros(1, np.uint8))


def with_default(vector: Vector, schema: Schema) -> Vector:
    """The values with the schema's default for nulls, for columns that a transform has filled."""
    if schema.default is NO_DEFAULT or vector.valid is None:
        return vector
    one, valid = repeated(schema, schema.default, 1), vector.is_valid()
    data = vector.data.copy()
    if vector.kind in {Kind.TEXT, Kind.BYTES}:
        buffers = (*vector.buffers, *one.buffers)
        default_view = one.data.copy()
        if default_view[0, 0] > 12:
            default_view[0, 2] = len(vector.buffers)
        data[~valid] = default_view
        return Vector(vector.kind, vector.length, data, None, buffers)
    data[~valid] = one.data.astype(data.dtype)[0]
    return Vector(vector.kind, vector.length, data)


def repeated(schema: Schema, value: Any, n: int) -> Vector:
    """A value of a schema that is no struct, list or map, as a vector of n."""
    if isinstance(value, Decimal):
        value = decimal_bytes(value, scale_of(schema))
    if schema.type in {Type.FLOAT32, Type.FLOAT64}:
        kind = Kind.FLOAT32 if schema.type is Type.FLOAT32 else Kind.FLOAT64
        return Vector(kind, n, np.full(n, value or 0, np.float32 if kind is Kind.FLOAT32 else np.float64))
    if isinstance(value, bool):
        return Vector(Kind.BOOL, n, np.full(n, int(value), np.int64))
    if isinstance(value, int):
        return Vector(Kind.INT, n, np.full(n, value, np.int64))
    text = value.encode() if isinstance(value, str) else value or b""
    one = vector_of([text], Kind.BYTES if isinstance(value, bytes) else Kind.TEXT)
    return take(one, np.zeros(n, np.int64))


def _has_default(node: Constant) -> bool:
    return node.schema.default is not NO_DEFAULT


def _missing(rows: npt.NDArray[np.int32]) -> Mask:
    missing: Mask = rows < 0
    return missing


def _valid(column: Vector, rows: npt.NDArray[np.int32]) -> Mask:
    present: Mask = rows >= 0
    if column.valid is None or not column.length:
        return present
    return present & column.is_valid()[np.maximum(rows, 0)]
