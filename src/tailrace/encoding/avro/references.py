"""Which types of a schema Apicurio's converter registers as artifacts of their own.

These are records and enums in fields, in unions, and right within arrays and maps. What is in an array that is in a union, or
in another array, stays in the schema.
"""

from __future__ import annotations

from collections.abc import Iterable

from tailrace.encoding.avro.types import ArrayOf, AvroType, MapOf, Named, Record, Union, type_text
from tailrace.registry.schemas import ReferringSchema


def referring_schema(type_: AvroType) -> ReferringSchema:
    """A schema as one that refers to the types in it."""
    nested = _referred(type_)
    name, namespace = (type_.name, type_.namespace) if isinstance(type_, Record | Named) else ("", "")
    return ReferringSchema(name, namespace, type_text(type_, nested), tuple(map(referring_schema, nested)))


def _referred(type_: AvroType) -> list[Record | Named]:
    """The types that a schema refers to, each once."""
    if isinstance(type_, Record):
        return _distinct(each for field in type_.fields for each in _within(field.type))
    return _distinct(_within(type_)) if isinstance(type_, Union | ArrayOf | MapOf) else []


def _within(type_: AvroType) -> list[Record | Named]:
    candidates: tuple[AvroType, ...] = (type_,)
    if isinstance(type_, Union):
        candidates = type_.branches
    elif isinstance(type_, ArrayOf):
        candidates = (type_.items,)
    elif isinstance(type_, MapOf):
        candidates = (type_.values,)
    return [each for each in candidates if isinstance(each, Record) or (isinstance(each, Named) and each.size is None)]


def _distinct(types: Iterable[Record | Named]) -> list[Record | Named]:
    found: dict[str, Record | Named] = {}
    for each in types:
        found.setdefault(each.full_name, each)
    return list(found.values())
