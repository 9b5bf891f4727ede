"""SQLite for a session: functions, Db2's errors, the catalogue's views."""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tailrace_standins.db2.engine import functions, system
from tailrace_standins.db2.engine.catalog import Database
from tailrace_standins.db2.engine.compiling.scope import unsupported
from tailrace_standins.db2.session import SqlError
from tailrace_standins.storage.sessions import Stored
from tailrace_standins.storage.sqlite import SqliteConnection


class Connection(SqliteConnection):
    """A connection to the database's file."""

    def __init__(self, path: Path, own: Callable[..., Stored]) -> None:
        super().__init__(path, SqlError)
        self._views: dict[str, int] = {}
        functions.register(self.define, self.raw)
        self.define("own", own, stable=False)

    def cancelled(self) -> SqlError:
        """The client interrupted."""
        return SqlError(-952, "57014")

    def unsupported(self, what: str) -> SqlError:
        """A function that is not there."""
        return unsupported(what)

    def fill(self, views: Sequence[str], database: Database) -> None:
        """Make the rows of views anew, if the catalogue has changed."""
        for view in system.views(database).values():
            if view.storage not in views or self._views.get(view.storage) == database.version:
                continue
            self._views[view.storage] = database.version
            listed = ", ".join(f"c{place}" for place in range(len(view.columns)))
            self.execute(f"CREATE TEMP TABLE IF NOT EXISTS {view.storage} ({listed})")
            self.execute(f"DELETE FROM temp.{view.storage}")
            marks = ", ".join("?" * len(view.columns))
            self.many(f"INSERT INTO temp.{view.storage} VALUES ({marks})", [tuple(row) for row in view.rows(database)])
