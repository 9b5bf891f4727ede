"""Reads: the locks of isolation levels, whom a reader waits for, and its rows in pieces.

Cursor stability reads what is committed and waits for nobody ("currently committed"). `WAIT FOR OUTCOME` waits for the
transactions that have changed rows of the result and were open when the read began, and keeps no locks; `SKIP LOCKED DATA`
leaves their rows out. Read stability waits for those and locks what it reads, repeatable read locks the table.

Source: IBM Db2 documentation, "Isolation levels", "Currently committed semantics", "select-statement"
(concurrent-access-resolution-clause)
"""

# the texts are built of names of our own
from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tailrace_standins.db2.engine import convert
from tailrace_standins.db2.engine.compiling.scope import VISIBLE as ANY_VISIBLE
from tailrace_standins.db2.engine.compiling.scope import Plan
from tailrace_standins.db2.engine.connection import Connection
from tailrace_standins.db2.engine.locks import INTENT_SHARED
from tailrace_standins.db2.session import EncodedRows, Isolation, SqlError
from tailrace_standins.db2.values import Value
from tailrace_standins.storage import reading
from tailrace_standins.storage.locks import EXCLUSIVE, SHARED
from tailrace_standins.storage.sessions import Stored
from tailrace_standins.storage.visibility import DIRTY, UNLOCKED, VISIBLE
from tailrace_standins.storage.waiting import lock, wait_for

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.catalog import Table
    from tailrace_standins.db2.engine.session import EngineSession

PIECE: Final = 2000
WAIT: Final = "WAIT FOR OUTCOME"
SKIP: Final = "SKIP LOCKED DATA"
_OF_ANOTHER: Final = "(b=:m OR e=:m)"


@dataclass(frozen=True, slots=True)
class Read:
    """A query to be read.

    Attributes:
        plan: what it was compiled to.
        values: of its parameters and special registers.
        level: its isolation.
        resolution: WAIT, SKIP or another word, which means currently committed.

    """

    plan: Plan
    values: dict[str, Stored]
    level: Isolation
    resolution: str = ""

    @property
    def is_dirty(self) -> bool:
        """Whether it also reads what is not committed."""
        return self.level in {Isolation.UNCOMMITTED_READ, Isolation.NO_COMMIT}


def rows(
    session: EngineSession, read: Read, answer: Callable[[], Iterable[EncodedRows] | None] | None = None
) -> Generator[list[tuple[Value, ...]] | EncodedRows, None, None]:
    """The rows in pieces; an error that ends the transaction rolls it back.

    `answer` gives encoded rows (`db2.shortcuts`), or None if it has none.
    """
    try:
        if not read.is_dirty:
            for table in read.plan.tables:
                _lock(session, table, read.level)
            if read.resolution == WAIT and read.level is Isolation.CURSOR_STABILITY:
                _await_outcomes(session, read)
        encoded = answer() if answer is not None else None
        yield from encoded if encoded is not None else _fetched(session, read)
    except SqlError as error:
        if error.ends_transaction:
            session.rollback()
        raise


def _lock(session: EngineSession, table: Table, level: Isolation) -> None:
    resource = ("table", table.id)
    if level is Isolation.REPEATABLE_READ:
        lock(session, resource, SHARED, keep=True)
        return
    lock(session, resource, INTENT_SHARED, keep=level is Isolation.READ_STABILITY)
    if level is Isolation.READ_STABILITY and not session.store.locks.holds(session.id, resource, EXCLUSIVE):
        reading.wait_for_rows(session, table.storage, "", {})
        reading.lock_rows(session, table, "", view(session), SHARED)


def _await_outcomes(session: EngineSession, read: Read) -> None:
    storages = {table.storage for table in read.plan.tables}
    others = [other.transaction for other in list(session.store.sessions.values()) if other is not session]
    for each in others:
        if each is not None and not storages.isdisjoint(each.storages) and _changed_rows(session, read, each.mark):
            wait_for(session, ("transaction", each.id))


def _changed_rows(session: EngineSession, read: Read, mark: int) -> bool:
    """Whether a transaction has changed rows that the query reads; of a query over several tables it is taken for granted."""
    if read.plan.sql.count(ANY_VISIBLE) != 1:
        return True
    session.connection.fill(read.plan.views, session.database)
    sql = f"SELECT EXISTS ({read.plan.text(_OF_ANOTHER)})"
    return bool(session.connection.rows(sql, {**read.values, "m": mark})[0][0])


def _fetched(session: EngineSession, read: Read) -> Generator[list[tuple[Value, ...]], None, None]:
    sql = read.plan.text(DIRTY if read.is_dirty else UNLOCKED if read.resolution == SKIP else VISIBLE)
    decoders = [convert.decoder(each.type) if each.type is not None else None for each in read.plan.columns]
    used = [(place, call) for place, call in enumerate(decoders) if call is not None]
    reader = session.reader()
    cursor = None
    try:
        reader.fill(read.plan.views, session.database)
        cursor = reader.execute(sql, read.values | view(session))
        while found := reader.fetch(cursor, PIECE):
            yield [_decoded(row, used) for row in found] if used else found
    finally:
        if cursor is not None:
            cursor.close()
        session.done(reader)


def view(session: EngineSession) -> dict[str, Stored]:
    """The parameters of `storage.visibility`."""
    seen, mark = reading.view_of(session)
    return {"s": seen, "t": mark}


def visible_rows(
    connection: Connection, session: EngineSession, plan: Plan, values: dict[str, Stored]
) -> list[tuple[Stored, ...]]:
    """The rows of a plan as they are stored."""
    connection.fill(plan.views, session.database)
    found: list[tuple[Stored, ...]] = connection.rows(plan.text(VISIBLE), values | view(session))
    return found


def _decoded(row: tuple[Stored, ...], used: list[tuple[int, Any]]) -> tuple[Value, ...]:
    new = list(row)
    for place, call in used:
        if new[place] is not None:
            new[place] = call(new[place])
    return tuple(new)
