"""Whether data are the same bytes with two schemas of Avro.

A registry may be told to give another schema than that of the records: the latest one of a subject, or a fixed one. What the
converters do then is write the record's fields, by position, with the other schema. That is right if the bytes would be the
same: the same fields in the same order, the same branches of unions. Docs, defaults and other properties may differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_SAME: Final = {"int": "long", "bytes": "string"}  # the same bytes
_NAMED: Final = {"record", "error", "enum", "fixed"}


def difference(one: Any, other: Any, known: Mapping[str, Any] | None = None) -> str | None:
    """Where the data of two schemas (as parsed JSON) differ, in words; None if they are the same bytes.

    `known` are named types that the first schema refers to without defining them.
    """
    return _Comparison(parsed_types(one) | dict(known or {}), parsed_types(other)).types(one, other, ("", ""), "")


def parsed_types(schema: Any, space: str = "") -> dict[str, Any]:
    """The named types in a schema, by full name."""
    if isinstance(schema, list):
        return {name: type_ for each in schema for name, type_ in parsed_types(each, space).items()}
    if not isinstance(schema, dict):
        return {}
    found: dict[str, Any] = {}
    inner = space
    if schema.get("type") in _NAMED:
        full = _full_name(schema, space)
        found[full] = schema
        inner = full.rpartition(".")[0]
    for each in schema.get("fields") or ():
        found |= parsed_types(each["type"], inner)
    for part in ("items", "values", "type"):
        if isinstance(schema.get(part), dict | list):
            found |= parsed_types(schema[part], inner)
    return found


class _Comparison:
    """Compares two schemas, with their named types."""

    def __init__(self, one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
        self._one = one
        self._other = other
        self._seen: set[tuple[str, str]] = set()

    def types(self, one: Any, other: Any, spaces: tuple[str, str], place: str) -> str | None:
        """Where two types differ; `spaces` are the namespaces that hold there."""
        one, other = _resolved(one, self._one, spaces[0]), _resolved(other, self._other, spaces[1])
        if isinstance(one, list) or isinstance(other, list):
            return self._unions(one, other, spaces, place)
        kinds = _kind(one), _kind(other)
        if kinds[0] != kinds[1] and _SAME.get(kinds[0], kinds[0]) != _SAME.get(kinds[1], kinds[1]):
            return f"{place or 'the whole'} is {kinds[0]} there and {kinds[1]} here"
        if kinds[0] == "record":
            return self._records(one, other, spaces, place)
        if kinds[0] in {"array", "map"}:
            part = "items" if kinds[0] == "array" else "values"
            return self.types(one[part], other[part], spaces, f"{place}[]")
        for what in ("symbols", "size"):
            if kinds[0] in {"enum", "fixed"} and one.get(what) != other.get(what):
                return f"{place or 'the whole'} has other {what}"
        return None

    def _unions(self, one: Any, other: Any, spaces: tuple[str, str], place: str) -> str | None:
        if not isinstance(one, list) or not isinstance(other, list) or len(one) != len(other):
            return f"{place or 'the whole'} may have other types (null among them) there than here"
        found = (self.types(a, b, spaces, place) for a, b in zip(one, other, strict=True))
        return next((each for each in found if each is not None), None)

    def _records(self, one: Any, other: Any, spaces: tuple[str, str], place: str) -> str | None:
        names = _full_name(one, spaces[0]), _full_name(other, spaces[1])
        if names in self._seen:
            return None
        self._seen.add(names)
        fields = [[each["name"] for each in record["fields"]] for record in (one, other)]
        if fields[0] != fields[1]:
            return (
                f"{place or 'the record'} has the fields {', '.join(fields[0])} there and {', '.join(fields[1])} here"
            )
        inner = names[0].rpartition(".")[0], names[1].rpartition(".")[0]
        for a, b in zip(one["fields"], other["fields"], strict=True):
            found = self.types(a["type"], b["type"], inner, f"{place}.{a['name']}" if place else a["name"])
            if found is not None:
                return found
        return None


def _resolved(schema: Any, known: Mapping[str, Any], space: str) -> Any:
    """A type that stands as a name, as what it names."""
    if isinstance(schema, str):
        return known.get(f"{space}.{schema}" if space and "." not in schema else schema, known.get(schema, schema))
    if isinstance(schema, dict) and isinstance(schema.get("type"), dict | list):
        return schema["type"]
    return schema


def _kind(schema: Any) -> str:
    found = schema if isinstance(schema, str) else schema["type"]
    return str(found)


def _full_name(schema: Mapping[str, Any], space: str) -> str:
    name = str(schema["name"])
    if "." in name:
        return name
    inner = schema.get("namespace", space)
    return f"{inner}.{name}" if inner else name
