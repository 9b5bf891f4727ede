"""TLS of a connection, a channel without I/O.

TLS 1.2 at most: with 1.3 the server sends messages after the handshake, which PRELOGIN packets can't carry.

Source: [MS-TDS] 2.2.6.5 PRELOGIN (TLS negotiation), 3.3.5.1 Pre-login
"""

from __future__ import annotations

import ssl
import tempfile
import threading
from pathlib import Path

_READ = 1 << 16


def context(pair: bytes) -> ssl.SSLContext:
    """A server-side context from a private key and its certificate, as PEM."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = made.maximum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "server.pem"
        path.touch(mode=0o600)
        path.write_bytes(pair)
        made.load_cert_chain(path)
    return made


class Channel:
    """The TLS state of one connection: it decrypts received bytes and encrypts bytes to send.

    Two threads may use it at the same time.
    """

    def __init__(self, of: ssl.SSLContext) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = of.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._lock = threading.Lock()

    def handshake(self, data: bytes) -> tuple[bytes, bool]:
        """Process a client's bytes; returns the bytes to send, and whether the handshake is complete. Raises `ssl.SSLError`."""
        self._incoming.write(data)
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return self._outgoing.read(), False
        return self._outgoing.read(), True

    def decrypt(self, data: bytes) -> bytes:
        """The plain text of received bytes; empty if they are only a part of a TLS record."""
        with self._lock:
            self._incoming.write(data)
            parts: list[bytes] = []
            while True:
                try:
                    part = self._tls.read(_READ)
                except (ssl.SSLWantReadError, ssl.SSLZeroReturnError):
                    return b"".join(parts)
                if not part:
                    return b"".join(parts)
                parts.append(part)

    def encrypt(self, data: bytes | bytearray) -> bytes:
        """The encrypted form of bytes to send."""
        with self._lock:
            self._tls.write(data)
            return self._outgoing.read()
