"""A session's transaction: BEGIN, COMMIT, ROLLBACK and SAVE, as statements and as requests of the wire protocol.

Source: "Transaction statements", https://learn.microsoft.com/sql/t-sql/language-elements/transactions-transact-sql
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.sqlserver.session import Change, Changed, Isolation, Outcome
from tailrace_standins.storage import transactions

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.server import Engine
    from tailrace_standins.sqlserver.engine.session import EngineSession


class SessionTransactions:
    """What of a session is about its transaction; `EngineSession` is the rest."""

    engine: Engine
    isolation: Isolation
    implicit_transactions: bool
    transaction: Transaction | None
    trancount: int

    def begin_request(self) -> None:
        """Check before each request."""
        raise NotImplementedError

    def finish_reading(self) -> None:
        """Load rows of a result that are still in SQLite into memory."""
        raise NotImplementedError

    @property
    def _whole(self) -> EngineSession:
        return cast("EngineSession", self)

    def begin(self, name: str, isolation: Isolation) -> Iterator[Outcome]:
        """Begin a transaction."""
        self.begin_request()
        if isolation is not Isolation.CURRENT:
            self.isolation = isolation
        yield from self.begin_transaction(name)

    def commit(self, name: str) -> Iterator[Outcome]:
        """Commit."""
        self.begin_request()
        del name  # SQL Server does not look at it either
        yield from self.commit_transaction()

    def rollback(self, name: str) -> Iterator[Outcome]:
        """Roll back, whole or to a savepoint."""
        self.begin_request()
        yield from self.rollback_transaction(name)

    def save(self, name: str) -> Iterator[Outcome]:
        """Set a savepoint."""
        self.begin_request()
        self.set_savepoint(name)
        yield from ()

    def begin_transaction(self, name: str = "") -> Iterator[Outcome]:
        """BEGIN TRANSACTION: the first begins one, the others count."""
        self.trancount += 1
        if self.transaction is None:
            self.transaction = self.engine.store.new_transaction(self._whole, name=name)
            yield Changed(Change.BEGUN, _descriptor(self.transaction), b"")

    def commit_transaction(self) -> Iterator[Outcome]:
        """COMMIT; raises 3902, and 3930 where the transaction can only be rolled back."""
        if self.transaction is None:
            raise error(3902)
        if self.transaction.is_doomed:
            raise error(3930)
        self.trancount -= 1
        if not self.trancount:
            self.finish_reading()
            transaction, self.transaction = self.transaction, None
            transactions.commit(self._whole, transaction)
            yield Changed(Change.COMMITTED, b"", _descriptor(transaction))

    def rollback_transaction(self, name: str = "") -> Iterator[Outcome]:
        """ROLLBACK, whole or to a savepoint; raises 3903 and 6401.

        Locks acquired after the savepoint are released; locks converted to a stronger mode after it keep that mode.

        Source: https://learn.microsoft.com/sql/t-sql/language-elements/rollback-transaction-transact-sql
        """
        if self.transaction is None:
            raise error(3903)
        self.finish_reading()
        key = name.lower()
        if key and transactions.rollback_to(self._whole, self.transaction, key):
            return
        if key and key != self.transaction.name.lower():
            raise error(6401, name)
        yield self.abort()

    def abort(self) -> Changed:
        """Roll the whole transaction back."""
        transaction = self.transaction
        assert transaction is not None  # noqa: S101  # callers looked
        self.finish_reading()
        transactions.rollback(self._whole, transaction)
        self.transaction, self.trancount = None, 0
        transactions.release(self._whole)
        return Changed(Change.ROLLED_BACK, b"", _descriptor(transaction))

    def set_savepoint(self, name: str) -> None:
        """SAVE TRANSACTION; raises 628."""
        if self.transaction is None:
            raise error(628)
        transactions.set_savepoint(self._whole, self.transaction, name.lower())

    def ensure_transaction(self) -> Iterator[Outcome]:
        """Under IMPLICIT_TRANSACTIONS a statement begins one."""
        if self.implicit_transactions and self.transaction is None:
            yield from self.begin_transaction()


def _descriptor(transaction: Transaction) -> bytes:
    """A transaction as the wire calls it."""
    return transaction.id.to_bytes(8, "little")
