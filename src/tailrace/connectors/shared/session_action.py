"""The connection for `heartbeat.action.query` over a session that must not be closed while a statement runs on it."""

from __future__ import annotations

import threading
from collections.abc import Callable


class SessionAction:
    """One open session. If it is to be closed while a statement runs, it is closed after the statement."""

    def __init__(self, execute: Callable[[str], object], close: Callable[[], object]) -> None:
        """`execute` runs a statement and commits it; `close` closes the session."""
        self._execute = execute
        self._close = close
        self._lock = threading.Lock()
        self._is_running = self._is_closed = False

    def run(self, statement: str) -> None:
        """Run the statement, and commit it."""
        with self._lock:
            self._is_running = True
        try:
            self._execute(statement)
        finally:
            with self._lock:
                self._is_running = False
                if self._is_closed:
                    self._close()

    def interrupt(self) -> None:
        """Do nothing: the statement runs to its end, or to `database.query.timeout.ms`."""

    def close(self) -> None:
        """Close the session, now or after the running statement."""
        with self._lock:
            self._is_closed = True
            if not self._is_running:
                self._close()
