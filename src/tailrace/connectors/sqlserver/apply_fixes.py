"""Executes the statements of `tailrace check`'s findings, if the user requests it (`--apply`).

A statement that fails does not prevent the others: the login may have one permission and lack another. The caller
checks again afterwards, because enabling a database, for example, shows which of its tables are not captured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tailrace.connectors.findings import Applied, Finding, Statement
from tailrace.connectors.sqlserver.connection import connect
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import TailraceError


def statements_of(findings: Iterable[Finding]) -> list[Statement]:
    """The findings' statements, each once, in order."""
    return list(dict.fromkeys(statement for finding in findings for statement in finding.statements))


def apply(settings: SqlServerSettings, statements: Iterable[Statement]) -> Iterator[Applied]:
    """Execute statements one by one, each in its database and its own transaction."""
    for statement in statements:
        try:
            with connect(settings, statement.database) as session:
                session.execute(statement.sql)
        except TailraceError as error:
            yield Applied(statement, str(error))
        else:
            yield Applied(statement)
