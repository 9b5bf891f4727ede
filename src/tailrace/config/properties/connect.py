"""Kafka Connect's own properties of a source connector, and those of Debezium's embedded engine."""

from __future__ import annotations

import re

from attrs import evolve

from tailrace.config.properties.json_converter import json_properties
from tailrace.config.property import Kind, Property, Status, prefixed
from tailrace.converter_classes import (
    BYTE_ARRAY,
    CLOUD_EVENTS,
    JSON,
    OF_HEADERS,
    SIMPLE_HEADERS,
    STRING,
    WITH_OWN_PROPERTIES,
)

GROUP = "Kafka Connect"
_NOT_YET = "that converter is not supported yet"
_GLUE = (
    "AWS Glue's registry is not supported: take a registry with Confluent's API and io.confluent.connect.avro.AvroConverter, "
    f"or {JSON}"
)
_CONVERTERS_BY_MAKER = (
    (re.compile(r"com\.amazonaws\..+Converter"), _GLUE),
    *(
        (re.compile(pattern), f"{_NOT_YET} ({whose}); it must be {JSON}")
        for pattern, whose in (
            (r"io\.confluent\..+Converter", "one of Confluent's"),
            (r"io\.apicurio\..+Converter", "one of Apicurio's"),
            (r"io\.debezium\..+Converter", "one of Debezium's"),
            (r"com\.snowflake\..+Converter", "one of Snowflake's, for sinks"),
            (r"com\.(?:microsoft|azure)\..+Converter|com\.blueapron\..+Converter|io\.aiven\..+Converter", "a vendor's"),
            (r"org\.apache\.kafka\.connect\..+Converter", "one of Kafka Connect's"),
            (r"(?i)(?:avro|protobuf|bytes|json_?sr|jsonschema)", "a short name"),
        )
    ),
)
_SPARK = "Spark runs the tasks"


def _json_properties(side: str) -> tuple[Property, ...]:
    """JSON's own properties; those of a header converter that is not JSON are none of them."""
    return tuple(evolve(each, name=f"{side}.converter.{each.name}") for each in json_properties(side))


def _converter(side: str) -> tuple[Property, ...]:
    name = f"{side}.converter"
    return (
        Property(
            name=name,
            kind=Kind.CLASS,
            default=JSON,
            allowed=(JSON, *WITH_OWN_PROPERTIES),
            other_spellings={"json": JSON, "string": STRING, "bytearray": BYTE_ARRAY, "cloudevents": CLOUD_EVENTS},
            recognised=_CONVERTERS_BY_MAKER,
            doc=f"Converter of event {side}s. `{STRING}` writes what Java's `toString` makes of a {side}: `Struct{{id=1}}`. "
            "All of them and their properties: [converters](converters.md).",
        ),
        *_json_properties(side),
    )


def _ignored(
    name: str, doc: str, reason: str, kind: Kind = Kind.STRING, default: str | int | bool | None = None
) -> Property:
    return Property(name=name, doc=doc, kind=kind, default=default, status=Status.IGNORED, reason=reason)


CONNECTOR_CLASS = Property(
    name="connector.class", kind=Kind.CLASS, required=True, doc="Which connector this is; the registry of connectors has more."
)

