"""THROW, RAISERROR, PRINT: user-defined errors and messages.

Source: "RAISERROR", https://learn.microsoft.com/sql/t-sql/language-elements/raiserror-transact-sql
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tailrace_standins.sqlserver.engine import reading, tree, types
from tailrace_standins.sqlserver.session import Notice, Outcome, SqlError

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def notice(number: int, message: str, severity: int = 0, state: int = 1) -> Notice:
    """A message that is no error."""
    return Notice(number, message, severity, state)


def throw(session: EngineSession, statement: tree.Throw) -> Iterator[Outcome]:
    """THROW; raises the given error, or the one that the CATCH block around it caught."""
    if not statement.arguments:
        if not session.errors:
            raise SqlError(
                10704, "To rethrow an error, a THROW statement must be used inside a CATCH block.", severity=15
            )
        raise session.errors[-1]
    number, message, state = (
        reading.evaluate(session, statement, place, argument, of)
        for place, (argument, of) in enumerate(
            zip(statement.arguments, (types.INT, types.text("nvarchar", 2048), types.INT), strict=True)
        )
    )
    yield from failing(SqlError(number, message, state=state, line=statement.line))


def failing(problem: Exception) -> Iterator[Outcome]:
    """No outcomes but an error."""
    yield from ()
    raise problem


def raiserror(session: EngineSession, statement: tree.Raiserror) -> Iterator[Outcome]:
    """RAISERROR: an error, or below severity 11 a message."""
    first, second, third, *rest = statement.arguments
    severity = int(reading.evaluate(session, statement, 1, second, types.INT))
    state = int(reading.evaluate(session, statement, 2, third, types.INT))
    values = [reading.evaluate(session, statement, 3 + i, each) for i, each in enumerate(rest)]
    number, text = 50000, reading.evaluate(session, statement, 0, first)
    if isinstance(text, int):
        number, text = (
            text,
            (
                f"Error {text}, severity {severity}, state {state} was raised, but no message with that error number "
                "was found in sys.messages."
            ),
        )
    message = _filled(str(text), values)
    if severity <= 10:
        yield notice(number, message, severity, state)
        return
    if "LOG" in statement.options or severity < 19:
        raise SqlError(number, message, severity=severity, state=state, line=statement.line)
    raise SqlError(
        2754,
        "Error severity levels greater than 18 can only be specified by members of the sysadmin role, "
        "using the WITH LOG option.",
    )


def _filled(text: str, values: list[Any]) -> str:
    left = iter(values)

    def shown(match: re.Match[str]) -> str:
        if match.group() == "%%":
            return "%"
        value = next(left, None)
        return (
            "(null)"
            if value is None
            else f"{match.group()[:-1].replace('I64', '')}{match.group()[-1].replace('i', 'd').replace('u', 'd')}"
            % value
        )

    return re.sub(r"%%|%[-+ #0]*\d*(?:\.\d+)?(?:I64)?[sdiuxXo]", shown, text)


def print_message(session: EngineSession, statement: tree.Print) -> Iterator[Outcome]:
    """PRINT."""
    value = reading.evaluate(session, statement, 0, statement.value, types.text("nvarchar", 4000))
    yield notice(0, " " if value in {None, ""} else value)
