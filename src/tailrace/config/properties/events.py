"""What events look like: types, names, topics, tombstones, transaction metadata."""

from __future__ import annotations

import re

from tailrace.config.property import Family, Kind, Property, Status, prefixed

GROUP = "Events"
_TOPIC = re.compile(r"[a-zA-Z0-9_.\-]+")
_TOPIC_SAYS = "letters, digits, dots, hyphens and underscores only"
_ADJUSTMENTS = ("none", "avro", "avro_unicode")

PROPERTIES = (
    Property(
        name="topic.prefix",
        required=True,
        aliases=("database.server.name",),
        pattern=_TOPIC,
        pattern_says=_TOPIC_SAYS,
        doc="First part of every topic name and the name of the source; do not change it later.",
    ),
    Property(
        name="time.precision.mode",
        kind=Kind.ENUM,
        default="adaptive_time_microseconds",
        allowed=("adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"),
        doc="How DATE, TIME, DATETIME and TIMESTAMP columns appear; Debezium dropped `adaptive` for MySQL.",
    ),
    Property(
        name="decimal.handling.mode",
        kind=Kind.ENUM,
        default="precise",
        allowed=("precise", "string", "double"),
        doc="How DECIMAL and NUMERIC columns appear.",
    ),
    Property(
        name="bigint.unsigned.handling.mode",
        kind=Kind.ENUM,
        default="long",
        allowed=("long", "precise"),
        doc="How BIGINT UNSIGNED columns appear; `long` wraps values above 2^63-1.",
    ),
    Property(
        name="binary.handling.mode",
        kind=Kind.ENUM,
        default="bytes",
        allowed=("bytes", "base64", "base64-url-safe", "hex"),
        doc="How BINARY, VARBINARY and BLOB columns appear.",
    ),
    Property(
        name="enable.time.adjuster",
        kind=Kind.BOOL,
        default=True,
        doc="Whether years of two digits are moved to 1970-2069.",
    ),
    Property(
        name="tombstones.on.delete",
        kind=Kind.BOOL,
        default=True,
        doc="Whether a delete event is followed by a tombstone: the same key without a value.",
    ),
    Property(
        name="include.query",
        kind=Kind.BOOL,
        default=False,
        doc="Whether `source.query` holds the SQL statement (needs `binlog_rows_query_log_events`).",
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
        doc="How schema names are made fit for Avro.",
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
        name="topic.naming.strategy",
        kind=Kind.CLASS,
        default="io.debezium.schema.DefaultTopicNamingStrategy",
        allowed=("io.debezium.schema.DefaultTopicNamingStrategy",),
        not_yet=(
            "io.debezium.schema.SchemaTopicNamingStrategy",
            "io.debezium.schema.DefaultRegexTopicNamingStrategy",
            "io.debezium.schema.SchemaRegexTopicNamingStrategy",
            "io.debezium.schema.DefaultUnicodeTopicNamingStrategy",
            "io.debezium.schema.SchemaUnicodeTopicNamingStrategy",
        ),
        doc="How topics are named.",
    ),
    Property(
        name="topic.delimiter",
        default=".",
        pattern=_TOPIC,
        pattern_says=_TOPIC_SAYS,
        doc="What stands between prefix, database and table in topic names.",
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
        name="sourceinfo.struct.maker",
        kind=Kind.CLASS,
        default="io.debezium.connector.mysql.MySqlSourceInfoStructMaker",
        status=Status.REFUSED,
        doc="Java class that makes the source block.",
    ),
    Property(
        name="unavailable.value.placeholder",
        default="__debezium_unavailable_value",
        status=Status.IGNORED,
        reason="no value of MySQL needs it",
        doc="What stands for a value that the database did not give.",
    ),
    Property(
        name="converters",
        kind=Kind.LIST,
        status=Status.REFUSED,
        doc="Names of custom converters of column values.",
    ),
    Property(
        name="post.processors",
        kind=Kind.LIST,
        status=Status.REFUSED,
        doc="Names of post processors, such as the reselecting one.",
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
