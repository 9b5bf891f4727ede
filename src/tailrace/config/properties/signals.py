"""Signals and notifications."""

from __future__ import annotations

from tailrace.config.properties.own import TOPIC, TOPIC_SAYS
from tailrace.config.property import Kind, Property, Status, prefixed

GROUP = "Signals and notifications"


def table(name: str) -> Property:
    """`signal.data.collection`, the signal tables; `name` is how they are named."""
    return Property(
        name="signal.data.collection",
        kind=Kind.LIST,
        doc=f"Tables that signals are written to, as `{name}`, parts in quotes where they have dots. They are captured even "
        "where the lists of tables leave them out.",
    )


PROPERTIES = (
    Property(
        name="signal.enabled.channels",
        kind=Kind.LIST,
        default=("source",),
        allowed=("source", "kafka", "file"),
        harmless=("jmx",),
        reason="it belongs to the JVM; use kafka or file",
        doc="Where signals come from: the tables of `signal.data.collection`, a Kafka topic, a file (with `tasks.max` 1).",
    ),
    Property(
        name="tailrace.signal.conditions",
        kind=Kind.BOOL,
        default=True,
        doc="Whether signals may choose rows with SQL of their own (`additional-conditions`); with false they are refused.",
    ),
    Property(
        name="signal.poll.interval.ms",
        kind=Kind.MS,
        default=5000,
        minimum=1,
        doc="How often the channels `kafka` and `file` are looked into, and in a DataFrame the signal table as well.",
    ),
    Property(
        name="signal.file",
        default="file-signals.txt",
        doc="File that signals are read from, and taken out of, in the process that reads the log.",
    ),
    Property(
        name="signal.kafka.topic",
        pattern=TOPIC,
        pattern_says=TOPIC_SAYS,
        doc="Topic that signals are read from, partition 0; without it `<topic.prefix>-signal`.",
    ),
    Property(
        name="signal.kafka.groupId",
        default="kafka-signal",
        doc="Consumer group whose offset counts where the progress knows of none yet; it is only asked.",
    ),
    Property(name="signal.kafka.bootstrap.servers", doc="Brokers of the signal topic."),
    Property(
        name="signal.kafka.poll.timeout.ms",
        kind=Kind.MS,
        default=100,
        minimum=0,
        doc="How long one look into the signal topic waits.",
    ),
    Property(
        name="notification.enabled.channels",
        kind=Kind.LIST,
        allowed=("sink", "log"),
        harmless=("jmx",),
        reason="it belongs to the JVM; use sink or log",
        doc="Where notifications go: into a topic beside the events, into the log.",
    ),
    Property(
        name="notification.sink.topic.name",
        pattern=TOPIC,
        pattern_says=TOPIC_SAYS,
        doc="Topic of the notifications, for the channel `sink`.",
    ),
)

FAMILIES = (
    prefixed("signal.consumer.", "Kafka consumer properties of the signal topic.", Status.WORKS, ""),
)
