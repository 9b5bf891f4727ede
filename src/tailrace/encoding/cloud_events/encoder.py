"""Makes what writes cloud events, from the settings of the converter."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tailrace.encoding.cloud_events.messages import CloudEventMessages
from tailrace.encoding.cloud_events.settings import CloudEventSettings
from tailrace.encoding.json import JsonMessages
from tailrace.encoding.nested import nested_messages, nested_schema_ids

if TYPE_CHECKING:
    from tailrace.encoding.avro.messages import AvroMessages
    from tailrace.registry.schemas import SchemaIds


def cloud_event_messages(settings: CloudEventSettings) -> CloudEventMessages:
    """What renders keys or values."""
    avro = None if settings.avro is None else cast("AvroMessages", nested_messages(settings.avro))
    events = avro if settings.json is None else JsonMessages(settings.json)
    if events is None:
        raise TypeError("events in Avro need a registry")
    return CloudEventMessages(settings, events, avro if settings.avro_data else None)


def cloud_event_schema_ids(settings: CloudEventSettings) -> SchemaIds | None:
    """The client of the schema registry; None: there is none."""
    return nested_schema_ids(settings.avro)
