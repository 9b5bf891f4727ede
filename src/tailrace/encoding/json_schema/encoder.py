"""Makes what writes keys or values in JSON with schemas in a registry, from the settings of the converter."""

from __future__ import annotations

from tailrace.encoding.json_schema.messages import JsonSchemaFormat
from tailrace.encoding.json_schema.schema_text import JsonSchema
from tailrace.encoding.json_schema.settings import JsonSchemaSettings
from tailrace.encoding.registered.messages import RegisteredMessages
from tailrace.encoding.registered.settings import schema_ids_of


def json_schema_messages(settings: JsonSchemaSettings) -> RegisteredMessages[JsonSchema]:
    """What renders keys or values (`settings.part`); it connects to the registry when it has to."""
    return RegisteredMessages(
        settings.part, schema_ids_of(settings), settings.framing, JsonSchemaFormat(settings.options)
    )
