"""A session's SQLite connection: settings, the Python functions for compiled statements, SQL Server's errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tailrace_standins.sqlserver.engine import collations
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.functions import aggregates, dates, formats, patterns
from tailrace_standins.sqlserver.engine.functions.primitives import PRIMITIVES, raised
from tailrace_standins.sqlserver.engine.functions.registry import FUNCTIONS
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.storage.sqlite import SqliteConnection

CANCELLED: Final = 3617  # as SQL Server calls an attention: the wire answers with DONE (attention), not with an error


def cancelled() -> SqlError:
    """What ends because the client wants it."""
    return SqlError(CANCELLED, "Operation cancelled by user.", severity=11)


class Connection(SqliteConnection):
    """SQLite for one session."""

    def __init__(self, path: Path) -> None:
        """Open the server's file."""
        super().__init__(path, SqlError)
        self.is_cancelled = False
        collations.register(self.raw)
        aggregates.register(self.raw)
        self._functions()

    def cancelled(self) -> SqlError:
        """An attention."""
        return cancelled()

    def unsupported(self, what: str) -> SqlError:
        """Not a number of SQL Server."""
        return unsupported(what)

    def meaning(self, text: str) -> SqlError | None:
        """A sum without room."""
        return error(8115, "expression", "bigint") if "integer overflow" in text else None

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
