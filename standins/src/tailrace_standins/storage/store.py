"""The state that all sessions of a server share: the writer lock, the commit order, the snapshots in use.

A stand-in's server has one store over one SQLite file. Statements over several of its databases are therefore plain joins, and
a commit of changes in several databases is one commit.
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Generic

from tailrace_standins.storage.locks import EXCLUSIVE, Locks
from tailrace_standins.storage.log import CommitHook, LoggedTransaction
from tailrace_standins.storage.sessions import Connection, R, Session, Table
from tailrace_standins.storage.table_changes import TableChanges
from tailrace_standins.storage.transactions import Transaction
from tailrace_standins.storage.visibility import LIVE


class Store(Generic[R]):
    """The shared part of a stand-in's storage.

    Args:
        locks: the lock manager.
        sessions: all sessions by id; the server adds and removes them.
        hooks: receive every committed transaction.
        now: the time for the log.
        save: stores the stand-in's definitions, within a commit.
        is_kept: whether the file outlives the server; then hooks write their log within the commit.

    Attributes:
        failures: makes the errors that clients get.
        writer: held by whoever writes to SQLite, which allows one writer at a time.
        sequence: the number of the last commit.
        rows: the last version's number, by table id.
        table_changes: how often each table has changed.
        littered: tables in SQLite with versions that only snapshots need.

    """

    def __init__(
        self,
        *,
        locks: Locks,
        sessions: Mapping[int, Session[R]],
        hooks: Sequence[CommitHook[R]],
        now: Callable[[], str],
        save: Callable[[Any], None],
        is_kept: bool,
    ) -> None:
        self.locks = locks
        self.failures = locks.failures
        self.sessions = sessions
        self.now = now
        self.save = save
        self.is_kept = is_kept
        self.writer = threading.RLock()
        self.sequence = 1
        self.rows: dict[int, int] = {}
        self.table_changes = TableChanges()
        self.littered: set[str] = set()
        self._hooks = hooks
        self._snapshots: dict[int, int] = {}
        self._transactions = count(1)

    def new_transaction(
        self, session: Session[R], *, is_autocommit: bool = False, name: str = ""
    ) -> Transaction[R]:
        """Begin a transaction."""
        number = next(self._transactions)
        transaction: Transaction[R] = Transaction(number, self.now(), name, is_autocommit=is_autocommit)
        transaction.mark = self.sequence + 1 if is_autocommit else -number
        if not is_autocommit:  # whoever must wait for its changes waits for this lock
            self.locks.acquire(session.id, ("transaction", number), EXCLUSIVE)
        return transaction

    def take_snapshot(self, session: Session[R]) -> int:
        """The number of the last commit, whose versions stay readable until the session's transaction ends."""
        with self.writer:
            self._snapshots[session.id] = self.sequence
            return self.sequence

    def has_snapshots(self, session: Session[R]) -> bool:
        """Whether another session's snapshot may need old versions."""
        return any(owner != session.id for owner in self._snapshots)

    def forget_snapshot(self, session: Session[R]) -> None:
        """End a transaction's snapshot; with the last snapshot, versions are deleted that nobody sees any more."""
        if self._snapshots.pop(session.id, None) is None or self._snapshots or not self.littered:
            return
        session.connection.execute("BEGIN IMMEDIATE")
        for storage in self.littered:
            session.connection.execute(f"DELETE FROM {storage} WHERE e>0 AND e<={self.sequence}")
        session.connection.execute("COMMIT")
        self.littered.clear()

    def log_within(self, session: Session[R], transaction: Transaction[R]) -> None:
        """Let the hooks write a transaction's log within its commit, if the file is kept."""
        if self.is_kept and transaction.records:
            transaction.logged = self._logged(session, transaction)
            for hook in self._hooks:
                hook.committing(session.connection, transaction.logged)

    def hand_over(self, session: Session[R], transaction: Transaction[R]) -> None:
        """Pass a committed transaction to the hooks."""
        if not transaction.records:
            return
        logged = transaction.logged or self._logged(session, transaction)
        for hook in self._hooks:
            hook.committed(logged)

    def _logged(self, session: Session[R], transaction: Transaction[R]) -> LoggedTransaction[R]:
        return LoggedTransaction(
            transaction.id,
            transaction.name,
            transaction.begun,
            self.now(),
            self.sequence,
            session.id,
            transaction.records,
        )

    def recover(self, connection: Connection, table: Table) -> None:
        """Remove from a table of a kept file what transactions left that were open when the server ended."""
        connection.execute(f"DELETE FROM {table.storage} WHERE b<0 OR (e>0 AND e<{LIVE})")
        connection.execute(f"UPDATE {table.storage} SET e={LIVE} WHERE e<0")
        last, number = connection.rows(f"SELECT MAX(rid), MAX(b) FROM {table.storage}")[0]
        self.rows[table.id] = last or 0
        self.sequence = max(self.sequence, number or 0)
