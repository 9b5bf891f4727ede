"""A log scan: it reads transactions from the log and writes change tables, lsn_time_mapping and ddl_history.

Source: "About change data capture", https://learn.microsoft.com/sql/relational-databases/track-changes/about-change-data-capture-sql-server
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc import disabling, images, log_file, rows
from tailrace_standins.sqlserver.cdc.instances import Captured, Instance, Instances
from tailrace_standins.sqlserver.cdc.shapes import captured_type
from tailrace_standins.sqlserver.cdc.transaction_log import Entry, is_change_table
from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.alter import alter_table
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.log import Record, Transaction
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.values import SqlType
from tailrace_standins.storage.log import Operation
from tailrace_standins.storage.transactions import at_commit, write

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

IDLE: Final = b"\x00"  # tran_id of an entry without a transaction
_DML: Final = frozenset((Operation.INSERT, Operation.UPDATE, Operation.DELETE))
_DDL: Final = frozenset((Operation.ALTER_TABLE, Operation.RENAME, Operation.DROP_TABLE))


@dataclass(slots=True)
class Found:
    """The counts of one cycle, for the scan session."""

    transactions: int = 0
    records: int = 0
    commands: int = 0
    schema_changes: int = 0


@dataclass(slots=True)
class Cycle:
    """One cycle of a scan: up to @maxtrans transactions into the change tables, in one transaction of its own."""

    session: EngineSession
    database: Database
    instances: Instances
    number: Callable[[int], bytes]  # the log sequence number of a record
    is_kept: bool = False  # the log is in a file too
    found: Found = field(default_factory=Found)
    written: Counter[int] = field(default_factory=Counter)  # rows, by change table
    _readers: dict[tuple[int, int], tuple[Table, images.Reader]] = field(default_factory=dict)
    _changes: dict[int, list[list[Stored]]] = field(default_factory=dict)
    _mapping: list[list[Stored]] = field(default_factory=list)
    _starts: dict[int, bytes] = field(default_factory=dict)

    def run(self, entries: Sequence[Entry], forget: Callable[[int], None]) -> Found:
        """Capture the transactions; `forget` gets the number of those that are written, so that none is captured twice.

        A later transaction may fail; those before it must not be read again.
        """
        gathered = 0
        for entry in entries:
            is_alone = any(record.operation in _DDL for record in entry.records)
            if is_alone:
                self._flush()  # the changes before are of the old definitions
                forget(gathered)
                gathered = 0
                self._alone(entry)
                forget(1)
            else:
                self._transaction(entry)
                gathered += 1
        self._flush()
        forget(gathered)
        return self.found

    def _alone(self, entry: Entry) -> None:
        """Capture a transaction that changes definitions, in one transaction of its own."""
        list(self.session.begin_transaction())
        try:
            self._transaction(entry)
            self._flush()
        except BaseException:
            self._changes, self._mapping, self._starts = {}, [], {}
            self.session.abort()
            raise
        list(self.session.commit_transaction())

    def _transaction(self, entry: Entry) -> None:
        self.found.transactions += 1
        self.found.records += len(entry.records) + 2  # begin and commit
        begun, ended = rows.datetime_stored(entry.begun), rows.datetime_stored(entry.committed)
        self._mapping.append([entry.commit_lsn, begun, ended, entry.id.to_bytes(6, "big"), entry.begin_lsn])
        commands: dict[int, int] = {}
        for (operation, table_id, _), grouped in groupby(entry.records, key=_statement):
            records = list(grouped)
            if operation in _DML:
                for instance in self.instances.of_source(table_id):
                    if instance.enabled < entry.commit_lsn:  # an instance may be younger than transactions that wait
                        self._statement(entry, records, instance, commands)
            else:
                self._others(entry, records)

    def _others(self, entry: Entry, records: Sequence[Record]) -> None:
        """Capture changes of definitions."""
        for record in records:
            if record.operation is Operation.CREATE_TABLE and is_change_table(record.table):
                self._starts[record.table.id] = entry.commit_lsn
            elif record.operation in {Operation.ALTER_TABLE, Operation.RENAME}:
                self._flush()
                self._definition(entry, record)
            elif record.operation is Operation.DROP_TABLE:
                self._flush()
                for instance in self.instances.of_source(record.table.id):
                    self._drop(instance)

    def _drop(self, instance: Instance) -> None:
        """Drop the instance of a dropped source table."""
        write(self.session, lambda t: disabling.drop_instance(self.session, t, self.database, instance.table_id))

    def _statement(self, entry: Entry, records: Sequence[Record], instance: Instance, commands: dict[int, int]) -> None:
        """Capture a statement's changes of one table."""
        reading = self._reader(instance, records[0].table)
        changes = self._changes.setdefault(instance.table_id, [])
        command = commands.get(instance.table_id, 0)
        moved = [r for r in records if r.before and r.after and reading.changes_key(r.before, r.after)]
        together = moved if len(moved) > 1 else []
        apart = {id(r) for r in together}
        pieces = [(self.number(r.position), r.before, r.after) for r in records if id(r) not in apart]
        pieces += images.collapsed(reading, self.number(records[-1].position), [(r.before, r.after) for r in together])
        for sequence, before, after in pieces:
            for operation, mask, values in images.rows(reading, before, after):
                command += operation != images.UPDATE_AFTER  # both rows of an update have the same __$command_id
                changes.append([entry.commit_lsn, None, sequence, operation, mask, *values, command])
                self.found.commands += 1
        commands[instance.table_id] = command

    def _reader(self, instance: Instance, table: Table) -> images.Reader:
        known = self._readers.get((instance.table_id, table.id))
        if known is None or known[0] is not table:
            known = self._readers[instance.table_id, table.id] = (table, images.reader(instance, table))
        return known[1]

    def _definition(self, entry: Entry, record: Record) -> None:
        """Add an ALTER of the source table to ddl_history; a captured column's new type is applied to the change table."""
        self.found.schema_changes += 1
        for instance in self.instances.of_source(record.table.id):
            if instance.enabled >= entry.commit_lsn or not _changes_columns(record):
                continue
            retyped = self._retype(instance, record)
            moment = rows.datetime_stored(entry.committed)
            self._add(
                "ddl_history", [record.table.id, instance.table_id, int(retyped), record.text, entry.commit_lsn, moment]
            )

    def _add(self, name: str, row: list[Stored]) -> None:
        to = rows.table(self.database, name)
        write(self.session, lambda transaction: rows.add(self.session, transaction, to, [row]))

    def _retype(self, instance: Instance, record: Record) -> bool:
        """Give the change table's columns the types of the source's; returns whether one changed."""
        old = record.old.by_id if record.old else {}
        retyped = False
        for captured in instance.columns:
            new = record.table.by_id.get(captured.id)
            if new is not None and captured.id in old and new.type != old[captured.id].type:
                self._retype_column(instance, captured, new.type)
                retyped = True
        return retyped

    def _retype_column(self, instance: Instance, captured: Captured, of: SqlType) -> None:
        names = (self.database.name, "cdc", self.database.by_id[instance.table_id].name)
        definition = tree.ColumnDefinition(captured.name, captured_type(of), nullable=True)
        list(alter_table(self.session, tree.AlterTable(names, "ALTER COLUMN", [definition])))
        columns = rows.table(self.database, "captured_columns")
        found = rows.read(self.session, columns, "object_id=?1 AND column_ordinal=?2", [instance.table_id, captured.ordinal])[0]
        write(self.session, lambda t: rows.change(self.session, t, self.database, columns, found, column_type=of.name))

    def _flush(self) -> None:
        """Write what was gathered."""
        if self._changes or self._mapping or self._starts:
            write(self.session, self._written)
        self._changes, self._mapping, self._starts = {}, [], {}

    def _written(self, transaction: Transaction) -> None:
        for table_id, changes in self._changes.items():
            change_table = self.database.by_id.get(table_id)  # None if the instance was disabled meanwhile
            if change_table is not None:
                rows.add(self.session, transaction, change_table, changes)
                self.written[table_id] += len(changes)
        if self._mapping:
            rows.add(self.session, transaction, rows.table(self.database, "lsn_time_mapping"), self._mapping)
            if self.is_kept:
                at_commit(transaction, log_file.captured(self.database, self._mapping[-1][0]))
        change_tables = rows.table(self.database, "change_tables")
        for table_id, start in self._starts.items():
            for found in rows.read(self.session, change_tables, "object_id=?1", [table_id]):
                rows.change(self.session, transaction, self.database, change_tables, found, start_lsn=start)

    def idle(self, here: bytes, now: str) -> None:
        """Write an entry that says how far the log was read while nothing was captured."""
        moment = rows.datetime_stored(now)
        self._add("lsn_time_mapping", [here, moment, moment, IDLE, None])


def _statement(record: Record) -> tuple[Operation, int, int]:
    return record.operation, record.table.id, record.statement


def _changes_columns(record: Record) -> bool:
    """Whether the columns changed; ddl_history has no constraints and indexes."""
    old = record.old.columns if record.old else ()
    return [(c.id, c.name, c.type, c.nullable) for c in old] != [
        (c.id, c.name, c.type, c.nullable) for c in record.table.columns
    ]
