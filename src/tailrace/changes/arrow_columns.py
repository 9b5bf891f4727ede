"""Columns as people who write Python have them: Arrow arrays of the types that a Connect schema has.

A `Vector` has four kinds of numbers, and texts as views, which few of Arrow's functions take. Here an int16 is an int16, a text
a string, a struct a struct. What a schema's name means (a date, a decimal) is not looked at: the values are Connect's own.
"""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from tailrace.changes.vectors import Vector, from_arrow
from tailrace.schema.connect import Schema, Type

PLAIN: Final = {
    Type.INT8: pa.int8(),
    Type.INT16: pa.int16(),
    Type.INT32: pa.int32(),
    Type.INT64: pa.int64(),
    Type.FLOAT32: pa.float32(),
    Type.FLOAT64: pa.float64(),
    Type.BOOLEAN: pa.bool_(),
    Type.STRING: pa.string(),
    Type.BYTES: pa.binary(),
}


def plain_type(schema: Schema) -> pa.DataType:
    """The Arrow type of a schema's values.

    Raises:
        ValueError: it is an array or a map of which the items have no schema.

    """
    if schema.type is Type.STRUCT:
        return pa.struct([pa.field(each.name, plain_type(each.schema)) for each in schema.fields])
    if schema.type is Type.ARRAY and schema.items is not None:
        return pa.list_(plain_type(schema.items))
    if schema.type is Type.MAP and schema.items is not None and schema.keys is not None:
        return pa.map_(plain_type(schema.keys), plain_type(schema.items))
    if schema.type not in PLAIN:
        raise ValueError(f"a schema of type {schema.type} has no Arrow type here")
    return PLAIN[schema.type]


def cast_to(array: pa.Array, type_: pa.DataType) -> pa.Array:
    """The array in another type, struct by struct. Raises `pa.ArrowInvalid` if a value does not fit."""
    if not pa.types.is_struct(type_) or not pa.types.is_struct(array.type):
        return pc.cast(array, type_)
    children = [cast_to(array.field(i), type_.field(i).type) for i in range(type_.num_fields)]
    mask = pc.invert(array.is_valid()) if array.null_count else None
    return pa.StructArray.from_arrays(children, fields=list(type_), mask=mask)


def array_of(vector: Vector, schema: Schema) -> pa.Array:
    """A column as an array of its schema's type."""
    return cast_to(vector.to_arrow(), plain_type(schema))


def vector_of_array(array: pa.Array | pa.ChunkedArray, schema: Schema, length: int) -> Vector:
    """What a user's function returned, as a column.

    Args:
        array: of any type that can be cast to the schema's without loss.
        schema: of the values.
        length: how many values there have to be.

    Raises:
        ValueError: it is no array of Arrow, has another length, a value that does not fit, or a null that may not be.

    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if not isinstance(array, pa.Array):
        raise ValueError(f"it returned {type(array).__name__}, not an Arrow array")  # noqa: TRY004 -- one error for all
    if len(array) != length:
        raise ValueError(f"it returned {len(array)} values for {length}")
    if array.null_count and not schema.optional:
        raise ValueError("it returned a null, and the schema is not optional")
    try:
        return from_arrow(cast_to(array, plain_type(schema)))
    except pa.ArrowException:  # whose text has a value
        message = f"it returned {array.type}, of which not every value is a {schema.type}"
        raise ValueError(message) from None


def one_value(value: Any, schema: Schema) -> pa.Array:
    """An array of one value, given in the form of `connect_json.value_json`."""
    return pa.array([value], plain_type(schema))
