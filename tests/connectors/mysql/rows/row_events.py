"""Row events for tests: read from a binlog file, or made by hand."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tailrace.connectors.mysql.plan import ColumnPlan
from tailrace.connectors.mysql.rows import RowDecoder, RowImages

ROW_EVENTS = (23, 24, 25, 30, 31, 32, 39)


@dataclass
class Events:
    """The row events of one table."""

    data: np.ndarray
    body: np.ndarray
    end: np.ndarray
    types: np.ndarray

    def decode(self, plans: Sequence[ColumnPlan], **options: int) -> RowImages:
        return RowDecoder(plans).decode(self.data, self.body, self.end, self.types, **options)


def dumped(connection: Any, file: str) -> bytes:
    """A binlog file as the server sends it to a replica; it ends where the file ends now."""
    with connection.cursor() as cursor:
        cursor.execute("SET @master_binlog_checksum = 'CRC32', @source_binlog_checksum = 'CRC32'")
    connection._execute_command(0x12, struct.pack("<IHI", 4, 1, 77) + file.encode())
    parts = [b"\xfebin"]
    while True:
        packet = connection._read_packet()
        if packet.is_eof_packet():
            return b"".join(parts)
        parts.append(packet.get_all_data()[1:])


def events_of(raw: bytes, database: str, table: str, checksum: int = 4) -> Events:
    """The row events of one table in the bytes of a binlog file."""
    data = np.frombuffer(raw, np.uint8)
    wanted = bytes([len(database)]) + database.encode() + b"\0" + bytes([len(table)]) + table.encode() + b"\0"
    ids = set()
    found = []
    o = 4
    while o + 19 <= len(raw):
        type_, size = raw[o + 4], int.from_bytes(raw[o + 9 : o + 13], "little")
        table_id = raw[o + 19 : o + 25]
        if type_ == 19:
            (ids.add if raw[o + 27 : o + 27 + len(wanted)] == wanted else ids.discard)(table_id)
        elif type_ in ROW_EVENTS and table_id in ids:
            found.append((o + 19, o + size - checksum, type_))
        o += size
    body, end, types = np.array(found, np.int64).reshape(-1, 3).T
    return Events(data, body.copy(), end.copy(), types.copy())


def event(
    images: Sequence[bytes], columns: int, type_: int = 30, present: Sequence[int | None] = (None, None)
) -> tuple[bytes, int]:
    """The body of one row event (version 2) with these row images, and its type."""
    width = (columns + 7) // 8
    full = (1 << columns) - 1
    maps = b"".join(
        (full if p is None else p).to_bytes(width, "little")
        for p in present[: 2 if type_ in (24, 31, 39) else 1]
    )
    head = b"\1\0\0\0\0\0\1\0" + b"\2\0" if type_ >= 30 else b"\1\0\0\0\0\0\1\0"
    count = bytes([columns]) if columns < 251 else b"\xfc" + columns.to_bytes(2, "little")
    return head + count + maps + b"".join(images), type_


def image(*values: bytes | None) -> bytes:
    """A row image of these values, each as it stands in the log; None is null."""
    nulls = sum(1 << i for i, value in enumerate(values) if value is None)
    return nulls.to_bytes((len(values) + 7) // 8, "little") + b"".join(v for v in values if v is not None)


def events(*bodies: tuple[bytes, int], before: bytes = b"\xaa" * 7) -> Events:
    """Events one after the other, with other bytes before, between and after them."""
    data = before
    places = []
    for body, type_ in bodies:
        places.append((len(data), len(data) + len(body), type_))
        data += body + b"\xbb" * 4
    body_, end, types = np.array(places, np.int64).reshape(-1, 3).T
    return Events(np.frombuffer(data, np.uint8), body_.copy(), end.copy(), types.copy())


def inserted(plans: Sequence[ColumnPlan], *rows: Sequence[bytes | None]) -> RowImages:
    """The images of one insert with these rows."""
    return events(event([image(*row) for row in rows], len(plans))).decode(plans)


def values(plan: ColumnPlan, *encoded: bytes | None) -> list:
    """What a column with this plan makes of values as they stand in the log."""
    vector = inserted([plan], *[[value] for value in encoded]).vectors[0]
    assert vector is not None
    return vector.to_arrow().to_pylist()


def prefixed(value: bytes, width: int = 1) -> bytes:
    """A value with its length before it."""
    return len(value).to_bytes(width, "little") + value
