"""Tables as columns of Arrow, as they are committed.

A table is taken over when SQLite has given as many of its rows as it has since it last changed: so a table that changes all
the time costs nothing more, and one that lies still is read from SQLite twice at most. What was taken over counts until the
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
    """What is known of a table.

    Attributes:
        number: of the table's changes (`TableChanges`), for which all else here holds.
        asked: about how many rows SQLite has given since.
        blocks: its rows; None where they were not taken over.
        is_unfit: it has no form in Arrow.

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
        """Whether the table is still what it was."""
        return self.database.by_id.get(self.table.id) is self.table


class TableStore:
    """The columns of all tables of a server.

    Attributes:
        least, most: smaller and larger tables, in rows, are left to SQLite.
        eager: take a table over when it is first asked for.

    """

    def __init__(self, least: int = BLOCK, most: int = MOST, *, eager: bool = False) -> None:
        self.least = least
        self.most = most
        self.eager = eager
        self._known: dict[int, Known] = {}

    def of(self, session: EngineSession, read: TableRead, rows: int | None) -> Sequence[Block] | None:
        """The blocks of a table as it is committed now; None where it must be read from SQLite.

        Args:
            session: that reads, and has the locks for it.
            read: the table.
            rows: how many are asked for at most; None: all.

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
        """What is known of the table as it is now; what is known of tables that are gone goes."""
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
    """Whether that is all that it may see: nobody, itself included, has changed the table and is not through yet."""
    if session.transaction is not None and session.transaction.snapshot is not None:
        return False
    transactions = [other.transaction for other in list(session.engine.sessions.values())]
    return not any(table.storage in transaction.storages for transaction in transactions if transaction is not None)


def _take_over(session: EngineSession, known: Known) -> None:
    """Read the whole table, unless another session does it just now."""
    if session.isolation is Isolation.READ_UNCOMMITTED or not known.lock.acquire(blocking=False):
        return
    try:
        blocks = _read(session, known)
        if session.store.table_changes.number(known.table.storage) == known.number:
            known.blocks, known.is_unfit = blocks, blocks is None
    finally:
        known.lock.release()


def _read(session: EngineSession, known: Known) -> list[Block] | None:
    """What is committed of it, in the order of its clustered index; None where a value has no form in Arrow."""
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
