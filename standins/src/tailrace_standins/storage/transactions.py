"""Transactions: what they changed, how it is taken back, what is handed to the log.

Every statement that writes is one SQLite transaction, under the server's writer lock. A row version of an open
transaction has `b` or `e` negative (`-id`); COMMIT puts the commit's number there, ROLLBACK takes the versions away.
Statements outside of a transaction write the number at once.

Source: "Transaction locking and row versioning guide",
https://learn.microsoft.com/sql/relational-databases/sql-server-transaction-locking-and-row-versioning-guide
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from tailrace_standins.sqlserver.engine.connection import Connection
from tailrace_standins.storage.locks import EXCLUSIVE, SHARED, Resource
from tailrace_standins.storage.log import LoggedTransaction, Record
from tailrace_standins.storage.visibility import LIVE

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

T = TypeVar("T")


class BlockedError(Exception):
    """A lock must be waited for, outside of the writer lock; then the statement starts again."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(resource)
        self.resource = resource


@dataclass(slots=True)
class Undo:
    """One step to take back: versions that were made or ended, or a definition that was changed."""

    storage: str = ""
    made: Sequence[int] = ()
    ended: Sequence[int] = ()
    action: Callable[[Connection], None] | None = None


@dataclass(frozen=True, slots=True)
class Savepoint:
    """A place to go back to: how many steps and records were there, and which resources were locked."""

    name: str
    undo: int
    records: int
    locked: frozenset[Resource]


@dataclass(slots=True)
class Transaction:
    """An open transaction.

    Attributes:
        mark: what its versions have in `b` and `e`: its id, negative; outside of a transaction the number of the
            commit to come.
        snapshot: the last commit that it sees, under SNAPSHOT, once it has read.
        after: what to do in SQLite at commit (tables to be dropped).
        logged: what hooks were given within the commit.

    """

    id: int
    begun: str
    name: str = ""
    mark: int = 0
    is_autocommit: bool = False
    is_doomed: bool = False
    snapshot: int | None = None
    undo: list[Undo] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    savepoints: list[Savepoint] = field(default_factory=list)
    storages: set[str] = field(default_factory=set)
    after: list[str] = field(default_factory=list)
    statements: int = 0
    has_ended_rows: bool = False
    logged: LoggedTransaction | None = None

    @property
    def descriptor(self) -> bytes:
        """As the wire calls it."""
        return self.id.to_bytes(8, "little")


def write(session: EngineSession, work: Callable[[Transaction], T]) -> T:
    """Run a statement that writes; `work` starts again after a wait for a lock."""
    engine = session.engine
    while True:
        with engine.writer:
            transaction = session.transaction or engine.new_transaction(session, is_autocommit=True)
            marks = (len(transaction.undo), len(transaction.records))
            transaction.statements += 1
            session.connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(transaction)
                if transaction.is_autocommit:
                    finish(session, transaction)
                with engine.table_changes.committing(transaction.storages if transaction.is_autocommit else ()):
                    session.connection.execute("COMMIT")
            except BlockedError as blocked:
                _abandon(session, transaction, marks)
                resource = blocked.resource
            except BaseException:
                _abandon(session, transaction, marks)
                raise
            else:
                if transaction.is_autocommit:
                    engine.hand_over(session, transaction)
                return result
        session.wait_for(resource)


def _abandon(session: EngineSession, transaction: Transaction, marks: tuple[int, int]) -> None:
    """The statement never was: SQLite takes the rows back, definitions go back by their own steps."""
    if session.connection.raw.in_transaction:
        session.connection.raw.execute("ROLLBACK")
    for step in reversed(transaction.undo[marks[0] :]):
        if step.action is not None:
            step.action(session.connection)
    del transaction.undo[marks[0] :]
    del transaction.records[marks[1] :]


