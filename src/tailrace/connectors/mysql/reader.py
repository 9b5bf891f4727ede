"""The MySQL connector: the log's head, where to begin, and its changes as records."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

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
from tailrace.connectors.interface import SignalPoller
from tailrace.connectors.mysql import catalog, checks, connection, listed_tables
from tailrace.connectors.mysql.common_boundary import is_boundary
from tailrace.connectors.mysql.initial_structures import first_history, structures_now
from tailrace.connectors.mysql.log_file_identity import restart_at
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.ranges import Ranges
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots import parts
from tailrace.connectors.mysql.snapshots.planning import planned
from tailrace.connectors.shared import unmatched_lists
from tailrace.connectors.shared.interrupted_reading import BatchReader, InterruptedReading
from tailrace.connectors.shared.snapshots.notifications import SnapshotNotifications
from tailrace.connectors.shared.snapshots.parts import tables_of
from tailrace.events.event import Event, NewEvents

if TYPE_CHECKING:
    from tailrace.connectors.mysql.blocking import MySqlBlocking

log = logging.getLogger(__name__)


class MySqlConnector(Ranges):
    """One MySQL server, read with one configuration. Cheap to create; holds no connection."""

    def __init__(self, settings: MySqlSettings) -> None:
        super().__init__(settings)
        self._blocking_snapshots: MySqlBlocking | None = None  # which may have to wait for the log

    def head(self) -> Mapping[str, Any]:
        """The newest position of the log, at a transaction boundary."""
        with connection.connect(self.settings) as session:
            server = catalog.server(session)
            return restart_at(self.settings, server, catalog.head(session, server)).to_dict()

    def start_point(self, snapshot_lanes: int = 0, after: Sequence[Progress] = ()) -> StartPoint:
        """The head of the log and the structures there, as the first records of a schema history.

        With a snapshot, which replaces the progress in `after`.

        Raises:
            ConfigError: a list of tables matches nothing.
            SourceSetupError: the server is not set up for change data capture; the message names all that is missing.
            RetriableError: a snapshot can't begin now.

        """
        with connection.connect(self.settings) as session:
            for finding in checks.require(session, self.settings):
                log.warning("%s", finding)
            (unmatched_lists.warn if after else unmatched_lists.require)(
                self.settings, listed_tables.existing(session, self.settings)
            )
            server = catalog.server(session)
            if snapshot_lanes:
                return planned(session, server, self.settings, snapshot_lanes, after)
            found = structures_now(session, server, self.settings)
        tells = self.settings.include_schema_changes or bool(self.settings.notification_enabled_channels)
        restart = replace(restart_at(self.settings, server, found.head), initial=tells)
        return StartPoint(restart.to_dict(), first_history(self.settings, server, restart, found))

    def warn_of_lists(self) -> None:
        """Log names in the configuration's lists that match nothing."""
        with connection.connect(self.settings) as session:
            unmatched_lists.warn(self.settings, listed_tables.existing(session, self.settings))

    def require_retained(
        self,
        progress: Progress,
        history: History = no_history,  # noqa: ARG002 -- the log is there or not, whatever was read of it
        lane: Lane = ONLY_LANE,  # noqa: ARG002 -- each lane reads the whole log
    ) -> None:
        """Raise `PositionLostError` if the server no longer has everything from this progress on."""
        from tailrace.connectors.mysql.dump_start import dump_start  # as below

        dump_start(self.settings, RestartPosition.from_dict(progress.restart))

    def snapshot(
        self,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        others: OtherLanes = no_other_lanes,
        new_events: NewEvents = list,
    ) -> Iterator[LogBatch]:
        """A lane's part of the snapshot in its progress, from there on; the last batch says that it is done."""
        from tailrace.connectors.mysql.snapshots.snapshot_reader import snapshot_reader  # as below

        return snapshot_reader(self.settings, lane, progress, history, others).batches(new_events)

    def skipped_notification(self, progress: Progress) -> Sequence[Event]:
        """What is told at a start that finds no snapshot to be taken, with the progress of the first lane."""
        place = str(RestartPosition.from_dict(progress.restart).position)
        return SnapshotNotifications(self.settings, progress.delivered or place).skipped()

    def snapshot_point(self) -> StartPoint:
        """The start of a stream with a snapshot; pass its `snapshot` to `next_parts`."""
        parts.require_structures(self.settings)
        point = self.start_point(1)
        return replace(point, history=parts.history_of(self.settings, point), snapshot=tables_of(point))

    def next_parts(
        self, point: StartPoint, reached: Mapping[str, Any] | None, wanted: int, max_bytes: int | None
    ) -> SnapshotStep:
        """The next parts of the snapshot at a point, at most `wanted`; `reached` is the previous step's."""
        return parts.next_parts(self.settings, point, reached, wanted, max_bytes)

    def signal_poller(self, signalled: Signalled | None) -> SignalPoller:
        """A listener for signals, after those that are already handled."""
        from tailrace.connectors.mysql.signal_polling import signal_poller  # rarely needed

        return signal_poller(self.settings, signalled)

    def requested_step(
        self, start: Mapping[str, Any], signalled: Signalled, wanted: int, max_bytes: int | None
    ) -> RequestedStep | None:
        """The next parts that signals requested, at most `wanted`; None if none can be read now, or none are left."""
        from tailrace.connectors.mysql.snapshots.requested_parts import requested_step  # rarely needed

        return requested_step(self.settings, start, signalled, wanted, max_bytes)

    def read_part(
        self, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        """The read events of a part, without those that `progress` says are delivered."""
        from tailrace.connectors.mysql.snapshots.part_reading import part_reader  # as above

        return part_reader(self.settings, part, progress, history).batches(new_events)

    def read(
        self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        """The changes of a range, batch by batch, without those that `progress` says are delivered."""
        from tailrace.connectors.mysql.streaming import LogReader  # imports the decoders: a planner only needs the head

        log = partial(LogReader, self.settings, range_)
        return InterruptedReading(progress, history, log, partial(self._blocking, range_.lane), is_boundary).batches(
            new_events
        )

    def _blocking(self, lane: Lane, progress: Progress, history: Sequence[HistoryRecord]) -> BatchReader:
        from tailrace.connectors.mysql.blocking import MySqlBlocking  # rarely needed

        if self._blocking_snapshots is None:
            self._blocking_snapshots = MySqlBlocking(self.settings)
        return self._blocking_snapshots.blocking_reader(lane, progress, history)
