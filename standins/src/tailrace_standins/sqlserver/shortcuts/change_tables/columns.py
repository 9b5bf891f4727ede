"""Change tables as Arrow columns besides their rows in SQLite, so that large ones are read without Python rows.

A change table grows only at its end, in the order of its clustered index, and loses rows only at its beginning, by clean-up. So
rows that were read from SQLite once stay valid. They are converted when a query first needs them, and by the capture
job while it is idle. Any other change of a change table (a column's type, an update of its rows) discards its columns.

Source: "cdc.<capture_instance>_CT", https://learn.microsoft.com/sql/relational-databases/system-tables/cdc-capture-instance-ct-transact-sql
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailrace_standins.sqlserver.cdc.shapes import COMMAND_ID, OPERATION, SEQVAL, START_LSN
from tailrace_standins.sqlserver.engine.catalog import Table
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.shortcuts.arrays import batch_of
from tailrace_standins.storage.visibility import LIVE

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

BLOCK: Final = 16_384  # rows
KEYS: Final = (START_LSN, SEQVAL, OPERATION, COMMAND_ID)


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of a change table, in the order of its clustered index.

    Attributes:
        batch: all columns, in order.
        keys: by name, as numpy arrays: numbers, and bytes, in whose comparison numpy ignores trailing zeros.
        first, last: start_lsn of the first and the last row.

    """

    batch: pa.RecordBatch
    keys: dict[str, NDArray[Any]]
    first: bytes
    last: bytes


@dataclass(slots=True)
class ChangeColumns:
    """The converted rows of a change table.

    Attributes:
        rid: of the last converted row.
        is_by_seqval: whether the rows are also in the order of start_lsn, seqval and operation (see KB3030352).
        is_unfit: the table must be read from SQLite: a value has no form in Arrow, or its rows are not in order.

    """

    table: Table
    blocks: list[Block] = field(default_factory=list)
    rid: int = 0
    is_by_seqval: bool = True
    is_unfit: bool = False

    def take(self, rows: list[tuple[Stored, ...]]) -> None:
        """Append rows of SQLite."""
        batch = _batch(self.table, rows)
        if batch is None:
            self.is_unfit = True
            return
        if self.blocks and self.blocks[-1].batch.num_rows + batch.num_rows <= BLOCK:
            joined = pa.Table.from_batches([self.blocks.pop().batch, batch]).combine_chunks()
            batch = joined.to_batches()[0]
        made = block(batch)
        last = [*self.blocks[-1:], made]
        self.is_by_seqval = self.is_by_seqval and _rises(last, (SEQVAL, OPERATION))
        self.is_unfit = not _rises(last, (COMMAND_ID, SEQVAL, OPERATION))
        self.blocks.append(made)
        self.rid = int(rows[-1][0])

    def trim(self, low: bytes) -> None:
        """Remove rows before the low endpoint."""
        self.blocks = [each for each in self.blocks if each.last >= low]
        if self.blocks and self.blocks[0].first < low:
            kept = self.blocks[0].batch.filter(pa.array(self.blocks[0].keys[START_LSN] >= np.bytes_(low)))
            self.blocks[0] = block(kept)


class ColumnStore:
    """The columns of all change tables of a server.

    Attributes:
        least: change tables with fewer rows are left to SQLite.

    """

    def __init__(self, least: int = BLOCK) -> None:
        self.least = least
        self._known: dict[int, ChangeColumns] = {}
        self._lock = threading.Lock()
        self._locks: dict[int, threading.Lock] = {}

    def of(self, session: EngineSession, table: Table) -> tuple[Sequence[Block], bool] | None:
        """The current blocks of a change table, and `is_by_seqval`; None if it must be read from SQLite."""
        if session.store.rows.get(table.id, 0) < self.least:
            return None
        with self._of_table(table.id):
            if _is_being_changed(session, table):
                return None
            known = self._known.get(table.id)
            if known is None or known.table is not table:  # a `Table` is replaced when its definition changes
                known = self._known[table.id] = ChangeColumns(table)
            _catch_up(session, known)
            return None if known.is_unfit else (list(known.blocks), known.is_by_seqval)

    def trim(self, table_id: int, low: bytes) -> None:
        """Remove rows before `low`, after a clean-up of the change table."""
        with self._of_table(table_id):
            known = self._known.get(table_id)
            if known is not None:
                known.trim(low)

    def forget(self, table_id: int) -> None:
        """Discard a change table's columns: it was changed otherwise, or dropped."""
        with self._of_table(table_id):
            self._known.pop(table_id, None)

    def _of_table(self, table_id: int) -> threading.Lock:
        with self._lock:
            return self._locks.setdefault(table_id, threading.Lock())


def block(batch: pa.RecordBatch) -> Block:
    """A block of at least one row."""
    numbers = {
        name: batch.column(name).to_numpy(zero_copy_only=False).astype(np.int64) for name in (OPERATION, COMMAND_ID)
    }
    texts = {name: np.array(batch.column(name).to_pylist(), "S10") for name in (START_LSN, SEQVAL)}
    start = batch.column(START_LSN)
    return Block(batch, {**numbers, **texts}, start[0].as_py(), start[-1].as_py())


def _is_being_changed(session: EngineSession, table: Table) -> bool:
    """Whether an open transaction changed its rows; then only SQLite knows which rows a session sees."""
    sessions = list(session.engine.sessions.values())
    transactions = [other.transaction for other in sessions]
    return any(table.storage in transaction.storages for transaction in transactions if transaction is not None)


def _catch_up(session: EngineSession, known: ChangeColumns) -> None:
    slots = ",".join(column.slot for column in known.table.stored)
    sql = f"SELECT rid,{slots} FROM {known.table.storage} WHERE rid>? AND b>0 AND e={LIVE} ORDER BY rid"  # noqa: S608
    cursor = session.connection.execute(sql, (known.rid,))
    while not known.is_unfit and (rows := session.connection.fetch(cursor, BLOCK)):
        known.take(rows)
    cursor.close()


def _batch(table: Table, rows: list[tuple[Stored, ...]]) -> pa.RecordBatch | None:
    """Rows, each after its rid, as columns; None if a type has no form in Arrow, or a key column has NULL or occurs twice."""
    batch = batch_of(table.stored, [row[1:] for row in rows])
    names = [column.name for column in table.stored]
    keys = [] if batch is None else [batch.column(place) for place, name in enumerate(names) if name in KEYS]
    if batch is None or len(keys) > len(KEYS) or any(key.null_count for key in keys):
        return None
    return batch


def _rises(blocks: Sequence[Block], names: Sequence[str]) -> bool:
    """Whether rows are in the order of start_lsn and the other keys."""
    rising = np.zeros(sum(each.batch.num_rows for each in blocks) - 1, np.bool_)
    for name in reversed((START_LSN, *names)):
        key = np.concatenate([each.keys[name] for each in blocks])
        rising = (key[1:] > key[:-1]) | ((key[1:] == key[:-1]) & rising)
    return bool(np.all(rising))
