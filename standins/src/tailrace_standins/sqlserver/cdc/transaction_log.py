"""The transaction log, as far as change data capture reads it: committed transactions with their log sequence numbers.

Only records of captured tables are kept, until the capture job has read them. A record's LSN is that of the position where it
was made, so the records of concurrent transactions are interleaved, as in a real log; transactions are in commit order.

Source: "About change data capture", https://learn.microsoft.com/sql/relational-databases/track-changes/about-change-data-capture-sql-server
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass

from tailrace_standins.sqlserver.cdc import lsn
from tailrace_standins.sqlserver.cdc.instances import Instances
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.log import LoggedTransaction, Record
from tailrace_standins.storage.log import POSITIONS, Operation


@dataclass(frozen=True, slots=True)
class Entry:
    """A committed transaction's records of one database; times are UTC in the stored form of datetime2(7)."""

    id: int
    begin_lsn: bytes
    commit_lsn: bytes
    begun: str
    committed: str
    records: tuple[Record, ...]


class TransactionLog:
    """The log of a server; `first_file` is its first virtual log file."""

    def __init__(self, instances: Instances, first_file: int = lsn.FIRST_FILE) -> None:
        self._instances = instances
        self._first_file = first_file
        self._waiting: dict[int, deque[Entry]] = defaultdict(deque)
        self.changed = threading.Condition()

    @property
    def first_file(self) -> int:
        """Its first virtual log file."""
        return self._first_file

    def number(self, position: int, slot: int = lsn.RECORD) -> bytes:
        """The LSN of a position."""
        return lsn.of_position(self._first_file, position, slot)

    def here(self) -> bytes:
        """A new LSN at the log's end, which nothing else has."""
        return self.number(next(POSITIONS))

    def numbered(self, transaction: LoggedTransaction) -> dict[int, Entry]:
        """The entries of a transaction, by database; must be called in commit order."""
        parts: dict[int, list[Record]] = {}
        for record in transaction.records:
            if self._is_kept(record):
                parts.setdefault(record.database.id, []).append(record)
        commit = self.number(next(POSITIONS), lsn.COMMIT) if parts else b""
        found: dict[int, Entry] = {}
        for database, records in parts.items():
            begin = self.number(records[0].position, lsn.BEGIN)
            times = (transaction.begun, transaction.committed)
            found[database] = Entry(transaction.id, begin, commit, *times, tuple(records))
        return found

    def write(self, transaction: LoggedTransaction, entries: Mapping[int, Entry]) -> None:
        """Add a committed transaction; must be called in commit order."""
        for database, entry in entries.items():
            self.put(database, entry)
        commit = next((entry.commit_lsn for entry in entries.values()), b"")
        for record in transaction.records:
            if is_change_table(record.table):
                self._follow(record, commit)

    def put(self, database: int, entry: Entry) -> None:
        """Add an entry."""
        with self.changed:
            self._waiting[database].append(entry)
            self.changed.notify_all()

    def _is_kept(self, record: Record) -> bool:
        if not record.database.is_cdc_enabled:
            return False
        if is_change_table(record.table):
            return record.operation is Operation.CREATE_TABLE
        return bool(self._instances.of_source(record.table.id))

    def _follow(self, record: Record, commit: bytes) -> None:
        """Activate or end the capture instance of a change table that was created or dropped."""
        if record.operation is Operation.CREATE_TABLE:
            self._instances.activate(record.table.id, commit)
        elif record.operation is Operation.DROP_TABLE:
            self._instances.end(record.table.id)

    def waiting(self, database: Database) -> int:
        """The number of transactions that are not captured yet."""
        with self.changed:
            return len(self._waiting[database.id])

    def read(self, database: Database, count: int) -> list[Entry]:
        """The oldest `count` transactions that are not captured yet; they stay until `forget`."""
        with self.changed:
            waiting = self._waiting[database.id]
            return [waiting[place] for place in range(min(count, len(waiting)))]

    def forget(self, database: Database, count: int) -> None:
        """Remove the oldest transactions, which were captured."""
        with self.changed:
            for _ in range(count):
                self._waiting[database.id].popleft()
            self.changed.notify_all()

    def clear(self, database: Database) -> None:
        """Remove all transactions, because change data capture was disabled."""
        with self.changed:
            self._waiting[database.id].clear()
            self.changed.notify_all()


def is_change_table(table: Table) -> bool:
    """Whether it is a change table."""
    return table.is_shipped and table.schema == "cdc" and table.name.endswith("_CT")
