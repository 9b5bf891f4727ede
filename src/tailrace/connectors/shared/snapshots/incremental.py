"""What the incremental snapshots of all databases have in common: the steps that are made at boundaries of the log."""

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
from tailrace.schema.tables import TableId
from tailrace.signalled.figures import TableSize
from tailrace.signalled.work import TableWork, Work

MARK: Final = "incremental"
"""What `source.snapshot` says of the rows."""

log = logging.getLogger(__name__)


class Boundary(Protocol):
    """A place in the log where no transaction is open, and everything before it is delivered."""

    @property
    def progress(self) -> Progress:
        """Of there."""


At_contra = TypeVar("At_contra", bound=Boundary, contravariant=True)


@dataclass(frozen=True, slots=True)
class Step:
    """What was done at a boundary.

    Attributes:
        work: what is left.
        events: to be delivered.
        notifications: to be told.
        rows: how many were delivered.
        sizes: of the tables that are left, once for each that a reader begins with.

    """

    work: Work
    events: Sequence[Event] = ()
    notifications: Sequence[Notification] = field(default=())
    rows: int = 0
    sizes: Mapping[TableId, TableSize] = field(default_factory=dict)


class IncrementalReader(Protocol[At_contra]):
    """Reads the tables that a lane was asked for, some rows at a time."""

    def step(self, work: Work, at: At_contra) -> Step | None:
        """Read on in the first table; None where there is nothing to deliver at this boundary."""

    def wait_ms(self, longest: int) -> int:
        """How long to wait for the log before the next step, milliseconds."""

    def close(self) -> None:
        """Let go of the server."""


class Steps:
    """Makes the steps by which a table comes further, or ends, with what is told of them."""

    def __init__(self, settings: Settings) -> None:
        self._prefix = settings.topic_prefix

    def read(self, work: Work, table: TableWork, key: Sequence[Any], upto: Sequence[Any], **given: Any) -> Step:
        """Rows of the first table were read.

        Args:
            work: before.
            table: as it is now.
            key: of the last row that was read, by its values; none: there was no row.
            upto: the greatest key, by its values.
            given: further attributes of the step.

        """
        shown = 1 if table.surrogate is not None else None  # behind it come the columns that make it unique
        told = [self._tell(work).in_progress(table.table, work.ids, upto[:shown], key[:shown])] if key and upto else []
        return Step(work.with_first(table), notifications=told, **given)

    def ended(self, work: Work, table: TableWork, status: Status) -> Step:
        """Nothing more is read of a table."""
        left = work.without([table.table])
        told = [self._tell(work).table_completed(table.table, work.ids, table.rows, status)]
        return Step(left, notifications=told if left.tables else [*told, self._tell(work).completed()])

    def read_to_end(self, step: Step, table: TableWork) -> Step:
        """A step behind which nothing is left of the first table."""
        ended = self.ended(step.work, table, Status.SUCCEEDED)
        return replace(step, work=ended.work, notifications=[*step.notifications, *ended.notifications])

    def failed(self, work: Work, table: TableWork, error: object) -> Step:
        """A table can't be read."""
        log.warning("the incremental snapshot of %s ends here, and the log goes on: %s", table.table, error)
        return self.ended(work, table, Status.SQL_EXCEPTION)

    def without_key(self, work: Work, table: TableWork, reason: str) -> Step:
        """A table can't be read in chunks."""
        log.warning("the incremental snapshot leaves %s out: %s", table.table, reason)
        return self.ended(work, table, Status.NO_PRIMARY_KEY)

    def _tell(self, work: Work) -> IncrementalSnapshot:
        return IncrementalSnapshot(self._prefix, work.signal)
