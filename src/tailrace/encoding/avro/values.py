"""Single values in Avro's binary form: constants, defaults, and columns of Python values.

Source: the Avro specification, "Binary Encoding". A value is in the form of `connect_json.value_json`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, Final

from tailrace.encoding.avro.defaults import bytes_of, is_avro_map, part
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.avro.schema_text import FIXED_SIZE, has_null_first, is_enum, symbols
from tailrace.errors import DeliveryError
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.decimals import DECIMAL

FIRST: Final = b"\x00"
SECOND: Final = b"\x02"
END: Final = b"\x00"
"""Ends arrays and maps: a block of no items."""


def branch_of_value(schema: Schema) -> bytes:
    """What stands before a value that is not null: the branch of the union, nothing if the schema is not optional."""
    if not schema.optional:
        return b""
    return SECOND if has_null_first(schema) else FIRST


def null_bytes(schema: Schema, options: AvroOptions) -> bytes | None:
    """A null in a field: the default, or the branch of null; None if the schema allows none."""
    if schema.default is not NO_DEFAULT and not options.keep_nulls:
        return branch_of_value(schema) + _plain(schema, schema.default, options)
    if not schema.optional:
        return None
    return FIRST if has_null_first(schema) else SECOND


def value_bytes(schema: Schema, value: Any, options: AvroOptions) -> bytes:
    """A value, with the branch of the union if the schema is optional.

    Raises:
        DeliveryError: it is null, and the schema allows no null; or it is no value of the schema.

    """
    if value is not None:
        return branch_of_value(schema) + _plain(schema, value, options)
    found = null_bytes(schema, options)
    if found is None:
        raise DeliveryError(f"a null can't be written in Avro with {described(schema)}, which is not optional")
    return found


def described(schema: Schema) -> str:
    """A schema in the words of a message."""
    return f"the schema {schema.name}" if schema.name else f"a schema of type {schema.type.value}"


def varint(number: int) -> bytes:
    """An int or long: zig-zag, seven bits a byte, the lowest first."""
    rest = number << 1 if number >= 0 else ~(number << 1)
    made = bytearray()
    while rest > 0x7F:
        made.append(rest & 0x7F | 0x80)
        rest >>= 7
    made.append(rest)
    return bytes(made)


def sized(content: bytes) -> bytes:
    """Bytes or UTF-8 with their length."""
    return varint(len(content)) + content


def fixed_size(schema: Schema) -> int | None:
    """The size of bytes that are a fixed type in Avro, else None."""
    return next((int(value) for name, value in schema.parameters if name == FIXED_SIZE), None)


def _plain(schema: Schema, value: Any, options: AvroOptions) -> bytes:
    if schema.type is Type.STRING:
        return _enum(schema, value) if is_enum(schema, options) else sized(value.encode())
    if schema.type is Type.BYTES:
        return _bytes(schema, bytes_of(schema, value))
    if schema.type is Type.BOOLEAN:
        return b"\x01" if value else b"\x00"
    if schema.type is Type.FLOAT32:
        return struct.pack("<f", value)
    if schema.type is Type.FLOAT64:
        return struct.pack("<d", value)
    if schema.type is Type.STRUCT:
        return b"".join(value_bytes(field.schema, value.get(field.name), options) for field in schema.fields)
    if schema.type is Type.ARRAY:
        item = part(schema.items, schema)
        return _block([value_bytes(item, each, options) for each in value])
    if schema.type is Type.MAP:
        return _map(schema, value, options)
    return varint(int(value))


def _block(items: list[bytes]) -> bytes:
    return (varint(len(items)) if items else b"") + b"".join(items) + END


def _map(schema: Schema, value: Mapping[Any, Any], options: AvroOptions) -> bytes:
    keys, values = part(schema.keys, schema), part(schema.items, schema)
    if is_avro_map(schema, options):
        return _block([sized(key.encode()) + value_bytes(values, each, options) for key, each in value.items()])
    return _block([value_bytes(keys, key, options) + value_bytes(values, each, options) for key, each in value.items()])


def _enum(schema: Schema, value: str) -> bytes:
    known = symbols(schema)
    if value not in known:
        raise DeliveryError(f"{value!r} is not among the symbols of {described(schema)}: {', '.join(known)}")
    return varint(known.index(value))


def _bytes(schema: Schema, value: bytes) -> bytes:
    size = fixed_size(schema)
    if size is None:
        return sized(value)
    if schema.name == DECIMAL and len(value) < size:
        value = (b"\xff" if value[:1] >= b"\x80" else b"\x00") * (size - len(value)) + value
    if len(value) != size:
        raise DeliveryError(f"{len(value)} bytes can't be written with {described(schema)}, which has {size}")
    return value
