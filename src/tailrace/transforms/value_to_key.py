"""ValueToKey: makes the key of fields of the value.

Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailrace.changes.additions import CannotApplyError
from tailrace.changes.layout_edits import Edits, struct_of
from tailrace.changes.layouts import Layout, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.parts import VALUES, split
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import REPLACE_NULL_WITH_DEFAULT, distinct, fields_of, structs_of


class ValueToKey:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(self, making: Making, *, fields: tuple[str, ...], replace_null_with_default: bool) -> None:
        if not fields:
            raise ValueError("fields is empty: name the fields of the value that become the key")
        if len(set(fields)) < len(fields):
            raise ValueError("fields names a field twice")
        self._fields = fields
        self._fills = replace_null_with_default
        self._failures = making.failures
        self._keys: Edits[Layout] = Edits(self._key)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with their new keys; those without a value fail."""
        found = split(records, VALUES)
        made = [
            self._failures.all_of(each, "its value is null, so that it has no fields for a key; a predicate may leave it out")
            for each in (found.missing, found.null)
            if each is not None
        ]
        if found.present is not None:
            made.append(self._keyed(structs_of(found.present, VALUES, self._failures)))
        return made

    def _keyed(self, records: SourceRecords) -> SourceRecords:
        if not len(records):
            return records
        try:
            return replace(records, key=self._keys.of(records.value), has_key=None)
        except CannotApplyError as error:
            return self._failures.all_of(records, str(error))

    def _key(self, value: Layout) -> Layout:
        root = value.root
        nodes = dict(fields_of(root, fills=self._fills)) if isinstance(root, Struct) else {}
        for name in self._fields:
            if name not in nodes:
                raise CannotApplyError(f"its value has no field {name!r}")
        return Layout(struct_of(Schema(Type.STRUCT), distinct((name, nodes[name]) for name in self._fields)))


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.ValueToKey",
    doc="Makes the key of fields of the value. A record without a value fails.",
    properties=(
        Property(name="fields", kind=Kind.LIST, required=True, doc="Fields of the value that become the key."),
        REPLACE_NULL_WITH_DEFAULT,
    ),
    make=ValueToKey,
)
