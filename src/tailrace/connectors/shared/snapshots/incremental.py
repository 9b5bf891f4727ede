"""The common part of all databases' incremental snapshots: the steps at boundaries of the log."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeVar

from tailrace.config.settings import Settings
from tailrace.connectors.base import Progress
from tailrace.events.event import Event
from tailrace.notifications.model import Notification
from tailrace.notifications.snapshots import IncrementalSnapshot, Status
from tailrace.requested_work.figures import TableSize
from tailrace.requested_work.work import TableWork, Work
from tailrace.schema.tables import TableId

MARK: Final = "incremental"
"""`source.snapshot` of the rows."""

log = logging.getLogger(__name__)


class Boundary(Protocol):
    """A position of the log where no transaction is open, and before which everything is delivered."""

    @property
    def progress(self) -> Progress:
        """The progress at the position."""


At_contra = TypeVar("At_contra", bound=Boundary, contravariant=True)


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one step.

    Attributes:
        work: what remains.
        events: to be delivered.
        notifications: to be sent.
        rows: the number of delivered rows.
        sizes: of the remaining tables; once for each table that a reader begins with.

    """

    work: Work
    events: Sequence[Event] = ()
    notifications: Sequence[Notification] = field(default=())
    rows: int = 0
    sizes: Mapping[TableId, TableSize] = field(default_factory=dict)


class IncrementalReader(Protocol[At_contra]):
    """Reads the requested tables of a lane, a chunk at a time."""

    def step(self, work: Work, at: At_contra) -> Step | None:
        """Continue with the first table; None if there is nothing to deliver at this boundary."""

    def wait_ms(self, longest: int) -> int:
        """How long to wait for the log before the next step, milliseconds."""

    def close(self) -> None:
        """Close the connection."""


class Steps:
    """Makes the steps in which a table progresses or ends, with their notifications."""

    def __init__(self, settings: Settings) -> None:
        self._prefix = settings.topic_prefix
        self._named = settings.told_name

    def read(self, work: Work, table: TableWork, key: Sequence[Any], upto: Sequence[Any], **given: Any) -> Step:
        """The step for a chunk of the first table.

        Args:
            work: before the step.
            table: after the step.
            key: the values of the last row's key; empty: there was no row.
            upto: the values of the greatest key.
            given: further attributes of the step.

        """
        # With a surrogate key, Debezium's notification has only that column. The key's columns follow it in ours, to
        # make the order unique.
        shown = 1 if table.surrogate is not None else None
        notifications = (
            [self._notifications(work).in_progress(table.table, work.ids, upto[:shown], key[:shown])]
            if key and upto
            else []
        )
        return Step(work.with_first(table), notifications=notifications, **given)

    def ended(self, work: Work, table: TableWork, status: Status) -> Step:
        """The step with which a table ends."""
        left = work.without([table.table])
        notifications = [self._notifications(work).table_completed(table.table, work.ids, table.rows, status)]
        return Step(
            left,
            notifications=notifications if left.tables else [*notifications, self._notifications(work).completed()],
        )

    def read_to_end(self, step: Step, table: TableWork) -> Step:
        """A step that reads the last rows of the first table, extended by the table's end."""
        ended = self.ended(step.work, table, Status.SUCCEEDED)
        return replace(step, work=ended.work, notifications=[*step.notifications, *ended.notifications])

    def failed(self, work: Work, table: TableWork, error: object) -> Step:
        """The step for a table that can't be read."""
        log.warning("the incremental snapshot of %s ends here, and the log goes on: %s", table.table, error)
        return self.ended(work, table, Status.SQL_EXCEPTION)

    def without_key(self, work: Work, table: TableWork, reason: str) -> Step:
        """The step for a table that can't be read in chunks."""
        log.warning("the incremental snapshot leaves %s out: %s", table.table, reason)
        return self.ended(work, table, Status.NO_PRIMARY_KEY)

    def _notifications(self, work: Work) -> IncrementalSnapshot:
        return IncrementalSnapshot(self._prefix, work.signal, named=self._named)
