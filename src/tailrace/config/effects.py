"""Which properties change records, and which only tune how records are obtained.

A misspelt name must not silently add or remove an event, a field or a topic, so a misspelt name of a property that changes
records is an error. A misspelt name of a property that only tunes is a warning, as in Kafka Connect. Each property is
therefore in one of two lists; a test fails for one that is in neither. The lists hold current names, and names of
families up to their first space. Properties of all connectors are listed here, a connector's own beside its tables.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

CHANGES_RECORDS: Final = frozenset(
    """
    connector.class topic.prefix
    database.include.list database.exclude.list
    table.include.list table.exclude.list table.ignore.builtin column.include.list column.exclude.list
    column.propagate.source.type datatype.propagate.source.type message.key.columns
    skipped.operations skip.messages.without.change
    column.truncate.to.<n>.chars column.mask.with.<n>.chars
    column.mask.hash.<algorithm>.with.salt.<salt> column.mask.hash.v2.<algorithm>.with.salt.<salt>
    time.precision.mode decimal.handling.mode binary.handling.mode
    sourceinfo.struct.maker source.struct.version unavailable.value.placeholder
    schema.name.adjustment.mode field.name.adjustment.mode converters post.processors
    tombstones.on.delete include.schema.changes include.schema.comments
    provide.transaction.metadata transaction.metadata.factory
    topic.naming.strategy topic.delimiter topic.transaction transaction.topic topic.heartbeat.prefix topic.heartbeat.name
    schema.history.internal.store.only.captured.tables.ddl schema.history.internal.store.only.captured.databases.ddl
    event.processing.failure.handling.mode event.converting.failure.handling.mode
    schema.history.internal.skip.unparseable.ddl
    snapshot.mode snapshot.include.collection.list snapshot.select.statement.overrides
    snapshot.select.statement.overrides.* snapshot.query.mode
    signal.data.collection signal.enabled.channels tailrace.signal.conditions
    notification.enabled.channels notification.sink.topic.name
    key.converter key.converter.schemas.enable key.converter.decimal.format key.converter.replace.null.with.default
    value.converter value.converter.schemas.enable value.converter.decimal.format value.converter.replace.null.with.default
    key.converter.* value.converter.* header.converter header.converter.*
    header.converter.schemas.enable header.converter.decimal.format header.converter.replace.null.with.default
    transforms transforms.* predicates predicates.* errors.tolerance
    topic.creation.enable topic.creation.groups topic.creation.*
    tailrace.event.shape tailrace.context.headers tailrace.delivery.guarantee
    """.split()  # noqa: SIM905 - so many are read more easily without quotes
)
"""Properties that change events, topics, or which rows are delivered."""

ONLY_TUNES: Final = frozenset(
    """
    name tasks.max tasks.max.enforce config.action.reload
    database.hostname database.port database.user database.password
    database.ssl.keystore
    database.query.timeout.ms
    connection.validation.timeout.ms
    driver.* database.<camelCase>
    errors.max.retries retriable.restart.connector.wait.ms
    errors.retry.timeout errors.retry.delay.initial.ms errors.retry.delay.max.ms
    errors.log.enable errors.log.include.messages
    guardrail.collections.max guardrail.collections.limit.action
    topic.cache.size heartbeat.interval.ms heartbeat.action.query internal.*
    query.fetch.size
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
    legacy.snapshot.max.threads snapshot.tables.order.by.row.count
    snapshot.query.mode.custom.name snapshot.mode.custom.name snapshot.mode.configuration.based.snapshot.data
    snapshot.mode.configuration.based.snapshot.schema snapshot.mode.configuration.based.start.stream
    snapshot.mode.configuration.based.snapshot.on.schema.error
    snapshot.mode.configuration.based.snapshot.on.data.error
    incremental.snapshot.chunk.size incremental.snapshot.allow.schema.changes
    incremental.snapshot.watermarking.strategy
    signal.poll.interval.ms signal.file signal.kafka.topic signal.kafka.groupId signal.kafka.bootstrap.servers
    signal.kafka.poll.timeout.ms signal.consumer.*
    key.converter.schema.content value.converter.schema.content header.converter.schema.content
    key.converter.schemas.cache.size header.converter.schemas.cache.size value.converter.schemas.cache.size
    exactly.once.support transaction.boundary transaction.boundary.interval.ms offsets.storage.topic
    producer.override.* consumer.override.* admin.override.*
    openlineage.integration.enabled openlineage.integration.* offset.* offsets.* debezium.embedded.*
    memory.management.* record.processing.*
    tailrace.progress.topic tailrace.history.topic tailrace.transactional.id.prefix tailrace.start.without.tables
    tailrace.slice.ms
    """.split()  # noqa: SIM905
)
"""Properties that don't: where the server is, how fast it is read, what only Kafka Connect or the JVM uses."""


@frozen(kw_only=True)
class Effects:
    """The same two lists for a connector's own properties, and shared properties that have no effect with it.

    Attributes:
        changes: names of properties that change events, topics, or which rows are delivered.
        tunes: names of properties that don't.
        none_here: names in `CHANGES_RECORDS` that change nothing with this connector.

    """

    changes: frozenset[str] = frozenset()
    tunes: frozenset[str] = frozenset()
    none_here: frozenset[str] = frozenset()


NO_EFFECTS: Final = Effects()
