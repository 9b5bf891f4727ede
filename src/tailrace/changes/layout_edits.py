"""Layouts made of others: fields left out, renamed, added, read by another role. No value is copied.

A transform compiles a layout of its own once for each that it meets, and keeps it as long as that one lives (`Edits`), so that
an encoder compiles it once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tailrace.changes.layouts import Column, ColumnFields, Constant, Layout, Node, Struct, Values
from tailrace.changes.source_records import AnyColumn, SourceRecords
from tailrace.schema.connect import NO_DEFAULT, Field, Schema

T = TypeVar("T")
NamedNodes = Iterable[tuple[str, Node]]


class Edits(Generic[T]):
    """What a transform has made of layouts; `make` is called once for each layout, and for each `variant` of it."""

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._made: WeakKeyDictionary[Layout, dict[object, T]] = WeakKeyDictionary()

    def of(self, layout: Layout, *variant: object) -> T:
        """What is made of a layout, given the variant as further arguments."""
        known = self._made.setdefault(layout, {})
        if variant not in known:
            known[variant] = self._make(layout, *variant)
        return known[variant]


def named_nodes(struct: Struct) -> list[tuple[str, Node]]:
    """The fields of a struct."""
    return [(field.name, node) for field, node in zip(struct.schema.fields, struct.fields, strict=True)]


def struct_of(schema: Schema, fields: NamedNodes) -> Struct:
    """A struct that is never null, with these fields; `schema` gives name, version and so on."""
    pairs = list(fields)
    made = tuple(Field(name, node.schema) for name, node in pairs)
    return Struct(schema.with_(fields=made), tuple(node for _, node in pairs))


def with_fields(struct: Struct, fields: NamedNodes, schema: Schema | None = None) -> Struct:
    """The struct with other fields, null where it was; `schema` gives name, version and so on instead of its own."""
    made = struct_of(schema or struct.schema, fields)
    return replace(struct, schema=made.schema, fields=made.fields)


def with_schema(node: Node, schema: Schema) -> Node:
    """The same value under another schema; of a struct the schema's fields stay those of its nodes."""
    if isinstance(node, Struct):
        return replace(node, schema=schema.with_(fields=node.schema.fields))
    return replace(node, schema=schema)


def copied_basics(schema: Schema) -> Schema:
    """A schema that is not optional and has no default, and otherwise the same.

    Many transforms make such schemas. Source: Kafka's `SchemaUtil.copySchemaBasics`.
    """
    return schema.with_(optional=False, default=NO_DEFAULT)


def by_roles(node: Node, roles: Mapping[int, int]) -> Node:
    """The same value at other rows: each role in `roles` is replaced."""
    if isinstance(node, Constant):
        return node
    if isinstance(node, Struct):
        role = None if node.role is None else roles.get(node.role, node.role)
        return replace(node, role=role, fields=_fields_by_roles(node.fields, roles))
    return replace(node, role=roles.get(node.role, node.role))


def _fields_by_roles(fields: Iterable[Node], roles: Mapping[int, int]) -> Iterable[Node]:
    if isinstance(fields, ColumnFields):
        return replace(fields, role=roles.get(fields.role, fields.role))
    return tuple(by_roles(each, roles) for each in fields)


def filled(node: Node) -> Node:
    """A value whose nulls are its schema's default, if that has one; of a struct its fields' nulls."""
    if isinstance(node, Column | Values) and node.schema.default is not NO_DEFAULT:
        return replace(node, filled=True)
    if isinstance(node, Constant) and node.value is None and node.schema.default is not NO_DEFAULT:
        return replace(node, value=node.schema.default)
    return node


def with_columns(
    records: SourceRecords, columns: Iterable[AnyColumn], roles: Iterable[npt.NDArray[np.int32]] = ()
) -> SourceRecords:
    """The records with further columns and roles, behind those that they have."""
    further = [np.asarray(each, np.int32)[np.newaxis] for each in roles]
    joined = np.ascontiguousarray(np.concatenate([records.roles, *further])) if further else records.roles
    return replace(records, columns=[*records.columns, *columns], roles=joined)

