"""One part of a snapshot, read independently and repeatably: the DataFrame way.

Spark may run a task again, and its output must be the same. The rows of a key range as of P are: a change meanwhile
only decides whether a row is selected or taken from the log. For equal bytes, the read time is the plan's, and rows
have no mark of their own: which row of a part is last depends on the order in which they were found. A table without a
key is one part, which can only be read from its beginning. The reader also handles changes of a table's structure that
happen while it reads.

Of some tables only selected rows are read: by a statement (`snapshot.select.statement.overrides`, or a signal's), or by
a signal's condition. An image does not show whether its row is selected, so a row that changes before it is read is
left to the log. A second reading of such a part may therefore have fewer rows; each reading is correct together with
the log that follows.

If a part that a signal requested can't be read, it is left out with a warning: a batch that Spark has planned can't be
changed any more.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

from attrs import evolve

from tailrace.changes.model import Changes
from tailrace.config.overrides import SelectOverride, SelectOverrides
from tailrace.config.settings import Settings
from tailrace.connectors.base import LogBatch, Progress, SnapshotPart
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots.database import LaneSource
from tailrace.errors import (
    ConfigError,
    PositionLostError,
    RetriableError,
    SourceSetupError,
    StructureError,
    TailraceError,
    UnsupportedError,
)
from tailrace.events.event import Event, NewEvents
from tailrace.events.shape import Shape
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import LanePlan, Segment
from tailrace.snapshot.source import Piece, Wave
from tailrace.snapshot.state import SnapshotState, start
from tailrace.snapshot.waves import SnapshotLane

SECOND: Final = 1_000_000
INCREMENTAL: Final = "incremental"
ShapedChanges = tuple[Shape, Changes]
_Settings = TypeVar("_Settings", bound=Settings)

log = logging.getLogger(__name__)


Source = TypeVar("Source", bound=LaneSource)


class PartDatabase(Protocol[Source]):
    """A database whose parts are read."""

    @property
    def position(self) -> Mapping[str, Any]:
        """P, as in a lane's state."""

    def opened(self) -> Source:
        """Open the database at P."""

    def read_events(self, source: Source, piece: Piece, read_us: int) -> Iterator[ShapedChanges]:
        """The read events of rows, each with its shape; `read_us`: the read time, microseconds since the epoch."""

    def structures(self, batch: Batch) -> list[Event]:
        """The events of the part that has the structures."""

    def lost(self, error: PositionLostError) -> PositionLostError:
        """The error for a log that is no longer retained from P on."""


class PartReader(Generic[Source]):
    """Reads a part once, from where its progress says."""

    def __init__(self, database: PartDatabase[Source], part: SnapshotPart, progress: Progress) -> None:
        self._database = database
        self._part = part
        self._progress = progress
        self._read_us = part.now_us // SECOND * SECOND  # whole seconds, like the server's clock in a lane's snapshot

    def steps(self) -> Iterator[tuple[list[ShapedChanges], Progress]]:
        """For each wave, the read events with their shapes, and the progress after their delivery."""
        if "structures" in self._part.content:
            return
        is_open = False
        try:
            with closing(self._database.opened()) as source:
                for wave in RequestedPart(self._part.content).waves(source, self._state()):
                    is_open = wave.is_open
                    pieces = (self._database.read_events(source, piece, self._read_us) for piece in wave.pieces)
                    yield [each for piece in pieces for each in piece], self._reached(wave.state)
        except PositionLostError as error:
            # No retry can bring the log back, and the stream of changes is worth more than the rest of requested work.
            if "asked" in self._part.content:
                warn_of_failed_request(self._part.content, error)
                return
            raise self._database.lost(error) from error
        except RetriableError as error:
            # Rows of a table without a key were yielded already. Resuming would yield them again, so the task as a
            # whole must fail.
            if is_open:
                raise _unfinished(self._part.content, error) from error
            raise

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """The part's batches: its read events, or the events of structures."""
        if "structures" in self._part.content:
            yield LogBatch(self._database.structures(Batch(self._part.now_us)), self._progress)
        for shown, progress in self.steps():
            events = new_events()
            for shape, changes in shown:
                events.append(shape.prepare(changes, self._part.now_us))
            yield LogBatch(events, progress)

    def _state(self) -> SnapshotState:
        """The state where reading begins; a progress within a part comes only from an earlier attempt, after an error."""
        if self._progress.snapshot is not None:
            return SnapshotState.from_dict(self._progress.snapshot)
        segments = tuple(Segment(*segment) for segment in self._part.content["segments"])
        return start(LanePlan(segments), self._database.position)

    def _reached(self, state: SnapshotState) -> Progress:
        return Progress(self._progress.delivered, self._progress.restart, state.to_dict())


@dataclass(frozen=True, slots=True)
class RequestedPart:
    """The members of a part that say what a signal requested; without them the part is of an initial snapshot.

    Attributes:
        content: of the part.

    """

    content: Mapping[str, Any]

    @property
    def is_requested(self) -> bool:
        """Whether a signal requested it."""
        return bool(self._request)

    @property
    def is_incremental(self) -> bool:
        """Whether it belongs to an incremental snapshot."""
        return self._request.get("kind") == INCREMENTAL

    @property
    def conditions(self) -> dict[TableId, str]:
        """The conditions for WHERE, of the tables that have one."""
        return {parse_id(table): text for table, text in self._request.get("conditions", {}).items()}

    def settings(self, settings: _Settings) -> _Settings:
        """The settings with only those statements that were determined when the signal was handled.

        The task must not use today's configuration: the plan is older.
        """
        if not self.is_requested:
            return settings
        overrides = (
            SelectOverride(parse_id(table), text, "the signal's or the connector's")
            for table, text in self._request.get("statements", {}).items()
        )
        return evolve(settings, select_overrides=SelectOverrides(tuple(overrides)))

    def mark(self, piece: Piece) -> str:
        """`source.snapshot` of a piece's rows."""
        return INCREMENTAL if self.is_incremental else piece.mark.value

    def waves(self, source: LaneSource, state: SnapshotState) -> Iterator[Wave]:
        """The waves from a state on."""
        chosen = source.chosen | frozenset(self._request.get("conditions", {}))
        try:
            yield from SnapshotLane(source, state, chosen, source.whole).waves()
        except (ConfigError, SourceSetupError, StructureError, UnsupportedError) as error:
            if not self.is_requested:
                raise
            warn_of_failed_request(self.content, error)

    @property
    def _request(self) -> Mapping[str, Any]:
        request: Mapping[str, Any] = self.content.get("asked", {})
        return request


def warn_of_failed_request(content: Mapping[str, Any], error: TailraceError) -> None:
    """Warn about the rest of a requested part that is not read."""
    tables = ", ".join(content["keys"])
    log.warning("what is left of %s, of the snapshot that a signal asked for, is not read: %s", tables, error)


def _unfinished(content: Mapping[str, Any], error: RetriableError) -> TailraceError:
    """The error for a task that failed within a table without a key: the whole part has to be read again."""
    tables = ", ".join(content["keys"])
    return TailraceError(
        f"{error}. Of {tables} some rows were read: without a key the rest can't be told from them, so the task has to be run "
        "again as a whole, as Spark does (spark.task.maxFailures)"
    )
