"""Transactions: what they changed, how it is undone, what is passed to the log.

Each statement that writes is one SQLite transaction, under the server's writer lock. A row version that an open
transaction made or ended has a negative `b` or `e` (`-id`). COMMIT replaces it by the commit's number; ROLLBACK removes made
versions and revives ended ones. Statements outside a transaction write the commit's number immediately.
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tailrace_standins.storage.locks import Resource
from tailrace_standins.storage.log import LoggedTransaction
from tailrace_standins.storage.sessions import Connection, R, Session
from tailrace_standins.storage.visibility import LIVE
from tailrace_standins.storage.waiting import BlockedError, wait_for

T = TypeVar("T")


@dataclass(slots=True)
class Undo:
    """How to undo one step: versions that were made or ended, or a definition that was changed."""

    storage: str = ""
    made: Sequence[int] = ()
    ended: Sequence[int] = ()
    action: Callable[[Connection], object] | None = None


@dataclass(frozen=True, slots=True)
class Savepoint:
    """A savepoint: the number of undo steps and log records at that time, and the resources that were locked."""

    name: str
    undo: int
    records: int
    locked: frozenset[Resource]


@dataclass(slots=True)
class Transaction(Generic[R]):
    """An open transaction.

    Attributes:
        mark: `b` and `e` of its versions: its negative id; for a statement outside a transaction the number of the next
            commit.
        is_doomed: it can only be rolled back.
        snapshot: for a snapshot reader that has read already: the last commit that it sees.
        after: SQL to run in SQLite at the commit (tables to drop).
        logged: what hooks got within the commit.

    """

    id: int
    begun: str
    name: str = ""
    mark: int = 0
    is_autocommit: bool = False
    is_doomed: bool = False
    snapshot: int | None = None
    undo: list[Undo] = field(default_factory=list)
    records: list[R] = field(default_factory=list)
    savepoints: list[Savepoint] = field(default_factory=list)
    storages: set[str] = field(default_factory=set)
    after: list[str] = field(default_factory=list)
    statements: int = 0
    has_ended_rows: bool = False
    logged: LoggedTransaction[R] | None = None


def write(session: Session[R], work: Callable[[Transaction[R]], T]) -> T:
    """Run a statement that writes; after a wait for a lock, `work` is run again from its start.

    Waiting under the writer lock would block the transaction that is waited for. So `work` raises `BlockedError`, what it did
    is undone, and the wait happens after the writer lock was released.
    """
    store = session.store
    while True:
        with store.writer:
            transaction = session.transaction or store.new_transaction(session, is_autocommit=True)
            marks = (len(transaction.undo), len(transaction.records))
            transaction.statements += 1
            session.connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(transaction)
                if transaction.is_autocommit:
                    finish(session, transaction)
                with store.table_changes.committing(transaction.storages if transaction.is_autocommit else ()):
                    session.connection.execute("COMMIT")
            except BlockedError as blocked:
                _abandon(session, transaction, marks)
                resource = blocked.resource
            except BaseException:
                _abandon(session, transaction, marks)
                raise
            else:
                if transaction.is_autocommit:
                    store.hand_over(session, transaction)
                return result
        wait_for(session, resource)


def _abandon(session: Session[R], transaction: Transaction[R], marks: tuple[int, int]) -> None:
    """Undo a statement: SQLite's rollback restores rows, definitions are restored by their undo steps."""
    if session.connection.raw.in_transaction:
        session.connection.raw.execute("ROLLBACK")
    for step in reversed(transaction.undo[marks[0] :]):
        if step.action is not None:
            step.action(session.connection)
    del transaction.undo[marks[0] :]
    del transaction.records[marks[1] :]


