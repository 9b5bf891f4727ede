"""What a property is about: the change events and their topics, or only how they are come by.

Nobody may lose or gain an event, a field or a topic because a name was misspelt: that is an error. A misspelt name of a
property that only tunes is a warning, as it is in Kafka Connect. So each name stands in one of two lists, and a test
fails for one that stands in neither. The lists hold the current names of properties, and the names of families up to
their first blank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CHANGES_RECORDS: Final = frozenset(
    """
    connector.class topic.prefix database.names
    database.include.list database.exclude.list schema.include.list schema.exclude.list
    table.include.list table.exclude.list table.ignore.builtin column.include.list column.exclude.list
    column.propagate.source.type datatype.propagate.source.type message.key.columns
    skipped.operations skip.messages.without.change
    column.truncate.to.<n>.chars column.mask.with.<n>.chars
    column.mask.hash.<algorithm>.with.salt.<salt> column.mask.hash.v2.<algorithm>.with.salt.<salt>
    source.timestamp.mode database.server.timezone
    time.precision.mode decimal.handling.mode bigint.unsigned.handling.mode binary.handling.mode enable.time.adjuster
    include.query sourceinfo.struct.maker source.struct.version unavailable.value.placeholder
    schema.name.adjustment.mode field.name.adjustment.mode converters post.processors
    tombstones.on.delete include.schema.changes include.schema.comments
    provide.transaction.metadata transaction.metadata.factory
    topic.naming.strategy topic.delimiter topic.transaction transaction.topic topic.heartbeat.prefix topic.heartbeat.name
    data.query.mode
    schema.history.internal.store.only.captured.tables.ddl schema.history.internal.store.only.captured.databases.ddl
    internal.change.column.filter.override internal.capture.instance.include.list
    gtid.source.includes gtid.source.excludes gtid.source.filter.dml.events gtid.ignore.on.recovery
    inconsistent.schema.handling.mode event.processing.failure.handling.mode event.converting.failure.handling.mode
    schema.history.internal.skip.unparseable.ddl
    snapshot.mode snapshot.include.collection.list snapshot.select.statement.overrides
    snapshot.select.statement.overrides.* snapshot.query.mode snapshot.isolation.mode
    signal.data.collection signal.enabled.channels tailrace.signal.conditions
    notification.enabled.channels notification.sink.topic.name
    key.converter key.converter.schemas.enable key.converter.decimal.format key.converter.replace.null.with.default
    value.converter value.converter.schemas.enable value.converter.decimal.format value.converter.replace.null.with.default
    header.converter header.converter.schemas.enable transforms
    topic.creation.enable topic.creation.groups topic.creation.*
    tailrace.event.shape tailrace.context.headers tailrace.delivery.guarantee
    """.split()  # noqa: SIM905 - so many are read more easily without quotes
)
"""Those that change events, topics, or which rows are delivered."""

ONLY_TUNES: Final = frozenset(
    """
    name tasks.max tasks.max.enforce config.action.reload
    database.hostname database.port database.instance database.user database.password database.server.id
    database.server.id.offset database.ssl.mode database.ssl.keystore database.ssl.keystore.password
    database.ssl.truststore database.ssl.truststore.password database.initial.statements database.jdbc.driver
    database.protocol database.connectionTimeZone database.query.timeout.ms database.sqlserver.agent.status.query
    connect.timeout.ms connect.keep.alive connect.keep.alive.interval.ms connection.validation.timeout.ms
    use.nongraceful.disconnect binlog.net.write.timeout binlog.net.read.timeout
    driver.allowPublicKeyRetrieval driver.serverRSAPublicKeyFile driver.allowMultiQueries driver.encrypt
    driver.trustServerCertificate driver.hostNameInCertificate driver.serverCertificate driver.authentication
    driver.integratedSecurity driver.serverSpn driver.msiClientId driver.applicationIntent driver.multiSubnetFailover
    driver.loginTimeout driver.connectRetryCount driver.connectRetryInterval driver.packetSize
    driver.iPAddressPreference driver.applicationName driver.sslMode driver.trustStore
    driver.trustStorePassword driver.trustStoreType driver.trustManagerClass driver.keyStore
    driver.failoverPartner driver.databaseName driver.* database.<camelCase>
    errors.max.retries retriable.restart.connector.wait.ms
    errors.tolerance errors.retry.timeout errors.retry.delay.initial.ms errors.retry.delay.max.ms
    errors.log.enable errors.log.include.messages
    guardrail.collections.max guardrail.collections.limit.action
    topic.cache.size heartbeat.interval.ms heartbeat.action.query internal.*
    read.only query.fetch.size streaming.fetch.size binlog.buffer.size ddl.parser.type
    max.iteration.transactions gtid.new.channel.position
    poll.interval.ms max.batch.size max.queue.size max.queue.size.in.bytes queue.provider.type streaming.delay.ms
    executor.shutdown.timeout.ms statistics.metrics.enabled custom.metric.tags custom.sanitize.pattern
    schema.history.internal schema.history.internal.file.filename
    schema.history.internal.name schema.history.internal.prefer.ddl schema.history.internal.ddl.filter
    schema.history.internal.memory.optimization schema.history.internal.kafka.topic
    schema.history.internal.kafka.bootstrap.servers schema.history.internal.kafka.recovery.poll.interval.ms
    schema.history.internal.kafka.recovery.attempts schema.history.internal.kafka.query.timeout.ms
    schema.history.internal.kafka.create.timeout.ms schema.history.internal.kafka.buffer.batch.size
    schema.history.internal.producer.* schema.history.internal.consumer.*
    snapshot.locking.mode snapshot.locking.mode.custom.name snapshot.lock.timeout.ms snapshot.fetch.size
    snapshot.delay.ms snapshot.max.threads snapshot.max.threads.multiplier snapshot.max.threads.multiplier.*
    legacy.snapshot.max.threads snapshot.tables.order.by.row.count min.row.count.to.stream.results
    snapshot.query.mode.custom.name snapshot.mode.custom.name snapshot.mode.configuration.based.snapshot.data
    snapshot.mode.configuration.based.snapshot.schema snapshot.mode.configuration.based.start.stream
    snapshot.mode.configuration.based.snapshot.on.schema.error
    snapshot.mode.configuration.based.snapshot.on.data.error
    incremental.snapshot.chunk.size incremental.snapshot.allow.schema.changes
    incremental.snapshot.watermarking.strategy incremental.snapshot.option.recompile
    signal.poll.interval.ms signal.file signal.kafka.topic signal.kafka.groupId signal.kafka.bootstrap.servers
    signal.kafka.poll.timeout.ms signal.consumer.*
    key.converter.schemas.cache.size value.converter.schemas.cache.size key.converter.* value.converter.*
    header.converter.* predicates transforms.* predicates.*
    exactly.once.support transaction.boundary transaction.boundary.interval.ms
    producer.override.* consumer.override.* admin.override.*
    openlineage.integration.enabled openlineage.integration.* offset.* offsets.* debezium.embedded.*
    memory.management.* record.processing.*
    tailrace.progress.topic tailrace.history.topic tailrace.transactional.id.prefix tailrace.start.without.tables
    tailrace.slice.ms
    """.split()  # noqa: SIM905
)
"""Those that don't: where the server is, how fast it goes, what Kafka Connect or the JVM does with it."""

_NOT_WITH: Final[Mapping[str, frozenset[str]]] = {
    "MySQL": frozenset({"unavailable.value.placeholder"}),  # every value is in the log
    "SQL Server": frozenset(
        {
            "include.schema.comments",  # the JDBC driver tells no comments, so that Debezium has none either
            "event.converting.failure.handling.mode",  # values come typed
            "schema.history.internal.skip.unparseable.ddl",  # no statement is read
            "schema.history.internal.store.only.captured.tables.ddl",  # other tables are never told
            "schema.history.internal.store.only.captured.databases.ddl",
        }
    ),
}
"""What changes nothing with one database, though it does with another."""


def changes_records(name: str, database: str) -> bool:
    """Whether a property, or a family, of that name changes events, topics, or which rows are delivered."""
    key = name.split(maxsplit=1)[0].rstrip(",")
    return key in CHANGES_RECORDS and key not in _NOT_WITH.get(database, ())
