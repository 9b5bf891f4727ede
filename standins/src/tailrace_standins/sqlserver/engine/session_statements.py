"""Executes USE, WAITFOR and transaction statements.

Source: "Transaction statements", https://learn.microsoft.com/sql/t-sql/language-elements/transactions-transact-sql
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import reading, tree, types
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.session import Outcome

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def use(session: EngineSession, statement: tree.Use) -> Iterator[Outcome]:
    """USE; raises 911."""
    yield from session.use(statement.database)


def wait_for(session: EngineSession, statement: tree.WaitFor) -> Iterator[Outcome]:
    """WAITFOR DELAY."""
    text = str(reading.evaluate(session, statement, 0, statement.delay, types.text("nvarchar", 40)))
    parts = [*text.split(":"), "0", "0"][:3]
    end = time.monotonic() + int(parts[0]) * 3600 + int(parts[1]) * 60 + float(parts[2])
    while time.monotonic() < end and not session.connection.is_cancelled:
        time.sleep(min(0.02, max(end - time.monotonic(), 0)))
    yield from ()


def transaction(session: EngineSession, statement: tree.Transaction) -> Iterator[Outcome]:
    """BEGIN, COMMIT, ROLLBACK and SAVE TRANSACTION."""
    name = statement.name
    if name.startswith("@"):
        if name.lower() not in session.types:
            raise error(137, name)
        name = str(session.values[name.lower()])
    if statement.verb == "BEGIN":
        yield from session.begin_transaction(name)
    elif statement.verb == "COMMIT":
        yield from session.commit_transaction()
    elif statement.verb == "SAVE":
        session.set_savepoint(name)
    else:
        yield from session.rollback_transaction(name)
