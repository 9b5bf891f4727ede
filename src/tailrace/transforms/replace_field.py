"""ReplaceField: leaves out fields of a key or value, or renames them.

Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from typing import Final

from tailrace.changes.additions import Additions, CannotApplyError
from tailrace.changes.layout_edits import copied_basics, struct_of, with_schema
from tailrace.changes.layouts import Node, Struct
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import Schema
from tailrace.transforms.parts import Part
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import REPLACE_NULL_WITH_DEFAULT, StructTransform, distinct, fields_of

_OLD: Final = {"blacklist": "exclude", "whitelist": "include"}


class ReplaceField(StructTransform):
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self,
        making: Making,
        *,
        exclude: tuple[str, ...],
        include: tuple[str, ...],
        renames: tuple[str, ...],
        replace_null_with_default: bool,
        blacklist: str | None,
        whitelist: str | None,
    ) -> None:
        for old, given in (("blacklist", blacklist), ("whitelist", whitelist)):
            if given is not None:
                raise ValueError(f"{old} is no property since Kafka 4: write {_OLD[old]}")
        self._exclude, self._include = frozenset(exclude), frozenset(include)
        self._renames = dict(_renaming(each) for each in renames)
        self._origins = {new: old for old, new in self._renames.items()}
        if len(self._origins) < len(self._renames):
            raise ValueError("renames gives two fields the same new name")
        self._fills = replace_null_with_default
        super().__init__(Part(making.part), making.failures, self._replaced)

    def _replaced(self, struct: Struct, _added: Additions) -> Node:
        nodes = dict(fields_of(struct, fills=self._fills))
        kept = [field for field in struct.schema.fields if self._keeps(field.name)]
        pairs = [(self._renames.get(field.name, field.name), field.schema) for field in kept]
        made = [(name, self._node(name, schema, nodes)) for name, schema in pairs]
        return struct_of(copied_basics(struct.schema), distinct(made))

    def _keeps(self, field: str) -> bool:
        return field not in self._exclude and (not self._include or field in self._include)

    def _node(self, name: str, schema: Schema, nodes: dict[str, Node]) -> Node:
        """The field of a new name: Kafka looks up what was renamed to it, even if that was left out."""
        origin = self._origins.get(name, name)
        node = nodes.get(origin)
        if node is None:
            raise CannotApplyError(f"it has a field {name!r}, to which renames renames {origin!r}, and it has no such field")
        if node.schema == schema:
            return node
        if (node.schema.type, node.schema.name) != (schema.type, schema.name):
            raise CannotApplyError(f"renames gives a field of another type the name of its field {name!r}")
        return with_schema(node, schema)


def _renaming(text: str) -> tuple[str, str]:
    parts = text.rstrip(":").split(":")  # as Java splits: without empty parts at the end
    if len(parts) != 2:
        raise ValueError(f"renames has {text!r}: write old:new")
    return parts[0], parts[1]


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.ReplaceField",
    doc="Leaves out fields, or renames them.",
    properties=(
        Property(name="exclude", kind=Kind.LIST, doc="Fields to leave out; it wins over `include`."),
        Property(name="include", kind=Kind.LIST, doc="Fields to keep; empty: all."),
        Property(name="renames", kind=Kind.LIST, doc="Pairs of an old and a new name: `a:b,c:d`."),
        REPLACE_NULL_WITH_DEFAULT,
        Property(name="blacklist", doc="The name of `exclude` before Kafka 4: an error."),
        Property(name="whitelist", doc="The name of `include` before Kafka 4: an error."),
    ),
    make=ReplaceField,
    has_parts=True,
)
