"""One part of a snapshot, read on its own, so that it is the same whenever it is read: for the DataFrame way.

The rows of a range of keys as of P are the same ones, however often and by whomever they are asked for: what changes
meanwhile shows only in whether a row was selected or found in the log. So that the records are the same to the byte,
the time that they tell is the plan's, and none has a mark of its own: which row of a part comes last shows in what
order they were found. A table without a key is a part of its own, and can only be read from its beginning. What a
change of a table's structure does to rows that are read after it, it does here too.

Of some tables only rows of the user's choice are read: by a statement of his own (`snapshot.select.statement.overrides`, or a
signal's), or by a signal's condition. Whether an image is one of these can't be told, so a row that changes before it is
read is left to the log: such a part may have fewer rows when it is read again, and each reading is right with the log that
follows. What can't be read of a part that a signal asked for is left out with a warning: nothing could mend a batch that
Spark has planned.
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
from tailrace.snapshot.source import Piece, SnapshotSource, Wave
from tailrace.snapshot.state import SnapshotState, start
from tailrace.snapshot.waves import SnapshotLane

SECOND: Final = 1_000_000
INCREMENTAL: Final = "incremental"
Shown = tuple[Shape, Changes]
_Settings = TypeVar("_Settings", bound=Settings)

log = logging.getLogger(__name__)


class ChosenSource(SnapshotSource, Protocol):
    """A source that knows of which tables it reads only some rows, and which have no key."""

    @property
    def chosen(self) -> frozenset[str]:
        """The tables of which only some rows are wanted, and the log can't tell which."""

    @property
    def whole(self) -> frozenset[str]:
        """The tables without a key."""

    def close(self) -> None:
        """Let go of the server."""


Source = TypeVar("Source", bound=ChosenSource)


class PartDatabase(Protocol[Source]):
    """What parts of a snapshot are read of."""

    @property
    def place(self) -> Mapping[str, Any]:
        """P, as a lane's state has it."""

    def opened(self) -> Source:
        """The database at P."""

    def shown(self, source: Source, piece: Piece, read_us: int) -> Iterator[Shown]:
        """The read events of rows, with what shows them; `read_us`: when they were read, microseconds since the epoch."""

    def structures(self, batch: Batch) -> list[Event]:
        """What tells the structures, where that is the part."""

    def lost(self, error: PositionLostError) -> PositionLostError:
        """What to say where the log does not reach back to P any more."""


class PartReader(Generic[Source]):
    """Reads a part once, from where its progress says."""

    def __init__(self, database: PartDatabase[Source], part: SnapshotPart, progress: Progress) -> None:
        self._database = database
        self._part = part
        self._progress = progress
        self._read_us = part.now_us // SECOND * SECOND  # whole seconds, as the server's clock is told elsewhere

    def steps(self) -> Iterator[tuple[list[Shown], Progress]]:
        """The read events, with what shows them, wave after wave, and the progress once they are delivered."""
        if "structures" in self._part.content:
            return
        is_open = False
        try:
            with closing(self._database.opened()) as source:
                for wave in AskedPart(self._part.content).waves(source, self._state()):
                    is_open = wave.is_open
                    pieces = (self._database.shown(source, piece, self._read_us) for piece in wave.pieces)
                    yield [each for piece in pieces for each in piece], self._reached(wave.state)
        except PositionLostError as error:
            if "asked" in self._part.content:
                warn_of_asked(self._part.content, error)
                return
            raise self._database.lost(error) from error
        except RetriableError as error:
            if is_open:
                raise _unfinished(self._part.content, error) from error
            raise

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """The same as events, and what tells the structures where that is the part."""
        if "structures" in self._part.content:
            yield LogBatch(self._database.structures(Batch(self._part.now_us)), self._progress)
        for shown, progress in self.steps():
            events = new_events()
            for shape, changes in shown:
                events.append(shape.prepare(changes, self._part.now_us))
            yield LogBatch(events, progress)

    def _state(self) -> SnapshotState:
        """To begin with: within a part only another attempt goes on, after an error."""
        if self._progress.snapshot is not None:
            return SnapshotState.from_dict(self._progress.snapshot)
        segments = tuple(Segment(*segment) for segment in self._part.content["segments"])
        return start(LanePlan(segments), self._database.place)

    def _reached(self, state: SnapshotState) -> Progress:
        return Progress(self._progress.delivered, self._progress.restart, state.to_dict())


@dataclass(frozen=True, slots=True)
class AskedPart:
    """What a signal wants of a part; nothing, where no signal asked for it.

    Attributes:
        content: of the part.

    """

    content: Mapping[str, Any]

    @property
    def is_asked(self) -> bool:
        """Whether a signal asked for it."""
        return bool(self._asked)

    @property
    def is_incremental(self) -> bool:
        """Whether it is of an incremental snapshot."""
        return self._asked.get("kind") == INCREMENTAL

    @property
    def conditions(self) -> dict[TableId, str]:
        """For WHERE, of some of its tables."""
        return {parse_id(table): text for table, text in self._asked.get("conditions", {}).items()}

    def settings(self, settings: _Settings) -> _Settings:
        """With the statements that were found when the signal was handled, and no others."""
        if not self.is_asked:
            return settings
        overrides = (
            SelectOverride(parse_id(table), text, "the signal's or the connector's")
            for table, text in self._asked.get("statements", {}).items()
        )
        return evolve(settings, select_overrides=SelectOverrides(tuple(overrides)))

    def mark(self, piece: Piece) -> str:
        """What `source.snapshot` says of rows."""
        return INCREMENTAL if self.is_incremental else piece.mark.value

    def waves(self, source: ChosenSource, state: SnapshotState) -> Iterator[Wave]:
        """What is read from a state on."""
        chosen = source.chosen | frozenset(self._asked.get("conditions", {}))
        try:
            yield from SnapshotLane(source, state, chosen, source.whole).waves()
        except (ConfigError, SourceSetupError, StructureError, UnsupportedError) as error:
            if not self.is_asked:
                raise
            warn_of_asked(self.content, error)

    @property
    def _asked(self) -> Mapping[str, Any]:
        asked: Mapping[str, Any] = self.content.get("asked", {})
        return asked


def warn_of_asked(content: Mapping[str, Any], error: TailraceError) -> None:
    """Say what of a part that a signal asked for is left out."""
    tables = ", ".join(content["keys"])
    log.warning("what is left of %s, of the snapshot that a signal asked for, is not read: %s", tables, error)


def _unfinished(content: Mapping[str, Any], error: RetriableError) -> TailraceError:
    """What was delivered of a table without a key can't be gone on with: the whole part has to be read again."""
    tables = ", ".join(content["keys"])
    return TailraceError(
        f"{error}. Of {tables} some rows were read: without a key the rest can't be told from them, so the task has to be run "
        "again as a whole, as Spark does (spark.task.maxFailures)"
    )
