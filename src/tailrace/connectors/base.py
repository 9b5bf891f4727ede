"""What every connector offers to the source: where its log is, and its changes as records from a position on."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from tailrace.config.settings import Settings
from tailrace.events.event import Event

HistoryRecord = Mapping[str, Any]  # one line of a schema history, in Debezium's record format
FIGURES: Final = "figures"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a lane has come, as its sink keeps it.

    Attributes:
        delivered: the text of the last position that the sink has everything up to; "" when there is none.
        restart: from where the log must be read again to understand what follows (the connector's own, JSON).
        snapshot: a snapshot that comes before the log from there on; None: no snapshot does. `lanes` says how many lanes
            read it, `done` that this one has read its part, then with the last `figures` if there are other lanes; the
            rest is the connector's own, JSON.
        signalled: work that was asked for by signals, and how far the signal channels were read: the connector's own, JSON.
            None: nothing of the kind. `signals/carried.py` tells what it can hold.

    """

    delivered: str
    restart: Mapping[str, Any]
    snapshot: Mapping[str, Any] | None = None
    signalled: Mapping[str, Any] | None = None

    @property
    def snapshot_is_pending(self) -> bool:
        """Whether this lane has something of a snapshot left to read."""
        return self.snapshot is not None and not self.snapshot.get("done", False)

    def stands_with(self, other: Progress) -> bool:
        """Whether two lanes have delivered the same, and go on at the same place; what signals ask of each may differ."""
        return replace(self.standing, signalled=None) == replace(other.standing, signalled=None)

    @property
    def standing(self) -> Progress:
        """What is the same in lanes that have delivered the same: without the figures of each one's part of a snapshot."""
        if self.snapshot is None or self.snapshot_is_pending:
            return self
        return replace(self, snapshot={name: value for name, value in self.snapshot.items() if name != FIGURES})


@dataclass(frozen=True, slots=True)
class Lane:
    """One of the parallel readers of a log: which topics it delivers.

    Each reads the whole log. A topic belongs to exactly one lane, so order within it needs no coordination. The first
    lane alone tells of transactions, schema changes and heartbeats.
    """

    number: int = 0
    count: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this lane has the duties that belong to the log as a whole."""
        return self.number == 0

    def owns(self, topic: str) -> bool:
        """Whether this lane delivers the topic's records."""
        return self.count == 1 or zlib.crc32(topic.encode()) % self.count == self.number


ONLY_LANE: Final = Lane()
History = Callable[[], Sequence[HistoryRecord]]  # the records of a schema history, which is read when they are asked for
Others = Callable[[], Sequence[Progress | None]]  # how far the other lanes have come, by what the sink has of them now


def alone() -> Sequence[Progress | None]:
    """There are no other lanes."""
    return ()


def no_history() -> Sequence[HistoryRecord]:
    """No schema history is known."""
    return ()


@dataclass(slots=True)
class LogBatch:
    """What one step of reading gave: events, and the progress to store once they are delivered.

    Attributes:
        events: each in log order, for whoever takes the batch to empty; valid until the next batch is asked for.
        progress: to be stored in the same transaction as their records.
        history: new records of the schema history, to be stored with them as well.
        changes: how many row changes were read, before filters and tombstones.
        source_ts_ms: when the newest change was committed; None while nothing was read.
        idle: the log's end was reached; nothing came within the poll interval.
        at_head: nothing more was waiting when this had been read, so it is better committed now than later.
        figures: of a snapshot, to be shown when this is committed; `snapshot/figures.py` says what it holds.
        is_open: this must not be committed before the next batch: the progress does not tell what the records are.
        is_interleaved: events may lie between each other in the log; else each is behind the one before.

    """

    events: list[Event]
    progress: Progress
    history: Sequence[HistoryRecord] = ()
    changes: int = 0
    source_ts_ms: int | None = None
    idle: bool = False
    at_head: bool = False
    figures: Mapping[str, Any] | None = None
    is_open: bool = False
    is_interleaved: bool = False


@dataclass(frozen=True, slots=True)
class LogRange:
    """A piece of the log to read: from `start` to `until` (None: for ever); both are the connector's own, JSON.

    `now_us`, microseconds since the epoch, is the processing time that the events tell, so that a range that is read
    again gives the same events; None: the clock's. `lane` says which topics are wanted of it. `planned` are structures that
    were found when the range was planned: those that begin within it are read with these, and no others begin; None: nobody
    looked.
    """

    start: Mapping[str, Any]
    until: Mapping[str, Any] | None = None
    now_us: int | None = None
    lane: Lane = field(default=Lane())
    planned: Sequence[HistoryRecord] | None = None


@dataclass(frozen=True, slots=True)
class StartPoint:
    """Where a new connector begins: its restart position, the structures that hold there, and the snapshot as of there.

    `snapshot` is as in `Progress`, the same for all lanes that are to read it; `delivered` as well, and is "" but where
    somebody has delivered before.
    """

    restart: Mapping[str, Any]
    history: Sequence[HistoryRecord] = field(default=())
    snapshot: Mapping[str, Any] | None = None
    delivered: str = ""

    @property
    def progress(self) -> Progress:
        """The progress of each lane that begins here."""
        return Progress(self.delivered, self.restart, self.snapshot)


