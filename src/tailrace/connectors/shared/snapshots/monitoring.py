"""What is visible of a lane while it reads its part of a snapshot: figures, notifications, log lines.

It is given each state of the lane, in order.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from tailrace.config.settings import Settings
from tailrace.connectors.base import FIGURES, Lane, OtherLanes, Progress, no_other_lanes
from tailrace.connectors.shared.snapshots.notifications import SnapshotNotifications
from tailrace.events.event import Event
from tailrace.schema.tables import TableId
from tailrace.snapshot.figures import Figures, LaneFigures, about
from tailrace.snapshot.state import SnapshotState

LINE_SECONDS: Final = 60.0  # between two lines in the log
WAIT_SECONDS: Final = 10.0  # for the other lanes, at most
POLL_SECONDS: Final = 0.1

log = logging.getLogger(__name__)


class SnapshotMonitor:
    """One lane's part, from a state on.

    Attributes:
        is_start_unreported: no notification of this lane's beginning was made yet.

    """

    def __init__(
        self,
        settings: Settings,
        lane: Lane,
        position: str,
        others: OtherLanes = no_other_lanes,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`position`: the text of the snapshot's position; `others`: as in `Connector.snapshot`."""
        self._lane = lane
        self._tells_end = lane.is_first or lane.count == 1
        self._others = others
        self._clock = clock
        self._telling = SnapshotNotifications(settings, position)
        self.is_start_unreported = False
        self._of_others: list[Progress | None] = []

    def begin(self, state: SnapshotState, *, is_first_time: bool, tables: Callable[[], Iterable[TableId]]) -> None:
        """Note that reading begins at a state.

        Args:
            state: of the lane.
            is_first_time: no process has begun with it before.
            tables: returns all tables of the snapshot.

        """
        self._state = state
        self._figures = LaneFigures(state, self._lane.count, self._clock)
        self.is_start_unreported = is_first_time
        self._line_at = self._clock() + LINE_SECONDS
        if self._telling.wanted:
            self._telling.note_tables(tables())

    def started(self) -> list[Event]:
        """The notifications at the beginning of the snapshot, for the first lane's first commit."""
        return [*self._telling.started(), *self._table_started()]

    def advanced(self, state: SnapshotState) -> list[Event]:
        """The notifications of another state of the lane, for the commit that has it."""
        events = [*self._table_started(), *self._telling.between(self._state, state)]
        self._state = state
        if self._clock() >= self._line_at:
            self._line_at = self._clock() + LINE_SECONDS
            log.info("%s", self._line())
        return events

    @property
    def figures(self) -> Figures | None:
        """The progress figures for the commit of the state; None if the last ones are recent."""
        return self._figures.throttled(self._state)

    def may_end(self) -> bool:
        """Whether the lane may be done: the one that notifies of the end must wait for all others."""
        if not (self._telling.wanted and self._tells_end):
            return True
        self._of_others = list(self._others())
        # None: that lane has not committed anything yet.
        return not any(progress is None or progress.snapshot_is_pending for progress in self._of_others)

    def wait(self) -> Iterator[None]:
        """Steps of waiting until the lane may end, for a short time: usually all lanes are done at about the same time.

        Not for longer: this lane's task may occupy the slot that another lane's task needs.
        """
        until = self._clock() + WAIT_SECONDS
        while not self.may_end() and self._clock() < until:
            yield
            time.sleep(POLL_SECONDS)

    def ended(self) -> list[Event]:
        """The notifications at the lane's end."""
        if not self._tells_end:
            return self._table_started()
        return [*self._table_started(), *self._telling.completed(self._last, self._of_others)]

    @property
    def done(self) -> Mapping[str, Any]:
        """The lane's part in the progress when it is done."""
        shown = {FIGURES: self._last} if self._lane.count > 1 else {}
        return {"done": True, **shown}

    @property
    def _last(self) -> Figures:
        """The last figures, with those of tables in parts by name."""
        state = self._state.forgetful()
        return LaneFigures(state, self._lane.count).of(state)

    def _table_started(self) -> list[Event]:
        """The notifications of the lane's first table, once."""
        if not self.is_start_unreported:
            return []
        self.is_start_unreported = False
        return self._telling.at_start(self._state)

    def _line(self) -> str:
        """The line for the log."""
        figures = self._last
        told = (
            f"snapshot, lane {self._lane.number}: {figures['rows']:,} of about {figures['about']:,} rows, "
            f"{figures['done']:,} of {figures['tables']:,} tables"
        )
        if not self._state.segments:
            return told
        place = self._state.segments[0]
        table = self._state.tables[place.table]
        return f"{told}; {place.table}: {table.rows:,} of about {about(table, place):,} rows"
