"""The binary log as a stream of bytes: nothing but I/O.

A `BinlogStream` requests the server's log from a file's offset or from a GTID set on (COM_BINLOG_DUMP,
COM_BINLOG_DUMP_GTID) and fills the caller's buffer with the received bytes, including packet headers, as many as
are available. The walker of `log/` finds the packets and their contents; for an error packet
it calls `error_of`. Protocol: MySQL source documentation, "Replication
Protocol".
"""

from __future__ import annotations

import select
import socket
import ssl
import struct
import time
import uuid
from dataclasses import dataclass
from typing import Self

from tailrace.connectors.mysql import connection as mysql
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.positions import FIRST_OFFSET
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.stream_errors import of_packet
from tailrace.errors import ConfigError, LogFormatError, RetriableError, TailraceError

COM_BINLOG_DUMP, COM_BINLOG_DUMP_GTID = 0x12, 0x1E
NON_BLOCKING, THROUGH_GTID = 1, 4
ERROR_PACKET = 0xFF
DUMP_BY_OFFSET_LIMIT = 1 << 32  # COM_BINLOG_DUMP's offset has 32 bits
FIRST_ANSWER_SECONDS = 120  # a server searches its files for the first transaction that is not in a GTID set
WRITE_TIMEOUT_SECONDS = 3600  # how long the server waits for a reader that is busy; its own default is a minute
HIGHEST_SERVER_ID = (1 << 32) - 1
HEARTBEAT_MS = 5000  # closed streams, too, cost the server a thread until its next heartbeat
SILENT_HEARTBEATS = 6  # after this many missing heartbeats the connection counts as dead
NAMESPACE = uuid.UUID("6a1f8a1e-6f0b-4f0e-9a53-3f4c0c1d7e55")


@dataclass(frozen=True, slots=True)
class DumpPosition:
    """The start of the dump: a GTID set if there is one, else a file (or the first) and an offset."""

    file: str = ""
    pos: int = FIRST_OFFSET
    gtids: GtidSet | None = None

    def __str__(self) -> str:
        if self.gtids is not None:
            return f"GTID set {str(self.gtids)!r}"
        return f"{self.file or 'the first file'}:{self.pos}"


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the dump.

    Attributes:
        blocking: wait for more at the log's end; otherwise the server ends the stream with an EOF packet.
        heartbeat_ms: how often the server sends a heartbeat; the keep-alive interval may be shorter.
        lane: the number of this one of several parallel readers with one server id.
        is_auxiliary: whether this stream neither ends another reader with the same id nor is ended by one.

    """

    blocking: bool = True
    heartbeat_ms: int = HEARTBEAT_MS
    lane: int = 0
    is_auxiliary: bool = False


class BinlogStream:
    """An open dump of the binary log. Not safe for more than one thread."""

    def __init__(self, settings: MySqlSettings, start: DumpPosition, options: Options | None = None) -> None:
        options = options or Options()
        self.start = start
        self.server_id = _server_id(settings, options.lane)
        self._uuid = uuid.uuid4() if options.is_auxiliary else _identity(settings.database_server_id, self.server_id)
        heartbeat_ms = min(options.heartbeat_ms, settings.connect_keep_alive_interval_ms)
        watched = options.blocking and settings.connect_keep_alive
        self._silence_limit = heartbeat_ms * SILENT_HEARTBEATS / 1000 if watched else float("inf")
        self._silence = 0.0
        self._connection = mysql.connect(settings, for_log=True)
        try:
            self._introduce(settings, heartbeat_ms)
            self._ask(blocking=options.blocking)
            self._socket: socket.socket = self._connection._sock  # noqa: SLF001 -- the driver's job ends here
            self._socket.setblocking(False)
            self._poll = select.poll()
            self._poll.register(self._socket, select.POLLIN)
            self._begun = self._first_bytes()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, buffer: memoryview, wait_ms: int) -> int:
        """Fill the buffer with available bytes, waiting for the first one; returns their number.

        0 means that nothing came. A connection that was closed or fell silent is a `RetriableError`.
        """
        if self._begun:
            return self._take_begun(buffer)
        count = self._receive(buffer)
        if count == 0 and wait_ms > 0 and self._wait(wait_ms):
            count = self._receive(buffer)
        if count:
            self._silence = 0.0
        return count

    @property
    def thread_id(self) -> int:
        """The server's id of this connection, as in SHOW PROCESSLIST."""
        return int(self._connection.thread_id())

    def error_of(self, packet: bytes) -> TailraceError:
        """What an error packet of the server (without its header) means."""
        return of_packet(packet, str(self.start))

    def fileno(self) -> int:
        """For a selector; with TLS, read until 0 before waiting on it."""
        return self._socket.fileno()

    def close(self) -> None:
        """Drop the connection; the server's dump thread ends with its next heartbeat."""
        self._connection._force_close()  # noqa: SLF001 -- a dump takes no COM_QUIT

    def _introduce(self, settings: MySqlSettings, heartbeat_ms: int) -> None:
        """Set the user variables that describe the reader to the server, under old and new names."""
        identity = str(self._uuid)
        # events come with the checksums they were written with; without this the server refuses to send them
        variables = {"binlog_checksum": "CRC32", "heartbeat_period": heartbeat_ms * 1_000_000}
        assignments = [
            f"@{role}_{name} = {v!r}" for role in ("source", "master") for name, v in variables.items()
        ]
        assignments += [f"@{role}_uuid = {identity!r}" for role in ("replica", "slave")]
        assignments += [
            f"SESSION net_write_timeout = {settings.binlog_net_write_timeout or WRITE_TIMEOUT_SECONDS}"
        ]
        if settings.binlog_net_read_timeout:
            assignments += [f"SESSION net_read_timeout = {settings.binlog_net_read_timeout}"]
        mysql.execute(self._connection, f"SET {', '.join(assignments)}")

    def _ask(self, *, blocking: bool) -> None:
        payload = dump_command(self.start, self.server_id, blocking=blocking)
        with mysql.translated(f"asking for the log from {self.start}"):
            self._connection._write_bytes(framed(payload))  # noqa: SLF001 -- what follows is no answer of its kind

    def _first_bytes(self) -> bytes:
        """The header of the first packet and its first byte: there is an answer, and it is not an error."""
        deadline = time.monotonic() + FIRST_ANSWER_SECONDS
        begun = b""
        while len(begun) < 5:
            begun += self._receive_up_to(5 - len(begun), deadline)
        if begun[4] == ERROR_PACKET:
            raise self.error_of(self._rest_of_packet(begun, deadline))
        return begun

    def _rest_of_packet(self, begun: bytes, deadline: float) -> bytes:
        length = int.from_bytes(begun[:3], "little")
        while len(begun) - 4 < length:
            begun += self._receive_up_to(length + 4 - len(begun), deadline)
        return begun[4:]

    def _receive_up_to(self, size: int, deadline: float) -> bytes:
        piece = bytearray(size)
        count = self._receive(memoryview(piece))
        if count == 0:
            left = deadline - time.monotonic()
            if left <= 0:
                raise RetriableError(f"the log from {self.start}: no answer within {FIRST_ANSWER_SECONDS} s")
            self._poll.poll(left * 1000)
        return bytes(piece[:count])

    def _take_begun(self, buffer: memoryview) -> int:
        count = min(len(self._begun), len(buffer))
        buffer[:count] = self._begun[:count]
        self._begun = self._begun[count:]
        return count + (self._receive(buffer[count:]) if not self._begun else 0)

    def _receive(self, buffer: memoryview) -> int:
        """What is there without waiting, until the buffer is full."""
        filled = 0
        while filled < len(buffer):
            try:
                count = self._socket.recv_into(buffer[filled:])
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                break
            except OSError as error:
                return self._ended(filled, str(error))
            if count == 0:
                return self._ended(filled, "the server closed the connection")
            filled += count
        return filled

    def _ended(self, filled: int, why: str) -> int:
        """Return the bytes before the end first; the next call meets the end again."""
        if filled:
            return filled
        raise RetriableError(f"the log from {self.start}: {why}")

    def _wait(self, wait_ms: int) -> bool:
        began = time.monotonic()
        if self._poll.poll(wait_ms):
            return True
        self._silence += time.monotonic() - began
        if self._silence > self._silence_limit:
            raise RetriableError(
                f"the log from {self.start}: nothing came for {self._silence:.0f} s, not even a heartbeat"
            )
        return False


