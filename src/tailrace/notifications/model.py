"""One notification.

Source: Debezium documentation, "Debezium notifications".
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from tailrace.epoch import now_ms


def new_id() -> str:
    """A unique id."""
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class Notification:
    """Something that happened.

    Attributes:
        aggregate_type: the subject: `Initial Snapshot`, `Incremental Snapshot`.
        type: the event: `STARTED`, `COMPLETED`, …
        additional_data: text by name, in the written order.
        id: the signal's, for an incremental snapshot; else its own.
        timestamp: milliseconds since the epoch.

    """

    aggregate_type: str
    type: str
    additional_data: Mapping[str, str] = field(default_factory=dict)
    id: str = field(default_factory=new_id)
    timestamp: int = field(default_factory=now_ms)
