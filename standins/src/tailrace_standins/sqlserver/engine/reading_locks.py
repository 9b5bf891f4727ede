"""Locks of readers, by level of isolation and hints, and whom a reader waits for.

Source: "Table hints", https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-table
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine.access import reads_snapshot
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.scope import Plan, TableRead
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.session import Isolation
from tailrace_standins.storage.locks import EXCLUSIVE, INTENT_SHARED, SCHEMA_STABILITY, SHARED, UPDATE
from tailrace_standins.storage.visibility import LATEST, VISIBLE

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


_FOREIGN: Final = "((b<0 AND b<>:t) OR (e<0 AND e<>:t))"


def parameters_of(session: EngineSession, plan: Plan) -> dict[str, Stored]:
    """A plan's parameters: values of variables, and what the reader sees."""
    values: dict[str, Stored] = {parameter: session.values[name] for name, parameter in plan.variables.items()}
    values["s"], values["t"] = view_of(session)
    return values


def view_of(session: EngineSession) -> tuple[int, int]:
    """What a reader sees: the last commit, and its own transaction's mark."""
    transaction = session.transaction
    seen = LATEST
    if transaction is not None and transaction.snapshot is not None:
        seen = transaction.snapshot
    return seen, transaction.mark if transaction is not None else 0


def lock_read(session: EngineSession, read: TableRead, plan: Plan) -> None:
    """The locks that a read of a table takes, and whom it waits for; raises 1222, 1205, 3952."""
    locks, resource = session.engine.locks, ("table", read.table.id)
    if session.is_secondary:
        _acquire(session, resource, SCHEMA_STABILITY, keep=False)
        begin_snapshot(session)
        return
    if read.hints & {"NOLOCK", "READUNCOMMITTED"}:
        _acquire(session, resource, SCHEMA_STABILITY, keep=False)
        return
    if session.isolation is Isolation.SNAPSHOT and session.transaction is not None:
        _acquire(session, resource, SCHEMA_STABILITY, keep=False)
        _snapshot(session, read)
        if not read.hints & {"XLOCK", "TABLOCKX", "UPDLOCK", "TABLOCK", "HOLDLOCK", "READCOMMITTEDLOCK"}:
            return
    keep = session.transaction is not None
    mode = _table_mode(session, read)
    _acquire(session, resource, mode, keep=keep and mode in {SHARED, UPDATE, EXCLUSIVE})
    if locks.holds(session.id, resource, EXCLUSIVE) or (_is_versioned(session, read) and mode == INTENT_SHARED):
        return
    if "READPAST" not in read.hints:
        _wait_for_rows(session, read, plan)
    if (
        keep
        and mode == INTENT_SHARED
        and (session.isolation in _HOLDING or read.hints & {"UPDLOCK", "XLOCK", "HOLDLOCK", "REPEATABLEREAD"})
    ):
        _lock_rows(session, read, plan)


_HOLDING: Final = {Isolation.REPEATABLE_READ, Isolation.SERIALIZABLE}


def _is_versioned(session: EngineSession, read: TableRead) -> bool:
    """Whether READ COMMITTED reads versions here instead of waiting."""
    versioned = session.isolation is Isolation.READ_COMMITTED and read.database.is_on("READ_COMMITTED_SNAPSHOT")
    return versioned and not read.hints & {
        "READCOMMITTEDLOCK",
        "UPDLOCK",
        "XLOCK",
        "HOLDLOCK",
        "SERIALIZABLE",
        "REPEATABLEREAD",
    }


def _table_mode(session: EngineSession, read: TableRead) -> str:
    """The table's lock.

    Without an index seek the rows of readers that hold locks are locked as a table (as after escalation).
    """
    if "TABLOCKX" in read.hints or {"TABLOCK", "XLOCK"} <= read.hints:
        return EXCLUSIVE
    if "TABLOCK" in read.hints:
        return SHARED
    holding = session.isolation in _HOLDING or read.hints & {"HOLDLOCK", "SERIALIZABLE", "REPEATABLEREAD"}
    if read.seeks and not (_is_serializable(session, read) and not read.hints & {"UPDLOCK", "XLOCK"}):
        return INTENT_SHARED
    if "XLOCK" in read.hints:
        return EXCLUSIVE
    if "UPDLOCK" in read.hints:
        return UPDATE
    return SHARED if holding else INTENT_SHARED


def _acquire(session: EngineSession, resource: tuple[object, ...], mode: str, *, keep: bool) -> None:
    session.engine.locks.acquire(
        session.id, resource, mode, timeout=session.lock_timeout, priority=session.deadlock_priority, keep=keep
    )


def begin_snapshot(session: EngineSession) -> None:
    """The first read of a transaction that sees one moment: from here on it is that one."""
    transaction = session.transaction
    if transaction is not None and transaction.snapshot is None and reads_snapshot(session):
        transaction.snapshot = session.engine.take_snapshot(session)


def _snapshot(session: EngineSession, read: TableRead) -> None:
    transaction = session.transaction
    assert transaction is not None  # noqa: S101  # the caller looked
    if not read.database.is_on("ALLOW_SNAPSHOT_ISOLATION") and not read.database.is_system:
        raise error(3952, read.database.name)
    begin_snapshot(session)


def _wait_for_rows(session: EngineSession, read: TableRead, plan: Plan) -> None:
    """READ COMMITTED with locks: rows that another transaction changed are waited for.

    Those are all rows of the table, or those that a seek finds.

    """
    where = "".join(f" AND {seek.sql}" for seek in read.seeks)
    mark = view_of(session)[1]
    while others_wrote(session, read.table.storage):
        values = {**parameters_of(session, plan), "t": mark}
        found = session.connection.rows(
            f"SELECT b, e FROM {read.table.storage} WHERE {_FOREIGN}{where} LIMIT 1", values
        )
        if not found:
            return
        owner = next(number for number in found[0] if number < 0 and number != mark)
        session.wait_for(("transaction", -owner))


def others_wrote(session: EngineSession, storage: str) -> bool:
    """Whether an open transaction of another session changed the table: otherwise there is nothing to look for."""
    others = [other.transaction for other in list(session.engine.sessions.values()) if other is not session]
    return any(storage in transaction.storages for transaction in others if transaction is not None)


def _lock_rows(session: EngineSession, read: TableRead, plan: Plan) -> None:
    where = "".join(f" AND {seek.sql}" for seek in read.seeks)
    mode = EXCLUSIVE if "XLOCK" in read.hints else UPDATE if "UPDLOCK" in read.hints else SHARED
    sql = f"SELECT DISTINCT r FROM {read.table.storage} WHERE {VISIBLE}{where}"
    found = session.connection.rows(sql, parameters_of(session, plan))
    for (row,) in found:
        _acquire(session, ("row", read.table.id, row), mode, keep=True)
    if _is_serializable(session, read) and not (found and _is_one_row(read)):
        _acquire(session, ("table", read.table.id), mode, keep=True)  # in place of the range that is empty, or may grow


def _is_serializable(session: EngineSession, read: TableRead) -> bool:
    return session.isolation is Isolation.SERIALIZABLE or bool(read.hints & {"HOLDLOCK", "SERIALIZABLE"})


def _is_one_row(read: TableRead) -> bool:
    """Whether the seeks name a whole unique key."""
    sought = {seek.column.id for seek in read.seeks}
    return any(index.unique and {column for column, _ in index.columns} <= sought for index in read.table.indexes)
