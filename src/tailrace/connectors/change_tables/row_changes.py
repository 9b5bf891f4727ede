"""Turns rows of a change table into changes: their images, and where each change came from.

Every row is an image. The two rows of an update become one change. A delete and an insert with the same LSNs (an update
that moved the row to another key) stay two changes, as in Debezium.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.model import CREATE, UPDATE, Changes, Fact, Level
from tailrace.changes.model import DELETE as DELETED
from tailrace.changes.vectors import Bytes, Vector, integers
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import RowPosition
from tailrace.connectors.change_tables.rows import AFTER, AFTER_ALONE, BEFORE, DELETE, INSERT, ChangeRows
from tailrace.connectors.change_tables.transactions import Transactions

Int64 = npt.NDArray[np.int64]

_OPERATIONS: Final = np.zeros(256, np.uint8)
_OPERATIONS[[DELETE, INSERT, BEFORE, AFTER_ALONE]] = DELETED, CREATE, UPDATE, UPDATE


@dataclass(slots=True)
class Serials:
    """Numbers the rows with the same LSNs, over several batches: `event_serial_no`."""

    last: tuple[Lsn, Lsn, int] | None = None

    def number(self, rows: ChangeRows) -> Int64:
        """The number of each row, from 1."""
        found = lsn_columns.serials(rows.commit, rows.change, self.last)
        if len(found):
            end = len(found) - 1
            self.last = lsn_columns.lsn_at(rows.commit, end), lsn_columns.lsn_at(rows.change, end), int(found[end])
        return found


def changes_of(
    rows: ChangeRows,
    serials: Int64,
    columns: Sequence[Vector | None],
    transactions: Transactions,
    constants: Mapping[str, str | None],
    *,
    transaction_ids: bool,
    rank: int,
    read_us: int | None = None,
) -> Changes:
    """The changes in rows; the source block's schema selects from their fields.

    Args:
        rows: in log order.
        serials: the number of each among those with its LSNs.
        columns: their values, a vector for each column of the structure; None if it is not needed.
        transactions: of the window.
        constants: the constant fields of the source block.
        transaction_ids: whether changes need their transaction's id.
        rank: the number of changes before them in the batch.
        read_us: the read time, if the source block's times are that instead of the commit time; microseconds since the
            epoch.

    """
    first = np.flatnonzero(rows.operation != AFTER)
    operation = rows.operation[first]
    # An update's after image is the next row, as `whole_changes` has checked.
    last = np.where(operation == BEFORE, first + 1, first)
    run, begins = lsn_columns.runs_of(rows.commit[first])
    commit = rows.commit[first[begins]]
    time_us = transactions.time_us[transactions.places(commit)]
    if read_us is not None:
        time_us = np.full_like(time_us, read_us)
    commit_texts = Fact(lsn_columns.texts(commit), Level.TRANSACTION)
    # If the rows of an update have LSNs of their own (a delete and an insert), Debezium tells that of the second.
    change_texts = Fact(lsn_columns.texts(rows.change[last]), Level.CHANGE)
    return Changes(
        columns=list(columns),
        before=np.where(np.isin(operation, (INSERT, AFTER_ALONE)), -1, first).astype(np.int32),
        after=np.where(operation == DELETE, -1, last).astype(np.int32),
        op=_OPERATIONS[operation],
        event=run,
        transaction=run,
        source={
            "ts_ms": Fact(integers(time_us // 1000), Level.TRANSACTION),
            "ts_us": Fact(integers(time_us), Level.TRANSACTION),
            "ts_ns": Fact(integers(time_us * 1000), Level.TRANSACTION),
            "change_lsn": change_texts,
            "commit_lsn": commit_texts,
            "event_serial_no": Fact(integers(serials[last]), Level.CHANGE),
        },
        constants=constants,
        position=(
            commit_texts,
            Fact(integers(rows.command[first]), Level.CHANGE),
            change_texts,
            Fact(integers(rows.operation[last]), Level.CHANGE),
        ),
        log_order=np.arange(rank, rank + len(first), dtype=np.int64) << 32,
        transaction_id=commit_texts if transaction_ids else None,
    )


def newest_ms(rows: ChangeRows, transactions: Transactions) -> int:
    """The commit time of the last row's transaction, milliseconds since the epoch."""
    return int(transactions.time_us[transactions.places(rows.commit[-1:])][0]) // 1000


def not_delivered(
    rows: ChangeRows, serials: Int64, taken_over: RowPosition
) -> tuple[ChangeRows, Int64, npt.NDArray[np.intp]]:
    """The rows after a position of Debezium's, their numbers, and the indices of their changes.

    Debezium compares only commit and change LSNs, and counts the rows that have the same ones.
    """
    commit, change = _as_bytes(rows.commit), _as_bytes(rows.change)
    at, within = taken_over.commit.raw, taken_over.change.raw
    is_old = (commit == at) & ((change < within) | ((change == within) & (serials <= taken_over.serial)))
    kept = np.flatnonzero(~is_old)
    first = np.flatnonzero(rows.operation != AFTER)
    return rows.take(kept), serials[kept], np.flatnonzero(~is_old[first])


def delivered_changes(rows: ChangeRows, after: RowPosition) -> int:
    """The number of changes up to and including a position."""
    commit, change = _as_bytes(rows.commit), _as_bytes(rows.change)
    at, within = after.commit.raw, after.change.raw
    in_change = (change < within) | ((change == within) & (rows.operation <= after.operation))
    in_commit = (rows.command < after.command) | ((rows.command == after.command) & in_change)
    is_done = (commit < at) | ((commit == at) & in_commit)
    return int(np.count_nonzero(is_done & (rows.operation != AFTER)))


def _as_bytes(raw: Bytes) -> npt.NDArray[np.bytes_]:
    """LSNs as byte strings, for comparison. NumPy drops their trailing zeros, which is harmless as all have one length."""
    return np.ascontiguousarray(raw).view(f"S{raw.shape[1]}").ravel()
