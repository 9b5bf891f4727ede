"""SQL Server as a connector: where its logs are, where to begin, and their changes as records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Self

from attrs import evolve

from tailrace.connectors.base import (
    ONLY_LANE,
    AskedStep,
    History,
    HistoryRecord,
    Lane,
    LogBatch,
    LogRange,
    Others,
    Progress,
    Signalled,
    SnapshotPart,
    SnapshotStep,
    StartPoint,
    alone,
    no_history,
)
from tailrace.connectors.change_tables.beginning import heads, history_at
from tailrace.connectors.change_tables.meeting import is_boundary
from tailrace.connectors.change_tables.positions import restart_at
from tailrace.connectors.change_tables.ranges import Ranges
from tailrace.connectors.interface import Listener
from tailrace.connectors.shared import unmatched
from tailrace.connectors.shared.following import BatchReader, Following
from tailrace.connectors.shared.snapshots.telling import Telling
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
        """The same under a routing that was stored."""
        return type(self)(evolve(self.settings, routing=Routing.from_dict(routing)))

    def head(self) -> Mapping[str, Any]:
        """The newest position of the logs, at a transaction boundary."""
        return restart_at(heads(self._dialect)).to_dict()

    def start_point(self, snapshot_lanes: int = 0, after: Sequence[Progress] = ()) -> StartPoint:
        """The heads of the logs and the structures that hold there, as the first records of a schema history.

        With a snapshot, in place of the progress in `after`.

        Raises:
            ConfigError: there is no such database, or a list of tables matches nothing.
            SourceSetupError: a database is not set up for change data capture; the message says what is missing.

        """
        (unmatched.warn if after else unmatched.require)(self.settings, listed_tables.existing(self.settings))
        if snapshot_lanes:
            from tailrace.connectors.sqlserver.snapshots.planning import planned  # not needed by those who read the log

            return planned(self.settings, snapshot_lanes, after)
        lsns = heads(self._dialect)
        tells = self.settings.include_schema_changes or bool(self.settings.notification_enabled_channels)
        restart = restart_at(lsns, initial=tells)
        return StartPoint(restart.to_dict(), history_at(self._dialect, lsns))

    def warn_of_lists(self) -> None:
        """Log what the lists of the configuration name that is not there."""
        unmatched.warn(self.settings, listed_tables.existing(self.settings))

    def require_within_reach(self, progress: Progress, history: History = no_history, lane: Lane = ONLY_LANE) -> None:
        """Raise `PositionLostError` where change data from where this progress goes on is gone."""
        from tailrace.connectors.change_tables.reach import require_within_reach

        require_within_reach(self._dialect, progress, history, lane)

    def can_be_dealt_out(self, progress: Progress) -> bool:  # noqa: ARG002
        """Anywhere: within a window the progress names the table in progress, and those before it are done in any lane."""
        return True

    def meeting_point(self, lanes: Sequence[Progress]) -> Mapping[str, Any] | None:
        """The nearest LSNs that all of these lanes can read up to."""
        return self._ranges.meeting_point(lanes)

    def head_after(
        self, start: Mapping[str, Any] | None, max_bytes: int | None, at_most: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """How far each log is captured now; with a limit, about so many bytes of all of them behind `start`."""
        return self._ranges.head_after(start, max_bytes, at_most)

    def progress_at(self, position: Mapping[str, Any]) -> Progress:
        """The progress of one who has everything before a position."""
        return self._ranges.progress_at(position)

    def history_at(self, history: Sequence[HistoryRecord], position: Mapping[str, Any]) -> Sequence[HistoryRecord]:
        """The records of a schema history that were told up to a position."""
        return self._ranges.history_at(history, position)

    def history_after(
        self, history: Sequence[HistoryRecord], start: Mapping[str, Any], end: Mapping[str, Any], now_us: int
    ) -> Sequence[HistoryRecord] | None:
        """The structures that are new between two positions."""
        return self._ranges.history_after(history, start, end, now_us)

    def snapshot(
        self,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        others: Others = alone,
        new_events: NewEvents = list,
    ) -> Iterator[LogBatch]:
        """A lane's part of the snapshot that its progress names, from where it says; the last batch says that it is done."""
        from tailrace.connectors.sqlserver.snapshots.reading import snapshot_reader  # as above

        return snapshot_reader(self.settings, lane, progress, history, others).batches(new_events)

    def skipped(self, progress: Progress) -> Sequence[Event]:
        """What is told at a start that finds no snapshot to be taken, with the progress of the first lane."""
        place = progress.delivered or POSITIONS.restart(progress.restart).delivered
        return Telling(self.settings, place).skipped()

    def snapshot_point(self) -> StartPoint:
        """Where a stream begins with a snapshot; `snapshot` is what `next_parts` is to be given again."""
        from tailrace.connectors.sqlserver.snapshots.parts import snapshot_point  # as above

        return snapshot_point(self.settings)

    def next_parts(
        self, point: StartPoint, reached: Mapping[str, Any] | None, wanted: int, max_bytes: int | None
    ) -> SnapshotStep:
        """The next parts of the snapshot at a point, at most `wanted`; `reached` is what the step before gave."""
        from tailrace.connectors.sqlserver.snapshots.parts import next_parts  # as above

        return next_parts(self.settings, point, reached, wanted, max_bytes)

    def listener(self, signalled: Signalled | None) -> Listener:
        """What looks for signals, behind those that were handled by then."""
        from tailrace.connectors.sqlserver.listening import listener  # rarely needed

        return listener(self.settings, signalled)

    def asked_step(
        self, start: Mapping[str, Any], signalled: Signalled, wanted: int, max_bytes: int | None
    ) -> AskedStep | None:
        """The next parts that signals asked for, at most `wanted`; None where none can be read now, or none are wanted."""
        from tailrace.connectors.sqlserver.snapshots.asked_parts import asked_step  # rarely needed

        return asked_step(self.settings, start, signalled, wanted, max_bytes)

    def read_part(
        self, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        """The read events of a part; what `progress` says was delivered is left out."""
        from tailrace.connectors.sqlserver.snapshots.part_reading import part_reader  # as above

        return part_reader(self.settings, part, progress, history).batches(new_events)

    def read(
        self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        """The changes of a range, batch by batch; what `progress` says was delivered is left out."""
        from tailrace.connectors.change_tables.streaming import LogReader
        from tailrace.connectors.sqlserver.log_parts import log_parts  # the decoders: a planner asks only for the head

        log, can_begin = partial(LogReader, log_parts(self.settings), range_), partial(is_boundary, POSITIONS)
        return Following(progress, history, log, partial(self._blocking, range_.lane), can_begin).batches(new_events)

    def _blocking(self, lane: Lane, progress: Progress, history: Sequence[HistoryRecord]) -> BatchReader:
        from tailrace.connectors.sqlserver.blocking import blocking_reader  # rarely needed

        return blocking_reader(self.settings, lane, progress, history)
