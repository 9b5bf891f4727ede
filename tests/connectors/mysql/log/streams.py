"""Recorded streams, streams put together by hand, and what a decoder makes of them."""

import dataclasses
import struct
import zlib
from pathlib import Path

import numpy as np

from tailrace.connectors.mysql.log import LogDecoder, RowEvents

RECORDED = Path(__file__).parents[3] / "data" / "mysql_log"
NAMES = sorted(path.stem for path in RECORDED.glob("*.bin"))


def recorded(name):
    return np.fromfile(RECORDED / f"{name}.bin", np.uint8)


class Reader:
    """Feeds a decoder block by block, as a connection does, and keeps what comes out in plain form."""

    def __init__(self, wanted=lambda table: True, **options):
        self.maps = []
        self.wanted = wanted
        self.asked_after = []  # how many rows had come when a table was asked for
        self.decoder = LogDecoder(resolve=self.resolve, **{"file": "", **options})
        self.items, self.rows, self.transactions, self.executed = [], [], [], []
        self.story = []  # tables of rows and single items, in order

    def resolve(self, table):
        self.asked_after.append(len(self.rows))
        if not self.wanted(table.table):
            return None
        self.maps.append(table)
        return len(self.maps) - 1

    def feed(self, data):
        for item in self.decoder.feed(data, 0, len(data)):
            self.take(item)
        return data[self.decoder.consumed :]

    def read(self, data, block=None):
        rest, size = data[:0], block or max(len(data), 1)
        for o in range(0, len(data), size):
            rest = self.feed(np.concatenate([rest, data[o : o + size]]))
        assert len(rest) == 0
        return self

    def take(self, item):
        self.items.append(item)
        for interval in item.executed:
            self.executed += [(str(interval.origin), n) for n in range(interval.first, interval.last + 1)]
        if isinstance(item, RowEvents):
            self.take_run(item)
        else:
            self.story.append(dataclasses.replace(item, executed=()))

    def take_run(self, run):
        for n in range(len(run)):
            transaction = run.transactions[run.transaction[n]]
            row = {
                "table": self.maps[run.slot[n]].table,
                "columns": len(self.maps[run.slot[n]].columns),
                "kind": int(run.kind[n]),
                "file": run.file,
                "start": int(run.start[n]),
                "part": int(run.part[n]),
                "timestamp": int(run.timestamp[n]),
                "server_id": int(run.server_id[n]),
                "flags": int(run.flags[n]),
                "gtid": transaction.gtid,
                "transaction": transaction.start,
                "thread": transaction.thread,
                "query": query_of(run, n),
                "body": run.data[run.body[n] : run.end[n]].tobytes(),
            }
            self.rows.append(row)
            self.story.append(row)
        ended = [run.transactions[k] for k in range(len(run.transactions)) if run.transactions.end[k]]
        self.transactions += ended

    @property
    def result(self):
        return self.story, self.transactions, sorted(self.executed), self.maps


def query_of(run, n):
    if run.query[n] == -1:
        return None
    if run.query[n] == -2:
        return run.carried_query.decode()
    return run.data[run.query[n] : run.query[n] + run.query_length[n]].tobytes().decode()


def events_of(data):
    """The events of a recorded stream (without its end-of-file packet), as bytes."""
    stream, o, events = data.tobytes(), 0, []
    while o < len(stream):
        length = int.from_bytes(stream[o : o + 3], "little")
        if stream[o + 4] == 0:
            events.append(stream[o + 5 : o + 4 + length])
        o += 4 + length
    return events


def packets(events):
    """Events as a server sends them; 16 MB and more in several packets."""
    out = []
    for event in events:
        rest = b"\0" + event
        while True:
            piece, rest = rest[:0xFFFFFF], rest[0xFFFFFF:]
            out.append(len(piece).to_bytes(3, "little") + b"\0" + piece)
            if len(piece) < 0xFFFFFF:
                break
    return np.frombuffer(bytearray(b"".join(out)), np.uint8)


def event(kind, body, *, end=0, flags=0, timestamp=1_700_000_000, server_id=1, checksum=False):
    """One event; `end` is what its header says about the position behind it."""
    size = 19 + len(body) + 4 * checksum
    header = struct.pack("<IBIIIH", timestamp, kind, server_id, size, end & 0xFFFFFFFF, flags)
    crc = zlib.crc32(header + body).to_bytes(4, "little") if checksum else b""
    return header + body + crc


def table_map(table_id, name, columns=1, database="db"):
    """The body of a table map of INT columns, as before MySQL 8.0."""
    names = b"".join(bytes([len(n)]) + n.encode() + b"\0" for n in (database, name))
    types = bytes([columns]) + b"\x03" * columns + b"\0" + b"\0" * ((columns + 7) // 8)
    return struct.pack("<IHH", table_id, 0, 1) + names + types


def rows(table_id, image=b"\0\1\0\0\0", flags=1):
    """The body of a row event of one INT column."""
    return struct.pack("<IHHH", table_id, 0, flags, 2) + b"\x01\x01" + image


def query(sql, database="db", thread=5, variables=b""):
    head = struct.pack("<IIBHH", thread, 0, len(database), 0, len(variables))
    return head + variables + database.encode() + b"\0" + sql.encode()


def gtid(number, uuid=b"\xaa" * 16):
    return b"\0" + uuid + struct.pack("<QBQQ", number, 2, number - 1, number)


def transaction(number, table_id=7, name="t"):
    """A whole transaction of one row, as (kind, body) pairs."""
    return [
        (33, gtid(number)),
        (2, query("BEGIN")),
        (19, table_map(table_id, name)),
        (30, rows(table_id)),
        (16, struct.pack("<Q", number)),
    ]


def placed(parts, position=4, *, checksum=False):
    """Events one behind the other in a file, from (kind, body) pairs."""
    out = []
    for kind, body in parts:
        position += 19 + len(body) + 4 * checksum
        out.append(event(kind, body, end=position, checksum=checksum))
    return out
