"""JSON as a format whose schemas are in a registry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.changes.layouts import Layout
from tailrace.changes.source_records import AnyColumn
from tailrace.encoding.json_format import JsonFormat
from tailrace.encoding.json_program import json_program
from tailrace.encoding.json_schema.options import JsonSchemaOptions
from tailrace.encoding.json_schema.schema_text import JsonSchema, json_schema
from tailrace.encoding.registered.messages import RecordProgram
from tailrace.schema.connect import NO_DEFAULT


@dataclass(frozen=True, slots=True)
class JsonSchemaFormat:
    """JSON with a JSON Schema, as a `RegisteredFormat`; `options`: how schemas and values become JSON."""

    options: JsonSchemaOptions
    name: str = "JSON Schema"

    def written(self, layout: Layout) -> Layout:
        """The layout itself."""
        return layout

    def schema(self, layout: Layout) -> JsonSchema:
        """The JSON Schema."""
        return json_schema(layout.schema, self.options)

    def writes_null(self, layout: Layout) -> bool:
        """A null that the schema allows is JSON's null, as is one that has a default: the default is written."""
        return layout.schema.optional or (layout.schema.default is not NO_DEFAULT and not self.options.keep_nulls)

    def place(self, schema: JsonSchema) -> bytes:  # noqa: ARG002 -- in Protobuf it tells the place
        """Nothing: a schema is of one type."""
        return b""

    def program(self, layout: Layout, columns: Sequence[AnyColumn], prefix: bytes) -> RecordProgram:
        """The program of a layout."""
        return json_program(layout, columns, JsonFormat(schemas=False, defaults=not self.options.keep_nulls), prefix)
