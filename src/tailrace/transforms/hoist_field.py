"""HoistField: a struct with one field in place of a key or value, which becomes that field.

A null without a schema becomes a map without a schema in Connect. Here it is a struct whose field is null, which JSON
without schemas shows alike.
Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.changes.additions import Additions
from tailrace.changes.layout_edits import struct_of
from tailrace.changes.layouts import Constant, Layout
from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Property
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.parts import Part, split
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import LayoutEdits


class HoistField:
    """The `Transform`; its argument is the property of the same name."""

    def __init__(self, making: Making, *, field: str) -> None:
        self._field = field
        self._part = Part(making.part)
        self._failures = making.failures
        self._edits = LayoutEdits(self._part, making.failures, self._hoisted)
        null = Constant(Schema(Type.STRING, optional=True), None)
        self._of_nothing = Layout(struct_of(Schema(Type.STRUCT), [(field, null)]))

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with structs; a null fails whose schema is not optional."""
        found = split(records, self._part)
        made = [] if found.missing is None else [self._part.put(found.missing, self._of_nothing)]
        if found.null is not None:
            made.append(self._of_nulls(found.null))
        return made if found.present is None else [*made, self._edits(found.present)]

    def _of_nulls(self, records: SourceRecords) -> SourceRecords:
        layout = self._part.layout(records)
        if layout is not None and layout.schema.optional:
            return self._edits(records)
        return self._failures.all_of(records, f"its {self._part.word} is null, and the field {self._field!r} would be required")

    def _hoisted(self, layout: Layout, _added: Additions) -> Layout:
        return Layout(struct_of(Schema(Type.STRUCT), [(self._field, layout.root)]), layout.lasting)


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.HoistField",
    doc="Puts the whole key or value into a field of a struct.",
    properties=(Property(name="field", required=True, doc="The name of the field."),),
    make=HoistField,
    has_parts=True,
)
