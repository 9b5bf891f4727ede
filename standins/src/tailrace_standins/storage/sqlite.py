"""The SQLite file of a stand-in's tables, and a session's connection to it."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tailrace_standins.storage.sessions import Stored

_INSTRUCTIONS: Final = 1_000_000  # of SQLite's machine, between two looks at the client
_SETTINGS: Final = (
    "journal_mode=WAL",
    "synchronous=OFF",  # survives a crash of the server's process, and a stand-in need not survive more
    "temp_store=MEMORY",
    "cache_size=-16000",
    "case_sensitive_like=ON",
)


def connect(path: Path) -> sqlite3.Connection:
    """A connection for one session; `isolation_level=None` leaves BEGIN and COMMIT to the caller."""
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=60, cached_statements=512
    )
    for setting in _SETTINGS:
        connection.execute(f"PRAGMA {setting}")
    return connection


class SqliteConnection(ABC):
    """A connection (`sessions.Connection`) that raises the stand-in's errors, which a subclass makes.

    Args:
        path: the file.
        error: the class of the errors that functions in statements may raise.

    """

    def __init__(self, path: Path, error: type[Exception]) -> None:
        self.raw = connect(path)
        self._error_class = error
        self._error: Exception | None = None

    @abstractmethod
    def cancelled(self) -> Exception:
        """The error of a statement that was interrupted."""

    @abstractmethod
    def unsupported(self, what: str) -> Exception:
        """The error for what the stand-in does not do."""

    def meaning(self, text: str) -> Exception | None:
        """The stand-in's error for one of SQLite that has an equal; None: it has none."""
        del text
        return None

    def watch(self, is_gone: Callable[[], bool] | None) -> None:
        """Interrupt statements as soon as that is true, which is asked some times a second while one runs; None: never."""
        self.raw.set_progress_handler(is_gone, _INSTRUCTIONS)

    def define(self, name: str, call: Callable[..., Stored], *, stable: bool = True) -> None:
        """A function for compiled statements; an error of the stand-in that it raises ends the statement."""

        def guarded(*arguments: Any) -> Stored:
            try:
                return call(*arguments)
            except self._error_class as problem:
                self._error = problem
                raise
            except Exception as problem:
                self._error = self.unsupported(f"{name} with these arguments ({problem})")
                raise

        self.raw.create_function(name, -1, guarded, deterministic=stable)

    def execute(self, sql: str, values: Mapping[str, Stored] | Sequence[Stored] = ()) -> sqlite3.Cursor:
        """Run a statement; raises the stand-in's error."""
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
        """Up to `count` rows."""
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

    def translated(self, problem: sqlite3.Error) -> Exception:
        """The stand-in's error for one of SQLite."""
        found, self._error = self._error, None
        if found is not None:
            return found
        text = str(problem)
        if "interrupted" in text:
            return self.cancelled()
        return self.meaning(text) or self.unsupported(f"a statement that SQLite refuses ({text})")
