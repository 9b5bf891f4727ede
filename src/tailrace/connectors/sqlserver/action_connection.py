"""The connection on which `heartbeat.action.query` is run."""

from __future__ import annotations

import threading

from tailrace.connectors.sqlserver.connection import connect
from tailrace.connectors.sqlserver.settings import SqlServerSettings


class SqlServerActionConnection:
    """One session, in the first database of the configuration, opened when it is made.

    The driver does not like a connection to be closed while a statement runs on it: it is closed behind that then.
    """

    def __init__(self, settings: SqlServerSettings) -> None:
        self._session = connect(settings)
        self._lock = threading.Lock()
        self._is_running = self._is_closed = False

    def run(self, statement: str) -> None:
        """Run the statement."""
        with self._lock:
            self._is_running = True
        try:
            self._session.execute(statement)
        finally:
            with self._lock:
                self._is_running = False
                if self._is_closed:
                    self._session.close()

    def interrupt(self) -> None:
        """The statement is left to its end, or to `database.query.timeout.ms`."""

    def close(self) -> None:
        """End the session, now or behind the statement that is running."""
        with self._lock:
            self._is_closed = True
            if not self._is_running:
                self._session.close()
