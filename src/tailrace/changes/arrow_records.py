"""Keys, values and headers of records as Arrow arrays with a value for each record, and arrays as keys and values again.

For what people write in Python. Columns are gathered, which copies them; what the engine's own transforms do copies nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.arrow_columns import cast_to, plain_type, vector_of_array
from tailrace.changes.field_paths import Path, gathered, is_null
from tailrace.changes.layouts import Array, Column, Constant, Node, Struct, Values
from tailrace.changes.source_records import AnyColumn, Lists, Mask, Objects, SourceRecords
from tailrace.changes.vectors import Kind, Vector
from tailrace.schema.connect import Schema, Type

_NUMBERS = (Type.FLOAT32, Type.FLOAT64)


def array_at(records: SourceRecords, node: Node) -> pa.Array:
    """A node's values by itself, whatever is around it, as an array of its schema's plain type; length n."""
    if isinstance(node, Struct):
        return _structs(records, node)
    if isinstance(node, Array):
        return _lists(records, node)
    if isinstance(node, Values):
        return _objects(records, node)
    if isinstance(node, Constant) and node.schema.type in {Type.STRUCT, Type.ARRAY, Type.MAP}:
        return pa.array([plain_value(node.schema, node.value)] * len(records), plain_type(node.schema))
    if isinstance(node, Column) and cast("Vector", records.columns[node.slot]).kind is Kind.LIST:
        return _taken(cast("Vector", records.columns[node.slot]).to_arrow(), records.roles[node.role], node.schema)
    return cast_to(gathered(records, Path((node,))).to_arrow(), plain_type(node.schema))


def _structs(records: SourceRecords, node: Struct) -> pa.Array:
    type_, mask = plain_type(node.schema), is_null(records, node)
    children = [array_at(records, each) for each in node.fields]
    if not children:
        return pa.array([None if null else {} for null in mask.tolist()], type_)
    return pa.StructArray.from_arrays(children, fields=list(type_), mask=pa.array(mask))


def _lists(records: SourceRecords, node: Array) -> pa.Array:
    lists = cast("Lists", records.columns[node.slot])
    n = lists.roles.shape[1]
    items = array_at(replace(records, columns=lists.columns, roles=lists.roles, timestamps=np.zeros(n, np.int64)), node.item)
    made = pa.LargeListArray.from_arrays(pa.array(lists.offsets), items)
    return _taken(made, records.roles[node.role], node.schema)


def _objects(records: SourceRecords, node: Values) -> pa.Array:
    values = cast("Objects", records.columns[node.slot]).values
    made = pa.array([plain_value(node.schema, each) for each in values], plain_type(node.schema))
    return _taken(made, records.roles[node.role], node.schema)


def _taken(array: pa.Array, rows: npt.NDArray[np.int32], schema: Schema) -> pa.Array:
    return cast_to(array.take(pa.array(rows, pa.int32(), mask=rows < 0)), plain_type(schema))


def plain_value(schema: Schema, value: Any) -> Any:
    """A Python value in the form of `connect_json.value_json` as Arrow takes it: maps as pairs."""
    if value is None:
        return None
    if schema.type is Type.MAP and schema.items is not None:
        return [(key, plain_value(schema.items, item)) for key, item in value.items()]
    if schema.type is Type.ARRAY and schema.items is not None:
        return [plain_value(schema.items, item) for item in value]
    if schema.type is Type.STRUCT:
        return {each.name: plain_value(each.schema, value.get(each.name)) for each in schema.fields}
    return value


def _json_value(schema: Schema, value: Any) -> Any:
    """The inverse of `plain_value`."""
    if value is None:
        return None
    if schema.type is Type.MAP and schema.items is not None:
        return {key: _json_value(schema.items, item) for key, item in value}
    if schema.type is Type.ARRAY and schema.items is not None:
        return [_json_value(schema.items, item) for item in value]
    if schema.type is Type.STRUCT:
        return {each.name: _json_value(each.schema, value.get(each.name)) for each in schema.fields}
    return value


def columns_of(array: pa.Array, schema: Schema) -> tuple[AnyColumn, ...]:
    """The columns of a key, a value or a header, in the order in which `node_of` expects them.

    Raises:
        ValueError: the values do not fit the schema.

    """
    if schema.type is Type.STRUCT and not _is_rare(schema):
        return (_validity(array), *(each for column in _children(array, schema) for each in column))
    if _is_rare(schema):
        return (Objects([_json_value(schema, each) for each in cast_to(array, plain_type(schema)).to_pylist()]),)
    return (vector_of_array(array, schema.with_(optional=True), len(array)),)


def _validity(array: pa.Array) -> Vector:
    valid = np.asarray(array.is_valid())
    return Vector(Kind.INT, len(array), np.zeros(len(array), np.int64), np.packbits(valid, bitorder="little"))


def _children(array: pa.Array, schema: Schema) -> Sequence[tuple[AnyColumn, ...]]:
    if not pa.types.is_struct(array.type):
        raise ValueError(f"the schema is a struct, and the array is {array.type}")
    places = {each.name: i for i, each in enumerate(array.type)}
    missing = [each.name for each in schema.fields if each.name not in places]
    if missing:
        raise ValueError(f"the array has no {', '.join(missing)}, which the schema has")
    there = np.asarray(array.is_valid())
    for each in schema.fields:
        if not each.schema.optional and (there & np.asarray(array.field(places[each.name]).is_null())).any():
            raise ValueError(f"{each.name} has a null, and its schema is not optional")
    return [columns_of(array.field(places[each.name]), each.schema) for each in schema.fields]


def node_of(schema: Schema, slot: int, role: int) -> tuple[Node, int]:
    """The node over `columns_of`, whose columns stand from `slot` on, and the first slot behind them."""
    if schema.type is Type.STRUCT and not _is_rare(schema):
        nodes, behind = [], slot + 1
        for each in schema.fields:
            node, behind = node_of(each.schema, behind, role)
            nodes.append(node)
        return Struct(schema, tuple(nodes), role, slot), behind
    return (Values if _is_rare(schema) else Column)(schema, slot, role), slot + 1


def _is_rare(schema: Schema) -> bool:
    """Whether values are Python's: maps, and arrays of what is no floating-point number."""
    items = schema.items.type if schema.items is not None else None
    return schema.type is Type.MAP or (schema.type is Type.ARRAY and items not in _NUMBERS)


def mask_of(array: pa.Array | None, n: int, what: str) -> Mask | None:
    """An array of booleans as a mask; None: true of all.

    Raises:
        ValueError: it is none of that length.

    """
    if array is None:
        return None
    if not isinstance(array, pa.BooleanArray) or len(array) != n or array.null_count:
        raise ValueError(f"{what} must be {n} booleans without a null")
    mask: Mask = np.asarray(array.to_numpy(zero_copy_only=False), np.bool_)
    return None if mask.all() else mask
