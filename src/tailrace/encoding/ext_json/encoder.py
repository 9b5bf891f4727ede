"""JSON with the id of its schema: `{"schemaId":7,"payload":…}`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.changes.layouts import Layout
from tailrace.changes.source_records import AnyColumn
from tailrace.encoding.connect_json import schema_json
from tailrace.encoding.ext_json.settings import ExtJsonSettings
from tailrace.encoding.json_format import JsonFormat
from tailrace.encoding.json_program import json_program
from tailrace.encoding.registered.framing import Framing
from tailrace.encoding.registered.messages import RecordProgram, RegisteredMessages
from tailrace.registry.apicurio import ApicurioSchemaIds
from tailrace.registry.schemas import ReferringSchema, SchemaIds


def ext_json_messages(settings: ExtJsonSettings) -> RegisteredMessages[ConnectSchema]:
    """What renders keys or values."""
    return RegisteredMessages(
        settings.part, ext_json_schema_ids(settings), Framing.JSON_MEMBER, ExtJsonFormat(settings.format)
    )


def ext_json_schema_ids(settings: ExtJsonSettings) -> SchemaIds:
    """The client of the registry."""
    return ApicurioSchemaIds(settings.connection, settings.ids)


@dataclass(frozen=True, slots=True)
class ConnectSchema:
    """A schema as Kafka's JsonConverter writes it, which Apicurio Registry calls `KCONNECT`.

    Attributes:
        text: of the schema.
        record_name: None: no strategy takes names from it.
        schema_type: in the registry.

    """

    text: str
    record_name: str | None = None
    schema_type: str = "KCONNECT"

    @property
    def referring(self) -> ReferringSchema:
        """The schema itself: it refers to nothing."""
        return ReferringSchema("", "", self.text, ())

    def difference(self, other: str, referred: Mapping[str, Any]) -> str | None:  # noqa: ARG002 -- Avro's refer
        """Readers take types from the schema, so that it has to be the same."""
        return None if json.loads(self.text) == json.loads(other) else "they are not the same"


@dataclass
class ExtJsonFormat:
    """Connect's JSON with a schema in the registry, as a `RegisteredFormat`."""

    format: JsonFormat
    name: str = "JSON"

    def written(self, layout: Layout) -> Layout:
        """The layout itself."""
        return layout

    def schema(self, layout: Layout) -> ConnectSchema:
        """The schema in Connect's JSON."""
        return ConnectSchema(schema_json(layout.schema, numeric=self.format.numeric).decode())

    def writes_null(self, layout: Layout) -> bool:  # noqa: ARG002 -- JSON Schema's depends on it
        """Yes: a null with a schema is JSON's null, or the default."""
        return True

    def place(self, schema: ConnectSchema) -> bytes:  # noqa: ARG002 -- in Protobuf it tells the place
        """Nothing: a schema is of one type."""
        return b""

    def program(self, layout: Layout, columns: Sequence[AnyColumn], prefix: bytes) -> RecordProgram:
        """The program of a layout."""
        return json_program(layout, columns, self.format, prefix)
