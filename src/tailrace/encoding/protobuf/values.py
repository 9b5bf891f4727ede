"""Single values in Protobuf's binary form: constants, defaults, and columns of Python values.

A value is in the form of `connect_json.value_json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tailrace.encoding.avro.defaults import bytes_of, part
from tailrace.encoding.avro.values import described
from tailrace.encoding.protobuf import wire
from tailrace.encoding.protobuf.logical import message_of
from tailrace.encoding.protobuf.options import ProtobufOptions
from tailrace.encoding.protobuf.schema_text import is_message, is_wrapped
from tailrace.errors import DeliveryError
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.decimals import DECIMAL

_WIRE_TYPES: Final = {
    **dict.fromkeys((Type.INT8, Type.INT16, Type.INT32, Type.INT64, Type.BOOLEAN), wire.VARINT),
    Type.FLOAT32: wire.FIXED32,
    Type.FLOAT64: wire.FIXED64,
}
_ZEROS: Final = {b"\x00", b"", bytes(4), bytes(8)}


def wire_type(schema: Schema, options: ProtobufOptions) -> int:
    """The wire type of a field that is not repeated."""
    if is_message(schema) or is_wrapped(schema, options):
        return wire.SIZED
    return _WIRE_TYPES.get(schema.type, wire.SIZED)


def is_packed(items: Schema, options: ProtobufOptions) -> bool:
    """Whether the items of an array stand in one field, one after the other."""
    return wire_type(items, options) != wire.SIZED


def is_always_written(schema: Schema, options: ProtobufOptions) -> bool:
    """Whether zero and what is empty is written: messages always are, scalars where null is something else."""
    return is_message(schema) or is_wrapped(schema, options) or (options.optional_fields and schema.optional)


def field_bytes(number: int, schema: Schema, value: Any, options: ProtobufOptions) -> bytes:
    """A field with its tag; nothing where the value is null or, if that is no value of its own, zero or empty."""
    if value is None:
        return null_bytes(number, schema, options)
    if schema.type is Type.ARRAY:
        return _repeated(number, schema, value, options)
    if schema.type is Type.MAP:
        return b"".join(wire.sized_field(number, _entry(schema, *each, options=options)) for each in value.items())
    content, tag = _content(schema, value, options), wire.tag(number, wire_type(schema, options))
    if wire_type(schema, options) == wire.SIZED:
        is_empty = not content and schema.type is not Type.STRUCT
        return b"" if is_empty and not is_always_written(schema, options) else tag + wire.sized(content)
    return b"" if content in _ZEROS and not is_always_written(schema, options) else tag + content


def null_bytes(number: int, schema: Schema, options: ProtobufOptions) -> bytes:
    """A null in a field: the default if there is one, else nothing."""
    if schema.default is NO_DEFAULT or options.keep_nulls or schema.default is None:
        return b""
    return field_bytes(number, schema, schema.default, options)


def struct_bytes(schema: Schema, value: Mapping[str, Any], options: ProtobufOptions) -> bytes:
    """The fields of a struct."""
    return b"".join(
        field_bytes(number, each.schema, value.get(each.name), options) for number, each in enumerate(schema.fields, 1)
    )


def whole_bytes(schema: Schema, value: Any, options: ProtobufOptions) -> bytes:
    """A whole key or value: a message. A scalar is in the message around it."""
    if schema.type is Type.STRUCT:
        return struct_bytes(schema, value, options)
    if is_message(schema):
        return _content(schema, value, options)
    return field_bytes(1, schema.with_(optional=False), value, ProtobufOptions())


def item_bytes(schema: Schema, value: Any, options: ProtobufOptions) -> bytes:
    """An item of an array, without tag and length.

    Raises:
        DeliveryError: it is null.

    """
    if value is None:
        raise DeliveryError(f"a null in an array can't be written in Protobuf (an item of {described(schema)})")
    return _content(schema, value, options)


def _repeated(number: int, schema: Schema, value: Any, options: ProtobufOptions) -> bytes:
    items = part(schema.items, schema)
    contents = [item_bytes(items, each, options) for each in value]
    if is_packed(items, options):
        return wire.sized_field(number, b"".join(contents)) if contents else b""
    return b"".join(wire.sized_field(number, each) for each in contents)


def _entry(schema: Schema, key: Any, value: Any, *, options: ProtobufOptions) -> bytes:
    """The message of an entry of a map, whose own fields are never `optional`."""
    keys, values = part(schema.keys, schema), part(schema.items, schema)
    options = replace(options, optional_fields=False)
    return field_bytes(1, keys, key, options) + field_bytes(2, values, value, options)


def _content(schema: Schema, value: Any, options: ProtobufOptions) -> bytes:
    """A value without tag and length."""
    if is_wrapped(schema, options):
        return field_bytes(1, schema.with_(optional=False), value, ProtobufOptions())
    if is_message(schema):
        return message_of(schema, bytes_of(schema, value) if schema.name == DECIMAL else int(value))
    if schema.type is Type.STRUCT:
        return struct_bytes(schema, value, options)
    if schema.type is Type.STRING:
        return bytes(value.encode())
    if schema.type is Type.BYTES:
        return bytes_of(schema, value)
    if schema.type is Type.FLOAT64:
        return wire.double(value)
    return wire.single(value) if schema.type is Type.FLOAT32 else wire.varint(int(value))
