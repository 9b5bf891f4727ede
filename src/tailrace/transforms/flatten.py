"""Flatten: the fields of structs within a key or value become its own, named after the way to them.

A field within a struct that may be null is optional. Nulls of fields become their defaults; where a struct around is null, so
is the field.
Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tailrace.changes.additions import Additions, CannotApplyError, opened, standing_alone
from tailrace.changes.field_paths import Path
from tailrace.changes.layout_edits import copied_basics, named_nodes, struct_of, with_schema
from tailrace.changes.layouts import Constant, Node, Struct
from tailrace.config.property import Property
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.transforms.parts import Part
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import StructTransform, distinct


class Flatten(StructTransform):
    """The `Transform`; its argument is the property of the same name."""

    def __init__(self, making: Making, *, delimiter: str) -> None:
        self._delimiter = delimiter
        super().__init__(Part(making.part), making.failures, self._flat)

    def _flat(self, struct: Struct, added: Additions) -> Node:
        schema = struct.schema
        default = None if schema.default is NO_DEFAULT else schema.default
        pairs = self._fields((struct,), "", added, optional=schema.optional, default=default)
        return struct_of(copied_basics(schema), distinct(pairs))

    def _fields(
        self, around: tuple[Node, ...], prefix: str, added: Additions, *, optional: bool, default: Mapping[str, Any] | None
    ) -> Iterator[tuple[str, Node]]:
        """The fields of the last of the structs `around`; `optional`: one of them is."""
        struct = around[-1]
        for name, given in named_nodes(struct) if isinstance(struct, Struct) else ():
            node, schema = opened(given, added), given.schema
            path = f"{prefix}{self._delimiter}{name}" if prefix else name
            inherited = schema.default if schema.default is not NO_DEFAULT else (default or {}).get(name)
            may_lack = optional or schema.optional
            if schema.type is Type.MAP:
                raise CannotApplyError(f"its field {path!r} is a map")
            if schema.type is not Type.STRUCT:
                made = _flat_schema(schema, inherited, optional=may_lack)
                yield path, with_schema(standing_alone(Path((*around, node)), added, fills=True), made)
            elif isinstance(node, Struct):
                yield from self._fields((*around, node), path, added, optional=may_lack, default=inherited)
            else:
                yield from self._nothing(schema, path, optional=may_lack, default=inherited)

    def _nothing(self, schema: Schema, prefix: str, *, optional: bool, default: Any) -> Iterator[tuple[str, Node]]:
        """The fields of a struct that is null in all records."""
        for field in schema.fields:
            path = f"{prefix}{self._delimiter}{field.name}"
            inherited = field.schema.default if field.schema.default is not NO_DEFAULT else (default or {}).get(field.name)
            may_lack = optional or field.schema.optional
            if field.schema.type is Type.STRUCT:
                yield from self._nothing(field.schema, path, optional=may_lack, default=inherited)
            else:
                yield path, Constant(_flat_schema(field.schema, inherited, optional=may_lack), None)


def _flat_schema(schema: Schema, default: Any, *, optional: bool) -> Schema:
    return schema.with_(optional=optional, default=NO_DEFAULT if default is None else default)


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.Flatten",
    doc="Makes the fields of structs within a key or value its own.",
    properties=(Property(name="delimiter", default=".", doc="What stands between the names on the way to a field."),),
    make=Flatten,
    has_parts=True,
)
