"""From a run of row events to changes: each table's rows decoded and shaped together.

Within a table, and so within a topic, the order is the log's. Tables stand one after the other, because what is done
to many rows of one table costs little more than what is done to one.

With transaction metadata, rows that are delivered already, or by another lane, are decoded as well: the places of those
that follow in their transaction count them. Without it, rows of other lanes do not even come here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tailrace.connectors.base import Lane
from tailrace.connectors.mysql.captured import Captured, CapturedTables
from tailrace.connectors.mysql.delivered_rows import ALL, DeliveredRows
from tailrace.connectors.mysql.gtid import wanted_sources
from tailrace.connectors.mysql.log import Outcome, Query, RowEvents, Transaction, Transactions
from tailrace.connectors.mysql.out_of_range import OutOfRangeError, refuse_out_of_range, warn_out_of_range
from tailrace.connectors.mysql.row_changes import RunFacts, changes_of, facts_of
from tailrace.connectors.mysql.rows import RowError, RowImages
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.transaction_records import TableRecords, TransactionRecords
from tailrace.connectors.mysql.truncation import truncation_of
from tailrace.connectors.shared.batches import Batch
from tailrace.errors import LogFormatError, StructureError
from tailrace.events.shape import RowChanges
from tailrace.post_processors.reselecting import Reselecting
from tailrace.schema.tables import TableId
from tailrace.signals.model import Signal
from tailrace.signals.table import signals_in

Int64 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

log = logging.getLogger(__name__)


class RunRecords:
    """Makes the records of runs; carries what straddles them."""

    def __init__(
        self,
        settings: MySqlSettings,
        tables: CapturedTables,
        delivered_rows: DeliveredRows,
        era: int,
        lane: Lane = Lane(),  # noqa: B008 -- immutable
        reselecting: Sequence[Reselecting] = (),
    ) -> None:
        self._settings = settings
        self._placeholder = settings.unavailable_value_placeholder
        self._tables = tables
        self._delivered_rows = delivered_rows
        self._era = era
        self._reselecting = reselecting
        self._transactions: TransactionRecords | None = None
        if settings.provide_transaction_metadata:
            self._transactions = TransactionRecords(settings, delivered_rows, era, emits_boundaries=lane.is_first)
        self._has_others = lane.count > 1  # of other lanes: for signals, and to count a transaction's
        self._source_wanted = _dml_filter(settings)
        self._last = (-1, 0)
        self.open_gtid: str | None = None
        self.open_rows = 0
        self._signals: list[Signal] = []

    @property
    def has_signals(self) -> bool:
        """Whether there are signals to take."""
        return bool(self._signals)

    def take_signals(self) -> list[Signal]:
        """The signals among the rows since the last call, in log order."""
        taken, self._signals = self._signals, []
        return taken

    def events_at(self, start: int) -> int:
        """How many row events that start at this offset were read; more than none within a compressed transaction."""
        return self._last[1] if self._last[0] == start else 0

    def reopen(self, gtid: str | None, rows: int) -> None:
        """Reading begins within a transaction of which so many rows are delivered."""
        self.open_gtid, self.open_rows = gtid, rows

    def note_ended(self, transaction: Transaction) -> None:
        """A transaction has ended that is not part of a run (DDL, XA): it is neither open nor to be left out any more."""
        gtid = transaction.gtid
        if gtid is None or transaction.outcome is Outcome.OPEN:
            return
        if gtid == self.open_gtid:
            self.open_gtid, self.open_rows = None, 0
        if self._delivered_rows.skip is not None and self._delivered_rows.skip.gtid == gtid:
            self._delivered_rows.skip = None

    def records(self, run: RowEvents, batch: Batch) -> None:
        """Add the records of one run to a batch."""
        if len(run):
            self._last = int(run.places[-1]), int(run.part[-1]) + 1
        live = self._live(run)
        skipped = self._delivered_rows.skipped_transaction(run.transactions)
        own = self._own(run)
        done = self._delivered_rows.done_rows(self._era, run, own, lambda events: self._row_counts(run, events, live))
        if not len(run) and self._transactions is None:
            self._note_open(run)
            return
        self._note_open(run)
        self._take(run, live, done, skipped, batch)
        batch.rank += len(run)

    def _take(self, run: RowEvents, live: Mask, done: Int64, skipped: int, batch: Batch) -> None:
        """Add the records of a run.

        Args:
            run: the run.
            live: which of its events count.
            done: how many rows of each are delivered.
            skipped: which of its transactions is delivered in part; -1 for none.
            batch: where to.

        """
        facts = facts_of(
            run, self._era, query=self._settings.include_query, transaction_ids=self._transactions is not None
        )
        if self._transactions is None or facts.transaction_id is None:
            for told in self._changes_by_table(run, live & (done < ALL), done, facts, batch):
                if told.wanted:
                    batch.add(told.prepared)
        else:
            told_all = list(self._changes_by_table(run, live, done, facts, batch))
            self._transactions.records(run, facts.transaction_id, told_all, skipped, batch)

    def truncation(self, table_id: TableId, query: Query, batch: Batch) -> RowChanges | None:
        """The event of a table that a statement emptied, for this batch; None if it is not delivered."""
        found = self._tables.empty_shape(table_id)
        if found is None:
            return None
        columns, shape = found
        changes = truncation_of(columns, query, self._era, self._tables.constants(table_id), batch.rank)
        return shape.prepare(changes, batch.now_us)

    def _own(self, run: RowEvents) -> Mask:
        """Which events this lane delivers."""
        if not self._has_others:
            return np.ones(len(run), np.bool_)
        slots, places = np.unique(run.slot, return_inverse=True)
        return np.array([self._tables[slot].is_owned for slot in slots.tolist()], np.bool_)[places]

    def _live(self, run: RowEvents) -> Mask:
        """Which events count here: not those of servers whose changes are not wanted, nor XA before its commit."""
        here: Mask = run.transactions.xa[run.transaction] == 0
        if self._source_wanted is None:
            return here
        wanted = [self._source_wanted(str(origin.uuid)) for origin in run.transactions.origins]
        by_origin = np.array([*wanted, True])  # the last is for anonymous transactions: -1
        live: Mask = here & by_origin[run.transactions.origin[run.transaction]]
        return live

    def _changes_by_table(
        self, run: RowEvents, chosen: Mask, done: Int64, facts: RunFacts, batch: Batch
    ) -> Iterator[TableRecords]:
        """The chosen events' changes by table; those with delivered rows apart from the others."""
        for slot, events in by_slot(run.slot, chosen):
            captured = self._tables[slot]
            batch.tables += 1
            for images in self._images(captured, run, events):
                warn_out_of_range(captured.table, images, self._settings)
                for part, is_new in parts_of(images, done[events]):
                    changes = changes_of(
                        captured.table, part, events, run, facts, captured.constants, self._placeholder, batch.rank
                    )
                    if captured.is_signals and is_new:
                        self._signals += (inserted.signal for inserted in signals_in(changes))
                    counts = is_new and captured.is_owned
                    if counts:
                        batch.changes += len(part)
                        batch.note_time(int(facts.commit_us[changes.event[-1]]) // 1000)
                        self._count_open(run, changes.transaction)
                        for each in self._reselecting:
                            changes = each.completed(captured.table, captured.shape, changes)
                    yield TableRecords(captured, captured.shape.prepare(changes, batch.now_us), counts)

    def _images(self, captured: Captured, run: RowEvents, events: Int64) -> Iterator[RowImages]:
        """The events' rows. An event that can't be decoded stops it, or is left out where that is wanted."""
        if self._settings.event_processing_failure_handling_mode != "fail":
            events_kept, images = self._decodable(captured, run, events)
            yield from (replace(each, event=events_kept[each.event]) for each in images)
            return
        try:
            yield from self._decoded(captured, run, events)
        except RowError as error:
            raise LogFormatError(_complaint(captured, run, events[error.event], error)) from error
        except (LogFormatError, StructureError) as error:
            raise type(error)(_complaint(captured, run, events[0], error)) from error

    def _decodable(
        self, captured: Captured, run: RowEvents, events: Int64
    ) -> tuple[npt.NDArray[np.int32], list[RowImages]]:
        """The events that can be decoded, as indices into those given, and their rows."""
        kept = np.arange(len(events), dtype=np.int32)
        level = logging.WARNING if self._settings.event_processing_failure_handling_mode == "warn" else logging.DEBUG
        while True:
            try:
                return kept, list(self._decoded(captured, run, events[kept]))
            except RowError as error:
                at = events[kept[error.event]]
                log.log(level, "left out, as the configuration wants: %s", _complaint(captured, run, at, error))
                kept = np.delete(kept, error.event)

    def _decoded(self, captured: Captured, run: RowEvents, events: Int64) -> Iterator[RowImages]:
        """The rows. `RowError` names the first event that can't be shown."""
        for images in _batches(captured, run, events):
            try:
                refuse_out_of_range(captured.table, images, self._settings)
            except OutOfRangeError:
                self._find_out_of_range(captured, run, events, images)
            yield images

    def _find_out_of_range(self, captured: Captured, run: RowEvents, events: Int64, images: RowImages) -> None:
        """Raise `RowError` for the first event of these that can't be shown."""
        for event in np.unique(images.event).tolist():
            try:
                for alone in _batches(captured, run, events[event : event + 1]):
                    refuse_out_of_range(captured.table, alone, self._settings)
            except OutOfRangeError as error:
                raise RowError(str(error), event) from error

    def _row_counts(self, run: RowEvents, events: Int64, live: Mask) -> Int64:
        """How many rows each of these events has; asked for only where a transaction is read on another server."""
        counts = np.zeros(len(run), np.int64)
        chosen = np.zeros(len(run), np.bool_)
        chosen[events] = live[events]
        for slot, of_slot in by_slot(run.slot, chosen):
            for images in self._images(self._tables[slot], run, of_slot):
                np.add.at(counts, of_slot[images.event], 1)
        return counts[events]

    def _note_open(self, run: RowEvents) -> None:
        """Which transaction is open behind the run."""
        transactions = run.transactions
        opened = len(transactions) > 0 and int(transactions.end[-1]) == 0
        gtid = _gtid_of(transactions, len(transactions) - 1) if opened else None
        if gtid != self.open_gtid:
            skip = self._delivered_rows.skip
            self.open_rows = skip.rows if skip is not None and skip.gtid == gtid else 0
            self.open_gtid = gtid

    def _count_open(self, run: RowEvents, transaction: npt.NDArray[np.int32]) -> None:
        if self.open_gtid is not None:
            self.open_rows += int(np.count_nonzero(transaction == len(run.transactions) - 1))


def parts_of(images: RowImages, done: Int64) -> Iterator[tuple[RowImages, bool]]:
    """The changes that are delivered, and then those that are not; most often there is but one kind."""
    delivered = images.row < done[images.event]
    if not delivered.any():
        yield images, True
        return
    for mask, counts in ((delivered, False), (~delivered, True)):
        if mask.any():
            cut = {name: getattr(images, name)[mask] for name in ("before", "after", "op", "event", "row")}
            yield replace(images, **cut), counts


def _batches(captured: Captured, run: RowEvents, events: Int64) -> Iterator[RowImages]:
    return captured.decoder.batches(run.data, run.body[events], run.end[events], run.kind[events])


def _complaint(captured: Captured, run: RowEvents, event: int, error: Exception) -> str:
    return f"{captured.name}: the row event at {run.file}:{run.start[event]}: {error}"


def _gtid_of(transactions: Transactions, index: int) -> str | None:
    origin = int(transactions.origin[index])
    return None if origin < 0 else f"{transactions.origins[origin]}:{transactions.gno[index]}"


def _dml_filter(settings: MySqlSettings) -> Callable[[str], bool] | None:
    """Whose row changes are wanted, by the server's UUID; None: everybody's."""
    if not settings.gtid_source_filter_dml_events:
        return None
    if not (settings.gtid_source_includes or settings.gtid_source_excludes):
        return None
    return wanted_sources(settings)


def by_slot(slots: Int64, wanted: Mask) -> Iterator[tuple[int, Int64]]:
    """The events of each slot, in log order; slots in the order of their first event."""
    events = np.flatnonzero(wanted)
    if not len(events):
        return
    order = np.argsort(slots[events], kind="stable")
    ordered = events[order]
    edges = np.flatnonzero(np.diff(slots[ordered])) + 1
    groups = np.split(ordered, edges)
    for group in sorted(groups, key=lambda g: int(g[0])):
        yield int(slots[group[0]]), group
