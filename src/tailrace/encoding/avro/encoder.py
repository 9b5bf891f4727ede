"""Makes what writes keys or values in Avro, from the settings of a converter."""

from __future__ import annotations

from tailrace.encoding.avro.messages import AvroMessages
from tailrace.encoding.avro.settings import AvroConverterSettings
from tailrace.registry.apicurio import ApicurioSchemaIds
from tailrace.registry.confluent import ConfluentIds, ConfluentSchemaIds


def avro_encoder_for(settings: AvroConverterSettings) -> AvroMessages:
    """What renders keys or values (`settings.part`), as `JsonMessages` does; it connects to the registry when it has to."""
    return AvroMessages(settings.part, schema_ids_for(settings), settings.framing, settings.options)


def schema_ids_for(settings: AvroConverterSettings) -> ConfluentSchemaIds | ApicurioSchemaIds:
    """The client of the registry."""
    if isinstance(settings.ids, ConfluentIds):
        return ConfluentSchemaIds(settings.connection, settings.ids)
    return ApicurioSchemaIds(settings.connection, settings.ids)
