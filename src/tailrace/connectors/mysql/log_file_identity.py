"""The identity of the log file that a server sends under a name.

A log that is reset (RESET BINARY LOGS AND GTIDS, RESET MASTER) reuses the names of its files, and sooner or
later an event begins where reading stopped in the old file. The creation time distinguishes the files: the time
in the header of the format description event, in seconds. A server sends that event first, wherever in the file a dump
begins. (The time in its body does not help: it is 0 if a dump begins within the file.)

So we request the log from the position on, and the first packets say whether an event begins there, and in
which file. This dump does not register as a replica, so that it ends no reader and none ends it.

Source: MySQL source, `Binlog_sender::send_format_description_event`; source documentation, "Binary log events".
"""

from __future__ import annotations

import struct
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

from tailrace.connectors.mysql.catalog import Head, Server
from tailrace.connectors.mysql.positions import FIRST_OFFSET, RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.stream import DUMP_BY_OFFSET_LIMIT, BinlogStream, DumpPosition, Options
from tailrace.connectors.mysql.stream_errors import REMEDY, of_first_packet
from tailrace.errors import PositionLostError, RetriableError

PATIENCE_SECONDS: Final = 60.0
BUFFER: Final = 1 << 12
EVENT_HEADER: Final = struct.Struct("<xIBIIIH")  # after the packet's 0: timestamp, type, server id, size, end, flags
ROTATE, FORMAT_DESCRIPTION, ARTIFICIAL = 4, 15, 0x20
ERROR, EVENT = 0xFF, 0
SAME_32_BITS: Final = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class ServerFile:
    """The file that a server has under the name in a position.

    Attributes:
        created: its creation time, in seconds since the epoch; None if the position can't be requested by file.
        is_other: whether it is another file than the one that was read, or no event begins at the position.

    """

    created: int | None
    is_other: bool


def server_file(
    settings: MySqlSettings, server: Server, files: Mapping[str, int], restart: RestartPosition
) -> ServerFile:
    """The file of a restart position on a server with these log files.

    Raises:
        PositionLostError: it is another file, or no event begins there, and the position has no GTIDs.

    """
    file, by_file = restart.file or next(iter(files), ""), restart.gtids is None
    is_known = by_file or restart.server_uuid == server.uuid
    if not is_known or files.get(file, -1) < restart.pos:
        return ServerFile(None, is_other=False)
    if restart.pos >= DUMP_BY_OFFSET_LIMIT:
        return ServerFile(None, is_other=not restart.is_in_file(created_at(settings, DumpPosition(file))))
    try:
        created = created_at(settings, DumpPosition(file, restart.pos))
        if not restart.is_in_file(created):
            raise log_was_reset(restart, created)
    except PositionLostError:
        if by_file:
            raise
        return ServerFile(None, is_other=True)
    return ServerFile(created, is_other=False)


def restart_at(settings: MySqlSettings, server: Server, head: Head, era: int = 0) -> RestartPosition:
    """A restart position at the log's end, with its file's creation time."""
    return replace(head.restart(server, era), file_created=created_at(settings, DumpPosition(head.file, head.pos)))


def restart_after(
    settings: MySqlSettings, server: Server, files: Mapping[str, int], start: RestartPosition, head: Head
) -> RestartPosition:
    """The same, in the era that the log's end has for a reader from `start` on.

    Raises:
        PositionLostError: `start` is in another file of the same name, and has no GTIDs.

    """
    there = server_file(settings, server, files, start)
    return restart_at(settings, server, head, start.on_server(server.uuid, files, is_other_file=there.is_other).era)


def created_at(settings: MySqlSettings, start: DumpPosition) -> int:
    """The creation time of the file that a dump begins in, in seconds since the epoch.

    Raises:
        PositionLostError: no event begins there.

    """
    with (
        BinlogStream(settings, start, Options(blocking=False, is_auxiliary=True)) as stream,
        closing(_packets(stream)) as packets,
    ):
        return created_in(packets, start)


def created_in(packets: Iterator[bytes], start: DumpPosition) -> int:
    """The same, from the first packets of a dump."""
    created: int | None = None
    for packet in packets:
        if packet[0] == ERROR:
            raise of_first_packet(packet, str(start))
        if packet[0] != EVENT:
            break
        timestamp, kind, _, size, end, flags = EVENT_HEADER.unpack_from(packet)
        if created is None:
            created = timestamp if kind == FORMAT_DESCRIPTION else None
        elif kind == ROTATE and flags & ARTIFICIAL:  # the file ends there, and the server continues with the next one
            break
        elif end and not flags & ARTIFICIAL:  # artificial events belong to the connection, not to the file
            _require_begins(start, end - size & SAME_32_BITS)
            break
    if created is None:
        raise RetriableError(f"the log from {start}: the server did not say which file it sends")
    return created


def _require_begins(start: DumpPosition, pos: int) -> None:
    if start.pos not in {pos, FIRST_OFFSET}:  # there the first event has been seen already
        raise PositionLostError(f"the log from {start}: no event begins there; {REMEDY}")


def log_was_reset(restart: RestartPosition, created: int) -> PositionLostError:
    """The error for a position in a file that the server no longer has."""
    return PositionLostError(
        f"the progress is {restart.file}:{restart.pos} in a log file that was made at {_utc(restart.file_created or 0)}, "
        f"and the server's file of that name was made at {_utc(created)}: its log began again (RESET BINARY LOGS AND "
        "GTIDS, RESET MASTER), or it is another server. What was written in between can't be had any more: take a new "
        "snapshot (snapshot.mode=when_needed), or accept the gap with a new position (tailrace offsets set)"
    )


def _packets(stream: BinlogStream) -> Generator[bytes]:
    """The stream's packets; of a long one only its beginning."""
    buffer, data, deadline = memoryview(bytearray(BUFFER)), b"", time.monotonic() + PATIENCE_SECONDS
    while True:
        while len(data) >= 4 and (_is_whole(data) or len(data) >= BUFFER):
            yield data[4 : 4 + int.from_bytes(data[:3], "little")]
            if not _is_whole(data):
                return
            data = data[4 + int.from_bytes(data[:3], "little") :]
        count = stream.read(buffer, 1000)
        data += buffer[:count]
        if not count and time.monotonic() > deadline:
            raise RetriableError(f"the log from {stream.start}: nothing came for {PATIENCE_SECONDS:g} s")


def _is_whole(data: bytes) -> bool:
    return len(data) >= 4 + int.from_bytes(data[:3], "little")


def _utc(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
