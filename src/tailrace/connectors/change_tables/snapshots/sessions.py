"""Sessions for planning a snapshot."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Generic, Self

from tailrace.connectors.change_tables.dialect import Dialect, Session


class Sessions(Generic[Session]):
    """A session in each configured database, by the server's spelling of its name."""

    def __init__(self, dialect: Dialect[Session]) -> None:
        self._dialect = dialect
        self._stack = ExitStack()
        self.by_database: dict[str, Session] = {}

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for name in self._dialect.databases:
                session = stack.enter_context(self._dialect.connect(name))
                self.by_database[self._dialect.require_captured(session, name)] = session
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
