"""Protobuf as a format whose schemas are in a registry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.changes.layouts import Layout
from tailrace.changes.source_records import AnyColumn
from tailrace.encoding.avro.program import LayoutProgram
from tailrace.encoding.protobuf.options import ProtobufOptions
from tailrace.encoding.protobuf.program import layout_program
from tailrace.encoding.protobuf.schema_text import ProtobufSchema, protobuf_schema


@dataclass(frozen=True, slots=True)
class ProtobufFormat:
    """Protobuf, as a `RegisteredFormat`; `options`: how schemas and values become Protobuf."""

    options: ProtobufOptions
    name: str = "Protobuf"

    def written(self, layout: Layout) -> Layout:
        """The layout itself: whether the whole is optional makes no difference."""
        return layout

    def schema(self, layout: Layout) -> ProtobufSchema:
        """The Protobuf schema."""
        return protobuf_schema(layout.schema, self.options)

    def writes_null(self, layout: Layout) -> bool:  # noqa: ARG002 -- JSON's depends on it
        """No: such a null is no message."""
        return False

    def place(self, schema: ProtobufSchema) -> bytes:
        """Which message of the schema it is."""
        return schema.place

    def program(self, layout: Layout, columns: Sequence[AnyColumn], prefix: bytes) -> LayoutProgram:
        """The program of a layout."""
        return layout_program(layout, columns, self.options, prefix)
