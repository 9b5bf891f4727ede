"""Parsed JSON values of one schema as columns, and the nodes over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

from tailrace.changes.layouts import Array, Column, Node, Struct, Values
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


def struct_over(schema: Schema, first: int, role: int, *, lists: bool = False) -> Struct:
    """The struct whose columns stand from slot `first` on; row i of them is what `role` says.

    `lists`: arrays are `Lists`, and not `Objects`.
    """
    return Struct(schema, _nodes(schema, first, role, lists=lists)[0])


def _nodes(schema: Schema, slot: int, role: int, *, lists: bool) -> tuple[tuple[Node, ...], int]:
    """The nodes of the fields, and the slot behind their columns."""
    nodes: list[Node] = []
    for field in schema.fields:
        if field.schema.type is Type.STRUCT:
            fields, slot = _nodes(field.schema, slot, role, lists=lists)
            nodes.append(Struct(field.schema, fields))
            continue
        nodes.append(_node(field.schema, slot, role, lists=lists))
        slot += 1
    return tuple(nodes), slot


def _node(schema: Schema, slot: int, role: int, *, lists: bool) -> Node:
    if schema.type in _ARROW:
        return Column(schema, slot, role)
    if not lists or schema.items is None:
        return Values(schema, slot, role)
    item = struct_over(schema.items, 0, 0) if schema.items.type is Type.STRUCT else Column(schema.items, 0, 0)
    return Array(schema, slot, role, item)
