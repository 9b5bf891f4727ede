"""The link between the driver and tasks on other machines: the same messages and answers as of `link`.

It goes over TLS 1.3. Each run makes a key and a certificate of its own, and a secret; the tasks get the certificate and the
secret within the job, as Spark sends them (`docs/decisions/0019-clusters.md`). A task trusts that one certificate, and the
driver who knows the secret. Messages are JSON, never pickles.

Unlike on one machine a task does not wait for the driver, except for some seconds where it is another attempt: messages are
sent on a thread, and a connection that breaks is made again. They are numbered: one that is sent again is handled once. If the
driver was there and stays away, the task ends after its next commit: another one may have its place by now.
"""

from __future__ import annotations

import datetime as dt
import hmac
import json
import logging
import secrets
import socket
import ssl
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from math import inf
from pathlib import Path
from typing import Any, Final

from attrs import asdict, field, frozen

from tailrace.errors import ConfigError
from tailrace.told_turns import ASK, BEGUN, OF_TURNS, TurnReporter

ASK_SECONDS: Final = 0.3
AGAIN_SECONDS: Final = 3.0
GONE_SECONDS: Final = 60.0
FLUSH_SECONDS: Final = 5.0
PATIENCE_SECONDS: Final = 10.0  # for a connection, a handshake, an answer
_LARGEST: Final = 64 << 20
_KEPT: Final = 1000  # messages for a driver that is away; the oldest are dropped, but none of a turn
_SENDERS: Final = 10_000  # of which the number of the last message is known
_UNPROVEN: Final = 256  # connections that have not shown the secret yet; more are closed at once
_SIZE: Final = struct.Struct(">I")
_LOG: Final = logging.getLogger(__name__)


@frozen(kw_only=True)
class RemoteAddress:
    """Where the driver listens, and what proves that it is the driver, and a task of its.

    Attributes:
        host, port: as the executors reach it.
        certificate: the driver's, as PEM.
        secret: that a task sends first.

    """

    host: str
    port: int
    certificate: str = field(repr=False)
    secret: str = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


class RemoteListener:
    """The driver's end."""

    def __init__(
        self,
        answer: Callable[[str, Any, int | None], bytes],
        folder: Path,
        *,
        host: str,
        bind: str = "",
        port: int = 0,
    ) -> None:
        """Begin to listen.

        Args:
            answer: gets the messages, on any thread, and returns what their senders are told.
            folder: one that only this user can enter.
            host: the driver's, as executors reach it.
            bind: the address to listen on; "" for `host`.
            port: to listen on; 0 for any.

        Raises:
            ConfigError: that address can't be listened on.

        """
        self._answer_to = answer
        self._is_closed = False
        self._unproven = threading.Semaphore(_UNPROVEN)
        self._numbers: dict[str, int] = {}  # of the last message of each sender
        self._lock = threading.Lock()
        certificate, files = _new_certificate(folder)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.minimum_version = ssl.TLSVersion.TLSv1_3
        self._context.load_cert_chain(*files)
        for path in files:
            path.unlink()
        try:
            family, *_, where = socket.getaddrinfo(bind or host, port, type=socket.SOCK_STREAM)[0]
            self._socket = socket.create_server((where[0], port), family=family)
        except OSError as error:
            raise ConfigError(
                f"the driver can't listen on {bind or host}:{port} for its tasks: {error.strerror or error}; name an address "
                "of this machine (--driver-host), and a port that is free (--link-port)"
            ) from error
        self.address = RemoteAddress(
            host=host, port=self._socket.getsockname()[1], certificate=certificate, secret=secrets.token_hex(32)
        )
        threading.Thread(target=self._accept, daemon=True, name="tailrace-remote-link").start()

    def close(self) -> None:
        """Accept no more messages."""
        self._is_closed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # ends `accept`, which a close alone does not
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
                if not self._unproven.acquire(blocking=False):  # anybody may open some: the driver needs files for other things
                    connection.close()
                    continue
                try:
                    threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
                except RuntimeError:
                    self._unproven.release()
                    connection.close()
                    raise
            except (OSError, RuntimeError):  # such as too many open files, or threads
                if self._is_closed:
                    return
                time.sleep(ASK_SECONDS)

    def _serve(self, plain: socket.socket) -> None:
        with ExitStack() as unproven, plain, suppress(OSError, ValueError):
            unproven.callback(self._unproven.release)
            until = time.monotonic() + PATIENCE_SECONDS
            plain.settimeout(PATIENCE_SECONDS)
            with self._context.wrap_socket(plain, server_side=True) as connection:
                shown = _received(connection, len(self.address.secret), until)
                if hmac.compare_digest(shown, self.address.secret.encode()):
                    unproven.close()
                    connection.sendall(_sized(self._answer_to(ASK, None, None)))
                    connection.settimeout(GONE_SECONDS)
                    self._answer(connection)

    def _answer(self, connection: ssl.SSLSocket) -> None:
        while True:
            kind, content, task, sender, number = json.loads(_received(connection))
            message = (kind, content, task) if self._is_new(sender, number) else (ASK, None, task)
            connection.sendall(_sized(self._answer_to(*message)))

    def _is_new(self, sender: str, number: int) -> bool:
        """Whether a message is not one that is sent again, since its answer was lost or takes long."""
        with self._lock:
            before = self._numbers.pop(sender, 0)
            self._numbers[sender] = max(number, before)  # the newest senders are the last
            if len(self._numbers) > _SENDERS:
                del self._numbers[next(iter(self._numbers))]
        return number > before


