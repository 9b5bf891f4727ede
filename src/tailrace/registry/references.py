"""Which types of a schema Apicurio's converter registers as artifacts of their own.

These are records and enums in fields, in unions, and right within arrays and maps. What is in an array that is in a union, or
in another array, stays in the schema.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from tailrace.encoding.avro.types import ArrayOf, AvroType, MapOf, Named, Record, Union

References: TypeAlias = "tuple[tuple[Record | Named, References], ...]"
"""Types, each with those that it refers to itself; each type once."""


def references_of(type_: AvroType) -> References:
    """The types that a schema refers to."""
    if isinstance(type_, Record):
        return _distinct(each for field in type_.fields for each in _in_field(field.type))
    if isinstance(type_, Union | ArrayOf | MapOf):
        return _distinct(_in_field(type_))
    return ()


def _in_field(type_: AvroType) -> list[Record | Named]:
    candidates: tuple[AvroType, ...] = (type_,)
    if isinstance(type_, Union):
        candidates = type_.branches
    elif isinstance(type_, ArrayOf):
        candidates = (type_.items,)
    elif isinstance(type_, MapOf):
        candidates = (type_.values,)
    return [each for each in candidates if isinstance(each, Record) or (isinstance(each, Named) and each.size is None)]


def _distinct(types: Iterable[Record | Named]) -> References:
    found: dict[str, Record | Named] = {}
    for each in types:
        found.setdefault(each.full_name, each)
    return tuple((each, references_of(each)) for each in found.values())
