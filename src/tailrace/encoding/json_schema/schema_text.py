"""The JSON Schema of a Connect schema, as Confluent's converter registers it.

What JSON Schema does not know stands in members `connect.…`. A type that may be null is one of null and the type. The converter
builds schemas with the library Everit, which writes some members in a fixed order and others in that of Java's hash maps:
schemas are compared as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tailrace.encoding.avro.defaults import part
from tailrace.encoding.json_schema.defaults import default_text
from tailrace.encoding.json_schema.options import JsonSchemaOptions
from tailrace.encoding.registered import json_text
from tailrace.encoding.registered.json_text import Member
from tailrace.errors import ConfigError
from tailrace.registry.java_hashes import in_hash_order, string_hash
from tailrace.registry.schemas import ReferringSchema
from tailrace.schema.connect import NO_DEFAULT, Schema, Type

NAMESPACE: Final = "io.confluent.connect.json"
_SPECIAL: Final = (f"{NAMESPACE}.", "org.apache.kafka.connect.data.Enum", "org.apache.kafka.connect.data.Union")
_NULL: Final = '{"type":"null"}'
_TYPES: Final = {
    Type.INT8: ("integer", "int8"),
    Type.INT16: ("integer", "int16"),
    Type.INT32: ("integer", "int32"),
    Type.INT64: ("integer", "int64"),
    Type.FLOAT32: ("number", "float32"),
    Type.FLOAT64: ("number", "float64"),
    Type.BOOLEAN: ("boolean", None),
    Type.STRING: ("string", None),
    Type.BYTES: ("string", "bytes"),
    Type.STRUCT: ("object", None),
    Type.ARRAY: ("array", None),
    Type.MAP: ("object", "map"),
}
"""JSON's types, and what `connect.type` says."""


@dataclass(frozen=True)
class JsonSchema:
    """The JSON Schema of a whole key or value.

    Attributes:
        text: what is registered.
        record_name: the title; None if there is none, or the whole may be null.

    """

    text: str
    record_name: str | None

    @property
    def schema_type(self) -> str:
        """What Confluent's API calls it."""
        return "JSON"

    @property
    def referring(self) -> ReferringSchema:
        """The same: it refers to nothing."""
        return ReferringSchema(self.record_name or "", "", self.text, ())

    def difference(self, other: str, referred: Mapping[str, Any]) -> str | None:  # noqa: ARG002 -- as below
        """None: JSON is the same text whatever its schema is."""
        return None


def json_schema(schema: Schema, options: JsonSchemaOptions) -> JsonSchema:
    """The JSON Schema of a Connect schema.

    Raises:
        ConfigError: a map's keys are not text that is never null.

    """
    return JsonSchema(_text(schema, options, None), None if schema.optional else schema.name)


def _text(schema: Schema, options: JsonSchemaOptions, index: int | None) -> str:
    """The text of a schema; `index`: of the field that has it."""
    if not schema.optional:
        return _required(schema, options, index)
    inner = _required(schema.with_(optional=False), options, None)
    return json_text.members((*_index(index), ("oneOf", json_text.items((_NULL, inner)))))


def _required(schema: Schema, options: JsonSchemaOptions, index: int | None) -> str:
    """The text of a schema that is never null."""
    _refuse_special(schema)
    type_ = ("type", json_text.text(_TYPES[schema.type][0]))
    described = (*_described(schema), *_connect(schema, index))
    if schema.type is Type.BOOLEAN:
        return json_text.members((*described, type_))
    if schema.type is Type.STRUCT:
        closed = () if options.additional_properties else (("additionalProperties", "false"),)
        return json_text.members((type_, *closed, *described, *_properties(schema, options)))
    if schema.type is Type.ARRAY:
        return json_text.members((type_, *described, ("items", _text(part(schema.items, schema), options, None))))
    if schema.type is Type.MAP:
        _check_keys(schema)
        values = _text(part(schema.items, schema), options, None)
        return json_text.members((type_, *described, ("additionalProperties", values)))
    return json_text.members((type_, *described))


def _properties(schema: Schema, options: JsonSchemaOptions) -> tuple[Member, ...]:
    if not schema.fields:
        return ()
    texts = {each.name: _text(each.schema, options, index) for index, each in enumerate(schema.fields)}
    return (("properties", json_text.members((name, texts[name]) for name in _hashed(list(texts)))),)


def _described(schema: Schema) -> tuple[Member, ...]:
    made = []
    if schema.name is not None:
        made.append(("title", json_text.text(schema.name)))
    if schema.doc is not None:
        made.append(("description", json_text.text(schema.doc)))
    if schema.default is not NO_DEFAULT:
        made.append(("default", default_text(schema, schema.default)))
    return tuple(made)


def _connect(schema: Schema, index: int | None) -> tuple[Member, ...]:
    """The members `connect.…`, in the order of a hash map of few entries."""
    made = list(_index(index))
    if schema.version is not None:
        made.append(("connect.version", str(schema.version)))
    kind = _TYPES[schema.type][1]
    if kind is not None:
        made.append(("connect.type", json_text.text(kind)))
    if schema.parameters:
        given = dict(schema.parameters)
        names = _hashed(_hashed(list(given)), _buckets_of_object(len(given)))
        pairs = ((name, json_text.text(given[name])) for name in names)
        made.append(("connect.parameters", json_text.members(pairs)))
    return tuple(made)


def _index(index: int | None) -> tuple[Member, ...]:
    return () if index is None else (("connect.index", str(index)),)


def _hashed(names: list[str], buckets: int | None = None) -> list[str]:
    """Names in the order of a hash map."""
    return in_hash_order(names, [string_hash(name) for name in names], buckets)


def _buckets_of_object(count: int) -> int:
    """The buckets of org.json's object that is made of a map: as many as entries, doubled until three quarters suffice."""
    buckets = 1 << (count - 1).bit_length()
    while count > buckets * 3 // 4:
        buckets *= 2
    return buckets


def _check_keys(schema: Schema) -> None:
    keys = part(schema.keys, schema)
    if keys.type is not Type.STRING or keys.optional:
        raise ConfigError(
            f"the schema {schema.name or 'of a map'} has keys of type {keys.type.value}, or keys that may be null, which is "
            "not supported in JSON Schema: leave it out, or use another converter"
        )


def _refuse_special(schema: Schema) -> None:
    """Enums and unions come from schemas that were made of JSON Schema; no database's are."""
    found = next((name for name, _ in schema.parameters if name.startswith(_SPECIAL)), None)
    if found is not None:
        raise ConfigError(f"the schema {schema.name or schema.type.value} has the parameter {found}, which is not supported")
