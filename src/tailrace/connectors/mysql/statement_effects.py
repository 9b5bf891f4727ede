"""Statements in the log that changed rows (statement-based logging): whether they may have changed captured tables.

A session that sets binlog_format to STATEMENT, or MIXED, logs its statements as text, and the changed rows can't become
events. Tools do that on healthy servers as well (pt-table-checksum), and some managed servers for their own tables.
So a statement is skipped if it is known to concern no captured table. Its text says which tables and views it
changes and which functions it calls; triggers, views, foreign keys, functions and MERGE tables propagate changes to
others, and for those the server is queried. What it does not show to this user counts as existing.

The server answers as of now, and the statement is older. So the statement is kept until reading reaches the log head of
that query: a trigger, function or foreign key that is dropped before that existed when the statement ran, and its drop
stops reading.

Statements on the server's own tables need no query: these have no triggers.

Source: MySQL Reference Manual, "Replication Formats", "INFORMATION_SCHEMA Tables".
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tailrace.connectors.mysql import catalog, connection
from tailrace.connectors.mysql.data_statements import DataStatement, read_data_statement, unquoted
from tailrace.connectors.mysql.ddl.tokens import blank_comments
from tailrace.connectors.mysql.log import Query, QueryKind
from tailrace.connectors.mysql.log.events import first_word
from tailrace.connectors.mysql.positions import file_number
from tailrace.connectors.mysql.propagated_changes import PropagatedChanges
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.structures import SqlMode
from tailrace.errors import NotInLogError
from tailrace.schema.tables import TableId

WITHOUT_TRIGGERS: Final = frozenset({"mysql", "information_schema", "performance_schema"})
WITHOUT_FUNCTIONS_OF_USERS: Final = WITHOUT_TRIGGERS | {"", "sys"}  # "": no database is chosen
_NAME: Final = r"(`(?:[^`]|``)+`|\"(?:[^\"]|\"\")+\"|[\w$\u0080-\uffff]+)"
DROPPED: Final = re.compile(
    rf"\bDROP\s+(TRIGGER|FUNCTION)\s+(?:IF\s+EXISTS\s+)?{_NAME}(?:\s*\.\s*{_NAME})?", re.IGNORECASE
)
CUT_OFF: Final = re.compile(r"\bDROP\s+(?:FOREIGN\s+KEY|CONSTRAINT)\b", re.IGNORECASE)
VIEW_GONE: Final = re.compile(
    r"\s*(?:DROP|ALTER\b.*?|CREATE\s+OR\s+REPLACE\b.*?)\s+VIEW\b", re.IGNORECASE | re.DOTALL
)
GONE: Final = re.compile(
    r"\s*(?:(?:DROP|RENAME)\s+(?:TABLE|VIEW|DATABASE|SCHEMA)|ALTER\s+TABLE\b.*?\bRENAME\s+(?!COLUMN|INDEX|KEY))\b",
    re.IGNORECASE | re.DOTALL,
)
WORD: Final = re.compile(_NAME)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _AllowedStatement:
    """A statement that was skipped by the server's answer at the log head `head`."""

    at: str
    statement: DataStatement
    reached: frozenset[TableId]
    head: tuple[int, int]


