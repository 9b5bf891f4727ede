"""What the server's error packets mean while it sends its log.

Most come as error 1236 and differ only in their English text: MySQL source,
`sql/rpl_binlog_sender.cc`. The words searched for are the same in "master and slave" and in "source and
replica" versions.
"""

from __future__ import annotations

import re
import struct

from tailrace.connectors.mysql.connection import of_server
from tailrace.errors import LogFormatError, PositionLostError, RetriableError, SourceSetupError, TailraceError

FATAL_ERROR_READING_LOG = 1236
REMEDY = (
    "changes are missing that can't be had from this server any more: take a new snapshot, or accept the gap "
    "with a new position (tailrace offsets set); keep logs longer from now on (binlog_expire_logs_seconds)"
)
PURGED = re.compile(r"purged (?:required )?binary logs", re.IGNORECASE)
MISSING = re.compile(r"missing transactions are '([^']*)'")

SAME_ID = (
    "another reader has the same id: set database.server.id to one that no other connector or replica uses"
)
SHORTER = f"the file on this server is shorter: it is another server, or it lost the end of its log; {REMEDY}"
NEVER_HAD = (
    "transactions that were read are not on this server: it is another one, or it lost the end of its log; "
    f"{REMEDY}"
)
NO_GTIDS = "the server's GTIDs are off, and the progress was stored with them: turn them on (gtid_mode)"
NO_SERVER_ID = "SET PERSIST server_id = 1 on the server"
DAMAGED = "the server's log file is damaged, or no event begins there"
TOO_LONG = (
    "SET GLOBAL max_allowed_packet and replica_max_allowed_packet to 1073741824 on the server; if that does "
    "not help, no event begins at this position"
)

MEANINGS: tuple[tuple[str, type[TailraceError], str], ...] = (
    ("same server_uuid/server_id", SourceSetupError, SAME_ID),
    ("could not find first log file", PositionLostError, f"the server does not have this file: {REMEDY}"),
    ("could not find next log", PositionLostError, f"the next file is gone: {REMEDY}"),
    ("position > file size", PositionLostError, SHORTER),
    ("has more gtids than", PositionLostError, NEVER_HAD),
    ("impossible position", PositionLostError, f"no event begins there; {REMEDY}"),
    ("auto_position mode", SourceSetupError, NO_GTIDS),
    ("auto-positioning", SourceSetupError, NO_GTIDS),
    ("binary log is not open", SourceSetupError, "start the server with log-bin"),
    ("server_id was not set", SourceSetupError, NO_SERVER_ID),
    ("server id was not set", SourceSetupError, NO_SERVER_ID),
    ("crc check", LogFormatError, DAMAGED),
    ("bogus data", LogFormatError, DAMAGED),
    ("truncated in the middle", LogFormatError, DAMAGED),
    ("max_allowed_packet", SourceSetupError, TOO_LONG),
    ("memory allocation failed", RetriableError, "the server is short of memory"),
    ("i/o error reading", RetriableError, "the server can't read its log"),
)
NOT_AN_EVENT = ("crc check", "bogus data", "truncated in the middle", "max_allowed_packet")  # garbage as a length


def of_packet(packet: bytes, start: str) -> TailraceError:
    """The meaning of an error packet (without its header) on a stream that began at `start`."""
    (number,) = struct.unpack_from("<H", packet, 1)
    text = packet[9:] if packet[3:4] == b"#" else packet[3:]
    return of_text(number, text.decode("utf-8", "replace"), start)


def of_first_packet(packet: bytes, start: str) -> TailraceError:
    """The same before anything was read: if the server can't read there, no event begins there."""
    error = of_packet(packet, start)
    lowered = str(error).lower()
    if any(words in lowered for words in NOT_AN_EVENT):
        return PositionLostError(f"the log from {start}: no event begins there ({error}); {REMEDY}")
    return error


def of_text(number: int, text: str, start: str) -> TailraceError:
    """The meaning of an error number and its text."""
    doing = f"reading the log from {start}"
    if number != FATAL_ERROR_READING_LOG:
        return of_server(number, text, doing)
    if PURGED.search(text):
        missing = MISSING.search(text)
        which = f"the transactions {missing[1]}" if missing else "transactions that were not read yet"
        return PositionLostError(f"{doing}: the server has purged {which}: {REMEDY}. The server says: {text}")
    lowered = text.lower()
    for words, kind, remedy in MEANINGS:
        if words in lowered:
            return kind(f"{doing}: {text} (error {number}): {remedy}")
    return SourceSetupError(f"{doing}: {text} (error {number})")
