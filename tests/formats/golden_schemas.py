"""Schemas and values of golden lines: from JsonConverter's JSON to tailrace's Connect schemas, and to Python values."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tailrace.schema.connect import NO_DEFAULT, Field, Schema, Type


def schema_of(written: Mapping[str, Any]) -> Schema:
    """The schema that JsonConverter wrote; those that were written alike are one object, as in a table's shape."""
    return _schema_of_text(json.dumps({name: part for name, part in written.items() if name != "field"}))


@lru_cache(maxsize=4096)
def _schema_of_text(text: str) -> Schema:
    written = json.loads(text)
    items = written.get("items") or written.get("values")
    schema = Schema(
        Type(written["type"]),
        optional=written["optional"],
        name=written.get("name"),
        version=written.get("version"),
        doc=written.get("doc"),
        parameters=tuple(written.get("parameters", {}).items()),
        fields=tuple(Field(each["field"], schema_of(each)) for each in written.get("fields", ())),
        items=None if items is None else schema_of(items),
        keys=None if "keys" not in written else schema_of(written["keys"]),
    )
    default = written.get("default")
    return schema if default is None else schema.with_(default=value_of(schema, default, NO_DEFAULT))


def value_of(schema: Schema, payload: Any, missing: Any = None) -> Any:
    """A payload as `connect_json.value_json` takes it: bytes as bytes, everything else as in JSON."""
    if payload is None:
        return missing
    if schema.type is Type.BYTES:
        return base64.b64decode(payload)
    if schema.type is Type.STRUCT:
        return {each.name: value_of(each.schema, payload.get(each.name)) for each in schema.fields}
    if schema.type is Type.ARRAY and schema.items is not None:
        return [value_of(schema.items, item) for item in payload]
    if schema.type is Type.MAP and schema.items is not None:
        pairs = payload.items() if isinstance(payload, Mapping) else payload
        return {key: value_of(schema.items, item) for key, item in pairs}
    return payload
