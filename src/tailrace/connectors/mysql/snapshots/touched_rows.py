"""The rows that a section of the log changes, with their before images."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Vector
from tailrace.connectors.mysql.captured import Captured, CapturedTables
from tailrace.connectors.mysql.delivered_rows import ALL, DeliveredRows
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.log import Query, RowEvents
from tailrace.connectors.mysql.missing_columns import fill_missing
from tailrace.connectors.mysql.rows import RowImages
from tailrace.connectors.mysql.run_records import RunRecords, by_slot, parts_of
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.read_tables import KeyDecoder, ReadTables
from tailrace.connectors.shared.batches import Batch
from tailrace.errors import LogFormatError
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.first_changes import Break

Int64 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
FEWEST: Final = 2  # the least limit of images that a decoder accepts: an update has two


@dataclass(slots=True)
class TouchedRows:
    """Changes of one table in one structure, in log order.

    Attributes:
        table: the structure.
        columns: the row images.
        before: index of each change's before image, -1 if there is none; shape (n,).
        after: the same for the after image; shape (n,).
        keys: the key's raw columns over the images, in key order; for a table without a key all needed columns, or none
            if they can't be compared.
        complete: whether each image has all needed columns; shape (m,).
        key_columns: indices of the columns in `keys`.
        is_whole: whether the table has no key.

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
    """An event that ends the history of a table without a key."""

    table: TableId
    what: Break


Touched: TypeAlias = TouchedRows | Broken


@dataclass(slots=True)
class ViewContents:
    """What a view shows: certainly `gtids`; `unseen` collects tables without a key that other transactions changed."""

    gtids: GtidSet
    unseen: set[TableId] = field(default_factory=set)


class CollectedRows(RunRecords):
    """Collects the changes of rows in runs, instead of making events of them.

    Attributes:
        ending: the GTID of the statement that ends an XA transaction; its rows count from there.
        seen: by the view for which the section is read, if there is one.

    """

    def __init__(
        self,
        settings: MySqlSettings,
        tables: CapturedTables,
        delivered_rows: DeliveredRows,
        era: int,
        read: ReadTables,
    ) -> None:
        super().__init__(settings, tables, delivered_rows, era)
        self.ending: str | None = None
        self._read = read
        self._whole = read.whole
        self.seen: ViewContents | None = None
        self._touched: list[Touched] = []
        self._key_decoders: dict[int, KeyDecoder | None] = {}

    def note(self, touched: Touched) -> None:
        """Add a change after all earlier ones."""
        self._touched.append(touched)

    def taken(self) -> list[Touched]:
        """The changes since the last call."""
        taken, self._touched = self._touched, []
        return taken

    def truncation(self, table_id: TableId, query: Query, batch: Batch) -> None:  # noqa: ARG002
        """Note a TRUNCATE of a table without a key; for others it has no images, and the stream delivers it."""
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
            if key_decoder.is_whole and self.seen is not None and not self._is_seen(self.seen, run, events):
                self.seen.unseen.add(captured.table.id)
            for images, keys in self._with_keys(captured, key_decoder, run, events):
                new = next((part for part, is_new in parts_of(images, done[events]) if is_new), None)
                if new is not None:
                    self.note(_touched(captured.table, new, keys, key_decoder, self._placeholder))

    def _is_seen(self, seen: ViewContents, run: RowEvents, events: Int64) -> bool:
        """Whether a view certainly shows the transactions of these events."""
        if run.placed is None:
            ended = [run.transactions[int(index)].gtid for index in np.unique(run.transaction[events])]
        else:
            ended = [self.ending]
        return all(gtid is not None and seen.gtids.contains(gtid) for gtid in ended)

    def _with_keys(
        self, captured: Captured, key_decoder: KeyDecoder, run: RowEvents, events: Int64
    ) -> Iterator[tuple[RowImages, list[Vector]]]:
        """The row images of events, with the keys of the same images."""
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


def _touched(
    table: Table, images: RowImages, keys: list[Vector], decoder: KeyDecoder, placeholder: str
) -> TouchedRows:
    complete = np.ones(images.images, np.bool_)
    for bitmap in images.missing.values():
        complete &= ~np.unpackbits(bitmap, count=images.images, bitorder="little").view(np.bool_)
    columns = list(fill_missing(images, table, placeholder)) if images.partial else images.vectors
    return TouchedRows(table, columns, images.before, images.after, keys, complete, decoder.columns, decoder.is_whole)
