"""Sections of the log that are read beside a snapshot: which rows were changed, and what they were before.

Nothing is delivered of them: when the snapshot is done, the log from its position on is read for that. A section goes
from where the last one ended to the log's head of a moment, and begins with the structures that the last one left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import evolve

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Vector
from tailrace.config.settings import Settings
from tailrace.connectors.base import LogRange, Progress
from tailrace.connectors.mysql.batches import Batch
from tailrace.connectors.mysql.blocks import Blocks
from tailrace.connectors.mysql.bounds import ALL, Bounds
from tailrace.connectors.mysql.captured import Captured, CapturedTables
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.kept_history import NoHistory
from tailrace.connectors.mysql.log import Query, RowEvents, XaCommit, XaPrepare, XaRollback
from tailrace.connectors.mysql.missing import fill_missing
from tailrace.connectors.mysql.rows import RowImages
from tailrace.connectors.mysql.run_records import RunRecords, by_slot, parts_of
from tailrace.connectors.mysql.snapshots.read_tables import KeyDecoder, ReadTables
from tailrace.connectors.mysql.stream import BinlogStream
from tailrace.connectors.mysql.streaming import LogReader
from tailrace.errors import LogFormatError
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.first_changes import Break

Int64 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
FEWEST = 2  # images that a decoder can be asked for


@dataclass(slots=True)
class TouchedRows:
    """Changes of one table in one structure, in log order.

    Attributes:
        table: the structure.
        columns: the row images.
        before: index of the image before each change, -1 where there is none; shape (n,).
        after: the same for the image after; shape (n,).
        keys: the key's columns over the images in raw form, in the key's order; of a table without a key, all columns that
            are wanted, or none where they can't be compared.
        complete: whether each image has all columns that are wanted; shape (m,).
        key_columns: indices of the columns in `keys`.
        is_whole: the table has no key.

    """

    table: Table
    columns: list[Vector | None]
    before: INT32
    after: INT32
    keys: list[Vector]
    complete: Mask
    key_columns: tuple[int, ...] = ()
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Broken:
    """Something that ends the history of a table without a key."""

    table: TableId
    what: Break


Touched: TypeAlias = TouchedRows | Broken


@dataclass(slots=True)
class Seen:
    """What a view shows: `gtids` certainly; `unseen` become the tables without a key with other changes in the section."""

    gtids: GtidSet
    unseen: set[TableId] = field(default_factory=set)


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
        definitions: Definitions,
        tables: ReadTables,
        seen: Seen | None = None,
    ) -> None:
        """`replica` tells this reader from the others that the server has; `until` is a restart position."""
        super().__init__(_without_side_effects(settings), LogRange({}, until, now_us=0), progress, ())
        self._replica = replica
        self._read_tables = tables
        self._whole = tables.whole
        self._seen = seen
        self.definitions = definitions
        self.progress = progress

    @property
    def gtids(self) -> str | None:
        """Executed where it ends; None where the server has none."""
        return self._place.gtids

    def touched(self) -> Iterator[list[Touched]]:
        """The changes of the section, block by block."""
        for batch in self.batches():
            self.progress = batch.progress
            yield self._collected.taken()

    def _new_history(self) -> NoHistory:
        return NoHistory()

    def _new_definitions(self, server: Server) -> Definitions:  # noqa: ARG002
        return self.definitions

    def _new_asked(self) -> None:
        """Signals are for those who deliver."""

    def _new_runs(self) -> RunRecords:
        self._collected = _Collected(
            self._settings, self._tables, self._bounds, self._restart.era, self._read_tables, self._seen
        )
        return self._collected

    def _define(self, query: Query, batch: Batch) -> None:
        there = [table for table in self._whole if table in self.definitions.structures]
        super()._define(query, batch)
        for table in there:
            if table not in self.definitions.structures:
                self._collected.note(Broken(table, Break.EMPTIED))
        for table in self.definitions.renamed:
            if table in self._whole:
                self._collected.note(Broken(table, Break.REPLACED))

    def _finish_xa(self, item: XaPrepare | XaCommit | XaRollback, batch: Batch) -> None:
        self._collected.ending = item.transaction.gtid
        super()._finish_xa(item, batch)

    def _new_blocks(self, stream: BinlogStream) -> Blocks:
        return Blocks(stream, self._block_bytes, kept=True)


class _Collected(RunRecords):
    """Keeps what runs do to rows, instead of making records of it.

    Attributes:
        ending: GTID of the statement that ends an XA transaction, from which on its rows count.

    """

    def __init__(
        self,
        settings: Settings,
        tables: CapturedTables,
        bounds: Bounds,
        era: int,
        read: ReadTables,
        seen: Seen | None,
    ) -> None:
        super().__init__(settings, tables, bounds, era)
        self.ending: str | None = None
        self._read = read
        self._whole = read.whole
        self._seen = seen
        self._touched: list[Touched] = []
        self._key_decoders: dict[int, KeyDecoder | None] = {}

    def note(self, touched: Touched) -> None:
        """Take note of something, behind all that came before."""
        self._touched.append(touched)

    def taken(self) -> list[Touched]:
        """What came since the last call."""
        taken, self._touched = self._touched, []
        return taken

    def truncation(self, table_id: TableId, query: Query, batch: Batch) -> None:  # noqa: ARG002
        """The stream tells it: the log has no images of the rows that are gone."""
        if table_id in self._whole:
            self.note(Broken(table_id, Break.EMPTIED))

    def _take(self, run: RowEvents, live: Mask, done: Int64, skipped: int, batch: Batch) -> None:  # noqa: ARG002
        for slot, events in by_slot(run.slot, live & (done < ALL)):
            captured = self._tables[slot]
            if slot not in self._key_decoders:
                self._key_decoders[slot] = self._read.key_decoder(captured)
            key_decoder = self._key_decoders[slot]
            if key_decoder is None:
                continue
            if key_decoder.is_whole and self._seen is not None and not self._is_seen(self._seen, run, events):
                self._seen.unseen.add(captured.table.id)
            for images, keys in self._with_keys(captured, key_decoder, run, events):
                new = next((part for part, is_new in parts_of(images, done[events]) if is_new), None)
                if new is not None:
                    self.note(_touched(captured.table, new, keys, key_decoder))

    def _is_seen(self, seen: Seen, run: RowEvents, events: Int64) -> bool:
        """Whether a view certainly shows these events' transactions."""
        if run.placed is None:
            ended = [run.transactions[int(index)].gtid for index in np.unique(run.transaction[events])]
        else:
            ended = [self.ending]
        return all(gtid is not None and seen.gtids.contains(gtid) for gtid in ended)

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


def _touched(table: Table, images: RowImages, keys: list[Vector], decoder: KeyDecoder) -> TouchedRows:
    complete = np.ones(images.images, np.bool_)
    for bitmap in images.missing.values():
        complete &= ~np.unpackbits(bitmap, count=images.images, bitorder="little").view(np.bool_)
    columns = list(fill_missing(images, table)) if images.partial else images.vectors
    return TouchedRows(table, columns, images.before, images.after, keys, complete, decoder.columns, decoder.is_whole)


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
