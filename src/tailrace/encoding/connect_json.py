"""Connect schemas and single values of them, in the format of Kafka Connect's JsonConverter.

This is for what is rendered once (schemas, defaults) or rarely (schema changes, headers). Row changes are rendered column by
column, with constants from this module.

A null in a field with a default is written as the default: the converter does so unless `replace.null.with.default` is
false, and consumers of Debezium's events rely on it.

Source: documentation of Kafka's `org.apache.kafka.connect.json.JsonConverter` and `JsonSchema`.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, Final

import orjson

from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.decimals import DECIMAL, decimal_bytes, decimal_text, scale_of

NULL = b"null"


def schema_json(schema: Schema, field: str | None = None, *, numeric: bool = False) -> bytes:
    """The `schema` member of a message; `field` is the field's name if the schema is that of a struct's field.

    The members are in the converter's order, so that messages are equal to Debezium's byte by byte. `numeric`: decimals are
    numbers (`decimal.format`).
    """
    is_struct = schema.type is Type.STRUCT
    members = _struct_members(_Same(schema), numeric) if is_struct else _members(schema, numeric=numeric)
    return b"{" + members + (b"}" if field is None else b',"field":' + text_json(field) + b"}")


def _members(schema: Schema, *, numeric: bool) -> bytes:
    parts = [_TYPE_MEMBERS[schema.type]]
    if schema.keys is not None:
        parts.append(b'"keys":' + schema_json(schema.keys, numeric=numeric))
    if schema.items is not None:
        name = b'"values":' if schema.type is Type.MAP else b'"items":'
        parts.append(name + schema_json(schema.items, numeric=numeric))
    if schema.type is Type.STRUCT:
        fields = [schema_json(f.schema, f.name, numeric=numeric) for f in schema.fields]
        parts.append(b'"fields":[' + b",".join(fields) + b"]")
    parts.append(b'"optional":true' if schema.optional else b'"optional":false')
    if schema.name is not None:
        parts.append(b'"name":' + text_json(schema.name))
    if schema.version is not None:
        parts.append(b'"version":%d' % schema.version)
    if schema.doc is not None:
        parts.append(b'"doc":' + text_json(schema.doc))
    if schema.parameters:
        pairs = (text_json(name) + b":" + text_json(value) for name, value in dict(schema.parameters).items())
        parts.append(b'"parameters":{' + b",".join(pairs) + b"}")
    if schema.default is not NO_DEFAULT:
        parts.append(b'"default":' + value_json(schema, schema.default, numeric=numeric))
    return b",".join(parts)


_TYPE_MEMBERS: Final = {each: b'"type":' + orjson.dumps(each.value) for each in Type}


class _Same:
    """A schema that equals itself alone: comparing structs takes as long as rendering them."""

    __slots__ = ("schema",)

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.schema is self.schema


@lru_cache(maxsize=32)  # an envelope has its row twice, and the envelopes of all tables have the same source block
def _struct_members(same: _Same, numeric: bool) -> bytes:
    return _members(same.schema, numeric=numeric)


def schema_prefix(schema: Schema, *, numeric: bool = False) -> bytes:
    """The text before the payload of a message with a schema; `SCHEMA_SUFFIX` is the text after it."""
    return b'{"schema":' + schema_json(schema, numeric=numeric) + b',"payload":'


SCHEMA_SUFFIX = b"}"


def message_json(schema: Schema, value: Any, *, with_schema: bool) -> bytes:
    """A whole message: the payload alone, or with its schema."""
    payload = value_json(schema, value)
    return schema_prefix(schema) + payload + SCHEMA_SUFFIX if with_schema else payload


def null_text(schema: Schema, *, replace_with_default: bool = True, numeric: bool = False) -> bytes:
    """The text of a null in the payload: `null`, or the schema's default."""
    if schema.default is NO_DEFAULT or not replace_with_default:
        return NULL
    return value_json(schema, schema.default, numeric=numeric)


