"""Commits that are in the log before others see them.

A transaction's commit record is written before its locks are released. Meanwhile the Capture program may have captured it, and
a reader of "currently committed" data still gets the rows as they were before. On a real server that lasts for moments; here a
test can hold it.

Source: IBM Db2 documentation, "Currently committed semantics" (the log has the committed version of a locked row)
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tailrace_standins.storage import transactions

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.log import Transaction
    from tailrace_standins.db2.engine.session import EngineSession


class Commits:
    """Holds commits between their record in the log and their effect, while it is told to."""

    def __init__(self) -> None:
        self._passing = threading.Event()
        self._passing.set()
        self._held: set[int] = set()

    @property
    def held(self) -> int:
        """How many wait."""
        return len(self._held)

    def hold(self) -> None:
        """From now on a COMMIT of what wrote is in the log, and goes no further."""
        self._passing.clear()

    def release(self) -> None:
        """Let those that wait, and all later ones, take effect."""
        self._passing.set()

    def commit(self, session: EngineSession, transaction: Transaction) -> None:
        """Commit a transaction."""
        if self._passing.is_set() or not session.is_clients or not transaction.storages:
            transactions.commit(session, transaction)
            return
        store = session.store
        with store.writer:
            store.hand_over(session, transaction)
        self._held.add(session.id)
        self._passing.wait()
        self._held.discard(session.id)
        records, transaction.records = transaction.records, []  # they are in the log already
        transactions.commit(session, transaction)
        transaction.records = records
