"""A prepared statement on a connection of the driver: prepared, run, its packets read, closed.

From the answer to the first command until the end of the rows this module reads the socket, not the driver, which
would make an object of each packet. The driver has nothing buffered then: a server sends only answers. After
the last row, or an error of the server, the connection can be used for other
statements; if it is abandoned earlier it is closed, since the other rows would have to be read.

Text comes in each column's own character set, as in the log (`character_set_results`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pymysql

from tailrace.connectors.mysql import connection as mysql
from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.selecting import protocol
from tailrace.connectors.mysql.selecting.packets import PacketReader
from tailrace.connectors.mysql.selecting.protocol import Definition, Parameter
from tailrace.errors import LogFormatError

DEPRECATE_EOF: Final = 1 << 24
WRITE_TIMEOUT_SECONDS: Final = 3600  # how long the server waits for a reader that is busy delivering; its default is a minute
_SHOWN: Final = 120


class Statement:
    """A statement that returns rows; not thread-safe.

    Attributes:
        definitions: the current ones of the columns.
        packets: the rows, once it runs.

    """

    definitions: tuple[Definition, ...]
    packets: PacketReader

    def __init__(self, connection: Connection, sql: str) -> None:
        """Prepare it.

        Raises:
            TailraceError: the server refuses it, or the connection is lost.

        """
        self._connection = connection
        self._doing = f"running {sql if len(sql) <= _SHOWN else sql[: _SHOWN - 3] + '...'!r}"
        self._number: int | None = None
        self._is_open = True
        try:
            self._prepare(sql)
        except BaseException:
            self.abandon()
            raise

    def execute(self, parameters: Sequence[Parameter] = ()) -> None:
        """Run it; `packets` then begins with the first row.

        Raises:
            TailraceError: the server refuses that, or the connection is lost.
            ValueError: it has another number of parameters, or returns no rows.

        """
        try:
            self._execute(parameters)
        except BaseException:
            self.abandon()
            raise

    def end(self) -> None:
        """Read the packet after the last row, which frees the connection.

        Raises:
            TailraceError: the packet is an error of the server's.

        """
        packet = self._answer()
        if packet[:1] != bytes([protocol.END]):
            self.abandon()
            raise LogFormatError(f"{self._doing}: a packet that is no row and no end: {packet[:20]!r}")
        self.close()

    def close(self) -> None:
        """Close it, unless it is closed; call it only when no rows are pending."""
        if not self._is_open:
            return
        self._is_open = False
        with mysql.translated(self._doing):
            if self._number is not None:
                self._connection._execute_command(protocol.COM_STMT_CLOSE, protocol.closing(self._number))  # noqa: SLF001
        mysql.execute(self._connection, f"SET character_set_results = {self._connection.charset}")

    def abandon(self) -> None:
        """Close the connection, unless the statement is closed: the pending rows are no longer wanted."""
        if self._is_open:
            self._is_open = False
            self._connection._force_close()  # noqa: SLF001 -- nothing can be said in the midst of an answer

    def _prepare(self, sql: str) -> None:
        timeout = WRITE_TIMEOUT_SECONDS
        mysql.execute(self._connection, f"SET character_set_results = NULL, SESSION net_write_timeout = {timeout}")
        sock = self._connection._sock  # noqa: SLF001 -- the driver has no public way to it
        self.packets = PacketReader(sock, self._doing)
        self._send(protocol.COM_STMT_PREPARE, sql.encode())
        answer = protocol.prepared(self._answer())
        self._number = answer.number
        self._parameters = len(self._definitions(answer.parameters))
        self.definitions = self._definitions(answer.columns)

    def _execute(self, parameters: Sequence[Parameter]) -> None:
        if self._number is None or len(parameters) != self._parameters:
            raise ValueError(f"{self._doing}: it takes {self._parameters} parameters, and {len(parameters)} are given")
        self._send(protocol.COM_STMT_EXECUTE, protocol.execution(self._number, parameters))
        columns = protocol.columns_of_result(self._answer())
        if columns == 0:
            raise ValueError(f"{self._doing}: it gives no rows")
        self.definitions = self._definitions(columns)

    def _send(self, command: int, payload: bytes) -> None:
        with mysql.translated(self._doing):
            self._connection._execute_command(command, payload)  # noqa: SLF001 -- no public way either
        sock = self._connection._sock  # noqa: SLF001
        sock.settimeout(self._connection._read_timeout)  # noqa: SLF001 -- the driver's own, set for writing now

    def _definitions(self, count: int) -> tuple[Definition, ...]:
        """Read `count` definitions, and the packet at their end, which newer clients don't need."""
        found = tuple(protocol.definition(self._answer()) for _ in range(count))
        if count and not self._connection.client_flag & DEPRECATE_EOF:
            self._answer()
        return found

    def _answer(self) -> bytes:
        """The next packet; raises the server's error, which leaves the connection free."""
        packet = self.packets.packet()
        if packet[:1] == bytes([protocol.ERROR]):
            self.close()
            with mysql.translated(self._doing):
                pymysql.err.raise_mysql_exception(packet)
        return packet
