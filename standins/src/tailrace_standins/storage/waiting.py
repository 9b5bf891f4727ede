"""How sessions acquire locks, and wait for each other's changes.

A row that a transaction changed is locked by its version; whoever must wait for it waits for the transaction's lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailrace_standins.storage.locks import EXCLUSIVE, SHARED, Resource

if TYPE_CHECKING:
    from tailrace_standins.storage.sessions import R, Session


class BlockedError(Exception):
    """A statement must wait for a lock, without holding the writer lock, and then start again (`transactions.write`)."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(resource)
        self.resource = resource


def lock(session: Session[R], resource: Resource, mode: str, *, keep: bool) -> None:
    """Acquire a lock for a session, or (not `keep`) only wait until it would be granted; raises an error of `Failures`."""
    session.store.locks.acquire(
        session.id, resource, mode, timeout=session.lock_timeout, priority=session.deadlock_priority, keep=keep
    )


def wait_for(session: Session[R], resource: Resource) -> None:
    """Wait until a row is unlocked, or a transaction has ended."""
    lock(session, resource, SHARED if resource[0] == "transaction" else EXCLUSIVE, keep=False)


def row_blocker(mark: int) -> BlockedError:
    """The error that makes a statement wait for the transaction with this mark."""
    return BlockedError(("transaction", -mark))


def check_row_locks(session: Session[R], table_id: int, row: int) -> None:
    """Raise `BlockedError` if another session has a lock on a row that is to be changed."""
    resource = ("row", table_id, row)
    if session.store.locks.holders(resource, session.id, EXCLUSIVE):
        raise BlockedError(resource)


def others_wrote(session: Session[R], storage: str) -> bool:
    """Whether an open transaction of another session changed the table; if not, no row needs to be checked."""
    others = [other.transaction for other in list(session.store.sessions.values()) if other is not session]
    return any(storage in transaction.storages for transaction in others if transaction is not None)
