"""The smallest stand-in: one table, no SQL; its sessions read and write over the storage that all stand-ins have."""

import sqlite3
import threading
from dataclasses import dataclass, field

from tailrace_standins.storage import reading, transactions, versions
from tailrace_standins.storage.locks import EXCLUSIVE, SHARED, Locks
from tailrace_standins.storage.log import Operation
from tailrace_standins.storage.sqlite import connect
from tailrace_standins.storage.store import Store
from tailrace_standins.storage.visibility import COLUMNS, VISIBLE

COMPATIBLE = {SHARED: frozenset((SHARED,)), EXCLUSIVE: frozenset()}


class ToyError(Exception):
    pass


class Failures:
    def lock_timeout(self):
        return ToyError("timeout")

    def deadlock(self, session):
        return ToyError(f"deadlock {session}")

    def cancelled(self):
        return ToyError("cancelled")

    def row_changed(self, database, table):
        return ToyError(f"changed {database}.{table.storage}")


@dataclass(frozen=True)
class Column:
    slot: str


@dataclass(frozen=True)
class Table:
    id: int = 1
    storage: str = "t1"
    is_temporary: bool = False
    stored: tuple = (Column("k"), Column("v"))


TABLE = Table()


class Connection:
    """Those of the toy have no errors of their own."""

    def __init__(self, path):
        self.raw = connect(path)

    def execute(self, sql, values=()):
        return self.raw.execute(sql, values)

    def many(self, sql, rows):
        self.raw.executemany(sql, rows)

    def rows(self, sql, values=()):
        return self.raw.execute(sql, values).fetchall()


@dataclass
class Hook:
    within: list = field(default_factory=list)
    seen: list = field(default_factory=list)

    def committing(self, connection, transaction):
        self.within.append((connection.raw.in_transaction, transaction.id))

    def committed(self, transaction):
        self.seen.append([(r.operation, r.before, r.after) for r in transaction.records])


class Toy:
    """The server."""

    def __init__(self, folder, *, is_kept=False):
        self.path = folder / "toy.sqlite"
        self.hook, self.sessions = Hook(), {}
        self.store = Store(
            locks=Locks(COMPATIBLE, Failures()),
            sessions=self.sessions,
            hooks=[self.hook],
            now=lambda: "now",
            save=lambda connection: None,
            is_kept=is_kept,
        )
        connection = Connection(self.path)
        connection.execute(f"CREATE TABLE IF NOT EXISTS {TABLE.storage} ({COLUMNS}, k, v)")
        self.store.recover(connection, TABLE)
        connection.raw.close()

    def session(self, **settings):
        made = ToySession(self, len(self.sessions) + 1)
        for name, value in settings.items():
            setattr(made, name, value)
        self.sessions[made.id] = made
        return made


class ToySession:
    """A client of the toy."""

    def __init__(self, toy, number):
        self.id, self.store, self.connection = number, toy.store, Connection(toy.path)
        self.transaction, self.lock_timeout, self.deadlock_priority = None, -1, 0

    def begin(self):
        self.transaction = self.store.new_transaction(self)

    def commit(self):
        transaction, self.transaction = self.transaction, None
        transactions.commit(self, transaction)

    def rollback(self):
        transactions.rollback(self, self.transaction)
        self.transaction = None
        transactions.release(self)

    def save(self, name):
        transactions.set_savepoint(self, self.transaction, name)

    def rollback_to(self, name):
        return transactions.rollback_to(self, self.transaction, name)

    def insert(self, *rows):
        def work(transaction):
            versions.make(self, transaction, TABLE, rows)
            versions.log(transaction, "toy", TABLE, Operation.INSERT, (), rows)

        transactions.write(self, work)

    def update(self, key, value):
        """Change the row of a key that the session sees."""

        def work(transaction):
            found = self._versions(" AND k=:k", {"k": key})
            versions.end(self, transaction, "toy", TABLE, [row[:3] for row in found])
            versions.make(self, transaction, TABLE, [(key, value)] * len(found), [row[1] for row in found])
            versions.log(
                transaction, "toy", TABLE, Operation.UPDATE, [row[3:] for row in found], [(key, value)] * len(found)
            )

        transactions.write(self, work)

    def empty(self):
        transactions.write(self, lambda transaction: versions.end_all(self, transaction, TABLE))

    def read(self):
        """What the session sees, and nobody is waited for."""
        return {row[3]: row[4] for row in self._versions()}

    def read_committed(self):
        """What is committed: who is changing it is waited for."""
        reading.wait_for_rows(self, TABLE.storage, "", {})
        return self.read()

    def read_and_keep(self):
        """Nobody changes what was read."""
        found = self.read_committed()
        seen, mark = reading.view_of(self)
        assert reading.lock_rows(self, TABLE, "", {"s": seen, "t": mark}, SHARED) == len(found)
        return found

    def read_moment(self):
        """What was committed when the transaction first read."""
        reading.begin_snapshot(self)
        return self.read()

    def _versions(self, where="", values=()):
        seen, mark = reading.view_of(self)
        sql = f"SELECT rid, r, e, k, v FROM {TABLE.storage} WHERE {VISIBLE}{where} ORDER BY k"
        return self.connection.rows(sql, {"s": seen, "t": mark, **dict(values)})


def started(call):
    """Run it beside the test; `join` gives its result, or raises what it raised."""
    return _Call(call)


class _Call(threading.Thread):
    def __init__(self, call):
        super().__init__(daemon=True)
        self._call, self._found, self._error = call, None, None
        self.start()

    def run(self):
        try:
            self._found = self._call()
        except (ToyError, sqlite3.Error) as error:
            self._error = error

    def ended(self):
        self.join(60)
        assert not self.is_alive()
        if self._error is not None:
            raise self._error
        return self._found