def value_json(schema: Schema, value: Any, *, replace_with_default: bool = True, numeric: bool = False) -> bytes:
    """A value as JSON.

    A struct is a mapping; a field that it lacks is null. A Connect Decimal is a `Decimal`, or the bytes of its unscaled
    value; it is written as a number if `numeric`.
    """
    if value is None:
        return null_text(schema, replace_with_default=replace_with_default, numeric=numeric)
    compound = _COMPOUNDS.get(schema.type)
    if compound is not None:
        return compound(schema, value, partial(value_json, replace_with_default=replace_with_default, numeric=numeric))
    if numeric and schema.name == DECIMAL:
        return decimal_text(value, scale_of(schema)).encode()
    return _SCALARS.get(schema.type, _scalar)(schema, value)


def text_json(text: str) -> bytes:
    """A text as JSON with Jackson's escapes, by which `text_kernel.write_text` writes columns of texts, too."""
    written = orjson.dumps(text)
    if _UNUSUAL.search(text) is None:
        return written
    return _CAPITALS.sub(_in_capitals, _ASTRAL.sub(_surrogates, written.decode())).encode()


_UNUSUAL: Final = re.compile("[\x00-\x1f\U00010000-\U0010ffff]")
_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
_CAPITALS: Final = re.compile(r"\\(u[0-9a-f]{4}|.)")


def _in_capitals(escape: re.Match[str]) -> str:
    return "\\u" + escape[1][1:].upper() if escape[1][0] == "u" else escape[0]


def _surrogates(character: re.Match[str]) -> str:
    units = character[0].encode("utf-16-be").hex().upper()
    return f"\\u{units[:4]}\\u{units[4:]}"


def _scalar(_schema: Schema, value: Any) -> bytes:
    return text_json(value) if isinstance(value, str) else orjson.dumps(value)


def _bytes(schema: Schema, value: bytes | Decimal) -> bytes:
    if isinstance(value, Decimal):
        value = decimal_bytes(value, scale_of(schema))
    return b'"' + base64.b64encode(value) + b'"'


def _floating(_schema: Schema, value: float) -> bytes:
    if math.isnan(value) or math.isinf(value):
        return orjson.dumps(str(value).replace("inf", "Infinity").replace("nan", "NaN"))
    return orjson.dumps(float(value))


_Parts = Callable[[Schema, Any], bytes]
"""Writes the parts of a struct, array or map."""


def _struct(schema: Schema, value: Mapping[str, Any], part: _Parts) -> bytes:
    fields = (text_json(f.name) + b":" + part(f.schema, value.get(f.name)) for f in schema.fields)
    return b"{" + b",".join(fields) + b"}"


def _array(schema: Schema, value: Sequence[Any], part: _Parts) -> bytes:
    items = _known(schema.items, schema)
    return b"[" + b",".join(part(items, item) for item in value) + b"]"


def _map(schema: Schema, value: Mapping[Any, Any], part: _Parts) -> bytes:
    keys, items = _known(schema.keys, schema), _known(schema.items, schema)
    if keys.type is Type.STRING:
        pairs = (text_json(key) + b":" + part(items, item) for key, item in value.items())
        return b"{" + b",".join(pairs) + b"}"
    entries = (b"[" + part(keys, key) + b"," + part(items, item) + b"]" for key, item in value.items())
    return b"[" + b",".join(entries) + b"]"


def _known(part: Schema | None, schema: Schema) -> Schema:
    if part is None:
        raise ValueError(f"the schema {schema.name or schema.type} does not say what it holds")
    return part


_SCALARS: Final[dict[Type, Callable[[Schema, Any], bytes]]] = {
    Type.BYTES: _bytes,
    Type.FLOAT32: _floating,
    Type.FLOAT64: _floating,
}
_COMPOUNDS: Final[dict[Type, Callable[[Schema, Any, _Parts], bytes]]] = {
    Type.STRUCT: _struct,
    Type.ARRAY: _array,
    Type.MAP: _map,
}