def _server_id(settings: MySqlSettings, lane: int) -> int:
    """The server id of a lane, which is a separate replica: the configured number plus the lane's."""
    number = settings.database_server_id + lane
    if number > HIGHEST_SERVER_ID:
        raise ConfigError(
            f"database.server.id: lane {lane} would be server {number}, and MySQL's highest is {HIGHEST_SERVER_ID}: "
            f"lanes take the numbers from {settings.database_server_id} on, so choose a lower one"
        )
    return number


def _identity(first: int, own: int) -> uuid.UUID:
    """The reader's UUID, always the same: the server ends an older dump with the same UUID, so zombies die.

    It is made of the connector's number and the lane's, so that a lane can't end the dump of a connector with the next
    id.
    """
    return uuid.uuid5(NAMESPACE, str(own) if own == first else f"{first}:{own}")


def dump_command(start: DumpPosition, replica_id: int, *, blocking: bool) -> bytes:
    """The payload of COM_BINLOG_DUMP or COM_BINLOG_DUMP_GTID."""
    flags = 0 if blocking else NON_BLOCKING
    if start.gtids is None:
        if start.pos >= DUMP_BY_OFFSET_LIMIT:
            raise LogFormatError(f"the log from {start}: an offset beyond 4 GiB can be reached by GTID only")
        fixed = struct.pack("<BIHI", COM_BINLOG_DUMP, start.pos, flags, replica_id)
        return fixed + start.file.encode()
    encoded = start.gtids.encode()
    fixed = struct.pack("<BHII", COM_BINLOG_DUMP_GTID, flags | THROUGH_GTID, replica_id, 0)
    return fixed + struct.pack("<QI", FIRST_OFFSET, len(encoded)) + encoded


def framed(payload: bytes) -> bytes:
    """A command as packets: more than one where it is 16 MB long or longer."""
    limit = 0xFFFFFF
    pieces = [payload[at : at + limit] for at in range(0, len(payload) + 1, limit)]
    return b"".join(struct.pack("<I", len(p) | (i & 0xFF) << 24) + p for i, p in enumerate(pieces))
