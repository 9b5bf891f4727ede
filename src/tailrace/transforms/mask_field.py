"""MaskField: the zero value of its type, or a fixed replacement, in place of what fields have.

Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any, Final

import numpy as np

from tailrace.changes.additions import Additions, FailedRecordsError, Rows
from tailrace.changes.field_paths import is_null, repeated
from tailrace.changes.layout_edits import with_fields
from tailrace.changes.layouts import Column, Constant, Node, Struct, Values
from tailrace.changes.source_records import Objects, SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.java_numbers import BITS, NUMBER, cut
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.logical_types import DECIMAL_NAME, LOGICAL_NAMES, scale_of
from tailrace.transforms.parts import Part
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import REPLACE_NULL_WITH_DEFAULT, StructTransform, fields_of

_NOT_MASKABLE: Final = object()


class MaskField(StructTransform):
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self, making: Making, *, fields: tuple[str, ...], replacement: str | None, replace_null_with_default: bool
    ) -> None:
        if not fields:
            raise ValueError("fields is empty: name the fields to mask")
        if replacement == "":
            raise ValueError("replacement is empty: leave it out, or give a text or a number")
        self._masked = frozenset(fields)
        self._replacement = replacement
        self._fills = replace_null_with_default
        super().__init__(Part(making.part), making.failures, self._with_masks, takes_nulls=False)

    def _with_masks(self, struct: Struct, added: Additions) -> Node:
        pairs = fields_of(struct, fills=self._fills)
        return with_fields(
            struct, [(name, self._mask(name, node, added) if name in self._masked else node) for name, node in pairs]
        )

    def _mask(self, name: str, node: Node, added: Additions) -> Node:
        """The mask where the field has a value; nulls stay."""
        value = self._value(node.schema)
        if value is _NOT_MASKABLE:
            added.check(lambda records: self._refuse(name, node, records))
            return node
        if not node.schema.optional:
            return Constant(node.schema, value)
        role = added.role(lambda records: _where_there(records, node))
        if node.schema.type in {Type.ARRAY, Type.MAP}:
            return Values(node.schema, added.column(lambda _: Objects([value])), role)
        return Column(node.schema, added.column(lambda _: repeated(node.schema, value, 1)), role)

    def _refuse(self, name: str, node: Node, records: SourceRecords) -> None:
        there = ~is_null(records, node)
        if there.any():
            how = "" if self._replacement is None else " with this replacement"
            type_ = node.schema.name or node.schema.type
            raise FailedRecordsError(there, f"the field {name!r} is a {type_}, which can't be masked{how}")

    def _value(self, schema: Schema) -> Any:
        """The mask, in the form of `connect_json.value_json`."""
        if schema.name in LOGICAL_NAMES and schema.name != DECIMAL_NAME:
            return 0 if self._replacement is None else _NOT_MASKABLE
        if schema.name == DECIMAL_NAME:
            return _decimal("0" if self._replacement is None else self._replacement, scale_of(schema))
        return _zero(schema) if self._replacement is None else _replaced(schema, self._replacement)


def _where_there(records: SourceRecords, node: Node) -> Rows:
    return np.where(is_null(records, node), np.int32(-1), np.int32(0)).astype(np.int32)


def _zero(schema: Schema) -> Any:
    if schema.type is Type.BOOLEAN:
        return False
    if schema.type is Type.STRING:
        return ""
    if schema.type is Type.ARRAY:
        return []
    if schema.type is Type.MAP:
        return {}
    return 0 if schema.type in {*BITS, Type.FLOAT32, Type.FLOAT64} else _NOT_MASKABLE


def _replaced(schema: Schema, text: str) -> Any:
    """The replacement as a value of the field: a number is cut to what the type holds, as in Java."""
    if schema.type is Type.STRING:
        return text
    if schema.type not in {*BITS, Type.FLOAT32, Type.FLOAT64} or not NUMBER.fullmatch(text):
        return _NOT_MASKABLE
    if schema.type in BITS:
        return cut(int(Decimal(text)), schema.type)
    return float(np.float32(float(text))) if schema.type is Type.FLOAT32 else float(text)


def _decimal(text: str, scale: int) -> Any:
    """A decimal; converters take it only with the schema's own scale."""
    try:
        number = Decimal(text) if NUMBER.fullmatch(text) else Decimal("NaN")
    except InvalidOperation:
        return _NOT_MASKABLE
    exponent = number.as_tuple().exponent
    return number if isinstance(exponent, int) and -exponent == scale else _NOT_MASKABLE


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.MaskField",
    doc="Puts zeros, empty texts or a fixed replacement in the place of fields' values. Bytes and structs fail.",
    properties=(
        Property(name="fields", kind=Kind.LIST, required=True, doc="The fields."),
        Property(name="replacement", doc="The text or number for all of them; without it the zero of each type."),
        REPLACE_NULL_WITH_DEFAULT,
    ),
    make=MaskField,
    has_parts=True,
)
