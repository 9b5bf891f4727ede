"""How sessions take locks, and wait for each other's changes.

A row that a transaction changed is locked by the version itself: who must wait for it waits for the transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailrace_standins.storage.locks import EXCLUSIVE, SHARED, Resource

if TYPE_CHECKING:
    from tailrace_standins.storage.sessions import R, Session


class BlockedError(Exception):
    """A lock must be waited for, outside of the writer lock; then the statement starts again."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(resource)
        self.resource = resource


def lock(session: Session[R], resource: Resource, mode: str, *, keep: bool) -> None:
    """Get a lock for a session, or (not `keep`) only wait until it could be had; raises what `Failures` says."""
    session.store.locks.acquire(
        session.id, resource, mode, timeout=session.lock_timeout, priority=session.deadlock_priority, keep=keep
    )


def wait_for(session: Session[R], resource: Resource) -> None:
    """Wait until a row, or a transaction's changes, are free."""
    lock(session, resource, SHARED if resource[0] == "transaction" else EXCLUSIVE, keep=False)


def row_blocker(mark: int) -> BlockedError:
    """Who must be waited for where a version carries another transaction's mark."""
    return BlockedError(("transaction", -mark))


def check_row_locks(session: Session[R], table_id: int, row: int) -> None:
    """Other sessions' locks on a row stand against changing it; raises `BlockedError`."""
    resource = ("row", table_id, row)
    if session.store.locks.holders(resource, session.id, EXCLUSIVE):
        raise BlockedError(resource)


def others_wrote(session: Session[R], storage: str) -> bool:
    """Whether an open transaction of another session changed the table: otherwise there is nothing to look for."""
    others = [other.transaction for other in list(session.store.sessions.values()) if other is not session]
    return any(storage in transaction.storages for transaction in others if transaction is not None)
