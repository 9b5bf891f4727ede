"""SQLite for a session: functions, Db2's errors, the catalogue's views."""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tailrace_standins.db2.engine import functions, system
from tailrace_standins.db2.engine.catalog import Database
from tailrace_standins.db2.session import SqlError
from tailrace_standins.storage.sessions import Stored
from tailrace_standins.storage.sqlite import connect


class Connection:
    """A connection to the database's file (`storage.sessions.Connection`)."""

    def __init__(self, path: Path, own: Callable[..., Stored]) -> None:
        self.raw = connect(path)
        self.raw.execute("PRAGMA case_sensitive_like=ON")
        self._error: SqlError | None = None
        self._views: dict[str, int] = {}
        functions.register(self.define, self.raw)
        self.define("own", own, stable=False)

    def define(self, name: str, call: Callable[..., Stored], *, stable: bool = True) -> None:
        """A function for compiled text; a `SqlError` that it raises ends the statement."""

        def guarded(*arguments: Any) -> Stored:
            try:
                return call(*arguments)
            except SqlError as problem:
                self._error = problem
                raise
            except Exception as problem:
                self._error = SqlError(-270, "42997", f"{name} with these arguments ({problem})")
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

    def rows(self, sql: str, values: Mapping[str, Stored] | Sequence[Stored] = ()) -> list[tuple[Stored, ...]]:
        """All rows."""
        return self.fetch(self.execute(sql, values), -1)

    def fetch(self, cursor: sqlite3.Cursor, count: int) -> list[tuple[Stored, ...]]:
        """Up to `count` rows, all for -1; raises `SqlError`."""
        try:
            return cursor.fetchall() if count < 0 else cursor.fetchmany(count)
        except sqlite3.Error as problem:
            raise self.translated(problem) from problem

    def translated(self, problem: sqlite3.Error) -> SqlError:
        """The error that a client gets for one of SQLite."""
        found, self._error = self._error, None
        if found is not None:
            return found
        if "interrupted" in str(problem):
            return SqlError(-952, "57014")
        return SqlError(-270, "42997", f"what SQLite refuses ({problem})")

    def fill(self, views: Sequence[str], database: Database) -> None:
        """Make the rows of views anew, if the catalogue has changed."""
        for view in system.VIEWS.values():
            if view.storage not in views or self._views.get(view.storage) == database.version:
                continue
            self._views[view.storage] = database.version
            listed = ", ".join(f"c{place}" for place in range(len(view.columns)))
            self.execute(f"CREATE TEMP TABLE IF NOT EXISTS {view.storage} ({listed})")
            self.execute(f"DELETE FROM temp.{view.storage}")
            marks = ", ".join("?" * len(view.columns))
            self.many(f"INSERT INTO temp.{view.storage} VALUES ({marks})", [tuple(row) for row in view.rows(database)])
