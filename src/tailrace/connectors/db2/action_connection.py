"""The connection for `heartbeat.action.query`."""

from __future__ import annotations

import threading

from tailrace.connectors.db2.connection import connect
from tailrace.connectors.db2.settings import Db2Settings


class Db2ActionConnection:
    """One session, opened at once; each statement is committed.

    A session must not be closed while a statement runs on it. In that case it is closed after the statement.
    """

    def __init__(self, settings: Db2Settings) -> None:
        self._session = connect(settings)
        self._lock = threading.Lock()
        self._is_running = self._is_closed = False

    def run(self, statement: str) -> None:
        """Run the statement, and commit it."""
        with self._lock:
            self._is_running = True
        try:
            self._session.execute(statement)
            self._session.commit()
        finally:
            with self._lock:
                self._is_running = False
                if self._is_closed:
                    self._session.close()

    def interrupt(self) -> None:
        """Do nothing: the statement runs to its end, or to `database.query.timeout.ms`."""

    def close(self) -> None:
        """Close the session, now or after the running statement."""
        with self._lock:
            self._is_closed = True
            if not self._is_running:
                self._session.close()
