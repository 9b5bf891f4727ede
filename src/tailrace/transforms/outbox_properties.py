"""The properties of EventRouter. Source: Debezium's reference, "Outbox Event Router"."""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Kind, Property, Status

OUTBOX_PROPERTIES: Final = (
    Property(name="table.field.event.id", default="id", doc="The column that becomes the header `id`."),
    Property(name="table.field.event.key", default="aggregateid", doc="The column that becomes the key."),
    Property(name="table.field.event.type", default="type", doc="The column with the event's type; it has no effect."),
    Property(name="table.field.event.timestamp", default="", doc="The column that becomes the record's time."),
    Property(name="table.field.event.payload", default="payload", doc="The column that becomes the value."),
    *(
        Property(
            name=name,
            status=Status.IGNORED,
            reason="Debezium has dropped it; the key is the column of table.field.event.key",
            doc="The column that became the key in early versions.",
        )
        for name in ("table.field.event.payload.id", "table.field.payload.id")
    ),
    Property(
        name="table.field.event.schema.version",
        default="",
        doc="The column that becomes the version of the value's schema, if fields stand beside the payload.",
    ),
    Property(
        name="table.fields.additional.placement",
        kind=Kind.LIST,
        doc="Further columns: `column:header`, `column:envelope` or `column:partition`, each with `:alias` or without.",
    ),
    Property(
        name="table.field.additional.missing",
        kind=Kind.ENUM,
        default="error",
        allowed=("error", "ignore"),
        doc="What becomes of records whose table lacks one of these columns.",
    ),
    Property(
        name="table.expand.json.payload", kind=Kind.BOOL, default=False, doc="Whether a JSON text becomes a struct."
    ),
    Property(
        name="table.json.payload.null.behavior",
        kind=Kind.ENUM,
        default="ignore",
        allowed=("ignore", "optional_bytes"),
        doc="What becomes of nulls in an expanded payload.",
    ),
    Property(
        name="table.op.invalid.behavior",
        kind=Kind.ENUM,
        default="warn",
        allowed=("warn", "error", "fatal"),
        doc="What becomes of updates: dropped with a warning, dropped with an error in the log, or failed.",
    ),
    Property(name="route.by.field", default="aggregatetype", doc="The column that decides the topic."),
    Property(name="route.topic.regex", default="(?<routedByValue>.*)", doc="A Java regular expression for its value."),
    Property(
        name="route.topic.replacement",
        default="outbox.event.${routedByValue}",
        doc="The topic of values that the expression matches as a whole; others are the topic's name themselves.",
    ),
    Property(
        name="route.tombstone.on.empty.payload",
        kind=Kind.BOOL,
        default=False,
        doc="Whether an event with an empty payload becomes a tombstone.",
    ),
    Property(
        name="field.name.adjustment.mode",
        kind=Kind.ENUM,
        default="none",
        allowed=("none", "avro", "avro_unicode"),
        doc="How names of fields of an expanded payload are adjusted.",
    ),
)
