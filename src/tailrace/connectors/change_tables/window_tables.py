"""The tables of a window, one after the other: their rows as batches of events.

With transaction metadata, the keys of all tables' changes are read first and numbered (`transaction_orders.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Final, Generic

import numpy as np
import numpy.typing as npt

from tailrace.connectors.change_tables.capture_instances import ActiveInstance, CaptureInstances
from tailrace.connectors.change_tables.captured import Captured, CapturedTables
from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.lost_changes import LostChanges
from tailrace.connectors.change_tables.positions import DatabasePosition, RowPosition
from tailrace.connectors.change_tables.row_changes import (
    Serials,
    changes_of,
    delivered_changes,
    newest_ms,
    not_delivered,
)
from tailrace.connectors.change_tables.rows import ChangeRows
from tailrace.connectors.change_tables.skipped_changes import FAIL, converted
from tailrace.connectors.change_tables.transaction_orders import KeyReader, Orders, ToldPart, weights
from tailrace.connectors.change_tables.transactions import Transactions
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.batches import Batch
from tailrace.post_processors.reselecting import Reselecting
from tailrace.schema.tables import Table
from tailrace.signals.table import signals_in

BATCH_BYTES: Final = 8 << 20  # of Arrow memory
ENCODED_BYTES: Final = 64 << 20  # of a batch, encoded or as columns
FIRST_ROWS, MOST_ROWS = 2_048, 32_768  # in a batch
FIRST_WIDE_ROWS: Final = 32  # in the first batch of a table whose values may be of any length
GROWTH: Final = 4  # from batch to batch, at most

Int64 = npt.NDArray[np.int64]
NewBatch = Callable[[], Batch]


@dataclass(frozen=True, slots=True)
class OpenWindow(Generic[Session]):
    """A window that is being read.

    Attributes:
        session: in its database.
        window: of the log.
        transactions: in the window.
        filled: the tables with rows in it, by name; without transaction metadata only this lane's.
        orders: the numbers of all its changes; None without transaction metadata.

    """

    session: Session
    window: Window
    transactions: Transactions
    filled: Sequence[ActiveInstance]
    orders: Orders | None


class WindowTables(Generic[Session]):
    """Reads the tables of one database's windows.

    Attributes:
        failures: the handling of changes that can't be converted, as in `event.processing.failure.handling.mode`.

    """

    def __init__(
        self,
        dialect: Dialect[Session],
        tables: CapturedTables[Session, Any],
        instances: CaptureInstances[Session],
        lost: LostChanges[Session],
        new_batch: NewBatch,
        *,
        counts: bool,
        reselecting: Sequence[Reselecting] = (),
    ) -> None:
        """A reader of windows.

        Args:
            dialect: of the database.
            tables: how their rows are read.
            instances: of the database.
            lost: detects lost changes.
            new_batch: makes an empty batch.
            counts: whether changes are numbered within their transactions, over all tables.
            reselecting: reads again what changes lack.

        """
        self._reselecting = reselecting
        self._dialect = dialect
        self._tables = tables
        self._instances = instances
        self._lost = lost
        self.failures = FAIL
        self._new_batch = new_batch
        self._counts = counts
        self._captured: dict[tuple[str, bool], tuple[Table, Captured[Session]]] = {}
        self._batch_rows: dict[str, int] = {}

    def open(
        self, session: Session, window: Window, found: Transactions, begin: DatabasePosition
    ) -> OpenWindow[Session]:
        """Find the tables with rows, and number their changes if that is configured."""
        # By name, because the progress names the table up to which a window is delivered.
        active = sorted(self._instances.active(window), key=lambda each: each.name) if len(found) else []
        wanted = active if self._counts else [each for each in active if self._tables.reads(each.table)]
        has = self._dialect.has_rows(session, [each.instance for each in wanted], window)
        # Checked after `has_rows`: a table that the clean-up emptied just before has none, and must not be skipped
        # silently.
        self._lost.require_kept(session, wanted, window, begin.as_of_us)
        opened = OpenWindow(
            session, window, found, [each for each, some in zip(wanted, has, strict=True) if some], None
        )
        return replace(opened, orders=self._orders(opened, begin)) if self._counts else opened

    def batches(self, opened: OpenWindow[Session], begin: DatabasePosition) -> Iterator[tuple[Batch, DatabasePosition]]:
        """The batches of this lane's tables from a position on, each with the position after it."""
        for each in opened.filled:
            if self._tables.reads(each.table) and each.name >= (begin.table or ""):
                after = begin.after if each.name == begin.table else None
                for batch, end in self._rows(opened, each, after, begin.taken_over):
                    yield batch, replace(begin, table=each.name, after=end)

    def _rows(
        self,
        opened: OpenWindow[Session],
        active: ActiveInstance,
        after: RowPosition | None,
        taken_over: RowPosition | None,
    ) -> Iterator[tuple[Batch, RowPosition]]:
        """One table's batches, each with the position of its last row."""
        captured = self._captured_of(active, only_keys=False)
        serials = Serials(None if after is None else (after.commit, after.change, after.serial))
        first = min(FIRST_ROWS, FIRST_WIDE_ROWS) if captured.rows.is_wide else FIRST_ROWS
        # Kept from window to window, since the rows of a table hardly change in size.
        rows = self._batch_rows.setdefault(active.name, first)
        parts = captured.rows.read(opened.session, opened.window, after, lambda: rows)
        with closing(parts):
            for part in parts:
                numbers = serials.number(part)
                batch = self._new_batch()
                end, fault = self._add(opened, captured, part, numbers, taken_over, batch)
                rows = self._batch_rows[active.name] = _next_row_count(part, rows, batch.bytes)
                if end is not None:
                    yield batch, end
                # The rows before the faulty one are delivered first, so that a restart stops at it again.
                if fault is not None:
                    raise fault

    def _add(
        self,
        opened: OpenWindow[Session],
        captured: Captured[Session],
        part: ChangeRows,
        numbers: Int64,
        taken_over: RowPosition | None,
        batch: Batch,
    ) -> tuple[RowPosition | None, Exception | None]:
        """Add the events of a part; returns the position up to which it comes, and the error that stops it there."""
        rows, kept, orders = part, None, opened.orders
        end: RowPosition | None = part.position(len(part) - 1, int(numbers[-1]))
        # Debezium may have delivered a part of this transaction.
        if taken_over is not None:
            rows, numbers, kept = not_delivered(part, numbers, taken_over)
        ids = orders is not None
        found = converted(captured, rows, self.failures)
        rows, columns = found.rows, found.columns
        numbers = numbers if found.kept is None else numbers[found.kept]
        # The position must stay before the faulty row.
        if found.fault is not None:
            end = rows.position(len(rows) - 1, int(numbers[-1])) if len(rows) else None
        read_us = batch.now_us if self._dialect.uses_processing_time else None
        transactions, constants = opened.transactions, captured.constants
        changes = changes_of(
            rows, numbers, columns, transactions, constants, transaction_ids=ids, rank=batch.rank, read_us=read_us
        )
        for each in self._reselecting if captured.is_owned else ():
            changes = each.completed(captured.table, captured.shape, changes)
        prepared = captured.shape.prepare(changes, batch.now_us)
        if orders is not None:
            orders.number(captured.name, prepared, part.changes, kept)
        # Every lane handles signals, whichever lane delivers the table's events.
        if captured.is_signals:
            batch.signals += (inserted.signal for inserted in signals_in(changes))
        if len(changes) and captured.is_owned:
            batch.add(prepared)
            batch.changes += len(changes)
            batch.tables += 1
            batch.rank += len(changes)
            batch.note_time(newest_ms(rows, transactions))
        return end, found.fault

    def _orders(self, opened: OpenWindow[Session], begin: DatabasePosition) -> Orders:
        """The numbers of all changes in a window; those of the current table that are delivered are skipped."""
        keys, passed, told = [], 0, _told_part(begin, opened.transactions)
        for each in opened.filled:
            captured = self._captured_of(each, only_keys=True)
            reader, serials = KeyReader(captured.name, opened.transactions), Serials()
            with closing(captured.rows.read(opened.session, opened.window, None, lambda: MOST_ROWS)) as parts:
                for part in parts:
                    weight = _weights(captured, part, opened.transactions) if captured.moves_keys else None
                    if told is not None and begin.taken_over is not None:
                        weight = _untold(part, serials.number(part), begin.taken_over, weight)
                    reader.take(part, weight)
                    if each.name == begin.table and begin.after is not None:
                        passed += delivered_changes(part, begin.after)
            keys += [read for read in [reader.keys()] if read is not None]
        orders = Orders(keys, len(opened.transactions), told)
        for each in opened.filled:
            if each.name == begin.table:
                orders.skip(self._tables.told_name(each.table), passed)
        return orders

    def _captured_of(self, active: ActiveInstance, *, only_keys: bool) -> Captured[Session]:
        instance = active.instance
        key = f"{instance.name}:{instance.object_id}:{instance.start_lsn}", only_keys
        structure = self._instances.structure(instance)
        known, captured = self._captured.get(key, (None, None))
        if captured is None or known != structure:
            captured = self._tables.captured(structure, instance, only_keys=only_keys)
            self._captured[key] = structure, captured
        return captured


