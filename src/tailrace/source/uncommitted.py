"""A task's uncommitted writes, and its figures about committed ones."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord, LogBatch, Progress
from tailrace.snapshot.figures import merged


@dataclass(slots=True)
class Figures:
    """A task's figures so far, for display only.

    Attributes:
        task: distinguishes the tasks of a run.
        lane: the task's.
        skipped: records that were dropped because a transform or a converter failed on them (`errors.tolerance=all`).
        delivered: text of the last committed position.
        lag_ms: between the commit of the newest change in the source and that in the sink; -1 without changes.
        snapshot: of the task's part of a snapshot, as in `LogBatch.figures`; tables are those that changed since the
            last report.

    """

    task: str = field(default_factory=lambda: uuid.uuid4().hex)
    lane: int = 0
    changes: int = 0
    records: int = 0
    bytes: int = 0
    commits: int = 0
    skipped: int = 0
    delivered: str = ""
    lag_ms: int = -1
    snapshot: Mapping[str, Any] | None = None


class Uncommitted:
    """Everything written since the last commit."""

    def __init__(self, progress: Progress | None = None, history: list[HistoryRecord] | None = None) -> None:
        self.progress = progress
        self.history = history or []
        self.changes = self.records = self.bytes = self.skipped = 0
        self.source_ts_ms: int | None = None
        self.figures: Mapping[str, Any] | None = None
        self.is_open = False

    @property
    def has_content(self) -> bool:
        """Whether it is more than a position."""
        return bool(self.records or self.history)

    def add(self, batch: LogBatch, records: int, size: int, skipped: int = 0) -> None:
        """Add a batch, which became `records` records of `size` bytes, and of which `skipped` were dropped as they failed."""
        self.progress = batch.progress
        self.history += batch.history
        self.changes += batch.changes
        self.records += records
        self.bytes += size
        self.skipped += skipped
        self.source_ts_ms = batch.source_ts_ms or self.source_ts_ms
        self.figures = merged(self.figures, batch.figures)
        self.is_open = batch.is_open

    def count_into(self, figures: Figures) -> None:
        """Add this to the figures, after its commit."""
        figures.changes += self.changes
        figures.records += self.records
        figures.bytes += self.bytes
        figures.skipped += self.skipped
        figures.commits += 1
        figures.delivered = self.progress.delivered if self.progress else ""
        figures.snapshot = self.figures
        if self.source_ts_ms is not None:
            figures.lag_ms = max(0, epoch.now_ms() - self.source_ts_ms)
