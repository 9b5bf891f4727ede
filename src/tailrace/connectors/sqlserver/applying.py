"""Running what `tailrace check` found to be missing, when that is asked for (`--apply`).

A statement that fails does not keep the others from being run: the login may be allowed one thing and not another. What a
statement makes possible is looked at again, as enabling a database shows which of its tables are not captured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tailrace.connectors.findings import Applied, Finding, Statement
from tailrace.connectors.sqlserver.connection import connect
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import TailraceError


def statements_of(findings: Iterable[Finding]) -> list[Statement]:
    """What the findings ask for, each once, in their order."""
    return list(dict.fromkeys(statement for finding in findings for statement in finding.statements))


def apply(settings: SqlServerSettings, statements: Iterable[Statement]) -> Iterator[Applied]:
    """Run statements one by one, each in its database and in a transaction of its own."""
    for statement in statements:
        try:
            with connect(settings, statement.database) as session:
                session.execute(statement.sql)
        except TailraceError as error:
            yield Applied(statement, str(error))
        else:
            yield Applied(statement)
