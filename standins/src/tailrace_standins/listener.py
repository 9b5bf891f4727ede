"""The listening socket of a stand-in: a thread that accepts clients, a thread for each, and a clean stop.

    with StandIn(engine) as server:
        connect(port=server.port)

It listens on the loopback only.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final, Generic, Protocol, Self, TypeVar

HOST: Final = "127.0.0.1"
_BACKLOG: Final = 1024
_FAREWELL_SECONDS: Final = 10.0
_LOG = logging.getLogger(__name__)


class ClientConnection(Protocol):
    """A client's connection."""

    def run(self) -> None:
        """Serve until the client or the server closes the connection."""
        ...

    def close(self) -> None:
        """Close it; called from another thread."""
        ...


C = TypeVar("C", bound=ClientConnection)


class Listener(Generic[C]):
    """Accepts clients.

    Args:
        connected: makes a client's connection from its socket; it must not wait for the client.
        port: to listen on; 0 for a free one.

    """

    def __init__(self, connected: Callable[[socket.socket], C], port: int) -> None:
        self._connected = connected
        self._wanted_port = port
        self._listening: socket.socket | None = None
        self._accepting: threading.Thread | None = None
        self._clients: dict[C, threading.Thread] = {}
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

    def connections(self) -> list[C]:
        """The connections of the clients that are connected now."""
        with self._lock:
            return list(self._clients)

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
            clients = dict(self._clients)
        for connection in clients:
            connection.close()
        for thread in clients.values():
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
            connection = self._connected(client)
            thread = threading.Thread(
                target=self._serve, args=(connection,), name=f"standin client {address[1]}", daemon=True
            )
            with self._lock:
                self._clients[connection] = thread
            thread.start()

    def _serve(self, connection: C) -> None:
        try:
            connection.run()
        finally:
            with self._lock:
                del self._clients[connection]
