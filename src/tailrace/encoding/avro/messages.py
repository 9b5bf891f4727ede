"""Keys or values in Avro."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tailrace.changes.layouts import Layout, Struct
from tailrace.changes.source_records import AnyColumn
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.avro.program import LayoutProgram, layout_program
from tailrace.encoding.avro.schema_text import AvroSchema, avro_schema
from tailrace.encoding.registered.framing import Framing
from tailrace.encoding.registered.messages import RegisteredMessages
from tailrace.registry.schemas import SchemaIds


class AvroMessages(RegisteredMessages[AvroSchema]):
    """Renders keys or values in Avro; `options`: how schemas and values become Avro."""

    def __init__(self, part: str, ids: SchemaIds, framing: Framing, options: AvroOptions) -> None:
        super().__init__(part, ids, framing, AvroFormat(options))


@dataclass(frozen=True, slots=True)
class AvroFormat:
    """Avro, as a `RegisteredFormat`."""

    options: AvroOptions
    name: str = "Avro"

    def written(self, layout: Layout) -> Layout:
        """An optional struct as a whole is a union with null in Confluent's converter only."""
        return layout if self.options.optional_records else _required(layout)

    def schema(self, layout: Layout) -> AvroSchema:
        """The Avro schema."""
        return avro_schema(layout.schema, self.options)

    def writes_null(self, layout: Layout) -> bool:  # noqa: ARG002 -- JSON's depends on it
        """No: such a null is no message."""
        return False

    def place(self, schema: AvroSchema) -> bytes:  # noqa: ARG002 -- in other formats it tells the place
        """Nothing: a schema is of one type."""
        return b""

    def program(self, layout: Layout, columns: Sequence[AnyColumn], prefix: bytes) -> LayoutProgram:
        """The program of a layout."""
        return layout_program(layout, columns, self.options, prefix)


def _required(layout: Layout) -> Layout:
    """The layout, with a struct that is not optional as a whole; where it is null there is no datum."""
    root = layout.root
    if not isinstance(root, Struct) or not root.schema.optional:
        return layout
    return Layout(replace(root, schema=root.schema.with_(optional=False), role=None, slot=None), layout.lasting)
