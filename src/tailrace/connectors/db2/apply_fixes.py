"""Executes the statements of `tailrace check`'s findings, if the user requests it (`--apply`).

A statement that fails does not prevent the others: the user may have one right and lack another. The Capture program reads the
register anew when all else is done. What it answers is text; one that says that nothing was done counts as a failure.

Source: Debezium documentation, "Setting up Db2" (ASNCDCSERVICES)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tailrace.connectors.db2.connection import Session, connect
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.setup_sql import Db2Statement
from tailrace.connectors.findings import Applied, Finding, Statement
from tailrace.errors import SourceSetupError, TailraceError

_REFUSALS: Final = ("is not running", "was not processed")


def statements_of(findings: Iterable[Finding]) -> list[Statement]:
    """The findings' statements, each once, in order; those for the Capture program come last."""
    found = dict.fromkeys(statement for finding in findings for statement in finding.statements)
    return sorted(found, key=lambda each: isinstance(each, Db2Statement) and each.is_last)


def apply(settings: Db2Settings, statements: Iterable[Statement]) -> Iterator[Applied]:
    """Execute statements one by one, each in its own transaction."""
    for statement in statements:
        try:
            with connect(settings) as session:
                _run(session, statement.sql)
                session.commit()
        except TailraceError as error:
            yield Applied(statement, str(error))
        else:
            yield Applied(statement)


def _run(session: Session, sql: str) -> None:
    """Raises `SourceSetupError` where the Capture program answers that it did nothing."""
    if not sql.startswith("VALUES "):
        session.execute(sql)
        return
    for (answer,) in session.raw_rows(sql):
        text = answer.decode("utf-8", "replace").strip() if isinstance(answer, bytes) else str(answer)
        if any(refusal in text for refusal in _REFUSALS):
            raise SourceSetupError(f"the Capture program answers: {text}")
