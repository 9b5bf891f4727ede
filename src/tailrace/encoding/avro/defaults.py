"""Default values in schemas, as JSON; bytes are text, a character for each byte (ISO 8859-1)."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from tailrace.encoding.avro.names import scrubbed
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.registered import json_text
from tailrace.schema.connect import Schema, Type
from tailrace.schema.decimals import decimal_bytes, scale_of


def default_json(schema: Schema, value: Any, options: AvroOptions, *, widened: bool = False) -> str:
    """The text of a default value; `widened`: floats are written as doubles, as Java's Avro does in fields."""
    if value is None:
        return "null"
    if schema.type is Type.STRING:
        return json_text.text(value)
    if schema.type is Type.BOOLEAN:
        return "true" if value else "false"
    if schema.type is Type.BYTES:
        return json_text.text(bytes_of(schema, value).decode("latin-1"))
    if schema.type in {Type.FLOAT32, Type.FLOAT64}:
        return _floating(schema, value, widened=widened)
    if schema.type in {Type.STRUCT, Type.ARRAY, Type.MAP}:
        return _compound(schema, value, options, widened=widened)
    return str(int(value))


def bytes_of(schema: Schema, value: bytes | Decimal | str) -> bytes:
    """Bytes in the form that Connect's own converters give them; text is base64, as JSON has it."""
    if isinstance(value, Decimal):
        return decimal_bytes(value, scale_of(schema))
    return base64.b64decode(value) if isinstance(value, str) else value


def is_avro_map(schema: Schema, options: AvroOptions) -> bool:
    """Whether a map is a map in Avro too; others are arrays of entries."""
    keys = part(schema.keys, schema)
    return keys.type is Type.STRING and (not keys.optional or options.optional_map_keys)


def part(found: Schema | None, schema: Schema) -> Schema:
    """The schema of a part that must be there.

    Raises:
        TypeError: it is missing.

    """
    if found is None:
        raise TypeError(f"the schema {schema.name or schema.type} does not say what it holds")
    return found


def _floating(schema: Schema, value: float, *, widened: bool) -> str:
    if schema.type is Type.FLOAT64:
        return json_text.floating(value, single=False)
    return json_text.floating(float(np.float32(value)), single=not widened)


def _compound(schema: Schema, value: Any, options: AvroOptions, *, widened: bool) -> str:
    if schema.type is Type.ARRAY:
        item = part(schema.items, schema)
        return json_text.items(default_json(item, each, options, widened=widened) for each in value)
    if schema.type is Type.STRUCT:
        fields: Mapping[str, Any] = value
        return json_text.members(
            (
                scrubbed(f.name) if options.scrub else f.name,
                default_json(f.schema, fields.get(f.name), options, widened=widened),
            )
            for f in schema.fields
        )
    keys, values = part(schema.keys, schema), part(schema.items, schema)
    if is_avro_map(schema, options):
        return json_text.members(
            (key, default_json(values, each, options, widened=widened)) for key, each in value.items()
        )
    return json_text.items(
        json_text.items(
            (default_json(keys, key, options, widened=widened), default_json(values, each, options, widened=widened))
        )
        for key, each in value.items()
    )