class RemoteReporter(TurnReporter):
    """A task's end."""

    connected = True
    """Log lines go this way from the start: they are kept until there is a connection."""

    def __init__(self, address: Mapping[str, Any]) -> None:
        super().__init__()
        self._address = RemoteAddress(**address)
        self._of_turn: deque[tuple[str, Any]] = deque()  # a few; they are sent before others
        self._messages: deque[tuple[str, Any]] = deque(maxlen=_KEPT)
        self._more, self._begun, self._closing = threading.Event(), threading.Event(), threading.Event()
        self._heard_at: float | None = None
        self._name, self._number = secrets.token_hex(8), 0
        self._sent: tuple[str, Any] | None = None  # last, with that number
        self._thread = threading.Thread(target=self._work, daemon=True, name="tailrace-link-elsewhere")
        self._thread.start()

    def send(self, kind: str, content: Any) -> None:
        """Send a message soon."""
        (self._of_turn if kind in OF_TURNS else self._messages).append((kind, content))
        self._more.set()

    def stopping(self) -> bool:
        """Whether to end soon: the driver says so, or it was there and is gone."""
        return self._told_to_stop

    def wait(self, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until the driver has answered that the turn has begun; no longer than that."""
        self._begun.wait(seconds)

    def close(self) -> None:
        """Send what is left, if the driver takes it soon, and end."""
        self._closing.set()
        self._more.set()
        self._thread.join(FLUSH_SECONDS)

    def _work(self) -> None:
        told = False
        while True:
            try:
                with self._connected() as connection:
                    self._talk(connection)
                    return
            except (OSError, ValueError) as error:
                if self._heard_at is None and not told:
                    _LOG.info("no link to the driver at %s:%d: %s", self._address.host, self._address.port, error)
                told = True
            if self._heard_at is not None and time.monotonic() - self._heard_at > GONE_SECONDS:
                self._is_gone()
            if self._closing.wait(AGAIN_SECONDS):
                return

    def _connected(self) -> ssl.SSLSocket:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # this one certificate is trusted, and no other
        context.load_verify_locations(cadata=self._address.certificate)
        plain = socket.create_connection((self._address.host, self._address.port), timeout=PATIENCE_SECONDS)
        try:
            connection = context.wrap_socket(plain)
        except BaseException:
            plain.close()
            raise
        self._exchange(connection, self._address.secret.encode())
        return connection

    def _talk(self, connection: ssl.SSLSocket) -> None:
        """Send messages as they come, and ask where there are none, until all is sent and no more comes."""
        while True:
            while waiting := self._of_turn or self._messages:
                message = waiting[0]
                if message is not self._sent:
                    self._sent, self._number = message, self._number + 1
                self._exchange(connection, self._message(*message))
                if waiting[0] is message:  # else it was dropped meanwhile, as the oldest of too many
                    waiting.popleft()
                if message[0] == BEGUN:
                    self._begun.set()
            if self._closing.is_set():
                return
            if not self._more.wait(ASK_SECONDS):
                self._exchange(connection, self._message(ASK, None))
            self._more.clear()

    def _message(self, kind: str, content: Any) -> bytes:
        return json.dumps([kind, content, self._task, self._name, self._number]).encode()

    def _exchange(self, connection: ssl.SSLSocket, message: bytes) -> None:
        connection.sendall(_sized(message))
        answer = _received(connection)
        self._heard_at = time.monotonic()
        self._hear(answer)


def _sized(message: bytes) -> bytes:
    return _SIZE.pack(len(message)) + message


def _received(connection: ssl.SSLSocket, largest: int = _LARGEST, until: float = inf) -> bytes:
    (size,) = _SIZE.unpack(_exactly(connection, _SIZE.size, until))
    if size > largest:
        raise ValueError(f"a message of {size} bytes")
    return _exactly(connection, size, until)


def _exactly(connection: ssl.SSLSocket, size: int, until: float) -> bytes:
    """So many bytes, if the first part of each comes by `until`, a time of the monotonic clock."""
    parts = bytearray()
    while len(parts) < size:
        if time.monotonic() > until:
            raise TimeoutError("the other end sends too slowly")
        part = connection.recv(min(size - len(parts), 1 << 16))
        if not part:
            raise ConnectionResetError("the other end has closed the link")
        parts += part
    return bytes(parts)


def _new_certificate(folder: Path) -> tuple[str, tuple[Path, Path]]:
    """A certificate for this run as PEM, and the files with it and with its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tailrace")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))  # clocks differ
        .not_valid_after(now + dt.timedelta(days=3650))  # a run may take as long
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate = made.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    files = folder / "certificate.pem", folder / "key.pem"
    for path, content in zip(files, (certificate, private), strict=True):
        path.touch(mode=0o600)
        path.write_bytes(content)
    return certificate.decode(), files
