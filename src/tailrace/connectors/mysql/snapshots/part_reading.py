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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Final

from attrs import evolve

from tailrace.changes.model import Changes
from tailrace.changes.shape import Shape
from tailrace.config.overrides import SelectOverride, SelectOverrides
from tailrace.config.settings import MySqlSettings
from tailrace.connectors.base import HistoryRecord, LogBatch, Progress, SnapshotPart
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.beginning import told_anew
from tailrace.connectors.mysql.connection import connect
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.positions import RestartPosition, log_place
from tailrace.connectors.mysql.snapshots.keys import stored_keys
from tailrace.connectors.mysql.snapshots.parts import lost
from tailrace.connectors.mysql.snapshots.read_records import read_changes
from tailrace.connectors.mysql.snapshots.source import MySqlSource
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
from tailrace.schema.changes_topic import SchemaEvent
from tailrace.schema.history import parse_id
from tailrace.snapshot.segments import LanePlan, Segment
from tailrace.snapshot.source import Mark, Wave
from tailrace.snapshot.state import SnapshotState, start
from tailrace.snapshot.waves import SnapshotLane

SECOND: Final = 1_000_000
INCREMENTAL: Final = "incremental"
Shown = tuple[Shape, Changes]

log = logging.getLogger(__name__)


class PartReader:
    """Reads a part once, from where its progress says."""

    def __init__(
        self, settings: MySqlSettings, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord]
    ) -> None:
        self._settings = settings
        self._part = part
        self._progress = progress
        self._history = history
        self._point = RestartPosition.from_dict(progress.restart)
        self._changes = read_changes(settings, self._point)
        self._asked: Mapping[str, Any] = part.content.get("asked", {})
        self._read_us = part.now_us // SECOND * SECOND  # whole seconds, as the server's clock is told elsewhere

    def steps(self) -> Iterator[tuple[list[Shown], Progress]]:
        """The read events, with what shows them, wave after wave, and the progress once they are delivered."""
        if "structures" in self._part.content:
            return
        is_open = False
        try:
            with closing(self._source()) as source:
                for wave in self._waves(source):
                    is_open = wave.is_open
                    yield list(self._shown(source, wave)), self._reached(wave.state)
        except PositionLostError as error:
            raise lost(self._point, error) from error
        except RetriableError as error:
            if is_open:
                raise _unfinished(self._part.content, error) from error
            raise

    def batches(self) -> Iterator[LogBatch]:
        """The same as records, and what tells the structures where that is the part."""
        if "structures" in self._part.content:
            yield self._structures()
        for shown, progress in self.steps():
            records = [shape.records(shape.prepare(changes), self._part.now_us) for shape, changes in shown]
            yield LogBatch(records, progress)

    def _source(self) -> MySqlSource:
        """The server, with what chooses rows of the tables."""
        conditions = self._asked.get("conditions", {})
        return MySqlSource(
            self._settings_of_asked() if self._asked else self._settings,
            self._part.number,
            self._progress.restart,
            self._history,
            stored_keys(self._part.content["keys"]),
            {parse_id(table): text for table, text in conditions.items()},
            self._settings.incremental_snapshot_chunk_size if self._is_incremental else None,
            with_overrides=True,
        )

    def _settings_of_asked(self) -> MySqlSettings:
        """With the statements that were found when the signal was handled, and no others."""
        given = self._asked.get("statements", {})
        overrides = (
            SelectOverride(parse_id(table), text, "the signal's or the connector's") for table, text in given.items()
        )
        return evolve(self._settings, select_overrides=SelectOverrides(tuple(overrides)))

    def _waves(self, source: MySqlSource) -> Iterator[Wave]:
        chosen = source.chosen | frozenset(self._asked.get("conditions", {}))
        lane = SnapshotLane(source, self._state(), chosen, source.whole)
        try:
            yield from lane.waves()
        except (ConfigError, SourceSetupError, StructureError, UnsupportedError) as error:
            if not self._asked:
                raise
            tables = ", ".join(self._part.content["keys"])
            log.warning("what is left of %s, of the snapshot that a signal asked for, is not read: %s", tables, error)

    @property
    def _is_incremental(self) -> bool:
        return self._asked.get("kind") == INCREMENTAL

    def _shown(self, source: MySqlSource, wave: Wave) -> Iterator[Shown]:
        for piece in wave.pieces:
            mark = INCREMENTAL if self._is_incremental else piece.mark.value
            yield from self._changes.of_piece(piece.of, piece.rows, mark, self._read_us, source.tables.shape)

    def _structures(self) -> LogBatch:
        with connect(self._settings) as session:
            lower_names = catalog.server(session).lower_names
        batch = Batch(self._part.now_us)
        definitions = Definitions(self._settings, self._history, lower_names=lower_names)
        if self._asked:
            definitions.tell_at(self._named(definitions), 0, Mark.TRUE.value, self._point, batch)
        else:
            definitions.tell_first(self._point, batch)
            definitions.tell_last(self._point, batch, Mark.TRUE.value)
        return LogBatch(batch.records, self._progress)

    def _named(self, definitions: Definitions) -> list[SchemaEvent]:
        """The events of the tables that a signal names."""
        return told_anew(
            [
                (definitions.structures[parse_id(change["id"])], record["ddl"])
                for record in self._history
                for change in record.get("tableChanges") or ()
            ]
        )

    def _state(self) -> SnapshotState:
        """To begin with: within a part only another attempt goes on, after an error."""
        if self._progress.snapshot is not None:
            return SnapshotState.from_dict(self._progress.snapshot)
        segments = tuple(Segment(*segment) for segment in self._part.content["segments"])
        return start(LanePlan(segments), log_place(self._point))

    def _reached(self, state: SnapshotState) -> Progress:
        return Progress(self._progress.delivered, self._progress.restart, state.to_dict())


def _unfinished(content: Mapping[str, Any], error: RetriableError) -> TailraceError:
    """What was delivered of a table without a key can't be gone on with: the whole part has to be read again."""
    tables = ", ".join(content["keys"])
    return TailraceError(
        f"{error}. Of {tables} some rows were read: without a key the rest can't be told from them, so the task has to be run "
        "again as a whole, as Spark does (spark.task.maxFailures)"
    )
