"""From a run of row events to records: each table's rows decoded, shaped and encoded together.

Within a table, and so within a topic, the order is the log's. Tables stand one after the other, because what is done
to many rows of one table costs little more than what is done to one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tailrace.changes.records import Records
from tailrace.changes.shape import Prepared
from tailrace.config.settings import Settings
from tailrace.connectors.mysql.bounds import Bounds
from tailrace.connectors.mysql.captured import Captured, CapturedTables
from tailrace.connectors.mysql.log import Query, RowEvents
from tailrace.connectors.mysql.positions import file_number
from tailrace.connectors.mysql.row_changes import RunFacts, changes_of, facts_of
from tailrace.connectors.mysql.truncation import truncation_of
from tailrace.connectors.mysql.rows import RowError, RowImages
from tailrace.connectors.mysql.transaction_records import TransactionRecords

from tailrace.errors import LogFormatError, UnsupportedError
from tailrace.schema.tables import TableId

Int64 = npt.NDArray[np.int64]


@dataclass(slots=True)
class Taken:
    """What a batch has read so far: row changes, and when the newest was committed."""

    changes: int = 0
    source_ts_ms: int | None = None
    tables: int = 0


class RunRecords:
    """Makes the records of runs; carries what straddles them."""

    def __init__(self, settings: Settings, tables: CapturedTables, bounds: Bounds, era: int) -> None:
        self._settings = settings
        self._tables = tables
        self._bounds = bounds
        self._era = era
        self._transactions = TransactionRecords(settings, bounds, era) if settings.provide_transaction_metadata else None
        self.now_us = 0
        self._rank = 0
        self._taken = Taken()
        self._last_start = -1
        self._last_count = 0

    def begin_batch(self, now_us: int) -> None:
        """A new batch begins; `now_us` is its processing time, microseconds since the epoch."""
        self.now_us = now_us
        self._rank = 0
        self._taken = Taken()

    @property
    def taken(self) -> Taken:
        """What the batch has read so far."""
        return self._taken

    def events_at(self, start: int) -> int:
        """How many row events that start at this offset were read; more than none within a compressed transaction."""
        return self._last_count if self._last_start == start else 0

    def records(self, run: RowEvents) -> list[Records]:
        """The records of one run."""
        if len(run):
            self._last_start, self._last_count = int(run.start[-1]), int(run.part[-1]) + 1
        wanted = self._bounds.wanted(self._era, file_number(run.file), run.start, run.part)
        _refuse_prepared(run, wanted)
        metadata = self._transactions is not None
        facts = facts_of(run, self._era, query=self._settings.include_query, transaction_ids=metadata)
        prepared = self._prepared(run, wanted, facts)
        if self._transactions is None or facts.transaction_id is None:
            encoded = [self._encode(captured, one) for captured, one in prepared]
        else:
            encoded = self._transactions.records(run, facts.transaction_id, list(prepared), self.now_us, self._rank)
        self._rank += len(run)
        return [records for records in encoded if len(records)]

    def _encode(self, captured: Captured, prepared: Prepared) -> Records:
        return captured.shape.records(prepared, self.now_us)

    def truncation(self, table_id: TableId, query: Query) -> list[Records]:
        """The event of a table that a statement emptied."""
        found = self._tables.empty_shape(table_id)
        if found is None:
            return []
        columns, shape = found
        changes = truncation_of(columns, query, self._era, self._tables.constants(table_id))
        records = shape.records(shape.prepare(changes), self.now_us)
        return [records] if len(records) else []

    def _prepared(
        self, run: RowEvents, wanted: npt.NDArray[np.bool_], facts: RunFacts
    ) -> Iterator[tuple[Captured, Prepared]]:
        for slot, events in _by_slot(run.slot, wanted):
            captured = self._tables[slot]
            self._taken.tables += 1
            self._note_time(facts, events)
            for images in self._images(captured, run, events):
                self._taken.changes += len(images)
                changes = changes_of(captured.table, images, events, run, facts, captured.constants, self._rank)
                yield captured, captured.shape.prepare(changes)

    def _images(self, captured: Captured, run: RowEvents, events: Int64) -> Iterator[RowImages]:
        try:
            yield from captured.decoder.batches(run.data, run.body[events], run.end[events], run.kind[events])
        except RowError as error:
            at = f"{run.file}:{run.start[events[error.event]]}"
            raise LogFormatError(f"{captured.name}: the row event at {at}: {error}") from error

    def _note_time(self, facts: RunFacts, events: Int64) -> None:
        newest = int(facts.commit_us[events[-1]]) // 1000
        self._taken.source_ts_ms = max(newest, self._taken.source_ts_ms or 0)


def _refuse_prepared(run: RowEvents, wanted: npt.NDArray[np.bool_]) -> None:
    """XA: rows are logged when they are prepared and count only from a later XA COMMIT on, perhaps never."""
    prepared = wanted & (run.transactions.xa[run.transaction] != 0)
    if prepared.any():
        at = int(run.start[np.argmax(prepared)])
        raise UnsupportedError(
            f"{run.file}:{at}: an XA transaction changed captured tables, and XA transactions are not supported yet: "
            "exclude these tables (table.exclude.list), or set the position behind the transaction (tailrace offsets set)"
        )


def _by_slot(slots: Int64, wanted: npt.NDArray[np.bool_]) -> Iterator[tuple[int, Int64]]:
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
