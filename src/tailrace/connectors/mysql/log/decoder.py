"""The decoder of MySQL's log: blocks of bytes in, items out; it does no I/O.

One compiled pass walks a block; the methods of `LogDecoder` handle what it can't, one event at
a time.
"""

from __future__ import annotations

import enum
from collections.abc import Generator, Iterator
from typing import Final

import numpy as np
import zstandard

from tailrace.connectors.mysql.log import events, payload, walk
from tailrace.connectors.mysql.log.columns import Columns
from tailrace.connectors.mysql.log.items import Bytes, EndOfLog, Item, ServerError
from tailrace.connectors.mysql.log.singles import HEADER, Event, SingleEvents, event_at
from tailrace.connectors.mysql.log.tables import KnownTables, Resolve
from tailrace.connectors.mysql.log.wire import little
from tailrace.errors import LogFormatError

_PACKET: Final = 0xFFFFFF
_MAGIC: Final = b"\xfebin"

Items = Generator[Item, None, int]


class Framing(enum.Enum):
    """How the events are framed in the bytes."""

    PACKETS = "packets"  # as a server sends them to COM_BINLOG_DUMP(_GTID), behind the command's own packets
    FILE = "file"  # a binlog file from its first byte
    BARE = "bare"  # event after event


class LogDecoder:
    """Bytes of the log in, items out, in log order. See the package for the guarantees.

    With `until`, a file and an offset, `EndOfLog` comes at the first end of a transaction there or later, and
    nothing after it is read.

    Attributes:
        consumed: after a call of `feed`: offset in the block after the last event that was used.
        needed: bytes from there on that the next block must have, at least, for one more event.

    """

    def __init__(
        self,
        *,
        resolve: Resolve,
        file: str,
        pos: int = 4,
        until: tuple[str, int] | None = None,
        framing: Framing = Framing.PACKETS,
        checksum: bool | None = None,
        verify_checksum: bool = False,
    ) -> None:
        self.consumed = 0
        self.needed = 5
        self._columns = Columns(file, pos, until)
        self._tables = KnownTables(resolve)
        self._framing = walk.PACKETS if framing is Framing.PACKETS else walk.BARE
        self._magic = framing is Framing.FILE
        self._singles = SingleEvents(self._columns, self._tables, checksum_known=checksum is not None)
        self._zstd = (
            zstandard.ZstdDecompressor()
        )  # one for all: making it costs more than a small transaction
        self._scratch: Bytes = np.empty(0, np.uint8)
        self._scratch_filled = 0
        self._state = self._columns.state
        self._state[walk.CHECKSUM] = 4 if checksum else 0
        self._state[walk.VERIFY] = verify_checksum

    @property
    def file(self) -> str:
        """The file of the last item."""
        return self._columns.file

    @property
    def position(self) -> int:
        """The offset in the file after the last event that was used."""
        return self._columns.position

    @property
    def restart(self) -> int:
        """From where reading must begin again: the start of the open transaction, else `position`."""
        return self._columns.restart

    def extend(self, until: tuple[str, int] | None) -> None:
        """Continue to a later end than the one that was reached; None: without end."""
        self._columns.extend(until)

    def feed(self, data: Bytes, start: int, end: int) -> Iterator[Item]:
        """The items of data[start:end]. Exhaust it before the next call; then see `consumed`."""
        if not data.flags.writeable:  # a second compiled walk for read-only arrays costs more than this copy
            data = data.copy()
        self._scratch_filled = 0
        self.consumed = start
        if self._magic:
            if end - start < len(_MAGIC):
                self.needed = len(_MAGIC)
                return
            start = self._check_magic(data, start)
        self.consumed = yield from self._walk(data, start, end, self._framing)
        self.needed = int(self._state[walk.NEEDED])
        yield from self._columns.take()
        yield from self._carry_query(data)
        if self._tables.are_many and self._state[walk.OPEN] < 0:
            self._tables.forget()
            self._state[walk.LAST_TABLE] = self._state[walk.LAST_ENTRY] = -1

    def _check_magic(self, data: Bytes, start: int) -> int:
        if data[start : start + 4].tobytes() != _MAGIC:
            raise LogFormatError(f"{self.file} is no binlog file: it does not begin with fe 62 69 6e")
        self._magic = False
        return start + 4

    def _walk(self, data: Bytes, o: int, end: int, framing: int) -> Items:
        """Walk a block to its last whole event; its offset."""
        st, columns, tables = self._state, self._columns, self._tables
        while True:
            st[walk.FRAMING] = framing
            st[walk.FOREIGN] = st[walk.EVENTS] > 0 and columns.block is not data
            o = walk.walk(
                data,
                o,
                end,
                st,
                columns.events,
                columns.transactions,
                tables.keys,
                tables.entries,
                tables.maps,
                columns.origin_rows,
            )
            if not st[walk.FOREIGN]:
                columns.block = data
            if st[walk.STATUS] == walk.MORE:
                return o
            o = yield from self._stopped(data, o, end)
            if o < 0:
                return ~o

    def _stopped(self, data: Bytes, o: int, end: int) -> Items:
        """Handle what ended the pass; the offset to continue from, or its complement if the block ends there."""
        status = int(self._state[walk.STATUS])
        if status in (walk.FULL, walk.FOREIGN_BLOCK):
            yield from self._columns.take()
        elif status == walk.NEW_TABLE:
            yield from self._new_table(data)
        elif status == walk.NEW_ORIGIN:
            self._new_origin(data)
        elif status == walk.OTHER:
            return (yield from self._other(data))
        elif status == walk.REACHED:
            yield from self._columns.take()
            yield EndOfLog(file=self.file, position=self.position, restart=self.restart, reached=True)
            return ~o
        elif status == walk.MARKER:
            return (yield from self._marker(data, o))
        elif status == walk.SPLIT:
            return (yield from self._split(data, o, end))
        else:
            raise self._format_error(data, status)
        return o

    def _carry_query(self, data: Bytes) -> Iterator[Item]:
        """Keep the text of the statement whose rows still come, before its block is left."""
        st = self._state
        if st[walk.QUERY] >= 0:
            yield from self._columns.take_events()
            o = int(st[walk.QUERY])
            self._columns.carried_query = data[o : o + int(st[walk.QUERY_LENGTH])].tobytes()
            st[walk.QUERY] = walk.CARRIED

    def _new_table(self, data: Bytes) -> Iterator[Item]:
        event = event_at(self._state, data)
        if self._tables.replaces(event.body):
            yield from self._columns.take()
        self._tables.add(event.body)
        self._state[walk.LAST_TABLE] = self._state[walk.LAST_ENTRY] = -1

    def _new_origin(self, data: Bytes) -> None:
        event = event_at(self._state, data)
        if event.kind == 33:
            self._columns.add_origin(event.body[1:17])
            return
        row = self._columns.origin_rows[-1].tobytes()
        self._columns.add_origin(row[:16], row[walk.ORIGIN_TAG : walk.ORIGIN_TAG + row[16]])

    def _marker(self, data: Bytes, o: int) -> Items:
        """A packet that is not an event: the end of the log, or an error."""
        length = little(data[o : o + 3].tobytes(), 0, 3)
        packet = data[o + 4 : o + 4 + length].tobytes()
        yield from self._columns.take()
        if packet[:1] == b"\xfe" and length < 9:
            yield EndOfLog(file=self.file, position=self.position, restart=self.restart)
        elif packet[:1] == b"\xff":
            code, sqlstate, message = events.parse_error_packet(packet)
            yield ServerError(
                file=self.file,
                position=self.position,
                restart=self.restart,
                code=code,
                sqlstate=sqlstate,
                message=message,
            )
        else:
            raise LogFormatError(
                f"{self._where()}: a packet begins with {packet[:4].hex()}, which is no event"
            )
        return o + 4 + length

    def _split(self, data: Bytes, o: int, end: int) -> Items:
        """An event of 16 MB or more comes in several packets: join them once all are there."""
        st = self._state
        st[walk.NEEDED] = 5 + HEADER
        if end - o < 5 + HEADER:
            return ~o
        size = little(data[o + 14 : o + 18].tobytes(), 0, 4)
        pieces = (size + 1) // _PACKET + 1
        wire = size + 1 + 4 * pieces
        st[walk.NEEDED] = wire
        if end - o < wire:
            return ~o
        joined = self._joined(data, o, size, pieces)
        yield from self._carry_query(data)
        used = yield from self._walk(joined, 0, size, walk.BARE)
        self._check_used(used, size)
        yield from self._carry_query(joined)
        return o + wire

    def _joined(self, data: Bytes, o: int, size: int, pieces: int) -> Bytes:
        joined = np.empty(size + 1, np.uint8)
        filled = 0
        for _ in range(pieces):
            length = little(data[o : o + 3].tobytes(), 0, 3)
            if filled + length > size + 1:
                break
            joined[filled : filled + length] = data[o + 4 : o + 4 + length]
            filled, o = filled + length, o + 4 + length
        if filled != size + 1 or joined[0] != 0:
            raise LogFormatError(f"{self._where()}: an event of {size} bytes does not fit its packets")
        return joined[1:]

    def _other(self, data: Bytes) -> Items:
        """An event that the walk leaves to Python; returns the offset after it."""
        event = event_at(self._state, data)
        if event.kind == events.TRANSACTION_PAYLOAD:
            yield from self._payload(event)
            self._state[walk.POSITION] = event.after
        else:
            yield from self._singles.items(event)
        return event.next

    def _payload(self, event: Event) -> Iterator[Item]:
        """A compressed transaction: its events have neither checksums nor positions of their own."""
        st = self._state
        yield from self._carry_query(event.data)
        checksum, st[walk.CHECKSUM] = int(st[walk.CHECKSUM]), 0
        st[walk.FIXED_START], st[walk.FIXED_END], st[walk.PART] = event.start, event.after, 0
        packed = payload.Payload(event.data, event.offset + HEADER, event.stop)
        if packed.compression == payload.NONE:
            used = yield from self._walk(event.data, packed.start, packed.stop, walk.BARE)
            self._check_used(used, packed.stop)
        elif packed.compression != payload.ZSTD:
            raise LogFormatError(
                f"{self.file}:{event.start}: unknown compression {packed.compression} of a transaction"
            )
        elif 0 < packed.size <= payload.PIECE:
            yield from self._small_payload(packed)
        else:
            yield from self._large_payload(packed)
        st[walk.CHECKSUM], st[walk.FIXED_START], st[walk.PART] = checksum, -1, 0

    def _small_payload(self, packed: payload.Payload) -> Iterator[Item]:
        """Unpack it after the previous one, so that many small transactions make one run."""
        if self._scratch_filled + packed.size > len(self._scratch):
            yield from self._columns.take()
            self._scratch = np.empty(payload.PIECE, np.uint8)
            self._scratch_filled = 0
        scratch, start = self._scratch, self._scratch_filled
        end = start + payload.fill(packed.reader(self._zstd), scratch[start : start + packed.size])
        self._scratch_filled = end
        used = yield from self._walk(scratch, start, end, walk.BARE)
        self._check_used(used, start + packed.size)
        yield from self._carry_query(scratch)

    def _large_payload(self, packed: payload.Payload) -> Iterator[Item]:
        reader, block, filled = packed.reader(self._zstd), np.empty(payload.PIECE, np.uint8), 0
        while True:
            end = filled + payload.fill(reader, block[filled:])
            used = yield from self._walk(block, 0, end, walk.BARE)
            yield from self._columns.take_events()
            yield from self._carry_query(block)
            if end < len(block):
                self._check_used(used, end)
                return
            filled = end - used
            room = max(payload.PIECE, filled + int(self._state[walk.NEEDED]))
            block = payload.with_room(block[used:end], room)

    def _check_used(self, used: int, end: int) -> None:
        if used != end:
            raise LogFormatError(f"{self._where()}: the event's contents end in the middle of an event")

    def _format_error(self, data: Bytes, status: int) -> LogFormatError:
        """The error that the walk found."""
        event = event_at(self._state, data)
        if status == walk.BAD_LENGTH:
            return LogFormatError(f"{self._where()}: an event's length does not fit: the stream is damaged")
        where = f"{self.file}:{event.start}"
        if status == walk.BAD_CHECKSUM:
            return LogFormatError(
                f"{where}: the checksum of the event ({event.kind}) is wrong: the log is damaged"
            )
        table = little(event.body, 0, 6)
        return LogFormatError(
            f"{where}: rows of table number {table}, which no event before names: reading must begin at "
            "the start of a transaction"
        )

    def _where(self) -> str:
        return f"{self.file}:{self.position}"