@dataclass(frozen=True, slots=True)
class SnapshotStep:
    """The next parts of a snapshot that is read part by part.

    Attributes:
        parts: the connector's own, JSON; each can be read on its own, any number of times, with the same rows.
        reached: how far the snapshot is in parts now, the connector's own, JSON; None: these are the last.

    """

    parts: Sequence[Mapping[str, Any]]
    reached: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class SnapshotPart:
    """A part to be read.

    Attributes:
        content: what it is, as a step gave it.
        number: which of the parts that are read side by side.
        now_us: what its events tell as processing time and as the time of reading, microseconds since the epoch.

    """

    content: Mapping[str, Any]
    number: int
    now_us: int


class Connector(Protocol):
    """A database. Made from settings, cheap to make, safe to send to another process."""

    @property
    def settings(self) -> Settings:
        """What it was made from."""

    def head(self) -> Mapping[str, Any]:
        """The newest position of the log, at a transaction boundary."""

    def routed(self, routing: Mapping[str, Any]) -> Connector:
        """The same under a routing that was stored, whatever the configuration says now; see `schema/routing.py`."""

    def can_be_dealt_out(self, progress: Progress) -> bool:
        """Whether tables can go on in other lanes from there; not where the progress counts what one lane has delivered."""

    def meeting_point(self, lanes: Sequence[Progress]) -> Mapping[str, Any] | None:
        """The nearest place up to which all of these lanes can read, to stand alike there; None: only the head is known.

        Raises:
            ConfigError: as it is configured there is none.

        """

    def start_point(self, snapshot_lanes: int = 0, after: Sequence[Progress] = ()) -> StartPoint:
        """Where a connector without progress begins; with a snapshot that is for about so many lanes, 0: with none.

        `after` is the progress of lanes whose place the snapshot takes: what it gives as delivered does not sort before
        theirs.
        """

    def warn_of_lists(self) -> None:
        """Log what the lists of the configuration name that is not there, for a connector that goes on."""

    def require_within_reach(self, progress: Progress, history: History = no_history, lane: Lane = ONLY_LANE) -> None:
        """Raise `PositionLostError` where the log no longer reaches back to where this progress of a lane goes on.

        `history` gives the schema history up to there to a connector that needs it: it tells what was read before.
        """

    def snapshot(
        self, lane: Lane, progress: Progress, history: Sequence[HistoryRecord], others: Others = alone
    ) -> Iterator[LogBatch]:
        """A lane's part of the snapshot that its progress names, from where it says; the last batch says that it is done.

        The records of a batch and its progress belong in one commit. Where a snapshot's end is told, one lane does so, and
        leaves its own part undone as long as `others` does not say that theirs are done; it is to be asked again then.
        """

    def skipped(self, progress: Progress) -> Sequence[Event]:
        """What is told at a start that finds no snapshot to be taken, with the progress of the first lane."""

    def read(self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]) -> Iterator[LogBatch]:
        """The changes of a range, batch by batch; what `progress` says was delivered is left out.

        Ends at `range_.until`; without it, yields an idle batch now and then while nothing comes.
        """


class RangeConnector(Connector, Protocol):
    """A connector whose log is read range by range, each of which can be read again: for the DataFrame way."""

    def snapshot_point(self) -> StartPoint:
        """Where a stream begins with a snapshot; `snapshot` is what `next_parts` is to be given again."""

    def next_parts(
        self, point: StartPoint, reached: Mapping[str, Any] | None, wanted: int, max_bytes: int | None
    ) -> SnapshotStep:
        """The next parts of the snapshot at a point, about `wanted` of them; `reached` is what the step before gave."""

    def read_part(
        self, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord]
    ) -> Iterator[LogBatch]:
        """The read events of a part; what `progress` says was delivered is left out.

        `progress.restart` is the snapshot's position, `progress.snapshot` None at first.
        """

    def head_after(
        self, start: Mapping[str, Any] | None, max_bytes: int | None, at_most: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """The newest position, or with a limit an earlier boundary that is about so many bytes behind `start`.

        It does not lie behind `at_most`, which this method gave before.
        """

    def progress_at(self, position: Mapping[str, Any]) -> Progress:
        """The progress of one who has everything before a position that was given by a method of this connector."""

    def history_at(self, history: Sequence[HistoryRecord], position: Mapping[str, Any]) -> Sequence[HistoryRecord]:
        """The records of a schema history that lie before such a position."""

    def history_after(
        self, history: Sequence[HistoryRecord], start: Mapping[str, Any], end: Mapping[str, Any], now_us: int
    ) -> Sequence[HistoryRecord] | None:
        """What a range adds to the schema history that holds at its start; None: that shows only when it is read.

        `now_us` is the processing time of the range.
        """
