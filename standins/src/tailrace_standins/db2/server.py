"""The listening socket: a thread that accepts clients, a thread for each, and a clean stop.

    with StandIn(engine) as server:
        connect(port=server.port)

It listens on the loopback only.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import socket
import ssl
import threading
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tailrace_standins.db2.drda.connection import Connection
from tailrace_standins.db2.session import Server

HOST: Final = "127.0.0.1"
_BACKLOG: Final = 1024
_FAREWELL_SECONDS: Final = 10.0
_HANDSHAKE_SECONDS: Final = 30.0
_LOG = logging.getLogger(__name__)


class StandIn:
    """A server of Db2's protocol over an engine.

    Args:
        engine: authenticates clients and makes their sessions; it is not closed with the server.
        port: to listen on; 0 for a free one.
        certificate: a PEM file with a private key and its certificate; with it, all is TLS from the first byte on, as at the
            port of a Db2's SSL_SVCENAME.

    """

    def __init__(self, engine: Server, *, port: int = 0, certificate: Path | None = None) -> None:
        self._engine = engine
        self._tls = _context(certificate) if certificate else None
        self._wanted_port = port
        self._listening: socket.socket | None = None
        self._accepting: threading.Thread | None = None
        self._clients: dict[bytes, tuple[Connection, threading.Thread]] = {}
        self._tokens = itertools.count(1)
        self._lock = threading.Lock()

    @property
    def port(self) -> int:
        """The port; 0 while it is not listening."""
        return int(self._listening.getsockname()[1]) if self._listening else 0

    @property
    def clients(self) -> int:
        """The number of connected clients."""
        with self._lock:
            return len(self._clients)

    def start(self) -> Self:
        """Start listening; raises `OSError` if the port is in use."""
        self._listening = socket.create_server((HOST, self._wanted_port), backlog=_BACKLOG)
        self._accepting = threading.Thread(target=self._accept, args=(self._listening,), name="standin", daemon=True)
        self._accepting.start()
        return self

    def stop(self) -> None:
        """Stop listening, close all connections and wait until their sessions are closed."""
        listening, self._listening = self._listening, None
        if listening is None:
            return
        with contextlib.suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        if self._accepting:
            self._accepting.join(_FAREWELL_SECONDS)
        with self._lock:
            clients = list(self._clients.values())
        for connection, _ in clients:
            connection.close()
        for _, thread in clients:
            thread.join(_FAREWELL_SECONDS)
            if thread.is_alive():
                _LOG.warning("%s has not ended within %s s", thread.name, _FAREWELL_SECONDS)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                client, address = listening.accept()
            except OSError:  # closed by `stop`
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            thread = threading.Thread(
                target=self._serve, args=(client,), name=f"standin client {address[1]}", daemon=True
            )
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        secured = self._secured(client)
        if secured is None:
            return
        token = next(self._tokens).to_bytes(8, "big")
        connection = Connection(secured, self._engine, token, self._interrupt)
        with self._lock:
            self._clients[token] = connection, threading.current_thread()
        try:
            connection.run()
        finally:
            with self._lock:
                del self._clients[token]

    def _secured(self, client: socket.socket) -> socket.socket | None:
        """The socket, after the TLS handshake if there is a certificate; None if the client can't do that."""
        if self._tls is None:
            return client
        client.settimeout(_HANDSHAKE_SECONDS)
        try:
            secured = self._tls.wrap_socket(client, server_side=True)
        except (OSError, ssl.SSLError) as error:
            _LOG.warning("no TLS with this client: %s", error)
            client.close()
            return None
        secured.settimeout(None)
        return secured

    def _interrupt(self, token: bytes) -> None:
        with self._lock:
            found = self._clients.get(token)
        if found:
            found[0].cancel()


def _context(certificate: Path) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.load_cert_chain(certificate)
    return made