def _next_row_count(part: ChangeRows, rows: int, encoded: int) -> int:
    """The number of rows in the next query, so that batches have about the same size, whatever the rows' size."""
    wanted = min(BATCH_BYTES * len(part) // max(part.bytes, 1), ENCODED_BYTES * len(part) // max(encoded, 1))
    # At least two, so that an update's rows fit into one batch.
    return max(2, min(wanted, MOST_ROWS, rows * GROWTH))


def _told_part(begin: DatabasePosition, found: Transactions) -> ToldPart | None:
    """What Debezium has told of one of these transactions; None: nothing, or that is unknown."""
    if begin.taken_over is None or begin.told is None:
        return None
    index = found.index(begin.taken_over.commit)
    return None if index is None else ToldPart(index, begin.told)


def _untold(part: ChangeRows, serials: Int64, taken_over: RowPosition, weight: Int64 | None) -> Int64:
    """The weights of changes, 0 for those that Debezium has told."""
    _, _, kept = not_delivered(part, serials, taken_over)
    found = np.zeros(part.changes, np.int64)
    found[kept] = 1 if weight is None else weight[kept]
    return found


def _weights(captured: Captured[Session], part: ChangeRows, found: Transactions) -> Int64:
    """The number of counted records that each change becomes."""
    numbers, columns = np.ones(len(part), np.int64), captured.columns(part)
    changes = changes_of(part, numbers, columns, found, captured.constants, transaction_ids=False, rank=0)
    return weights(captured.shape.prepare(changes, now_us=0))
