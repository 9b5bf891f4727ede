"""The properties of Debezium's CloudEventsConverter, without `key.converter.` or `value.converter.`.

Source: Debezium's documentation, "Emitting Change Events in CloudEvents Format", and the converter's list of properties (3.6).
"""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Kind, Property, PropertyTables, Status, prefixed
from tailrace.encoding.cloud_events.metadata import DEFAULT_SOURCES

JSON, AVRO = "json", "avro"
_TYPES: Final = (JSON, AVRO)

OWN: Final = (
    Property(
        name="serializer.type",
        kind=Kind.ENUM,
        default=JSON,
        allowed=_TYPES,
        doc="How the event is written. Avro takes data in Avro only.",
    ),
    Property(
        name="data.serializer.type",
        kind=Kind.ENUM,
        default=JSON,
        allowed=_TYPES,
        doc="How `data` is written; Avro in JSON is base64 of the bytes with the id of their schema.",
    ),
    Property(
        name="extension.attributes.enable",
        kind=Kind.BOOL,
        default=True,
        doc="Whether events have the attributes `iodebezium…`: the operation, the source block, the transaction.",
    ),
    Property(
        name="opentelemetry.tracing.attributes.enable",
        kind=Kind.BOOL,
        default=False,
        doc="Whether events have the attribute `traceparent`, from the header of that name; records without it fail.",
    ),
    Property(
        name="schema.name.adjustment.mode",
        kind=Kind.ENUM,
        default="avro",
        allowed=("none", "avro", "avro_unicode"),
        doc="How the name of the event's schema is adjusted.",
    ),
    Property(
        name="schema.cloudevents.name",
        doc="The name of the event's schema; without it `<prefix>.<database>.CloudEvents.Envelope`.",
    ),
    Property(
        name="schema.data.name.source.header.enable",
        kind=Kind.BOOL,
        default=False,
        doc="Whether the name of the schema of `data` may come from the header `dataSchemaName`; see `metadata.source`.",
    ),
    Property(
        name="metadata.source",
        kind=Kind.LIST,
        default=DEFAULT_SOURCES,
        doc="Where metadata come from: first `value` or `header` (the headers `source`, `op` and `transaction`), then "
        "`id:`, `type:`, `traceparent:` and `dataSchemaName:` with `generate` or `header`; what is left out is as the first. "
        "Headers are read only where `header.converter` is JSON with schemas.",
    ),
)

TABLES: Final = PropertyTables(
    (
        (
            "CloudEvents",
            OWN,
            (
                prefixed("json.", "Properties of Kafka's JsonConverter for event and data.", Status.WORKS, ""),
                prefixed(
                    "avro.",
                    "Properties of the Avro converter: Apicurio's with `avro.apicurio.registry.url`, else Confluent's.",
                    Status.WORKS,
                    "",
                ),
            ),
        ),
    )
)
