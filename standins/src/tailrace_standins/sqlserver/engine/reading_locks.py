"""The locks of readers, by isolation level and hints, and the transactions that a reader waits for.

Source: "Table hints", https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-table
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine.access import reads_snapshot
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.locks import INTENT_SHARED, SCHEMA_STABILITY, UPDATE
from tailrace_standins.sqlserver.engine.scope import Plan, TableRead
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.session import Isolation
from tailrace_standins.storage import reading
from tailrace_standins.storage.locks import EXCLUSIVE, SHARED
from tailrace_standins.storage.waiting import lock

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def parameters_of(session: EngineSession, plan: Plan) -> dict[str, Stored]:
    """A plan's parameters: values of variables, and the reader's view (`view_of`)."""
    values: dict[str, Stored] = {parameter: session.values[name] for name, parameter in plan.variables.items()}
    values["s"], values["t"] = reading.view_of(session)
    return values


def lock_read(session: EngineSession, read: TableRead, plan: Plan) -> None:
    """Acquire the locks of reading a table, and wait for other transactions; raises 1222, 1205, 3952."""
    resource = ("table", read.table.id)
    if session.is_secondary:
        lock(session, resource, SCHEMA_STABILITY, keep=False)
        begin_snapshot(session)
        return
    if read.hints & {"NOLOCK", "READUNCOMMITTED"}:
        lock(session, resource, SCHEMA_STABILITY, keep=False)
        return
    if session.isolation is Isolation.SNAPSHOT and session.transaction is not None:
        lock(session, resource, SCHEMA_STABILITY, keep=False)
        _snapshot(session, read)
        if not read.hints & {"XLOCK", "TABLOCKX", "UPDLOCK", "TABLOCK", "HOLDLOCK", "READCOMMITTEDLOCK"}:
            return
    keep = session.transaction is not None
    mode = _table_mode(session, read)
    lock(session, resource, mode, keep=keep and mode in {SHARED, UPDATE, EXCLUSIVE})
    if session.store.locks.holds(session.id, resource, EXCLUSIVE) or (_is_versioned(session, read) and mode == INTENT_SHARED):
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


def begin_snapshot(session: EngineSession) -> None:
    """Begin the snapshot of a SNAPSHOT transaction at its first read."""
    if reads_snapshot(session):
        reading.begin_snapshot(session)


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
    reading.wait_for_rows(session, read.table.storage, _where(read), parameters_of(session, plan))


def _lock_rows(session: EngineSession, read: TableRead, plan: Plan) -> None:
    mode = EXCLUSIVE if "XLOCK" in read.hints else UPDATE if "UPDLOCK" in read.hints else SHARED
    found = reading.lock_rows(session, read.table, _where(read), parameters_of(session, plan), mode)
    if _is_serializable(session, read) and not (found and _is_one_row(read)):
        # instead of key-range locks, which also keep others from inserting rows
        lock(session, ("table", read.table.id), mode, keep=True)


def _where(read: TableRead) -> str:
    return "".join(f" AND {seek.sql}" for seek in read.seeks)


def _is_serializable(session: EngineSession, read: TableRead) -> bool:
    return session.isolation is Isolation.SERIALIZABLE or bool(read.hints & {"HOLDLOCK", "SERIALIZABLE"})


def _is_one_row(read: TableRead) -> bool:
    """Whether the seeks name a whole unique key."""
    sought = {seek.column.id for seek in read.seeks}
    return any(index.is_enforced and {column for column, _ in index.columns} <= sought for index in read.table.indexes)
