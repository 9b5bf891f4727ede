"""Reading the log: batches, queues, and what happens to events that can't be decoded."""

from __future__ import annotations

from tailrace.config.property import Kind, Property, Status

GROUP = "Reading the log"
FAILURES = ("fail", "warn", "skip")

PROPERTIES = (
    Property(
        name="poll.interval.ms",
        kind=Kind.MS,
        default=500,
        minimum=1,
        doc="How long to wait for more changes before an incomplete batch goes on; more than 5000 is 5000, as in Debezium.",
    ),
    Property(
        name="max.batch.size",
        kind=Kind.INT,
        default=2048,
        minimum=1,
        status=Status.IGNORED,
        reason="memory is bounded by the blocks of the log that are read at once",
        doc="Changes that are handed on together at least, while there are so many; not a limit of memory.",
    ),
    Property(
        name="max.queue.size",
        kind=Kind.INT,
        default=8192,
        minimum=1,
        status=Status.IGNORED,
        reason="memory is bounded by the blocks of the log that are read at once",
        doc="Changes that may wait between reading and delivering; must be more than `max.batch.size`.",
    ),
    Property(
        name="max.queue.size.in.bytes",
        kind=Kind.INT,
        default=0,
        minimum=0,
        status=Status.IGNORED,
        reason="memory is bounded by the blocks of the log that are read at once",
        doc="Bytes that may wait between reading and delivering; 0 leaves it to the number of changes.",
    ),
    Property(
        name="queue.provider.type",
        default="memory",
        status=Status.IGNORED,
        reason="there is no queue of single events",
        doc="Implementation of Debezium's queue.",
    ),
    Property(
        name="event.processing.failure.handling.mode",
        kind=Kind.ENUM,
        default="fail",
        allowed=FAILURES,
        other_spellings={"ignore": "skip"},
        aliases=("event.deserialization.failure.handling.mode",),
        doc="What happens with an event that can't be decoded or shown, or a statement in MySQL's log that may have changed "
        "captured tables: stop, or leave it out, with a warning or without.",
    ),
    Property(
        name="event.converting.failure.handling.mode",
        kind=Kind.ENUM,
        default="warn",
        allowed=FAILURES,
        doc="What happens with a value, or a column's default, that does not fit its field: an error, or null, with a warning "
        "or without. Where the field can't be null it is an event that can't be shown.",
    ),
    Property(
        name="streaming.delay.ms",
        kind=Kind.MS,
        default=0,
        minimum=0,
        status=Status.UNUSED,
        reason="the log is read as soon as the snapshot is delivered",
        doc="Pause between the snapshot and the first read of the log.",
    ),
    Property(
        name="executor.shutdown.timeout.ms",
        kind=Kind.MS,
        default=4000,
        minimum=1,
        status=Status.IGNORED,
        reason="it tunes threads of the JVM",
        doc="How long Debezium waits for its threads to end.",
    ),
    Property(
        name="statistics.metrics.enabled",
        kind=Kind.BOOL,
        default=True,
        status=Status.UNUSED,
        doc="Whether quantiles of latencies are measured.",
    ),
    Property(
        name="custom.metric.tags",
        kind=Kind.LIST,
        status=Status.UNUSED,
        doc="Tags added to metrics, as `key=value`.",
    ),
    Property(
        name="custom.sanitize.pattern",
        doc="Regex of further property names whose values are never shown; it adds to the usual ones.",
    ),
)
