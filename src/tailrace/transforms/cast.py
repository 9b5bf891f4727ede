"""Cast: other types for fields, or for a whole key or value.

Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tailrace.changes.additions import Additions, CannotApplyError, FailedRecordsError
from tailrace.changes.field_paths import is_null, repeated
from tailrace.changes.layout_edits import filled, struct_of
from tailrace.changes.layouts import Column, Constant, Layout, Node, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.changes.vectors import Vector
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.transforms import casts
from tailrace.transforms.column_values import column_of, has_column
from tailrace.transforms.logical_types import LOGICAL_NAMES
from tailrace.transforms.parts import Part, split
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import REPLACE_NULL_WITH_DEFAULT, LayoutEdits, fields_of

_TYPES: Final = {
    **{each.value: each for each in (Type.INT8, Type.INT16, Type.INT32, Type.INT64, Type.BOOLEAN, Type.STRING)},
    "float32": Type.FLOAT32,
    "float64": Type.FLOAT64,
}


class Cast:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(self, making: Making, *, spec: tuple[str, ...], replace_null_with_default: bool) -> None:
        if not spec:
            raise ValueError("spec is empty: write field:type, or one type for the whole")
        casts_of = [_cast_of(each) for each in spec]
        self._whole = next((type_ for name, type_ in casts_of if name is None), None)
        if self._whole is not None and len(spec) > 1:
            raise ValueError("spec has a type for the whole and more: a type for the whole must be alone")
        self._types = dict(casts_of)
        self._fills = replace_null_with_default
        self._part = Part(making.part)
        self._edits = LayoutEdits(self._part, making.failures, self._edited)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The nulls as they are, and the others with their new types."""
        found = split(records, self._part)
        kept = [each for each in (found.missing, found.null) if each is not None]
        return kept if found.present is None else [*kept, self._edits(found.present)]

    def _edited(self, layout: Layout, added: Additions) -> Layout:
        root = layout.root
        if self._whole is not None:
            return Layout(self._whole_node(root, self._whole, added), layout.lasting)
        if not isinstance(root, Struct):
            raise CannotApplyError(f"its {self._part.word} is a {layout.schema.type} and no struct")
        pairs = [(name, self._field(name, node, added)) for name, node in fields_of(root, fills=self._fills)]
        basics = root.schema
        if basics.default is not NO_DEFAULT:
            raise CannotApplyError(f"its {self._part.word} is a struct with a default")
        return Layout(struct_of(basics, pairs), layout.lasting)

    def _whole_node(self, root: Node, target: Type, added: Additions) -> Node:
        if not has_column(root):
            raise CannotApplyError(f"its {self._part.word} is a {root.schema.type}, which can't be cast as a whole")
        if root.schema.name in LOGICAL_NAMES:
            raise CannotApplyError(f"a cast {root.schema.name} keeps its name, which no converter takes for a {target}")
        schema = _with_type(root.schema.with_(), root.schema, target)
        return Column(schema, added.column(lambda records: _cast(records, root, target, "the whole")), added.each_record())

    def _field(self, name: str, node: Node, added: Additions) -> Node:
        target = self._types.get(name)
        if target is None:
            return node
        what, plain = f"the field {name!r}", Schema(target, optional=node.schema.optional)
        if not has_column(node):
            added.check(lambda records: _refuse(records, node, what))
            return Constant(plain, None)  # of the records that are left
        schema = _with_type(plain, node.schema, target)
        return Column(schema, added.column(lambda records: _cast(records, node, target, what)), added.each_record())


def _cast_of(text: str) -> tuple[str | None, Type]:
    """The field, or None for the whole, and the type."""
    *names, type_ = (part.strip() for part in text.split(":"))
    found = _TYPES.get(type_.lower())
    if len(names) > 1:
        raise ValueError(f"spec has {text!r}: write field:type")
    if found is None:
        raise ValueError(f"spec has {text!r}: the type must be one of {', '.join(_TYPES)}")
    return (names[0] if names else None), found


def _with_type(made: Schema, old: Schema, target: Type) -> Schema:
    """A schema with another type, and the default in it. Raises `CannotApplyError` if the default can't be cast."""
    if old.default is NO_DEFAULT:
        return made.with_(type=target)
    value, failed = casts.cast(repeated(old, old.default, 1), old, target)
    if failed is not None and failed[0]:
        raise CannotApplyError(f"a default can't be cast to {target}")
    default: Any = value.to_arrow()[0].as_py()
    return made.with_(type=target, default=default)


def _cast(records: SourceRecords, node: Node, target: Type, what: str) -> Vector:
    found, failed = casts.cast(column_of(records, node), node.schema, target)
    if failed is not None and failed.any():
        raise FailedRecordsError(np.asarray(failed, np.bool_), f"{what} has a value that is no {target}")
    return found


def _refuse(records: SourceRecords, node: Node, what: str) -> None:
    there = ~is_null(records, filled(node))
    if there.any():
        raise FailedRecordsError(there, f"{what} is a {node.schema.type}, which can't be cast")


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.Cast",
    doc="Gives fields other types, or the whole key or value another one.",
    properties=(
        Property(
            name="spec",
            kind=Kind.LIST,
            required=True,
            doc="`field:type,…`, or one type for the whole: int8, int16, int32, int64, float32, float64, boolean, string.",
        ),
        REPLACE_NULL_WITH_DEFAULT,
    ),
    make=Cast,
    has_parts=True,
)
