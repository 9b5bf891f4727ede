"""Signals to a SQL Server connector: so far it takes none."""

from __future__ import annotations

from tailrace.config.properties import signals
from tailrace.config.property import Status, varied

_REASON = "a SQL Server connector takes no signals so far; leave it out"

PROPERTIES = varied(
    varied(
        (signals.table("database.schema.table"), *signals.PROPERTIES),
        "signal.data.collection",
        status=Status.REFUSED,
        reason=_REASON,
    ),
    "signal.enabled.channels",
    status=Status.REFUSED,
    reason=_REASON,
)
