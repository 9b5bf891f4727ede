"""The consequences of an error besides the end of its statement: it may end the batch or the transaction.

Sources: "TRY...CATCH", https://learn.microsoft.com/sql/t-sql/language-elements/try-catch-transact-sql;
"SET XACT_ABORT", https://learn.microsoft.com/sql/t-sql/statements/set-xact-abort-transact-sql
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.connection import CANCELLED
from tailrace_standins.sqlserver.engine.errors import UNSUPPORTED
from tailrace_standins.sqlserver.session import Failed, Outcome, SqlError

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


# Errors that end the batch, not only their statement.
_BATCH: Final = frozenset((
    207, 208, 209, 137, 241, 242, 245, 911, 1087, 1205, 2812, 3902, 3960, 3998, 4104, 4121,
    4701, 8114, 8120, 8169, CANCELLED, UNSUPPORTED,
))  # fmt: skip
_ROLLED_BACK: Final = frozenset((1205, 3960))
_CONVERSIONS: Final = frozenset((241, 245, 8114))  # end the batch and its transaction; in TRY they doom it


def failed(session: EngineSession, statement: tree.Statement, problem: SqlError) -> Iterator[Outcome]:
    """What an error of a statement ends besides it."""
    if problem is session.ending:
        raise problem
    if problem.line == 1:
        problem.line = statement.line
    session.last_error = problem.number
    session.row_count = 0
    if session.transaction is not None and (
        problem.number in _ROLLED_BACK
        or (not session.try_depth and (session.xact_abort or problem.number in _CONVERSIONS))
    ):
        if not (isinstance(statement, tree.Raiserror) and problem.number not in _ROLLED_BACK):
            yield session.abort()
    elif (
        session.transaction is not None and session.try_depth and (session.xact_abort or problem.number in _CONVERSIONS)
    ):
        session.transaction.is_doomed = True
    is_raised = isinstance(statement, tree.Raiserror)
    ends = (
        problem.number in _BATCH
        or problem.severity >= 20
        or isinstance(statement, tree.Throw)
        or (session.xact_abort and not is_raised)
    )
    if session.try_depth:
        raise problem
    if ends:
        session.ending = problem
        raise problem
    yield Failed(problem)
