"""tailrace's own properties."""

from __future__ import annotations

from tailrace.config.property import Kind, Property

GROUP = "tailrace's own"

PROPERTIES = (
    Property(
        name="tailrace.event.shape",
        kind=Kind.ENUM,
        default="current",
        allowed=("current", "2.1"),
        doc="Field set of the events: Debezium 3.6's, or that of Debezium 2.1.",
    ),
    Property(
        name="tailrace.context.headers",
        kind=Kind.BOOL,
        default=False,
        aliases=("extended.headers.enabled",),
        doc="Whether events have the `__debezium.context.*` headers, which are on in Debezium and off here.",
    ),
)
