"""Reading the log: GTIDs, batches and queues, what happens with events that can't be decoded."""

from __future__ import annotations

import re

from tailrace.config.property import Family, Kind, Property, Status

GROUP = "Reading the log"
_FAILURES = ("fail", "warn", "skip")

PROPERTIES = (
    Property(
        name="gtid.source.includes",
        kind=Kind.REGEXES,
        doc="Server UUIDs whose GTIDs count for the position; others are taken from the server's own set.",
    ),
    Property(
        name="gtid.source.excludes",
        kind=Kind.REGEXES,
        doc="Server UUIDs whose GTIDs do not count for the position.",
    ),
    Property(
        name="gtid.source.filter.dml.events",
        kind=Kind.BOOL,
        default=True,
        doc="Whether row changes of servers that do not count give no events either.",
    ),
    Property(
        name="gtid.ignore.on.recovery",
        kind=Kind.BOOL,
        default=False,
        doc="Whether reading goes on from file and position even where a GTID set is stored.",
    ),
    Property(
        name="read.only",
        kind=Kind.BOOL,
        default=False,
        doc="Whether incremental snapshots do without writing to the source; tailrace's always do.",
    ),
    Property(
        name="poll.interval.ms",
        kind=Kind.MS,
        default=500,
        minimum=1,
        doc="How long to wait for more changes before an incomplete batch goes on.",
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
        allowed=_FAILURES,
        other_spellings={"ignore": "skip"},
        aliases=("event.deserialization.failure.handling.mode",),
        doc="What happens with a log event that can't be decoded: stop, warn and go on, or go on.",
    ),
    Property(
        name="event.converting.failure.handling.mode",
        kind=Kind.ENUM,
        default="warn",
        allowed=_FAILURES,
        doc="What happens with a value that does not fit its column's type; warn and skip make it null.",
    ),
    Property(
        name="inconsistent.schema.handling.mode",
        kind=Kind.ENUM,
        default="fail",
        allowed=_FAILURES,
        other_spellings={"ignore": "skip"},
        doc="What happens with changes of a table whose structure is not known.",
    ),
    Property(
        name="streaming.delay.ms",
        kind=Kind.MS,
        default=0,
        minimum=0,
        status=Status.UNUSED,
        doc="Pause between the snapshot and the first read of the log.",
    ),
    Property(
        name="query.fetch.size",
        kind=Kind.INT,
        default=0,
        minimum=0,
        status=Status.IGNORED,
        reason="catalog queries are small",
        doc="Rows fetched at a time by catalog queries.",
    ),
    Property(
        name="binlog.buffer.size",
        kind=Kind.INT,
        default=0,
        minimum=0,
        status=Status.IGNORED,
        reason="rolled back changes are recognised without reading ahead",
        doc="Changes that Debezium reads ahead to find out whether a transaction is rolled back.",
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

FAMILIES = (
    Family(
        name="gtid.new.channel.position, snapshot.new.tables",
        pattern=re.compile(r"gtid\.new\.channel\.position|snapshot\.new\.tables"),
        status=Status.IGNORED,
        reason="Debezium has dropped it",
        doc="Properties of Debezium 1.x.",
    ),
)