def finish(session: Session[R], transaction: Transaction[R]) -> None:
    """Within SQLite's transaction: replace the transaction's mark by the commit's number."""
    store, connection = session.store, session.connection
    number = store.sequence + 1
    keep = store.has_snapshots(session)
    for storage in transaction.storages:
        if transaction.is_autocommit:
            continue
        # versions that it ended are deleted, unless a snapshot may still see them; those that it made itself nobody saw
        mark = {"m": transaction.mark, "n": number}
        connection.execute(f"DELETE FROM {storage} WHERE e=:m AND e<0" + (" AND b=:m" if keep else ""), mark)
        if keep:
            connection.execute(f"UPDATE {storage} SET e=:n WHERE e=:m AND e<0", mark)
        connection.execute(f"UPDATE {storage} SET b=:n WHERE b=:m AND b<0", mark)
    if keep and transaction.has_ended_rows:
        store.littered |= {storage for storage in transaction.storages if not storage.startswith("temp.")}
    for statement in transaction.after:
        connection.execute(statement)
    store.save(connection)
    store.sequence = number
    store.log_within(session, transaction)


def commit(session: Session[R], transaction: Transaction[R]) -> None:
    """Commit an open transaction and release its locks."""
    store = session.store
    with store.writer:
        session.connection.execute("BEGIN IMMEDIATE")
        try:
            finish(session, transaction)
            with store.table_changes.committing(transaction.storages):
                session.connection.execute("COMMIT")
        except BaseException:  # it was interrupted: the next one would wait for SQLite's own lock
            if session.connection.raw.in_transaction:
                session.connection.raw.execute("ROLLBACK")
            raise
        store.hand_over(session, transaction)  # still under the writer lock: hooks get transactions in commit order
        store.forget_snapshot(session)
    store.locks.release_all(session.id)


def rollback(session: Session[R], transaction: Transaction[R], to: int = 0, records: int = 0) -> None:
    """Undo all steps from `to` on, the newest first; 0 undoes the whole transaction."""
    store, connection = session.store, session.connection
    with store.writer:
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


def set_savepoint(session: Session[R], transaction: Transaction[R], name: str) -> None:
    """Set a savepoint; of several with the same name the last counts."""
    locked = session.store.locks.held_by(session.id)
    place = Savepoint(name, len(transaction.undo), len(transaction.records), locked)
    transaction.savepoints.append(place)


def rollback_to(session: Session[R], transaction: Transaction[R], name: str) -> bool:
    """Undo everything after a savepoint, which stays; False if there is none of that name.

    Locks acquired after it are released; locks converted to a stronger mode after it keep that mode.
    """
    for place, savepoint in reversed(list(enumerate(transaction.savepoints))):
        if savepoint.name == name:
            rollback(session, transaction, savepoint.undo, savepoint.records)
            session.store.locks.release_others(session.id, savepoint.locked)
            del transaction.savepoints[place + 1 :]
            return True
    return False


def _take_back(connection: Connection, step: Undo) -> None:
    if step.made:
        connection.many(f"DELETE FROM {step.storage} WHERE rid=?", [(rid,) for rid in step.made])
    if step.ended:
        connection.many(f"UPDATE {step.storage} SET e={LIVE} WHERE rid=?", [(rid,) for rid in step.ended])
    if step.action is not None:
        step.action(connection)


def at_commit(transaction: Transaction[R], statement: str) -> None:
    """Run a statement in SQLite at the commit, unless it is undone before."""
    transaction.after.append(statement)
    transaction.undo.append(Undo(action=lambda _connection: transaction.after.remove(statement)))


def drop_storage(session: Session[R], transaction: Transaction[R], storage: str) -> None:
    """Drop a table; its rows are removed at the commit."""
    transaction.storages.discard(storage)
    session.store.littered.discard(storage)
    at_commit(transaction, f"DROP TABLE {storage}")


def forget_storage(transaction: Transaction[R], storage: str) -> None:
    """Forget a dropped temporary table: nothing of it is to be committed or undone.

    Its undo steps are emptied instead of removed, because savepoints are numbers of steps.
    """
    transaction.storages.discard(storage)
    for place, step in enumerate(transaction.undo):
        if step.storage == storage:
            transaction.undo[place] = Undo()


def release(session: Session[R]) -> None:
    """Release locks and snapshot after a rollback of the whole transaction."""
    with session.store.writer:
        session.store.forget_snapshot(session)
    session.store.locks.release_all(session.id)
