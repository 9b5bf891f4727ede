"""HeaderFrom: copies fields of a key or value into headers, or moves them.

Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailrace.changes.additions import CannotApplyError
from tailrace.changes.layout_edits import Edits, copied_basics, struct_of
from tailrace.changes.layouts import Layout, Struct
from tailrace.changes.source_records import SourceHeader, SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.transforms.parts import Part, split
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import REPLACE_NULL_WITH_DEFAULT, fields_of, structs_of


class HeaderFrom:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self,
        making: Making,
        *,
        fields: tuple[str, ...],
        headers: tuple[str, ...],
        operation: str,
        replace_null_with_default: bool,
    ) -> None:
        if not fields:
            raise ValueError("fields is empty: name the fields")
        if len(fields) != len(headers):
            raise ValueError("fields and headers must name as many: the first field is for the first header, and so on")
        self._names = tuple(zip(fields, headers, strict=True))
        self._moves = operation == "move"
        self._fills = replace_null_with_default
        self._part = Part(making.part)
        self._failures = making.failures
        self._edits = Edits(self._edited)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with their headers; those whose key or value is null fail."""
        found = split(records, self._part)
        made = [
            self._failures.all_of(each, f"its {self._part.word} is null, so that it has no fields for headers")
            for each in (found.missing, found.null)
            if each is not None
        ]
        if found.present is not None:
            made.append(self._with_headers(structs_of(found.present, self._part, self._failures)))
        return made

    def _with_headers(self, records: SourceRecords) -> SourceRecords:
        layout = self._part.layout(records)
        if layout is None or not len(records):
            return records
        try:
            changed, headers = self._edits.of(layout)
        except CannotApplyError as error:
            return self._failures.all_of(records, str(error))
        made = records if changed is None else self._part.with_layout(records, changed)
        return replace(made, headers=(*records.headers, *headers))

    def _edited(self, layout: Layout) -> tuple[Layout | None, tuple[SourceHeader, ...]]:
        """The layout behind the transform, None if it stays (what is kept of a layout must not keep it), and the headers."""
        root = layout.root
        pairs = fields_of(root, fills=self._fills) if isinstance(root, Struct) else []
        nodes = dict(pairs)
        for field, _ in self._names:
            if field not in nodes:
                raise CannotApplyError(f"its {self._part.word} has no field {field!r}")
        headers = tuple(SourceHeader(header, Layout(nodes[field])) for field, header in self._names)
        if not self._moves:
            return None, headers
        moved = {field for field, _ in self._names}
        kept = [(name, node) for name, node in pairs if name not in moved]
        return Layout(struct_of(copied_basics(root.schema), kept), layout.lasting), headers


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.HeaderFrom",
    doc="Copies fields into headers, or moves them.",
    properties=(
        Property(name="fields", kind=Kind.LIST, required=True, doc="The fields."),
        Property(name="headers", kind=Kind.LIST, required=True, doc="The header of each field."),
        Property(
            name="operation",
            kind=Kind.ENUM,
            allowed=("move", "copy"),
            required=True,
            doc="Whether the fields leave the key or value.",
        ),
        REPLACE_NULL_WITH_DEFAULT,
    ),
    make=HeaderFrom,
    has_parts=True,
)
