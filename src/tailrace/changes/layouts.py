"""Layouts: how the key, the value and the headers of records are put together of columns.

A layout is a tree beside a Connect schema: each node has the schema of its part, and says where the values of that part
stand, in which column (`slot`) and at which of its rows (`role`; see `SourceRecords.roles`). So an envelope's `before` and
`after` are two structs over the same columns, and nothing is gathered or copied before it is encoded.

A layout is made once for a structure version and never changes. What an encoder makes of it (a program, say) it keeps by
the layout's identity, and so columns must be of the same kinds whenever a layout comes again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.schema.connect import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The value of a column; null where it has none, or the role has no row."""

    schema: Schema
    slot: int
    role: int


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A value that all records have, as `connect_json.value_json` takes it."""

    schema: Schema
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Plain Python values of a column of `Objects`: for what is rare and need not be columnar."""

    schema: Schema
    slot: int
    role: int


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """Lists of a column of `Lists`; `item` is over that column's own columns and roles."""

    schema: Schema
    slot: int
    role: int
    item: Node


@dataclass(frozen=True, slots=True, eq=False)
class ColumnFields:
    """The nodes of a schema's fields that are the columns from slot `first` on, made when they are asked for.

    Layouts are kept, of as many tables as there are, and Python's garbage collector goes over all that is kept time and again.
    """

    schema: Schema
    first: int
    role: int

    def __iter__(self) -> Iterator[Node]:
        for slot, field in enumerate(self.schema.fields, self.first):
            yield Column(field.schema, slot, self.role)


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """A node for each field of the schema, in its order.

    With a role it is null, which is a null *with* a schema, where the role has no row, or where the column of the slot,
    if one is given, has no value there.
    """

    schema: Schema
    fields: Iterable[Node]
    role: int | None = None
    slot: int | None = None

    def field(self, name: str) -> Node | None:
        """The node of the field of that name; None where there is none."""
        for field, node in zip(self.schema.fields, self.fields, strict=True):
            if field.name == name:
                return node
        return None


Node = Column | Constant | Values | Array | Struct


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Layout:
    """The root of a tree.

    Attributes:
        root: the node of the whole key, value or header.
        lasting: roles, the most changeable first, whose row often stays the same for many records: encoders may repeat what
            only depends on them.

    """

    root: Node
    lasting: tuple[int, ...] = ()

    @property
    def schema(self) -> Schema:
        """Of the whole."""
        return self.root.schema


def layout_of_values(schema: Schema, first: int, role: int) -> Layout:
    """The layout of a struct whose fields are `Objects`, in slots from `first` on; see `values_by_field`."""
    fields = tuple(Values(field.schema, first + i, role) for i, field in enumerate(schema.fields))
    return Layout(Struct(schema, fields))


def values_by_field(schema: Schema, values: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """The values of each field of some structs; None where one lacks it."""
    return [[value.get(field.name) for value in values] for field in schema.fields]
