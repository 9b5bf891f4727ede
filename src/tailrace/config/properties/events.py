"""The form of events: types, names, topics, tombstones, transaction metadata."""

from __future__ import annotations

import re

from tailrace.config.property import Family, Kind, Property, Status, prefixed

GROUP = "Events"
_TOPIC = re.compile(r"[a-zA-Z0-9_.\-]+")
_TOPIC_SAYS = "letters, digits, dots, hyphens and underscores only"
_ADJUSTMENTS = ("none", "avro", "avro_unicode")


def naming_strategy(usual: str) -> Property:
    """`topic.naming.strategy`, Debezium's class that names topics; `usual` is the first word of the connector's default."""
    names = ("Default", "Schema", "DefaultRegex", "SchemaRegex", "DefaultUnicode", "SchemaUnicode")
    there = f"io.debezium.schema.{usual}TopicNamingStrategy"
    return Property(
        name="topic.naming.strategy",
        kind=Kind.CLASS,
        default=there,
        allowed=(there,),
        not_yet=tuple(f"io.debezium.schema.{name}TopicNamingStrategy" for name in names if name != usual),
        doc="How topics are named.",
    )


def properties(parts: str) -> tuple[Property, ...]:
    """The properties of all connectors; `parts` says what follows the prefix in a topic's name."""
    return (
        Property(
            name="topic.prefix",
            required=True,
            aliases=("database.server.name",),
            pattern=_TOPIC,
            pattern_says=_TOPIC_SAYS,
            doc="First part of every topic name and the name of the source; do not change it later.",
        ),
        Property(
            name="tombstones.on.delete",
            kind=Kind.BOOL,
            default=True,
            doc="Whether a delete event is followed by a tombstone: the same key without a value.",
        ),
        Property(
            name="include.schema.changes",
            kind=Kind.BOOL,
            default=True,
            doc="Whether changes of structure are delivered to the topic named as the prefix.",
        ),
        Property(
            name="include.schema.comments",
            kind=Kind.BOOL,
            default=False,
            doc="Whether comments of tables and columns are part of the structure.",
        ),
        Property(
            name="provide.transaction.metadata",
            kind=Kind.BOOL,
            default=False,
            doc="Whether transactions' BEGIN and END events are delivered and each event names its transaction.",
        ),
        Property(
            name="transaction.metadata.factory",
            kind=Kind.CLASS,
            default="io.debezium.pipeline.txmetadata.DefaultTransactionMetadataFactory",
            status=Status.REFUSED,
            doc="Java class that makes the transaction metadata.",
        ),
        Property(
            name="schema.name.adjustment.mode",
            kind=Kind.ENUM,
            default="none",
            allowed=_ADJUSTMENTS,
            doc="How schema names are made fit for Avro; left out with an older `tailrace.event.shape`, `avro`.",
        ),
        Property(
            name="field.name.adjustment.mode",
            kind=Kind.ENUM,
            default="none",
            allowed=_ADJUSTMENTS,
            other_spellings={"true": "avro", "false": "none"},
            aliases=("sanitize.field.names",),
            doc="How field names are made fit for Avro; the old `sanitize.field.names=true` is `avro`.",
        ),
        Property(
            name="topic.delimiter",
            default=".",
            pattern=_TOPIC,
            pattern_says=_TOPIC_SAYS,
            doc=f"What stands between prefix, {parts} in topic names.",
        ),
        Property(
            name="topic.transaction",
            default="transaction",
            pattern=_TOPIC,
            pattern_says=_TOPIC_SAYS,
            doc="Last part of the name of the transaction topic.",
        ),
        Property(
            name="topic.cache.size",
            kind=Kind.INT,
            default=10_000,
            status=Status.IGNORED,
            reason="topic names are worked out once for each structure of a table",
            doc="How many topic names are remembered.",
        ),
        Property(
            name="topic.heartbeat.prefix",
            default="__debezium-heartbeat",
            aliases=("heartbeat.topics.prefix",),
            pattern=_TOPIC,
            pattern_says=_TOPIC_SAYS,
            doc="First part of the name of the heartbeat topic.",
        ),
        Property(
            name="topic.heartbeat.name",
            pattern=_TOPIC,
            pattern_says=_TOPIC_SAYS,
            doc="Whole name of the heartbeat topic, instead of prefix and server.",
        ),
        Property(
            name="heartbeat.interval.ms",
            kind=Kind.MS,
            default=0,
            minimum=0,
            doc="How often a heartbeat event is delivered; 0 is never.",
        ),
        Property(
            name="heartbeat.action.query",
            doc="SQL statement that is run on the source with each heartbeat.",
        ),
        Property(
            name="source.struct.version",
            kind=Kind.ENUM,
            default="v2",
            allowed=("v2",),
            not_yet=("v1",),
            doc="Version of the source block.",
        ),
        Property(
            name="converters",
            kind=Kind.LIST,
            default=(),
            doc="Names of [custom converters](custom-converters.md) of column values; `<name>.type` is the class of one, "
            "`<name>.<property>` a property.",
        ),
        Property(
            name="post.processors",
            kind=Kind.LIST,
            default=(),
            doc="Names of [post processors](post-processors.md); `post.processors.<name>.type` is the class of one, "
            "`io.debezium.processors.reselect.ReselectColumnsPostProcessor`.",
        ),
    )


FAMILIES = (
    Family(
        name="transaction.topic",
        pattern=re.compile(r"transaction\.topic"),
        status=Status.REFUSED,
        reason="set topic.transaction to the part of the name that follows the prefix",
        doc="Whole name of the transaction topic, in Debezium 1.x.",
    ),
    prefixed(
        "internal.", "Debezium's internal switches.", Status.IGNORED, "it is an internal switch of Debezium"
    ),
)
