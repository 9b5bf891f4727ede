"""Writes rows as versions: identity values, rowversions, constraint checks, the log.

Source: "INSERT", https://learn.microsoft.com/sql/t-sql/statements/insert-transact-sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import access, convert, keys, reading, stored, types
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.dml_plans import InsertPlan
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.locks import INTENT_EXCLUSIVE
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.sqlserver.values import SqlType
from tailrace_standins.storage import versions
from tailrace_standins.storage.log import Operation
from tailrace_standins.storage.transactions import write
from tailrace_standins.storage.waiting import lock

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


Row = list[Stored]


def intend(session: EngineSession, database: Database, table: Table, action: str) -> None:
    """Lock a table that a statement is about to write (IX); raises as `access.check_write`."""
    access.check_write(session, database, table, action)
    if not table.is_temporary:
        lock(session, ("table", table.id), INTENT_EXCLUSIVE, keep=session.transaction is not None)


def write_rows(session: EngineSession, plan: InsertPlan, rows: list[Row]) -> list[Row]:
    """The rows of the plan's query, or those given, become versions."""
    values = reading.prepare(session, plan.plan) if plan.plan else {}
    intend(session, plan.database, plan.table, "INSERT")

    def work(transaction: Transaction) -> list[Row]:
        new = [list(row) for row in session.connection.rows(plan.plan.sql, values)] if plan.plan else rows
        _generate(session, plan, new)
        keys.check_not_null(plan.database, plan.table, new, "INSERT")
        rids = versions.make(session, transaction, plan.table, new)
        keys.check_unique(session, transaction, plan.table, rids, new)
        keys.check_constraints(session, plan.database, plan.table, rids, "INSERT")
        versions.log(transaction, plan.database, plan.table, Operation.INSERT, (), new)
        return new

    return write(session, work)


def _generate(session: EngineSession, plan: InsertPlan, rows: list[Row]) -> None:
    """Identity values and row versions. An identity value is used up also where the statement fails."""
    identities, column = session.engine.identities, plan.table.identity
    if column is not None and column.identity is not None:
        seed, step = column.identity
        if plan.generated is not None:
            for row in rows:
                last = identities.get(plan.table.id)
                number = seed if last is None else last + step
                row[plan.generated] = _identity_value(number, column.type)
                identities[plan.table.id] = number
        elif plan.explicit is not None:
            for row in rows:
                given = _whole(row[plan.explicit])
                last = identities.get(plan.table.id)
                if last is None or (given > last if step > 0 else given < last):
                    identities[plan.table.id] = given
        if rows:
            place = plan.generated if plan.generated is not None else plan.explicit
            session.identity = _whole(rows[-1][place]) if place is not None else None
    if plan.version is not None:
        for row in rows:
            row[plan.version] = next_version(session)


def _identity_value(number: int, of: SqlType) -> Stored:
    try:
        return convert.converted(number, types.BIGINT, of)
    except SqlError:
        raise error(8115, "IDENTITY", of.name) from None


def _whole(value: Stored) -> int:
    return int(stored.exact(value)) if isinstance(value, str) else int(value)


def next_version(session: EngineSession) -> bytes:
    """The next rowversion."""
    session.engine.rowversion += 1
    return session.engine.rowversion.to_bytes(8, "big")
