"""Row versions: making them and ending them, with what is needed to take that back.

Source: "Transaction locking and row versioning guide",
https://learn.microsoft.com/sql/relational-databases/sql-server-transaction-locking-and-row-versioning-guide
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import access
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.storage import transactions
from tailrace_standins.storage.locks import INTENT_EXCLUSIVE
from tailrace_standins.storage.log import Operation, Record
from tailrace_standins.storage.transactions import Transaction, Undo
from tailrace_standins.storage.visibility import LIVE

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def intend(session: EngineSession, database: Database, table: Table, action: str) -> None:
    """IX on a table that a statement is about to write; raises what `access.check_write` does."""
    access.check_write(session, database, table, action)
    if not table.is_temporary:
        session.engine.locks.acquire(
            session.id, ("table", table.id), INTENT_EXCLUSIVE, timeout=session.lock_timeout, priority=session.deadlock_priority,
            keep=session.transaction is not None,
        )  # fmt: skip


def make(
    session: EngineSession,
    transaction: Transaction,
    table: Table,
    rows: Sequence[Sequence[Stored]],
    logical: Sequence[int] | None = None,
) -> list[int]:
    """New versions; `logical` are the rows that they are versions of, new ones where it is None. Gives their rids."""
    engine = session.engine
    first = engine.rows.get(table.id, 0) + 1
    rids = list(range(first, first + len(rows)))
    engine.rows[table.id] = first + len(rows) - 1
    marks = ",".join("?" * (len(table.stored) + 4))
    slots = "".join(f",{column.slot}" for column in table.stored)
    values = [
        (rid, row_id, transaction.mark, LIVE, *row)
        for rid, row_id, row in zip(rids, logical or rids, rows, strict=True)
    ]
    session.connection.many(f"INSERT INTO {table.storage} (rid,r,b,e{slots}) VALUES ({marks})", values)
    transaction.storages.add(table.storage)
    transaction.undo.append(Undo(table.storage, made=rids))
    return rids


def end(
    session: EngineSession,
    transaction: Transaction,
    database: Database,
    table: Table,
    versions: Sequence[tuple[int, int, int]],
) -> None:
    """End versions, given as (rid, row, e as it was read); waits for who ended one before.

    Raises 3960 under SNAPSHOT.
    """
    for _, row, ended in versions:
        if ended < 0:
            raise transactions.row_blocker(ended)
        if ended != LIVE:
            raise error(3960, f"{table.schema}.{table.name}", database.name)
        if not table.is_temporary:
            transactions.check_row_locks(session, table.id, row)
    rids = [(rid,) for rid, _, _ in versions]
    transaction.has_ended_rows = True
    transaction.storages.add(table.storage)
    if transaction.is_autocommit and not session.engine.has_snapshots(session):
        session.connection.many(f"DELETE FROM {table.storage} WHERE rid=?", rids)
        return
    session.connection.many(f"UPDATE {table.storage} SET e={transaction.mark} WHERE rid=?", rids)
    transaction.undo.append(Undo(table.storage, ended=[rid for (rid,) in rids]))


def log(
    transaction: Transaction,
    database: Database,
    table: Table,
    operation: Operation,
    before: Sequence[Sequence[Stored]],
    after: Sequence[Sequence[Stored]],
) -> None:
    """A statement's records; temporary tables have none."""
    if table.is_temporary:
        return
    statement = transaction.statements
    if operation is Operation.INSERT:
        transaction.records.extend(Record(database, table, operation, None, tuple(row), statement) for row in after)
    elif operation is Operation.DELETE:
        transaction.records.extend(Record(database, table, operation, tuple(row), None, statement) for row in before)
    else:
        transaction.records.extend(
            Record(database, table, operation, tuple(old), tuple(new), statement)
            for old, new in zip(before, after, strict=True)
        )
