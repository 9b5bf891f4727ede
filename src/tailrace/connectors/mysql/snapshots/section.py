"""Sections of the log that are read beside a snapshot: which rows were changed, and what they were before.

Nothing is delivered of them: when the snapshot is done, the log from its position on is read for that. A section goes
from where the last one ended to the log's head of a moment, and begins with the structures that the last one left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Vector
from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, LogRange, Progress
from tailrace.connectors.mysql.batches import Batch
from tailrace.connectors.mysql.blocks import Blocks
from tailrace.connectors.mysql.bounds import ALL, Bounds
from tailrace.connectors.mysql.captured import Captured, CapturedTables
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.kept_history import KeptHistory
from tailrace.connectors.mysql.log import Query, RowEvents
from tailrace.connectors.mysql.missing import fill_missing
from tailrace.connectors.mysql.rows import RowImages
from tailrace.connectors.mysql.run_records import RunRecords, by_slot, parts_of
from tailrace.connectors.mysql.snapshots.read_tables import KeyDecoder
from tailrace.connectors.mysql.stream import BinlogStream
from tailrace.connectors.mysql.streaming import LogReader
from tailrace.errors import LogFormatError
from tailrace.schema.tables import Table, TableId

Int64 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
FEWEST = 2  # images that a decoder can be asked for

KeyDecoderOf = Callable[[Captured], KeyDecoder | None]


@dataclass(slots=True)
class TouchedRows:
    """Changes of one table in one structure, in log order.

    Attributes:
        table: the structure.
        columns: the row images.
        before: index of the image before each change, -1 where there is none; shape (n,).
        after: the same for the image after; shape (n,).
        keys: the key's columns over the images in raw form, in the key's order.
        complete: whether each image has all columns that are wanted; shape (m,).

    """

    table: Table
    columns: list[Vector | None]
    before: INT32
    after: INT32
    keys: list[Vector]
    complete: Mask


class Section(LogReader):
    """Reads one section; afterwards `progress` says where it ended and `definitions` has the structures of there.

    Attributes:
        definitions: the structures where it begins, which its DDL changes; to be given to the next section.
        progress: up to where it is read.

    """

    def __init__(
        self,
        settings: Settings,
        replica: int,
        progress: Progress,
        until: Mapping[str, Any],
        history: Sequence[HistoryRecord],
        definitions: Definitions,
        key_decoder_of: KeyDecoderOf,
    ) -> None:
        """`replica` tells this reader from the others that the server has; `until` is a restart position."""
        super().__init__(_without_side_effects(settings), LogRange({}, until, now_us=0), progress, history)
        self._replica = replica
        self._key_decoder_of = key_decoder_of
        self.definitions = definitions
        self.progress = progress

    def touched(self) -> Iterator[list[TouchedRows]]:
        """The changes of the section, block by block."""
        for batch in self.batches():
            self.progress = batch.progress
            yield self._collected.taken()

    def _new_history(self) -> KeptHistory:
        return KeptHistory(self._settings, self._restart, self._delivered, self._given_history, writes=False)

    def _new_definitions(self, server: Server) -> Definitions:  # noqa: ARG002
        return self.definitions

    def _new_runs(self) -> RunRecords:
        self._collected = _Collected(self._settings, self._tables, self._bounds, self._restart.era, self._key_decoder_of)
        return self._collected

    def _new_blocks(self, stream: BinlogStream) -> Blocks:
        return Blocks(stream, self._block_bytes, kept=True)


class _Collected(RunRecords):
    """Keeps what runs do to rows, instead of making records of it."""

    def __init__(
        self, settings: Settings, tables: CapturedTables, bounds: Bounds, era: int, key_decoder_of: KeyDecoderOf
    ) -> None:
        super().__init__(settings, tables, bounds, era)
        self._key_decoder_of = key_decoder_of
        self._touched: list[TouchedRows] = []
        self._key_decoders: dict[int, KeyDecoder | None] = {}

    def taken(self) -> list[TouchedRows]:
        """What came since the last call."""
        taken, self._touched = self._touched, []
        return taken

    def truncation(self, table_id: TableId, query: Query, batch: Batch) -> None:
        """The stream tells it: the log has no images of the rows that are gone."""

    def _take(self, run: RowEvents, live: Mask, done: Int64, skipped: int, batch: Batch) -> None:  # noqa: ARG002
        for slot, events in by_slot(run.slot, live & (done < ALL)):
            captured = self._tables[slot]
            if slot not in self._key_decoders:
                self._key_decoders[slot] = self._key_decoder_of(captured)
            key_decoder = self._key_decoders[slot]
            if key_decoder is None:
                continue
            for images, keys in self._with_keys(captured, key_decoder, run, events):
                new = next((part for part, is_new in parts_of(images, done[events]) if is_new), None)
                if new is not None:
                    self._touched.append(_touched(captured.table, new, keys))

    def _with_keys(
        self, captured: Captured, key_decoder: KeyDecoder, run: RowEvents, events: Int64
    ) -> Iterator[tuple[RowImages, list[Vector]]]:
        """The events' rows, and the keys of the same images."""
        first, offset, row = 0, 0, 0
        for images in self._images(captured, run, events):
            limit = max(images.images, FEWEST)
            keys = key_decoder.decoder.decode(
                run.data, run.body[events], run.end[events], run.kind[events], first, limit, offset=offset, row=row
            )
            if keys.images != images.images:
                raise LogFormatError(f"{captured.name}: {images.images} row images with {keys.images} keys")
            first, offset, row = first + images.events_used, images.offset, images.next_row
            vectors = [keys.vectors[i] for i in key_decoder.columns]
            yield images, [vector for vector in vectors if vector is not None]


def _touched(table: Table, images: RowImages, keys: list[Vector]) -> TouchedRows:
    complete = np.ones(images.images, np.bool_)
    for bitmap in images.missing.values():
        complete &= ~np.unpackbits(bitmap, count=images.images, bitorder="little").view(np.bool_)
    columns = list(fill_missing(images, table)) if images.partial else images.vectors
    return TouchedRows(table, columns, images.before, images.after, keys, complete)


def _without_side_effects(settings: Settings) -> Settings:
    """Nothing is told of a section: no transactions, schema changes or heartbeats; all servers' changes count."""
    return evolve(
        settings,
        provide_transaction_metadata=False,
        include_schema_changes=False,
        heartbeat_interval_ms=0,
        gtid_source_filter_dml_events=False,
        event_processing_failure_handling_mode="fail",
    )
