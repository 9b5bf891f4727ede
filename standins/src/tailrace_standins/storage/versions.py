"""Row versions: making and ending them, with the undo steps and the log records."""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tailrace_standins.storage.log import Operation, Record
from tailrace_standins.storage.sessions import R, Session, Stored, Table
from tailrace_standins.storage.transactions import Transaction, Undo
from tailrace_standins.storage.visibility import LIVE
from tailrace_standins.storage.waiting import check_row_locks, row_blocker

DatabaseT = TypeVar("DatabaseT")
TableT = TypeVar("TableT", bound=Table)


def make(
    session: Session[R],
    transaction: Transaction[R],
    table: Table,
    rows: Sequence[Sequence[Stored]],
    logical: Sequence[int] | None = None,
) -> list[int]:
    """Make versions and return their rids; `logical` are the ids of their rows, None for new rows."""
    last = session.store.rows
    first = last.get(table.id, 0) + 1
    rids = list(range(first, first + len(rows)))
    last[table.id] = first + len(rows) - 1
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
    session: Session[R],
    transaction: Transaction[R],
    database: object,
    table: Table,
    versions: Sequence[tuple[int, int, int]],
) -> None:
    """End versions, given as (rid, row, e as it was read).

    Raises `BlockedError` for a version that an open transaction ended or whose row is locked, and `Failures.row_changed` for
    one that a commit after the transaction's snapshot ended.
    """
    for _, row, ended in versions:
        if ended < 0:
            raise row_blocker(ended)
        if ended != LIVE:
            raise session.store.failures.row_changed(database, table)
        if not table.is_temporary:
            check_row_locks(session, table.id, row)
    rids = [(rid,) for rid, _, _ in versions]
    transaction.has_ended_rows = True
    transaction.storages.add(table.storage)
    if transaction.is_autocommit and not session.store.has_snapshots(session):
        session.connection.many(f"DELETE FROM {table.storage} WHERE rid=?", rids)
        return
    session.connection.many(f"UPDATE {table.storage} SET e={transaction.mark} WHERE rid=?", rids)
    transaction.undo.append(Undo(table.storage, ended=[rid for (rid,) in rids]))


def end_all(session: Session[R], transaction: Transaction[R], table: Table) -> None:
    """End all live versions; the caller has the table locked exclusively."""
    connection = session.connection
    rids = [rid for (rid,) in connection.rows(f"SELECT rid FROM {table.storage} WHERE e={LIVE}")]
    transaction.storages.add(table.storage)
    if transaction.is_autocommit:
        connection.execute(f"DELETE FROM {table.storage} WHERE e={LIVE}")
        return
    connection.execute(f"UPDATE {table.storage} SET e={transaction.mark} WHERE e={LIVE}")
    transaction.undo.append(Undo(table.storage, ended=rids))


def log(
    transaction: Transaction[Record[DatabaseT, TableT]],
    database: DatabaseT,
    table: TableT,
    operation: Operation,
    before: Sequence[Sequence[Stored]],
    after: Sequence[Sequence[Stored]],
) -> None:
    """Add a statement's log records; temporary tables have none."""
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