class StatementEffects:
    """Stops at statements that may have changed captured tables."""

    def __init__(self, settings: MySqlSettings, *, lower_names: bool) -> None:
        self._settings = settings
        self._lower_names = lower_names
        self._harmless: set[DataStatement] = set()  # until a statement changes what the server answered
        self._passed: list[_AllowedStatement] = []  # until the log is read up to the head of the query

    def take(self, query: Query) -> None:
        """Check a statement that changed rows.

        Raises:
            NotInLogError: it may have changed captured tables, and the configuration does not skip that.

        """
        mode = SqlMode.from_bits(query.sql_mode)
        self._judge(query, read_data_statement(query.sql, query.database, mode, lower_names=self._lower_names))

    def take_definition(self, query: Query) -> None:
        """Check a statement that changed something else.

        Raises:
            NotInLogError: it drops what may have propagated the changes of an earlier statement.

        """
        place = file_number(query.file), query.start
        self._passed = [each for each in self._passed if place < each.head]
        for passed in self._passed:
            if _drops_what_carried(query, passed):
                what = f"{first_word(query.sql).upper()} at {_place(query)} may have dropped what carried its changes on"
                self._stop(query, passed.at, passed.statement, _in_doubt(f"{what}, before the server was asked"))
        self._harmless.clear()

    def _judge(self, query: Query, statement: DataStatement) -> None:
        if statement.targets is None:
            self._stop(query, _place(query), statement, _in_doubt("its text does not tell which tables it changed"))
        elif captured := [table for table in statement.targets if self._settings.tables.matches(table)]:
            self._stop(query, _place(query), statement, f"{_listed(captured)} is captured")
        elif statement not in self._harmless:
            self._ask(query, statement, statement.targets)

    def _ask(self, query: Query, statement: DataStatement, targets: Sequence[TableId]) -> None:
        """Query the server for what else the statement may have changed."""
        asked = [table for table in targets if table.catalog not in WITHOUT_TRIGGERS]
        if not asked and all(database in WITHOUT_FUNCTIONS_OF_USERS for database, _ in statement.calls):
            return
        with connection.connect(self._settings) as session:
            why, reached = PropagatedChanges(session).objection(asked, statement, self._settings.tables.matches)
            head = catalog.head(session, catalog.server(session))
        if why is not None:
            self._stop(query, _place(query), statement, _in_doubt(why))
            return
        log.info("%s: %s is passed over, it concerns no captured table", _place(query), _what(statement))
        self._harmless.add(statement)
        self._passed.append(_AllowedStatement(_place(query), statement, reached, (file_number(head.file), head.pos)))

    def _stop(self, query: Query, at: str, statement: DataStatement, whose: str) -> None:
        complaint = f"{at}: {_what(statement)} stands in the log instead of the rows, and {whose}"
        mode = self._settings.event_processing_failure_handling_mode
        if mode == "fail":
            raise NotInLogError(f"{complaint}. {_remedy(query)}")
        level = logging.WARNING if mode == "warn" else logging.DEBUG
        log.log(level, "passed over, as the configuration wants: %s", complaint)


def _what(statement: DataStatement) -> str:
    if statement.targets is None:
        return f"a statement that changes rows ({statement.verb})"
    return f"a statement that changes rows of {_listed(statement.targets)} ({statement.verb})"


def _in_doubt(why: str) -> str:
    return f"it may have changed captured tables: {why}"


def _remedy(query: Query) -> str:
    behind = f"{query.file}:{query.position}"
    return (
        "binlog_format was not ROW in the session that wrote it: SET PERSIST binlog_format = ROW, and let no session change "
        "that. What it changed can't be read: take a new snapshot of the captured tables, or set the position behind it "
        f"({behind}, tailrace offsets set); event.processing.failure.handling.mode=warn passes over such statements"
    )


def _listed(tables: Iterable[TableId]) -> str:
    return ", ".join(f"{table.catalog}.{table.name}" for table in tables)


def _place(query: Query) -> str:
    return f"{query.file}:{query.start}"


def _drops_what_carried(query: Query, passed: _AllowedStatement) -> bool:
    sql = blank_comments(query.sql, SqlMode.from_bits(query.sql_mode))
    databases = {table.catalog.lower() for table in passed.reached}
    for kind, first, second in DROPPED.findall(sql):
        database, name = (unquoted(first), unquoted(second)) if second else (query.database, unquoted(first))
        is_function = kind.upper() == "FUNCTION"
        if (database.lower(), name.lower()) in passed.statement.calls if is_function else database.lower() in databases:
            return True
    if query.kind is not QueryKind.DEFINITION:
        return False
    if CUT_OFF.search(sql):
        return True
    names = {unquoted(word).lower() for word in WORD.findall(sql)}
    reached = {table.name.lower() for table in passed.reached} | databases
    if VIEW_GONE.match(sql):
        return bool(names & (reached | passed.statement.reads))
    return bool(GONE.match(sql)) and bool(names & reached)