def finish(session: EngineSession, transaction: Transaction) -> None:
    """Inside of SQLite's transaction: the versions get the commit's number."""
    engine, connection = session.engine, session.connection
    number = engine.sequence + 1
    keep = engine.has_snapshots(session)
    for storage in transaction.storages:
        if transaction.is_autocommit:
            continue
        mark = {"m": transaction.mark, "n": number}
        connection.execute(f"DELETE FROM {storage} WHERE e=:m AND e<0" + (" AND b=:m" if keep else ""), mark)
        if keep:
            connection.execute(f"UPDATE {storage} SET e=:n WHERE e=:m AND e<0", mark)
        connection.execute(f"UPDATE {storage} SET b=:n WHERE b=:m AND b<0", mark)
    if keep and transaction.has_ended_rows:
        engine.littered |= {storage for storage in transaction.storages if not storage.startswith("temp.")}
    for statement in transaction.after:
        connection.execute(statement)
    engine.save_catalog(connection)
    engine.sequence = number
    if engine.is_kept:
        engine.log_within(session, transaction)


def commit(session: EngineSession, transaction: Transaction) -> None:
    """Commit an open transaction and let go of its locks."""
    engine = session.engine
    with engine.writer:
        session.connection.execute("BEGIN IMMEDIATE")
        finish(session, transaction)
        with engine.table_changes.committing(transaction.storages):
            session.connection.execute("COMMIT")
        engine.hand_over(session, transaction)
        engine.forget_snapshot(session)
    engine.locks.release_all(session.id)


def rollback(session: EngineSession, transaction: Transaction, to: int = 0, records: int = 0) -> None:
    """Take back all steps from `to` on; the whole of it where `to` is 0."""
    engine, connection = session.engine, session.connection
    with engine.writer:
        connection.execute("BEGIN IMMEDIATE")
        try:
            for step in reversed(transaction.undo[to:]):
                _take_back(connection, step)
        except BaseException:
            connection.raw.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
        del transaction.undo[to:]
        del transaction.records[records:]


def _take_back(connection: Connection, step: Undo) -> None:
    if step.made:
        connection.many(f"DELETE FROM {step.storage} WHERE rid=?", [(rid,) for rid in step.made])
    if step.ended:
        connection.many(f"UPDATE {step.storage} SET e={LIVE} WHERE rid=?", [(rid,) for rid in step.ended])
    if step.action is not None:
        step.action(connection)


def at_commit(transaction: Transaction, statement: str) -> None:
    """Something to be done in SQLite at the commit, unless the statement or what is behind a savepoint is taken back."""
    transaction.after.append(statement)
    transaction.undo.append(Undo(action=lambda _connection: transaction.after.remove(statement)))


def forget_storage(transaction: Transaction, storage: str) -> None:
    """A #table or table variable is gone: there is nothing of it to commit or to take back.

    Its steps stay in their places, empty, since savepoints count them.
    """
    transaction.storages.discard(storage)
    for place, step in enumerate(transaction.undo):
        if step.storage == storage:
            transaction.undo[place] = Undo()


def release(session: EngineSession) -> None:
    """After a whole rollback: locks and snapshot go."""
    with session.engine.writer:
        session.engine.forget_snapshot(session)
    session.engine.locks.release_all(session.id)


def row_blocker(mark: int) -> BlockedError:
    """Who must be waited for where a version carries another transaction's mark."""
    return BlockedError(("transaction", -mark))


def check_row_locks(session: EngineSession, table_id: int, row: int) -> None:
    """Other sessions' locks on a row (REPEATABLE READ, UPDLOCK) stand against changing it."""
    resource = ("row", table_id, row)
    if session.engine.locks.holders(resource, session.id, EXCLUSIVE):
        raise BlockedError(resource)


def wait_mode(resource: Resource) -> str:
    """In which mode a resource is waited for."""
    return SHARED if resource[0] == "transaction" else EXCLUSIVE


def logged(session: EngineSession, transaction: Transaction) -> LoggedTransaction:
    """The transaction as the log hook gets it."""
    engine = session.engine
    return LoggedTransaction(
        transaction.id,
        transaction.name,
        transaction.begun,
        engine.now(),
        engine.sequence,
        session.id,
        transaction.records,
    )