PROPERTIES = (
    Property(name="name", doc="Name of the connector; without it the topic prefix."),
    CONNECTOR_CLASS,
    Property(
        name="tasks.max",
        kind=Kind.INT,
        default=1,
        minimum=1,
        doc="How many lanes read and deliver side by side with `--to kafka`; other targets use one.",
    ),
    *_converter("key"),
    *_converter("value"),
    Property(
        name="header.converter",
        kind=Kind.CLASS,
        default=SIMPLE_HEADERS,
        allowed=(SIMPLE_HEADERS, JSON, *OF_HEADERS),
        other_spellings={"simple": SIMPLE_HEADERS, "json": JSON, "string": STRING},
        recognised=_CONVERTERS_BY_MAKER,
        doc="Converter of headers. Connect's own default, which is the default here too, writes texts as they are and "
        "everything else as JSON without schemas. All of them: [converters](converters.md).",
    ),
    *_json_properties("header"),
    Property(
        name="transforms",
        kind=Kind.LIST,
        doc="Names of transforms of the records, in order. What each one is, and its properties: [transforms](transforms.md).",
    ),
    Property(
        name="predicates",
        kind=Kind.LIST,
        doc="Names of predicates, which say which records a transform is for: [transforms](transforms.md#predicates).",
    ),
    Property(
        name="errors.tolerance",
        kind=Kind.ENUM,
        default="none",
        allowed=("none", "all"),
        doc="Whether records that a transform or a converter fails on stop the connector, or are dropped, counted and logged "
        "(`all`): a schema that the registry refuses, a value that a format can't express. A registry that does not answer or "
        "refuses the login, and a record that Kafka does not take, stop it in any case.",
    ),
    _ignored(
        "errors.retry.timeout",
        "How long failed records are tried again.",
        "nothing fails record by record",
        Kind.MS,
        0,
    ),
    _ignored(
        "errors.retry.delay.initial.ms",
        "First pause between those tries.",
        "nothing fails record by record",
        Kind.MS,
    ),
    _ignored(
        "errors.retry.delay.max.ms",
        "Longest pause between those tries.",
        "nothing fails record by record",
        Kind.MS,
        60_000,
    ),
    _ignored(
        "errors.log.enable",
        "Whether failures are logged.",
        "every failure is logged",
        Kind.BOOL,
        default=False,
    ),
    _ignored(
        "errors.log.include.messages",
        "Whether the log shows the records.",
        "records are never logged",
        Kind.BOOL,
        default=False,
    ),
    _ignored("config.action.reload", "What happens when a secret changes.", "secrets are read at each start"),
    _ignored("tasks.max.enforce", "Whether too many tasks are an error.", _SPARK, Kind.BOOL, default=True),
    Property(
        name="exactly.once.support",
        kind=Kind.ENUM,
        default="requested",
        allowed=("requested", "required"),
        doc="Whether delivery exactly once is a must: `required` refuses `tailrace.delivery.guarantee=at-least-once`.",
    ),
    _ignored(
        "transaction.boundary", "Where Connect's producer commits.", "each sink commits with its progress"
    ),
    _ignored(
        "transaction.boundary.interval.ms",
        "How often Connect's producer commits.",
        "each sink commits with its progress",
        Kind.MS,
    ),
    Property(
        name="offsets.storage.topic",
        doc="The connector's own topic of offsets in Kafka Connect, which `tailrace offsets import` and `export` use then.",
    ),
    Property(
        name="topic.creation.enable",
        kind=Kind.BOOL,
        default=True,
        doc="Whether missing topics are created, with `--to kafka`.",
    ),
    Property(
        name="topic.creation.groups",
        kind=Kind.LIST,
        doc="Names of groups of topics that are created with settings of their own; the first that takes a topic counts.",
    ),
    Property(
        name="openlineage.integration.enabled",
        kind=Kind.BOOL,
        default=False,
        status=Status.UNUSED,
        doc="Whether OpenLineage events are sent.",
    ),
)

FAMILIES = (
    prefixed("transforms.", "Properties of one transform, behind its name in `transforms`.", Status.WORKS, ""),
    prefixed("predicates.", "Properties of one predicate, behind its name in `predicates`.", Status.WORKS, ""),
    prefixed(
        "topic.creation.",
        "Of the group `default` (needed where there is any) or a group of `topic.creation.groups`: "
        "`<group>.replication.factor` and `<group>.partitions` (-1: the brokers' default), `<group>.include` and "
        "`<group>.exclude` (regexes of whole topic names), and `<group>.` with any setting of a topic.",
        Status.WORKS,
        "",
    ),
    prefixed(
        "producer.override.",
        "Properties of the Kafka producer of `--to kafka`; its security counts for the other clients too.",
        Status.WORKS,
        "",
    ),
    prefixed("consumer.override.", "Properties of the Kafka consumer that reads the progress back.", Status.WORKS, ""),
    prefixed("admin.override.", "Properties of the Kafka client that makes topics.", Status.WORKS, ""),
    prefixed("openlineage.integration.", "What OpenLineage events tell.", Status.UNUSED, ""),
    prefixed("key.converter.", "Properties of the key's [converter](converters.md).", Status.WORKS, ""),
    prefixed("value.converter.", "Properties of the value's [converter](converters.md).", Status.WORKS, ""),
    prefixed("header.converter.", "Properties of the header's [converter](converters.md).", Status.WORKS, ""),
    prefixed(
        "offset.",
        "Where the embedded engine keeps offsets.",
        Status.IGNORED,
        "progress is kept with the sink",
    ),
    prefixed(
        "offsets.", "Where Kafka Connect keeps offsets.", Status.IGNORED, "progress is kept with the sink"
    ),
    prefixed("debezium.embedded.", "Switches of the embedded engine.", Status.IGNORED, _SPARK),
    prefixed(
        "memory.management.",
        "Where Debezium holds structures in memory.",
        Status.IGNORED,
        "it tunes memory of the JVM",
    ),
    prefixed("record.processing.", "Threads of the embedded engine.", Status.IGNORED, _SPARK),
)
