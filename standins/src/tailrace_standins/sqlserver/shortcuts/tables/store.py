"""The committed content of tables as Arrow columns.

A table is converted when queries have read as many rows from SQLite as it has, counted since its last change. So a table that
changes often costs nothing extra, and an unchanged one is read from SQLite twice at most. The columns are valid until the
next commit that changes the table.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.compiling.queries import QueryCompiler
from tailrace_standins.sqlserver.engine.scope import TableRead
from tailrace_standins.sqlserver.session import Isolation
from tailrace_standins.sqlserver.shortcuts.arrays import batch_of
from tailrace_standins.sqlserver.shortcuts.tables.blocks import BLOCK, Block, block
from tailrace_standins.storage.visibility import LATEST

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

MOST: Final = 20_000_000  # rows


@dataclass(slots=True)
class Known:
    """The state of a table's conversion.

    Attributes:
        number: of the table's changes (`TableChanges`) for which the rest is valid.
        asked: about how many rows have been read from SQLite since.
        blocks: its rows; None if they are not converted.
        is_unfit: a value has no form in Arrow.

    """

    database: Database
    table: Table
    number: int
    asked: int = 0
    blocks: list[Block] | None = None
    is_unfit: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_there(self) -> bool:
        """Whether the table still exists with this definition."""
        return self.database.by_id.get(self.table.id) is self.table


class TableStore:
    """The columns of all tables of a server.

    Attributes:
        least, most: tables with fewer or more rows are left to SQLite.
        eager: convert a table at its first query.

    """

    def __init__(self, least: int = BLOCK, most: int = MOST, *, eager: bool = False) -> None:
        self.least = least
        self.most = most
        self.eager = eager
        self._known: dict[int, Known] = {}

    def of(self, session: EngineSession, read: TableRead, rows: int | None) -> Sequence[Block] | None:
        """The blocks of a table's committed rows; None if it must be read from SQLite.

        Args:
            session: the reader, which has acquired the locks.
            read: the table.
            rows: the maximum number of rows that the query needs; None: all.

        """
        size = session.store.rows.get(read.table.id, 0)
        if not self.least <= size <= self.most or not _sees_what_is_committed(session, read.table):
            return None
        known = self._current(session, read)
        if known is None or known.is_unfit:
            return None
        if known.blocks is None and (self.eager or known.asked >= size):
            _take_over(session, known)
        if known.blocks is None:
            known.asked += size if rows is None else min(rows, size)
        return known.blocks

    def _current(self, session: EngineSession, read: TableRead) -> Known | None:
        """The state of the table as it is now; removes the state of dropped tables."""
        number = session.store.table_changes.number(read.table.storage)
        if number is None:
            return None
        for gone in [key for key, known in list(self._known.items()) if not known.is_there]:
            self._known.pop(gone, None)
        found = self._known.get(read.table.id)
        if found is None or found.number != number:
            found = self._known[read.table.id] = Known(read.database, read.table, number)
        return found


def _sees_what_is_committed(session: EngineSession, table: Table) -> bool:
    """Whether the session sees exactly the committed rows: no open transaction, its own included, has changed the table."""
    if session.transaction is not None and session.transaction.snapshot is not None:
        return False
    transactions = [other.transaction for other in list(session.engine.sessions.values())]
    return not any(table.storage in transaction.storages for transaction in transactions if transaction is not None)


def _take_over(session: EngineSession, known: Known) -> None:
    """Convert the whole table, unless another session is doing that now."""
    # such a session's reads take no locks, so they need not be of committed rows
    if session.isolation is Isolation.READ_UNCOMMITTED or not known.lock.acquire(blocking=False):
        return
    try:
        blocks = _read(session, known)
        if session.store.table_changes.number(known.table.storage) == known.number:  # no commit came in between
            known.blocks, known.is_unfit = blocks, blocks is None
    finally:
        known.lock.release()


def _read(session: EngineSession, known: Known) -> list[Block] | None:
    """The committed rows, in the order of the clustered index; None if a value has no form in Arrow."""
    columns, connection = known.table.stored, session.connection
    source = tree.Table((known.database.name, known.table.schema, known.table.name), hints=("READCOMMITTEDLOCK",))
    query = tree.Select([tree.Item(tree.Column((column.name,))) for column in columns], [source])
    cursor = connection.execute(QueryCompiler(session).plan(query).sql, {"s": LATEST, "t": 0})
    blocks = []
    try:
        while rows := connection.fetch(cursor, BLOCK):
            batch = batch_of(columns, rows)
            if batch is None:
                return None
            blocks.append(block(batch))
    finally:
        cursor.close()
    return blocks
