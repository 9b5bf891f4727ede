"""The stand-in as a server.

    with StandIn(engine) as server:
        connect(port=server.port)

It listens on the loopback only.
"""

from __future__ import annotations

import itertools
import socket
import ssl
from pathlib import Path

from tailrace_standins.db2.drda.connection import Connection
from tailrace_standins.db2.session import Server
from tailrace_standins.listener import Listener


class StandIn(Listener[Connection]):
    """A server of Db2's protocol over an engine.

    Args:
        engine: authenticates clients and makes their sessions; it is not closed with the server.
        port: to listen on; 0 for a free one.
        certificate: a PEM file with a private key and its certificate; with it, all is TLS from the first byte on, as at the
            port of a Db2's SSL_SVCENAME.

    """

    def __init__(self, engine: Server, *, port: int = 0, certificate: Path | None = None) -> None:
        super().__init__(self._connection, port)
        self._engine = engine
        self._tls = _context(certificate) if certificate else None
        self._tokens = itertools.count(1)

    def _connection(self, client: socket.socket) -> Connection:
        token = next(self._tokens).to_bytes(8, "big")
        return Connection(client, self._engine, token, self._interrupt, self._tls)

    def _interrupt(self, token: bytes) -> None:
        for connection in self.connections():
            if connection.token == token:
                connection.cancel()


def _context(certificate: Path) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.load_cert_chain(certificate)
    return made
