"""SQL Server as a connector: the positions of its logs, where to begin, and their changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Self

from attrs import evolve

from tailrace.connectors.base import (
    ONLY_LANE,
    History,
    HistoryRecord,
    Lane,
    LogBatch,
    LogRange,
    OtherLanes,
    Progress,
    RequestedStep,
    Signalled,
    SnapshotPart,
    SnapshotStep,
    StartPoint,
    no_history,
    no_other_lanes,
)
from tailrace.connectors.change_tables.common_boundary import is_boundary
from tailrace.connectors.change_tables.positions import restart_at
from tailrace.connectors.change_tables.ranges import Ranges
from tailrace.connectors.change_tables.start_positions import heads, history_at
from tailrace.connectors.interface import SignalPoller
from tailrace.connectors.shared import unmatched_lists
from tailrace.connectors.shared.interrupted_reading import BatchReader, InterruptedReading
from tailrace.connectors.shared.snapshots.notifications import SnapshotNotifications
from tailrace.connectors.sqlserver import listed_tables
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.events.event import Event, NewEvents
from tailrace.schema.routing import Routing


class SqlServerConnector:
    """The databases of one SQL Server, read with one configuration. Cheap to make; holds no connection."""

    def __init__(self, settings: SqlServerSettings) -> None:
        self.settings = settings
        self._dialect = SqlServerDialect(settings)
        self._ranges = Ranges(self._dialect)

    def routed(self, routing: Mapping[str, Any]) -> Self:
        """The same connector with a stored routing."""
        return type(self)(evolve(self.settings, routing=Routing.from_dict(routing)))

    def head(self) -> Mapping[str, Any]:
        """The newest position of the logs, at a transaction boundary."""
        return restart_at(heads(self._dialect)).to_dict()

    def start_point(self, snapshot_lanes: int = 0, after: Sequence[Progress] = ()) -> StartPoint:
        """The max LSNs and the structures there, as the first records of a schema history.

        A snapshot replaces the lanes whose progress is in `after`.

        Raises:
            ConfigError: there is no such database, or a list of tables matches nothing.
            SourceSetupError: a database is not set up for change data capture; the message says what is missing.

        """
        # A connector that has run before may have lists with tables that were dropped since.
        (unmatched_lists.warn if after else unmatched_lists.require)(
            self.settings, listed_tables.existing(self.settings)
        )
        if snapshot_lanes:
            from tailrace.connectors.sqlserver.snapshots.planning import planned  # only needed for snapshots

            return planned(self.settings, snapshot_lanes, after)
        lsns = heads(self._dialect)
        # Without either there is nothing to deliver before the first change.
        tells = self.settings.include_schema_changes or bool(self.settings.notification_enabled_channels)
        restart = restart_at(lsns, initial=tells)
        return StartPoint(restart.to_dict(), history_at(self._dialect, lsns))

    def warn_of_lists(self) -> None:
        """Warn about entries in the configuration's lists that match nothing."""
        unmatched_lists.warn(self.settings, listed_tables.existing(self.settings))

    def require_retained(self, progress: Progress, history: History = no_history, lane: Lane = ONLY_LANE) -> None:
        """Raise `PositionLostError` if changes after this progress are no longer retained."""
        from tailrace.connectors.change_tables.retention import require_retained

        require_retained(self._dialect, progress, history, lane)

    def can_change_lanes(self, progress: Progress) -> bool:  # noqa: ARG002
        """True: within a window the progress names the current table, and all earlier ones are delivered in every lane."""
        return True

    def common_boundary(self, lanes: Sequence[Progress]) -> Mapping[str, Any] | None:
        """The nearest LSNs up to which all of these lanes can read."""
        return self._ranges.common_boundary(lanes)

    def head_after(
        self, start: Mapping[str, Any] | None, max_bytes: int | None, at_most: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """How far each log is captured now; with a limit, a position about so many bytes after `start` in total."""
        return self._ranges.head_after(start, max_bytes, at_most)

    def progress_at(self, position: Mapping[str, Any]) -> Progress:
        """The progress of a reader that has everything up to a position."""
        return self._ranges.progress_at(position)

    def history_at(self, history: Sequence[HistoryRecord], position: Mapping[str, Any]) -> Sequence[HistoryRecord]:
        """The records of a schema history up to a position."""
        return self._ranges.history_at(history, position)

    def history_after(
        self, history: Sequence[HistoryRecord], start: Mapping[str, Any], end: Mapping[str, Any], now_us: int
    ) -> Sequence[HistoryRecord] | None:
        """The records of the structures that are new between two positions."""
        return self._ranges.history_after(history, start, end, now_us)

    def snapshot(
        self,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        others: OtherLanes = no_other_lanes,
        new_events: NewEvents = list,
    ) -> Iterator[LogBatch]:
        """A lane's part of the snapshot in its progress, from where that says; the last batch says that it is done."""
        from tailrace.connectors.sqlserver.snapshots.snapshot_reader import snapshot_reader  # only needed for snapshots

        return snapshot_reader(self.settings, lane, progress, history, others).batches(new_events)

    def skipped_notification(self, progress: Progress) -> Sequence[Event]:
        """The SKIPPED notification for a start that takes no snapshot."""
        place = progress.delivered or POSITIONS.restart(progress.restart).delivered
        return SnapshotNotifications(self.settings, place).skipped()

    def snapshot_point(self) -> StartPoint:
        """Where a DataFrame's stream begins with a snapshot; `snapshot` is the argument for `next_parts`."""
        from tailrace.connectors.sqlserver.snapshots.planning import snapshot_point  # as above

        return snapshot_point(self.settings)

    def next_parts(
        self, point: StartPoint, reached: Mapping[str, Any] | None, wanted: int, max_bytes: int | None
    ) -> SnapshotStep:
        """The next parts of the snapshot at a point, at most `wanted`; `reached` is from the step before."""
        from tailrace.connectors.sqlserver.snapshots.planning import next_parts  # as above

        return next_parts(self.settings, point, reached, wanted, max_bytes)

    def signal_poller(self, signalled: Signalled | None) -> SignalPoller:
        """Polls for signals after those that `signalled` says were handled."""
        from tailrace.connectors.sqlserver.signal_polling import signal_poller  # rarely needed

        return signal_poller(self.settings, signalled)

    def requested_step(
        self, start: Mapping[str, Any], signalled: Signalled, wanted: int, max_bytes: int | None
    ) -> RequestedStep | None:
        """The next parts of the requested work, at most `wanted`; None if none can be read now."""
        from tailrace.connectors.sqlserver.snapshots.planning import requested_step  # rarely needed

        return requested_step(self.settings, start, signalled, wanted, max_bytes)

    def read_part(
        self, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        """The read events of a part, without those that `progress` says were delivered."""
        from tailrace.connectors.sqlserver.snapshots.part_reading import part_reader  # only needed for snapshots

        return part_reader(self.settings, part, progress, history).batches(new_events)

    def read(
        self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        """The changes of a range, batch by batch, without those that `progress` says were delivered."""
        from tailrace.connectors.change_tables.streaming import LogReader
        from tailrace.connectors.sqlserver.log_parts import log_parts  # the decoders: a planner needs none

        log, can_begin = partial(LogReader, log_parts(self.settings), range_), partial(is_boundary, POSITIONS)
        return InterruptedReading(progress, history, log, partial(self._blocking, range_.lane), can_begin).batches(
            new_events
        )

    def _blocking(self, lane: Lane, progress: Progress, history: Sequence[HistoryRecord]) -> BatchReader:
        from tailrace.connectors.sqlserver.blocking import blocking_reader  # rarely needed

        return blocking_reader(self.settings, lane, progress, history)
