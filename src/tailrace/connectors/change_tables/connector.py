"""A connector for a database with change tables: everything of `Connector` that follows from a dialect and its parts.

A connector's own class gives its parts, and nothing else. Each part is a place (`package.module:name`) that is imported when it
is needed, since a planner needs no decoders, and most runs no snapshots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

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
from tailrace.connectors.change_tables.dialect import Dialect
from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.change_tables.ranges import Ranges
from tailrace.connectors.change_tables.settings import ChangeTableSettings
from tailrace.connectors.change_tables.start_positions import history_at, restart_now
from tailrace.connectors.interface import SignalPoller
from tailrace.connectors.shared import unmatched_lists
from tailrace.connectors.shared.interrupted_reading import BatchReader, InterruptedReading
from tailrace.connectors.shared.snapshots.notifications import SnapshotNotifications
from tailrace.events.event import Event, NewEvents
from tailrace.object_paths import load_object
from tailrace.schema.routing import Routing
from tailrace.schema.tables import TableId

if TYPE_CHECKING:
    from tailrace.connectors.change_tables.snapshots.key_proofs import KeyProofs
    from tailrace.connectors.change_tables.snapshots.plans import Plans

SettingsT = TypeVar("SettingsT", bound=ChangeTableSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The places of a connector's parts; each is a function of its settings first.

    Attributes:
        dialect: a `Dialect`.
        existing: what the lists of tables can match.
        log_parts: `streaming.LogParts`.
        planned_tables: `PlannedTables`.
        signal_sql: how SQL of signals is cut into pieces; a value.
        snapshot_reader: the reader of a lane's part of a snapshot.
        part_reader: that of a DataFrame's part.
        signal_poller: see `Connector.signal_poller`.

    """

    dialect: str
    existing: str
    log_parts: str
    planned_tables: str
    signal_sql: str
    snapshot_reader: str
    part_reader: str
    signal_poller: str


