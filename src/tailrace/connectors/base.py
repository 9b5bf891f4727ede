"""The data that connectors and their callers exchange: progress, lanes, ranges, batches, parts of snapshots.

`interface.py` has the methods that take and return it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # loading a configuration imports this module, and events are heavy
    from tailrace.events.event import Events

HistoryRecord = Mapping[str, Any]  # one line of a schema history, in Debezium's record format
Signalled = Mapping[str, Any]  # as `Progress.signalled`
FIGURES: Final = "figures"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a lane has come, as its sink stores it.

    Attributes:
        delivered: the text of the position up to which the sink has everything; "" if it has nothing.
        restart: the position from which the log must be read again, so that what follows can be decoded (JSON in the
            connector's own format).
        snapshot: the snapshot that comes before the log from `restart` on; None: there is none. `lanes` is the number
            of lanes that read it. `done` says that this lane has read its part; beside it are the last `figures`, if
            there are other lanes. The rest is the connector's own JSON.
        signalled: the work that signals requested, and the positions of the signal channels (the connector's own JSON).
            None: neither exists. `signals/moved_work.py` lists the members.

    """

    delivered: str
    restart: Mapping[str, Any]
    snapshot: Mapping[str, Any] | None = None
    signalled: Mapping[str, Any] | None = None

    @property
    def stored_snapshot(self) -> dict[str, Any] | None:
        """The snapshot as JSON can have it: one that is being read is put together only now."""
        return None if self.snapshot is None else dict(self.snapshot)

    @property
    def snapshot_is_pending(self) -> bool:
        """Whether this lane has not finished its part of a snapshot."""
        return self.snapshot is not None and not self.snapshot.get("done", False)

    def is_at_same_position(self, other: Progress) -> bool:
        """Whether two lanes have delivered up to the same position and resume from the same one.

        Their requested work may differ.
        """
        return replace(self.without_figures, signalled=None) == replace(other.without_figures, signalled=None)

    @property
    def without_figures(self) -> Progress:
        """The progress without the figures of this lane's snapshot part; equal in lanes that have delivered the same."""
        if self.snapshot is None or self.snapshot_is_pending:
            return self
        return replace(self, snapshot={name: value for name, value in self.snapshot.items() if name != FIGURES})


@dataclass(frozen=True, slots=True)
class Lane:
    """One of the parallel readers of a log: it delivers a subset of the topics.

    Each lane reads the whole log. A topic belongs to exactly one lane, so its order needs no coordination. Only the
    first lane delivers transaction metadata, schema changes and heartbeats, which belong to no table.
    """

    number: int = 0
    count: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this lane delivers what belongs to no table."""
        return self.number == 0

    def owns(self, topic: str) -> bool:
        """Whether this lane delivers the topic's records."""
        # CRC32, not hash(): the same topic must get the same lane in every process and in every run.
        return self.count == 1 or zlib.crc32(topic.encode()) % self.count == self.number


ONLY_LANE: Final = Lane()
History = Callable[[], Sequence[HistoryRecord]]  # reads the records of a schema history when it is called
OtherLanes = Callable[[], Sequence[Progress | None]]  # reads the other lanes' progress from the sink, as it is now


def no_other_lanes() -> Sequence[Progress | None]:
    """The `OtherLanes` of a lane that is the only one."""
    return ()


def no_history() -> Sequence[HistoryRecord]:
    """The `History` of a caller that has none."""
    return ()


@dataclass(slots=True)
class LogBatch:
    """The events that one step of reading yielded, and the progress to store once they are delivered.

    Attributes:
        events: each in log order, in the object that the reader was given for them; valid until the caller requests the
            next batch.
        progress: to be stored in the same transaction as the records of the events.
        history: new records of the schema history, to be stored in that transaction too.
        changes: the number of row changes that were read, before filters and without tombstones.
        source_ts_ms: the commit time of the newest change, milliseconds since the epoch; None if there is no change.
        idle: the end of the log was reached, and nothing came within the poll interval.
        at_head: nothing more was waiting when this was read, so waiting for more before the commit only adds latency.
        figures: progress figures of a snapshot, to be shown at the commit; see `snapshot/figures.py`.
        is_open: this batch must be committed together with the next one, because its progress does not say that it was
            delivered.
        is_interleaved: the log order of the events overlaps; if False, each event follows all of the one before.

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
    """A range of the log to read, from `start` to `until`, both the connector's own JSON; None: it has no end.

    `now_us`, microseconds since the epoch, is the processing time in the events. It is fixed when the range must yield
    the same bytes each time it is read; None: use the clock. `lane` selects the topics. `planned` are the structures
    that were found when the range was planned: changes within it are read with exactly these, so that a retry of the
    task does not see newer ones; None: the planner looked for none.
    """

    start: Mapping[str, Any]
    until: Mapping[str, Any] | None = None
    now_us: int | None = None
    lane: Lane = field(default=Lane())
    planned: Sequence[HistoryRecord] | None = None


@dataclass(frozen=True, slots=True)
class StartPoint:
    """Where a new connector begins: its restart position, the structures at that position, and the snapshot as of it.

    `snapshot` is as in `Progress`, and equal for all lanes that read it. `delivered` is as in `Progress` too; it is ""
    unless an earlier layout of lanes has delivered before.
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
        parts: the connector's own JSON. Each part can be read independently and repeatedly, with the same rows.
        reached: how far the planning has come, the connector's own JSON; None: these are the last parts.

    """

    parts: Sequence[Mapping[str, Any]]
    reached: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class SnapshotPart:
    """A part to read.

    Attributes:
        content: the part, as `SnapshotStep.parts` has it.
        number: its number among the parts that are read in parallel.
        now_us: the processing time and the read time in its events, microseconds since the epoch.

    """

    content: Mapping[str, Any]
    number: int
    now_us: int


@dataclass(frozen=True, slots=True)
class RequestedStep:
    """The next step of the work that signals requested.

    Attributes:
        signalled: the work that remains after this step.
        point: a current position with the structures of its tables; the log is read up to it first. If tables are read
            while the log waits (a blocking snapshot), `snapshot` is the argument for `next_parts`. None: nothing is
            read.
        parts: to be read as of `point`.
        reached: where `next_parts` continues; None: `parts` is all that is read as of `point`.

    """

    signalled: Signalled | None
    point: StartPoint | None = None
    parts: Sequence[Mapping[str, Any]] = ()
    reached: Mapping[str, Any] | None = None
