"""A client's socket: receives messages and sends packets, with or without TLS."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections import deque

from tailrace_standins.sqlserver.tds.packets import BEFORE_LOGIN, Inbox, Kind, Message, ProtocolError, packets
from tailrace_standins.sqlserver.tds.tls import Channel

_READ = 1 << 16


class Closed(Exception):  # noqa: N818 -- a client that disconnects is no error
    """The client has disconnected, or the server closed the connection."""


class Pipe:
    """A socket; one thread receives, and another may send at the same time."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._inbox = Inbox()
        self._waiting: deque[Message] = deque()
        self._channel: Channel | None = None
        self._sending = threading.Lock()

    def receive(self) -> Message:
        """The next message; raises `Closed` at the end of the connection, `ProtocolError` for invalid bytes."""
        while not self._waiting:
            data = self._read()
            self._inbox.feed(self._channel.decrypt(data) if self._channel else data)
            self._waiting += self._inbox.messages()
        return self._waiting.popleft()

    def send(self, data: bytes | bytearray) -> None:
        """Send packets; blocks while the client does not read."""
        with self._sending:
            try:
                self._socket.sendall(self._channel.encrypt(data) if self._channel else data)
            except (OSError, ssl.SSLError) as error:
                raise Closed(str(error)) from None

    def negotiate(self, context: ssl.SSLContext) -> None:
        """Do the TLS handshake, in PRELOGIN packets; everything after it is encrypted."""
        channel, done = Channel(context), False
        try:
            while not done:
                answer, done = channel.handshake(self._receive_handshake())
                if answer:
                    self.send(packets(Kind.PRELOGIN, answer, BEFORE_LOGIN))
        except ssl.SSLError as error:
            raise ProtocolError(f"no TLS with this client: {error}") from None
        self._channel = channel
        self._inbox.feed(channel.decrypt(self._inbox.rest()))
        self._waiting += self._inbox.messages()

    def stop_encrypting(self) -> None:
        """Return to plain bytes, if only the login was to be encrypted."""
        self._channel = None

    def close(self) -> None:
        """Close the socket; a thread that waits for the client gets `Closed`."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _receive_handshake(self) -> bytes:
        message = self.receive()
        if message.kind != Kind.PRELOGIN:
            raise ProtocolError(f"a message of type {message.kind} where TLS is to be negotiated")
        return message.data

    def _read(self) -> bytes:
        try:
            data = self._socket.recv(_READ)
        except OSError as error:
            raise Closed(str(error)) from None
        if not data:
            raise Closed("the client has closed the connection")
        return data
