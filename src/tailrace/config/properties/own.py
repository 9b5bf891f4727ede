"""tailrace's own properties."""

from __future__ import annotations

import re

from tailrace.config.property import Kind, Property
from tailrace.schema.event_shapes import CURRENT

GROUP = "tailrace's own"

EXACTLY_ONCE = "exactly-once"
AT_LEAST_ONCE = "at-least-once"
TOPIC = re.compile(r"[a-zA-Z0-9_.\-]{1,249}")
TOPIC_SAYS = "letters, digits, dots, hyphens and underscores only, 249 at most"


def event_shape(*older: str) -> Property:
    """`tailrace.event.shape`, whose fields the events have; `older` are the versions of Debezium that it may name."""
    or_older = f", or that of Debezium {' or '.join(older)}" if older else ""
    return Property(
        name="tailrace.event.shape",
        kind=Kind.ENUM,
        default=CURRENT,
        allowed=(CURRENT, *older),
        doc=f"Field set of the events: Debezium 3.6's{or_older}.",
    )


PROPERTIES = (
    Property(
        name="tailrace.context.headers",
        kind=Kind.BOOL,
        default=False,
        aliases=("extended.headers.enabled",),
        doc="Whether events have the `__debezium.context.*` headers, which are on in Debezium and off here.",
    ),
    Property(
        name="tailrace.delivery.guarantee",
        kind=Kind.ENUM,
        default=EXACTLY_ONCE,
        allowed=(EXACTLY_ONCE, AT_LEAST_ONCE),
        doc="What `--to kafka` promises: each event once, in transactions; or at least once, for brokers without them.",
    ),
    Property(
        name="tailrace.progress.topic",
        pattern=TOPIC,
        pattern_says=TOPIC_SAYS,
        doc="Compacted Kafka topic of the progress; without it `__tailrace-progress.<topic.prefix>`.",
    ),
    Property(
        name="tailrace.history.topic",
        pattern=TOPIC,
        pattern_says=TOPIC_SAYS,
        doc="Kafka topic of the structures that the progress needs; without it `__tailrace-history.<topic.prefix>`.",
    ),
    Property(
        name="tailrace.transactional.id.prefix",
        doc="What the transactional id of a lane begins with, before its number; without it `tailrace-<topic.prefix>-`.",
    ),
    Property(
        name="tailrace.start.without.tables",
        kind=Kind.BOOL,
        default=False,
        doc="Whether a new connector begins although `table.include.list`, `snapshot.include.collection.list` or "
        "`message.key.columns` matches nothing that exists: for tables that are yet to be made.",
    ),
    Property(
        name="tailrace.slice.ms",
        kind=Kind.MS,
        default=600_000,
        minimum=1000,
        doc="How long a task delivers before Spark plans the next one; with several lanes a minute at most, and "
        "when the first of them has ended its turn, the others end theirs.",
    ),
)
