"""What goes between a connector and who uses it: progress, lanes, ranges, batches, parts of snapshots.

`interface.py` says how.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # every configuration is loaded beside this, and events are heavy
    from tailrace.events.event import Events

HistoryRecord = Mapping[str, Any]  # one line of a schema history, in Debezium's record format
Signalled = Mapping[str, Any]  # as `Progress.signalled`
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
        events: each in log order, in what the reader was given for them; valid until the next batch is asked for.
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

    events: Events
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


@dataclass(frozen=True, slots=True)
class AskedStep:
    """What comes next of that which signals asked for.

    Attributes:
        signalled: what is left to do when this is read.
        point: a position of now, up to which the log is read first, with the structures of the tables there. `snapshot` is
            what `next_parts` is to be given, where tables are to be read while the log waits. None: nothing is to be read.
        parts: to be read as of there.
        reached: what `next_parts` goes on from; None: with `parts` all is read that is to be read at this position.

    """

    signalled: Signalled | None
    point: StartPoint | None = None
    parts: Sequence[Mapping[str, Any]] = ()
    reached: Mapping[str, Any] | None = None
