"""Confluent's Drop: a null in place of the key or value. Source: Confluent's documentation of its transforms."""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.changes.additions import Additions, CannotApplyError
from tailrace.changes.layouts import Constant, Layout
from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.transforms.parts import Part, split
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import LayoutEdits


class Drop:
    """The `Transform`; its argument is the property of the same name."""

    def __init__(self, making: Making, *, schema_behavior: str) -> None:
        self._behavior = schema_behavior
        self._part = Part(making.part)
        self._edits = LayoutEdits(self._part, making.failures, self._null)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with nulls."""
        if self._behavior == "nullify":
            return (self._part.without_schema(records),)
        found = split(records, self._part)
        if found.missing is None:
            return (self._edits(records),)
        if found.null is None and found.present is None:
            return (records,)
        return (found.missing, self._edits(records.where(self._part.there(records))))

    def _null(self, layout: Layout, _added: Additions) -> Layout:
        schema = layout.schema
        if self._behavior == "force_optional":
            schema = schema.with_(optional=True)
        elif not schema.optional:
            raise CannotApplyError(f"the schema of its {self._part.word} is not optional, so that it can't be null")
        return Layout(Constant(schema, None))


SPEC = TransformSpec(
    name="io.confluent.connect.transforms.Drop",
    doc="Puts a null in the place of the key or value.",
    properties=(
        Property(
            name="schema.behavior",
            kind=Kind.ENUM,
            default="nullify",
            allowed=("nullify", "retain", "validate", "force_optional"),
            doc="Whether the schema goes (`nullify`), stays and must be optional (`retain`, `validate`), or becomes optional.",
        ),
    ),
    make=Drop,
    has_parts=True,
)
