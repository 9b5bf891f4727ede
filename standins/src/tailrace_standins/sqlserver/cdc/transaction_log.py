"""The transaction log, as far as change data capture reads it: committed transactions with their log sequence numbers.

Only what concerns captured tables is kept, until the capture job has read it. Records have the number of the place
where they were made, so those of transactions that ran side by side lie between each other, as in a real log; commits
come in the order of the commits.

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
    """A committed transaction's part in one database; times are UTC as datetime2(7) is stored."""

    id: int
    begin_lsn: bytes
    commit_lsn: bytes
    begun: str
    committed: str
    records: tuple[Record, ...]


class TransactionLog:
    """The log of a server; `first_file` is where its numbers begin."""

    def __init__(self, instances: Instances, first_file: int = lsn.FIRST_FILE) -> None:
        self._instances = instances
        self._first_file = first_file
        self._waiting: dict[int, deque[Entry]] = defaultdict(deque)
        self.changed = threading.Condition()

    @property
    def first_file(self) -> int:
        """Where its numbers begin."""
        return self._first_file

    def number(self, position: int, slot: int = lsn.RECORD) -> bytes:
        """The log sequence number of a position."""
        return lsn.of_position(self._first_file, position, slot)

    def here(self) -> bytes:
        """A number of its own at the log's end."""
        return self.number(next(POSITIONS))

    def numbered(self, transaction: LoggedTransaction) -> dict[int, Entry]:
        """What is to be kept of a transaction, by database; called in the order of the commits."""
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
        """Take a committed transaction; called in the order of the commits."""
        for database, entry in entries.items():
            self.put(database, entry)
        commit = next((entry.commit_lsn for entry in entries.values()), b"")
        for record in transaction.records:
            if is_change_table(record.table):
                self._follow(record, commit)

    def put(self, database: int, entry: Entry) -> None:
        """One more entry waits."""
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
        """Capture instances come and go with their change tables."""
        if record.operation is Operation.CREATE_TABLE:
            self._instances.activate(record.table.id, commit)
        elif record.operation is Operation.DROP_TABLE:
            self._instances.end(record.table.id)

    def waiting(self, database: Database) -> int:
        """How many transactions were not read yet."""
        with self.changed:
            return len(self._waiting[database.id])

    def read(self, database: Database, count: int) -> list[Entry]:
        """The oldest `count` transactions that were not read; they stay until `forget`."""
        with self.changed:
            waiting = self._waiting[database.id]
            return [waiting[place] for place in range(min(count, len(waiting)))]

    def forget(self, database: Database, count: int) -> None:
        """The oldest were captured."""
        with self.changed:
            for _ in range(count):
                self._waiting[database.id].popleft()
            self.changed.notify_all()

    def clear(self, database: Database) -> None:
        """Change data capture was disabled: nothing waits any more."""
        with self.changed:
            self._waiting[database.id].clear()
            self.changed.notify_all()


def is_change_table(table: Table) -> bool:
    """Whether it is one of capture's own."""
    return table.is_shipped and table.schema == "cdc" and table.name.endswith("_CT")
