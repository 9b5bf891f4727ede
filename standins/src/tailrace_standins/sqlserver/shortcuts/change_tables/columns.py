"""Change tables as columns of Arrow beside their rows in SQLite, so that large ones are read without a row of Python's.

A change table only grows at its end, in the order of its clustered index, and loses rows at its beginning when it is
cleaned: so what was read from SQLite once stays as it is. Its rows are taken over when they are first asked for, and by
the capture job when it has nothing else to do. Whatever else happens to a change table (a column gets another type,
someone changes its rows) makes its columns be read anew.

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
        batch: all its columns, in their order.
        keys: by name, as numpy compares them: numbers, and bytes of which zeros at the end do not count.
        first, last: start_lsn of the first and the last row.

    """

    batch: pa.RecordBatch
    keys: dict[str, NDArray[Any]]
    first: bytes
    last: bytes


@dataclass(slots=True)
class ChangeColumns:
    """A change table's columns, as far as they were taken over.

    Attributes:
        rid: of the last row that was taken over.
        is_by_seqval: whether the order is also that of start_lsn, seqval and operation (KB3030352 tells when not).
        is_unfit: it has no form in Arrow, or its rows are not in order: it is read from SQLite.

    """

    table: Table
    blocks: list[Block] = field(default_factory=list)
    rid: int = 0
    is_by_seqval: bool = True
    is_unfit: bool = False

    def take(self, rows: list[tuple[Stored, ...]]) -> None:
        """Rows of SQLite behind those that are there."""
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
        """Rows before the low end are gone."""
        self.blocks = [each for each in self.blocks if each.last >= low]
        if self.blocks and self.blocks[0].first < low:
            kept = self.blocks[0].batch.filter(pa.array(self.blocks[0].keys[START_LSN] >= np.bytes_(low)))
            self.blocks[0] = block(kept)


class ColumnStore:
    """The columns of all change tables of a server.

    Attributes:
        least: smaller change tables, in rows, are left to SQLite.

    """

    def __init__(self, least: int = BLOCK) -> None:
        self.least = least
        self._known: dict[int, ChangeColumns] = {}
        self._lock = threading.Lock()
        self._locks: dict[int, threading.Lock] = {}

    def of(self, session: EngineSession, table: Table) -> tuple[Sequence[Block], bool] | None:
        """The blocks of a change table as it is now, and `is_by_seqval`; None where it must be read from SQLite."""
        if session.store.rows.get(table.id, 0) < self.least:
            return None
        with self._of_table(table.id):
            if _is_being_changed(session, table):
                return None
            known = self._known.get(table.id)
            if known is None or known.table is not table:
                known = self._known[table.id] = ChangeColumns(table)
            _catch_up(session, known)
            return None if known.is_unfit else (list(known.blocks), known.is_by_seqval)

    def trim(self, table_id: int, low: bytes) -> None:
        """A change table was cleaned: rows before `low` are gone."""
        with self._of_table(table_id):
            known = self._known.get(table_id)
            if known is not None:
                known.trim(low)

    def forget(self, table_id: int) -> None:
        """A change table was changed otherwise, or dropped: it is read anew."""
        with self._of_table(table_id):
            self._known.pop(table_id, None)

    def _of_table(self, table_id: int) -> threading.Lock:
        with self._lock:
            return self._locks.setdefault(table_id, threading.Lock())


def block(batch: pa.RecordBatch) -> Block:
    """A block of these rows, at least one."""
    numbers = {
        name: batch.column(name).to_numpy(zero_copy_only=False).astype(np.int64) for name in (OPERATION, COMMAND_ID)
    }
    texts = {name: np.array(batch.column(name).to_pylist(), "S10") for name in (START_LSN, SEQVAL)}
    start = batch.column(START_LSN)
    return Block(batch, {**numbers, **texts}, start[0].as_py(), start[-1].as_py())


def _is_being_changed(session: EngineSession, table: Table) -> bool:
    """Whether an open transaction changed its rows: then what one may see is SQLite's to tell."""
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
    """Rows, which begin with their rid, as columns; None where a type has no form in Arrow, or a key is NULL or there twice."""
    batch = batch_of(table.stored, [row[1:] for row in rows])
    names = [column.name for column in table.stored]
    keys = [] if batch is None else [batch.column(place) for place, name in enumerate(names) if name in KEYS]
    if batch is None or len(keys) > len(KEYS) or any(key.null_count for key in keys):
        return None
    return batch


def _rises(blocks: Sequence[Block], names: Sequence[str]) -> bool:
    """Whether rows come in the order of start_lsn and of the other keys."""
    rising = np.zeros(sum(each.batch.num_rows for each in blocks) - 1, np.bool_)
    for name in reversed((START_LSN, *names)):
        key = np.concatenate([each.keys[name] for each in blocks])
        rising = (key[1:] > key[:-1]) | ((key[1:] == key[:-1]) & rising)
    return bool(np.all(rising))