class ChangeTableConnector(Generic[SettingsT]):
    """The databases of one server, read with one configuration. Cheap to make; holds no connection."""

    parts: Parts

    def __init__(self, settings: SettingsT) -> None:
        self.settings = settings
        self._dialect: Dialect[Any] = load_object(self.parts.dialect)(settings)
        self._positions = Positions(self._dialect.lsns)
        self._ranges = Ranges(self._dialect)
        self._key_proofs: KeyProofs[Any, Any] | None = None  # of requested snapshots, for which the log may go on first

    def routed(self, routing: Mapping[str, Any]) -> Self:
        """The same connector with a stored routing."""
        return type(self)(evolve(self.settings, routing=Routing.from_dict(routing)))

    def head(self) -> Mapping[str, Any]:
        """The newest position of the logs, at a transaction boundary."""
        return restart_now(self._dialect).to_dict()

    def start_point(self, snapshot_lanes: int = 0, after: Sequence[Progress] = ()) -> StartPoint:
        """The max LSNs and the structures there, as the first records of a schema history.

        A snapshot replaces the lanes whose progress is in `after`.

        Raises:
            ConfigError: there is no such database, or a list of tables matches nothing.
            SourceSetupError: a database is not set up for capture; the message says what is missing.

        """
        # A connector that has run before may have lists with tables that were dropped since.
        (unmatched_lists.warn if after else unmatched_lists.require)(self.settings, self._part("existing"))
        if snapshot_lanes:
            return self.plans().planned(snapshot_lanes, after)
        # Without either there is nothing to deliver before the first change.
        tells = self.settings.include_schema_changes or bool(self.settings.notification_enabled_channels)
        restart = restart_now(self._dialect, initial=tells)
        return StartPoint(restart.to_dict(), history_at(self._dialect, restart.lsns))

    def warn_of_lists(self) -> None:
        """Warn about entries in the configuration's lists that match nothing."""
        unmatched_lists.warn(self.settings, self._part("existing"))

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
        found: Iterator[LogBatch] = self._part("snapshot_reader", lane, progress, history, others).batches(new_events)
        return found

    def skipped_notification(self, progress: Progress) -> Sequence[Event]:
        """The SKIPPED notification for a start that takes no snapshot."""
        place = progress.delivered or self._positions.restart(progress.restart).delivered
        return SnapshotNotifications(self.settings, place).skipped()

    def snapshot_point(self) -> StartPoint:
        """Where a DataFrame's stream begins with a snapshot; `snapshot` is the argument for `next_parts`."""
        return self.plans().snapshot_point()

    def next_parts(
        self, point: StartPoint, reached: Mapping[str, Any] | None, wanted: int, max_bytes: int | None
    ) -> SnapshotStep:
        """The next parts of the snapshot at a point, at most `wanted`; `reached` is from the step before."""
        return self.plans().next_parts(point, reached, wanted, max_bytes)

    def signal_poller(self, signalled: Signalled | None) -> SignalPoller:
        """Polls for signals after those that `signalled` says were handled."""
        found: SignalPoller = self._part("signal_poller", signalled)
        return found

    def requested_step(
        self, start: Mapping[str, Any], signalled: Signalled, wanted: int, max_bytes: int | None
    ) -> RequestedStep | None:
        """The next parts of the requested work, at most `wanted`; None if none can be read now."""
        return self.plans().requested_step(start, signalled, wanted, max_bytes, self._proofs())

    def read_part(
        self, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        """The read events of a part, without those that `progress` says were delivered."""
        found: Iterator[LogBatch] = self._part("part_reader", part, progress, history).batches(new_events)
        return found

    def read(
        self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord], new_events: NewEvents = list
    ) -> Iterator[LogBatch]:
        """The changes of a range, batch by batch, without those that `progress` says were delivered."""
        from tailrace.connectors.change_tables.streaming import LogReader  # the decoders: a planner needs none

        log, can_begin = partial(LogReader, self._part("log_parts"), range_), partial(is_boundary, self._positions)
        return InterruptedReading(progress, history, log, partial(self._blocking, range_), can_begin).batches(new_events)

    def plans(self) -> Plans[Any, Any]:
        """What plans the snapshots of these settings."""
        from tailrace.connectors.change_tables.snapshots.plans import Plans  # only for snapshots

        return Plans(self.settings, self._dialect, self._part("planned_tables"), load_object(self.parts.signal_sql))

    def _blocking(self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]) -> BatchReader:
        from tailrace.connectors.change_tables.blocking import BlockingChangeTables  # rarely needed
        from tailrace.connectors.shared.blocking import BlockingReader

        sql, reader = load_object(self.parts.signal_sql), load_object(self.parts.snapshot_reader)
        part_of = partial(self._part_of, range_.until)
        blocked: BlockingChangeTables[Any] = BlockingChangeTables(self._dialect, sql, part_of, reader)
        # In chunks and exact, even if Debezium's way is requested for the initial snapshot: that would be as of another
        # position than the one where the log waits.
        exact = evolve(self.settings, snapshot_isolation_mode=None)
        return BlockingReader(exact, range_.lane, progress, history, blocked)

    def _part_of(
        self,
        until: Mapping[str, Any] | None,
        settings: SettingsT,
        tables: Sequence[TableId],
        place: Mapping[str, Any],
    ) -> Mapping[str, Any] | None:
        # At the end of a range there is no log that could go on meanwhile.
        waits = until is not None and self._ranges.has_reached(place, until)
        return type(self)(settings).plans().part_of(tables, place, self._proofs(), waits=waits)

    def _proofs(self) -> KeyProofs[Any, Any]:
        if self._key_proofs is None:
            self._key_proofs = self.plans().key_proofs()
        return self._key_proofs

    def _part(self, name: str, *given: Any) -> Any:
        return load_object(getattr(self.parts, name))(self.settings, *given)
