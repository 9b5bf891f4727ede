"""SetSchemaMetadata: another name or version of the schema of a key or value.

Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailrace.changes.additions import Additions
from tailrace.changes.layout_edits import with_schema
from tailrace.changes.layouts import Layout, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.transforms.parts import Part
from tailrace.transforms.spec import Making, TransformSpec
from tailrace.transforms.struct_edits import REPLACE_NULL_WITH_DEFAULT, LayoutEdits, fields_of


class SetSchemaMetadata:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self, making: Making, *, schema_name: str | None, schema_version: int | None, replace_null_with_default: bool
    ) -> None:
        if schema_name is None and schema_version is None:
            raise ValueError("neither schema.name nor schema.version is set")
        self._name, self._version = schema_name, schema_version
        self._fills = replace_null_with_default
        self._edits = LayoutEdits(Part(making.part), making.failures, self._renamed)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records; nulls that have a schema get the new one, too."""
        return (self._edits(records),)

    def _renamed(self, layout: Layout, _added: Additions) -> Layout:
        root, schema = layout.root, layout.schema
        name = schema.name if self._name is None else self._name
        version = schema.version if self._version is None else self._version
        if isinstance(root, Struct):
            root = replace(root, fields=tuple(node for _, node in fields_of(root, fills=self._fills)))
        return Layout(with_schema(root, schema.with_(name=name, version=version)), layout.lasting)


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.SetSchemaMetadata",
    doc="Sets the name and the version of the schema.",
    properties=(
        Property(name="schema.name", doc="The new name."),
        Property(name="schema.version", kind=Kind.INT, doc="The new version."),
        REPLACE_NULL_WITH_DEFAULT,
    ),
    make=SetSchemaMetadata,
    has_parts=True,
)
