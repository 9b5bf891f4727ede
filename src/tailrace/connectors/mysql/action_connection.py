"""The connection that runs `heartbeat.action.query`."""

from __future__ import annotations

import contextlib
import socket

from tailrace.connectors.mysql import connection as mysql
from tailrace.connectors.mysql.settings import MySqlSettings


class MySqlActionConnection:
    """One connection, opened at creation."""

    def __init__(self, settings: MySqlSettings) -> None:
        self._connection = mysql.connect(settings)
        self._takes_several = settings.driver_allowmultiqueries

    def run(self, statement: str) -> None:
        """Run the statement, or several if the configuration allows that."""
        several = mysql.several_statements(self._connection) if self._takes_several else contextlib.nullcontext()
        with several:
            mysql.execute(self._connection, statement)

    def interrupt(self) -> None:
        """Wake the thread that waits for an answer."""
        with contextlib.suppress(OSError, AttributeError):
            self._connection._sock.shutdown(socket.SHUT_RDWR)  # noqa: SLF001 -- there is no public way

    def close(self) -> None:
        """Close the socket without COM_QUIT, which would fail on a broken connection."""
        self._connection._force_close()  # noqa: SLF001 -- as above
