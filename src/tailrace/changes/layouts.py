"""Layouts: how keys, values and headers of records are composed of columns.

A layout is a tree parallel to a Connect schema. Each node has the schema of its part, and says where the values are: in which
column (`slot`), and at which of its rows (`role`; see `SourceRecords.roles`). An envelope's `before` and `after` are thus two
structs over the same columns, and nothing is copied before it is encoded.

A layout is made once for each version of a table's structure and never changes. Encoders cache what they compile of it by its
identity. The columns that come with a layout must therefore always be of the same kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.schema.connect import NO_DEFAULT, Schema


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A value of a column; null if the column's value is null, or the role has no row.

    If `filled`, a transform has put the schema's default in the place of such nulls, whatever the converter does with them.
    """

    schema: Schema
    slot: int
    role: int
    filled: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A value that is the same in all records, in the form of `connect_json.value_json`."""

    schema: Schema
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Python values of a column of `Objects`, for records that are too rare to be columnar; `filled` as of a `Column`."""

    schema: Schema
    slot: int
    role: int
    filled: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """A list of a column of `Lists`; `item` refers to that column's own columns and roles."""

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
    """A struct, with a node for each field of its schema in order.

    With a role it is null where the role has no row, or where the slot's column (if there is one) is null. This null has a
    schema, unlike that of a tombstone (`SourceRecords.has_value`).
    """

    schema: Schema
    fields: Iterable[Node]
    role: int | None = None
    slot: int | None = None

    def field(self, name: str) -> Node | None:
        """The node of the field of that name; None if there is none."""
        for field, node in zip(self.schema.fields, self.fields, strict=True):
            if field.name == name:
                return node
        return None


Node = Column | Constant | Values | Array | Struct


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Layout:
    """The layout of a whole key, value or header.

    Attributes:
        root: its root node.
        lasting: roles whose row often stays the same for many records, the one that changes most often first; encoders may
            render once and copy what depends only on them.

    """

    root: Node
    lasting: tuple[int, ...] = ()

    @property
    def schema(self) -> Schema:
        """The schema of the whole key, value or header."""
        return self.root.schema


def fills_nulls(node: Node) -> bool:
    """Whether a transform has put the schema's default in the place of the node's nulls."""
    default = node.schema.default
    return isinstance(node, Column | Values) and node.filled and default is not NO_DEFAULT and default is not None


def layout_of_values(schema: Schema, first: int, role: int) -> Layout:
    """The layout of a struct whose fields are `Objects` in slots from `first` on; `values_by_field` makes the columns."""
    fields = tuple(Values(field.schema, first + i, role) for i, field in enumerate(schema.fields))
    return Layout(Struct(schema, fields))


def values_by_field(schema: Schema, values: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """The values of some structs as one list for each field; None where a struct lacks the field."""
    return [[value.get(field.name) for value in values] for field in schema.fields]
