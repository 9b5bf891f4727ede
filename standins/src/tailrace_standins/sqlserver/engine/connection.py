"""A session's SQLite connection: settings, the Python functions for compiled statements, SQL Server's errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tailrace_standins.sqlserver.engine import collations
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.functions import aggregates, dates, formats, patterns
from tailrace_standins.sqlserver.engine.functions.primitives import PRIMITIVES, raised
from tailrace_standins.sqlserver.engine.functions.registry import FUNCTIONS
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.storage.sqlite import connect

CANCELLED: Final = 3617  # as SQL Server calls an attention: the wire answers with DONE (attention), not with an error


def cancelled() -> SqlError:
    """What ends because the client wants it."""
    return SqlError(CANCELLED, "Operation cancelled by user.", severity=11)


class Connection:
    """SQLite for one session (`storage.sessions.Connection`)."""

    def __init__(self, path: Path) -> None:
        """Open the server's file."""
        self.raw = connect(path)
        self._error: SqlError | None = None
        self.is_cancelled = False
        collations.register(self.raw)
        aggregates.register(self.raw)
        self._functions()

    def define(self, name: str, call: Callable[..., Stored], *, stable: bool = True) -> None:
        """A function for compiled statements; a `SqlError` that it raises ends the statement."""

        def guarded(*arguments: Any) -> Stored:
            try:
                return call(*arguments)
            except SqlError as problem:
                self._error = problem
                raise
            except Exception as problem:
                self._error = unsupported(f"{name} with these arguments ({problem})")
                raise

        self.raw.create_function(name, -1, guarded, deterministic=stable)

    def execute(self, sql: str, values: Mapping[str, Stored] | Sequence[Stored] = ()) -> sqlite3.Cursor:
        """Run a statement; raises `SqlError`."""
        try:
            return self.raw.execute(sql, values)
        except sqlite3.Error as problem:
            raise self.translated(problem) from problem

    def many(self, sql: str, rows: Sequence[Sequence[Stored]]) -> None:
        """Run a statement for each row."""
        try:
            self.raw.executemany(sql, rows)
        except sqlite3.Error as problem:
            raise self.translated(problem) from problem

    def fetch(self, cursor: sqlite3.Cursor, count: int) -> list[tuple[Stored, ...]]:
        """Up to `count` rows; raises `SqlError`."""
        try:
            return cursor.fetchmany(count)
        except sqlite3.Error as problem:
            raise self.translated(problem) from problem

    def rows(self, sql: str, values: Mapping[str, Stored] | Sequence[Stored] = ()) -> list[tuple[Stored, ...]]:
        """All rows."""
        cursor = self.execute(sql, values)
        try:
            return cursor.fetchall()
        except sqlite3.Error as problem:
            raise self.translated(problem) from problem

    def translated(self, problem: sqlite3.Error) -> SqlError:
        """The SQL Server error for an error of SQLite."""
        found, self._error = self._error, None
        if found is not None:
            return found
        text = str(problem)
        if "interrupted" in text:
            return cancelled()
        if "integer overflow" in text:
            return error(8115, "expression", "bigint")
        return unsupported(f"a statement that SQLite refuses ({text})")

    def _functions(self) -> None:
        for primitive, call in (PRIMITIVES | dates.CALLED).items():
            self.define(primitive, call)
        self.define("formatted", formats.formatted)
        self.define("lik", patterns.liker())
        self.define("raise_error", raised, stable=False)
        for name, function in FUNCTIONS.items():
            call = function.call if function.takes_null else _strict(function.call)
            self.define(f"f_{name.lower()}", call, stable=function.is_stable)


def _strict(call: Callable[..., Stored]) -> Callable[..., Stored]:
    return lambda *arguments: None if None in arguments else call(*arguments)
