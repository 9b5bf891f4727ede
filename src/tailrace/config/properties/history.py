"""The schema history: all past structures of tables, so that each change is decoded with the one it was written with."""

from __future__ import annotations

from tailrace.config.property import Kind, Property, Status, prefixed

GROUP = "Schema history"
FILE_HISTORY = "io.debezium.storage.file.history.FileSchemaHistory"
KAFKA_HISTORY = "io.debezium.storage.kafka.history.KafkaSchemaHistory"
_PREFIX = "schema.history.internal."
_OLD = "database.history."
_KEPT = "the schema history is kept with the progress instead"


def _old(name: str) -> tuple[str, ...]:
    return (_OLD + name.removeprefix(_PREFIX),)


def _kafka(name: str, doc: str, *, kind: Kind = Kind.STRING, default: int | None = None) -> Property:
    name = _PREFIX + "kafka." + name
    minimum = None if kind is Kind.STRING else 0
    return Property(
        name=name,
        doc=doc,
        kind=kind,
        default=default,
        minimum=minimum,
        aliases=_old(name),
    )


PROPERTIES = (
    Property(
        name="schema.history.internal",
        kind=Kind.CLASS,
        aliases=("database.history",),
        allowed=(FILE_HISTORY, KAFKA_HISTORY),
        harmless=(
            "io.debezium.relational.history.MemorySchemaHistory",
            "io.debezium.relational.history.MemoryDatabaseHistory",
            "io.debezium.storage.redis.history.RedisSchemaHistory",
            "io.debezium.server.redis.RedisSchemaHistory",
            "io.debezium.storage.s3.history.S3SchemaHistory",
            "io.debezium.storage.jdbc.history.JdbcSchemaHistory",
            "io.debezium.storage.azure.blob.history.AzureBlobSchemaHistory",
            "io.debezium.storage.rocketmq.history.RocketMqSchemaHistory",
        ),
        other_spellings={
            "io.debezium.relational.history.FileDatabaseHistory": FILE_HISTORY,
            "file": FILE_HISTORY,
            "io.debezium.relational.history.KafkaDatabaseHistory": KAFKA_HISTORY,
            "kafka": KAFKA_HISTORY,
        },
        reason=_KEPT,
        doc="Where the schema history is kept besides the progress: in a file, or in a Kafka topic, which is meant as well "
        "where that topic and its brokers are named; nowhere else when absent.",
    ),
    Property(
        name="schema.history.internal.file.filename",
        aliases=_old("schema.history.internal.file.filename"),
        doc="File of the schema history in Debezium's record format.",
    ),
    Property(
        name="schema.history.internal.skip.unparseable.ddl",
        kind=Kind.BOOL,
        default=False,
        aliases=_old("schema.history.internal.skip.unparseable.ddl"),
        doc="Whether a DDL statement that can't be understood is passed over instead of stopping.",
    ),
    Property(
        name="schema.history.internal.store.only.captured.tables.ddl",
        kind=Kind.BOOL,
        default=False,
        aliases=(
            *_old("schema.history.internal.store.only.captured.tables.ddl"),
            "database.history.store.only.monitored.tables.ddl",
        ),
        doc="Whether only the structures of captured tables are kept.",
    ),
    Property(
        name="schema.history.internal.store.only.captured.databases.ddl",
        kind=Kind.BOOL,
        default=False,
        aliases=_old("schema.history.internal.store.only.captured.databases.ddl"),
        doc="Whether only the structures of captured databases are kept.",
    ),
    Property(
        name="schema.history.internal.name",
        aliases=_old("schema.history.internal.name"),
        status=Status.IGNORED,
        reason="it only names a metric",
        doc="Name of the history in metrics.",
    ),
    Property(
        name="schema.history.internal.prefer.ddl",
        kind=Kind.BOOL,
        default=False,
        aliases=_old("schema.history.internal.prefer.ddl"),
        status=Status.IGNORED,
        reason="structures are read back from the records' table changes",
        doc="Whether structures are built again from DDL texts instead of table changes.",
    ),
    Property(
        name="schema.history.internal.ddl.filter",
        aliases=(
            *_old("schema.history.internal.ddl.filter"),
            "internal.schema.history.internal.ddl.filter",
            "internal.database.history.ddl.filter",
        ),
        status=Status.IGNORED,
        reason="statements that change no structure are recognised without it",
        doc="Regexes of statements that are kept out of the history.",
    ),
    Property(
        name="schema.history.internal.memory.optimization",
        kind=Kind.ENUM,
        default="off",
        allowed=("off", "on", "shared"),
        status=Status.IGNORED,
        reason="it tunes memory of the JVM",
        doc="Whether equal structures share memory.",
    ),
    _kafka("topic", "Topic of the schema history, in Debezium's record format."),
    _kafka("bootstrap.servers", "Brokers of that topic."),
    _kafka("recovery.poll.interval.ms", "How long one read of the topic waits.", kind=Kind.MS, default=100),
    _kafka("recovery.attempts", "Reads without data before giving up.", kind=Kind.INT, default=100),
    _kafka("query.timeout.ms", "How long a question to the brokers may take.", kind=Kind.MS, default=3000),
    _kafka("create.timeout.ms", "How long creating the topic may take.", kind=Kind.MS, default=30_000),
    _kafka("buffer.batch.size", "Records that are written together.", kind=Kind.INT, default=1024),
)

FAMILIES = (
    prefixed(
        "schema.history.internal.producer.",
        "Properties of the Kafka producer, and of the admin client, of the history topic.",
        Status.WORKS,
        "",
        aliases=("database.history.producer.",),
    ),
    prefixed(
        "schema.history.internal.consumer.",
        "Properties of the Kafka consumer of the history topic.",
        Status.WORKS,
        "",
        aliases=("database.history.consumer.",),
    ),
)
