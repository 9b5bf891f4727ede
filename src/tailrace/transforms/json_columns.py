"""Parsed JSON values of one schema as columns, and the nodes over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

from tailrace.changes.layouts import Column, Node, Struct, Values
from tailrace.changes.source_records import AnyColumn, Objects
from tailrace.changes.vectors import from_arrow
from tailrace.schema.connect import Schema, Type

_ARROW: Final = {
    Type.INT32: pa.int64(),
    Type.INT64: pa.int64(),
    Type.FLOAT64: pa.float64(),
    Type.BOOLEAN: pa.bool_(),
    Type.STRING: pa.string_view(),
}


def columns_of(schema: Schema, values: Sequence[Any]) -> list[AnyColumn]:
    """The columns of structs that all have the same fields; no struct in them is null."""
    columns: list[AnyColumn] = []
    for field in schema.fields:
        parts = [value[field.name] for value in values]
        if field.schema.type is Type.STRUCT and None not in parts:
            columns += columns_of(field.schema, parts)
        elif field.schema.type in _ARROW:
            columns.append(from_arrow(pa.array(parts, _ARROW[field.schema.type])))
        else:
            columns.append(Objects(parts))
    return columns


def struct_over(schema: Schema, first: int, role: int) -> Struct:
    """The struct whose columns stand from slot `first` on; row i of them is what `role` says."""
    return Struct(schema, _nodes(schema, first, role)[0])


def _nodes(schema: Schema, slot: int, role: int) -> tuple[tuple[Node, ...], int]:
    """The nodes of the fields, and the slot behind their columns."""
    nodes: list[Node] = []
    for field in schema.fields:
        if field.schema.type is Type.STRUCT:
            fields, slot = _nodes(field.schema, slot, role)
            nodes.append(Struct(field.schema, fields))
            continue
        node: Node = Column(field.schema, slot, role) if field.schema.type in _ARROW else Values(field.schema, slot, role)
        nodes.append(node)
        slot += 1
    return tuple(nodes), slot
