"""The status of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from attrs import field, frozen


class State(StrEnum):
    """What a stream is doing.

    `starting` until it has the target's lease, then `running`; `stopping` from the request on. It ends as `stopped`, as `done`
    where all that was wanted is delivered, or as `failed`.
    """

    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"


@frozen(kw_only=True)
class StreamStatus:
    """A stream's figures, which count from its start.

    Attributes:
        state: what it is doing.
        changes: of the database that were delivered.
        records: that they became.
        bytes: of these records.
        commits: of the target.
        skipped: records that a transform failed on (`errors.tolerance=all`).
        delivered: the newest position that was committed; empty before the first commit.
        lag_seconds: between the newest change's commit in the database and that in the target; None without changes.
        snapshot: of the snapshot that is being read: rows delivered, the estimate of all (`about`), speed, seconds left, and
            the same of its tables; None if there is none.

    """

    state: State
    changes: int = 0
    records: int = 0
    bytes: int = 0
    commits: int = 0
    skipped: int = 0
    delivered: str = ""
    lag_seconds: float | None = None
    snapshot: Mapping[str, Any] | None = field(default=None)
