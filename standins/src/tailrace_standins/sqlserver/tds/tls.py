"""TLS of a connection: the certificate, and a channel without I/O.

TLS 1.2 at most: with 1.3 the server sends messages after the handshake, which PRELOGIN packets can't carry.

Source: [MS-TDS] 2.2.6.5 PRELOGIN (TLS negotiation), 3.3.5.1 Pre-login
"""

from __future__ import annotations

import datetime as dt
import ssl
import tempfile
import threading
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

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


def made_pair() -> bytes:
    """A private key and a self-signed certificate for localhost, valid for a year, as PEM."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=365))
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return key.private_bytes(*form) + certificate.public_bytes(serialization.Encoding.PEM)


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
