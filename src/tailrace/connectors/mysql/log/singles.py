"""The events that are handled one by one: statements, XA, new files, heartbeats, and whatever else needs Python.

Each is handled in order: the run of row events before it is yielded first, then its own item, if it has
one.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from tailrace.connectors.mysql.log import events, walk
from tailrace.connectors.mysql.log.columns import Columns
from tailrace.connectors.mysql.log.items import (
    Bytes,
    FormatDescription,
    Heartbeat,
    Int64,
    Interval,
    Item,
    Outcome,
    PreviousGtids,
    Query,
    QueryKind,
    Rotate,
    Stop,
    XaCommit,
    XaPrepare,
    XaRollback,
)
from tailrace.connectors.mysql.log.tables import KnownTables
from tailrace.connectors.mysql.log.wire import little
from tailrace.errors import LogFormatError

HEADER: Final = 19
_HEADER: Final = struct.Struct("<IBIIIH")  # timestamp, type, server id, size, position, flags
_ARTIFICIAL, _IGNORABLE = 0x20, 0x80
_OUTCOMES: Final = {"commit": Outcome.COMMITTED, "rollback": Outcome.ROLLED_BACK}

# Irrelevant for a reader of rows: files of LOAD DATA in statement format (the statement follows), and
# group replication's own events.
_SKIPPED: Final = {
    events.BEGIN_LOAD_QUERY,
    events.APPEND_BLOCK,
    events.DELETE_FILE,
    events.IGNORABLE,
    events.TRANSACTION_CONTEXT,
    events.VIEW_CHANGE,
}
_SET_POSITION: Final = {events.ROTATE, events.HEARTBEAT, events.HEARTBEAT_V2}


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its header, and its offsets in the block and in the file."""

    data: Bytes
    offset: int
    stop: int
    next: int
    kind: int
    timestamp: int
    server_id: int
    flags: int
    start: int
    after: int

    @property
    def body(self) -> bytes:
        """The bytes between header and checksum."""
        return self.data[self.offset + HEADER : self.stop].tobytes()

    @property
    def whole(self) -> bytes:
        """Header, body and checksum."""
        return self.data[self.offset : self.next].tobytes()


def event_at(state: Int64, data: Bytes) -> Event:
    """The event where the walk stopped."""
    offset = int(state[walk.EVENT])
    timestamp, kind, server_id, _, _, flags = _HEADER.unpack_from(data.data, offset)
    return Event(
        data,
        offset,
        int(state[walk.STOP]),
        int(state[walk.NEXT]),
        kind=kind,
        timestamp=timestamp,
        server_id=server_id,
        flags=flags,
        start=int(state[walk.START]),
        after=int(state[walk.AFTER]),
    )


class SingleEvents:
    """The effect of each event that needs Python on the walk's state, and its items."""

    def __init__(self, columns: Columns, tables: KnownTables, *, checksum_known: bool) -> None:
        self._columns = columns
        self._tables = tables
        self._state = columns.state
        self._checksum_known = checksum_known
        self._handlers: dict[int, Callable[[Event], Iterator[Item]]] = {
            events.QUERY: self._query,
            events.EXECUTE_LOAD_QUERY: self._query,
            events.XA_PREPARE: self._xa_prepare,
            events.ROTATE: self._rotate,
            events.FORMAT_DESCRIPTION: self._format_description,
            events.PREVIOUS_GTIDS: self._previous_gtids,
            events.HEARTBEAT: self._heartbeat,
            events.HEARTBEAT_V2: self._heartbeat,
            events.STOP: self._stop,
            events.INCIDENT: self._incident,
        }

    def items(self, event: Event) -> Iterator[Item]:
        """Handle one event; its position is the walk's position afterwards."""
        handler = self._handlers.get(event.kind)
        if handler is not None:
            yield from handler(event)
        elif event.kind not in _SKIPPED and not event.flags & _IGNORABLE:
            name = events.NAMES.get(event.kind, "unknown")
            raise LogFormatError(
                f"{self._where(event)}: an event of type {event.kind} ({name}) can't be read by this version"
            )
        self._state[walk.COUNTED] += 1
        if event.kind not in _SET_POSITION and self._state[walk.FIXED_START] < 0:
            self._state[walk.POSITION] = event.after

    def _query(self, event: Event) -> Iterator[Item]:
        """A statement; those that only frame a transaction give no item."""
        extra = 13 if event.kind == events.EXECUTE_LOAD_QUERY else 0
        query = events.parse_query(event.body, extra=extra)
        match events.first_word(query.sql):
            case "begin" | "start":
                yield from self._begin(event, query, xa=False)
            case "savepoint" | "release":
                pass
            case "commit" | "rollback" as word:
                if self._state[walk.OPEN] >= 0:
                    walk.close(event.data, self._state, self._columns.transactions, _OUTCOMES[word])
            case "xa":
                yield from self._xa(event, query)
            case _:
                yield from self._statement(event, query)

    def _begin(self, event: Event, query: events.QueryBody, *, xa: bool) -> Iterator[Item]:
        yield from self._columns.take()
        self._columns.begin(event.data)
        cells = self._columns.transactions[:, self._state[walk.OPEN]]
        cells[walk.TX_THREAD] = query.thread
        cells[walk.TX_BEGIN] = event.start
        cells[walk.TX_BEGIN_TIMESTAMP] = event.timestamp
        cells[walk.TX_XA] = xa
        self._state[walk.BEGUN] = 1
        self._state[walk.COUNTED] = 0

    def _xa(self, event: Event, query: events.QueryBody) -> Iterator[Item]:
        verb = query.sql.split()[1].lower()
        if verb in ("start", "begin"):
            yield from self._begin(event, query, xa=True)
        elif verb in ("commit", "rollback"):
            xid = events.xid_in(query.sql)
            if xid is None:
                raise LogFormatError(f"{self._where(event)}: no XID in: {query.sql[:200]}")
            yield from self._begin(event, query, xa=True)
            kind = XaCommit if verb == "commit" else XaRollback
            transaction, executed = self._columns.end(event.data, _OUTCOMES[verb])
            yield kind(**self._at(event), executed=executed, xid=xid, transaction=transaction)

    def _xa_prepare(self, event: Event) -> Iterator[Item]:
        yield from self._columns.take()
        self._columns.begin(event.data)
        one_phase, xid = events.parse_xa_prepare(event.body)
        outcome = Outcome.COMMITTED if one_phase else Outcome.PREPARED
        transaction, executed = self._columns.end(event.data, outcome)
        yield XaPrepare(
            **self._at(event), executed=executed, xid=xid, one_phase=one_phase, transaction=transaction
        )

    def _statement(self, event: Event, query: events.QueryBody) -> Iterator[Item]:
        """A statement for the reader. Outside BEGIN it is a transaction of its own."""
        yield from self._columns.take_begun()
        self._columns.begin(event.data)
        kind = QueryKind.DATA if event.kind == events.EXECUTE_LOAD_QUERY else events.query_kind(query.sql)
        if kind is not QueryKind.DATA:  # all others are applied to the structures
            self._tables.note_definition()
        executed: tuple[Interval, ...] = ()
        if self._state[walk.BEGUN]:
            transaction = self._columns.opened()
        else:
            self._columns.transactions[walk.TX_THREAD, self._state[walk.OPEN]] = query.thread
            transaction, executed = self._columns.end(event.data, Outcome.COMMITTED)
        yield Query(
            **self._at(event),
            executed=executed,
            start=event.start,
            kind=kind,
            timestamp=event.timestamp,
            server_id=event.server_id,
            transaction=transaction,
            **{name: getattr(query, name) for name in events.QueryBody.__dataclass_fields__},
        )

    def _rotate(self, event: Event) -> Iterator[Item]:
        if not self._checksum_known:
            event = self._find_checksum(event)
        position, file = events.parse_rotate(event.body)
        yield from self._columns.take()
        yield from self._abandon(event)
        self._columns.enter(file, position)
        made_up = bool(event.flags & _ARTIFICIAL)
        yield Rotate(file=file, position=position, restart=position, made_up=made_up)

    def _abandon(self, event: Event) -> Iterator[Item]:
        """End an open transaction at a new file: none crosses files, so this one has lost its end."""
        if self._state[walk.OPEN] >= 0:
            walk.close(event.data, self._state, self._columns.transactions, Outcome.ABANDONED)
            yield from self._columns.take()

    def _find_checksum(self, event: Event) -> Event:
        """Detect the checksum of a dump's first event, which comes before the event that announces checksums."""
        whole = event.whole
        has = zlib.crc32(whole[:-4]) == little(whole, len(whole) - 4, 4)
        self._state[walk.CHECKSUM] = 4 if has else 0
        self._state[walk.STOP] = event.next - (4 if has else 0)
        self._checksum_known = True
        return event_at(self._state, event.data)

    def _format_description(self, event: Event) -> Iterator[Item]:
        version, server, created, checksum, lengths = events.parse_format_description(event.whole)
        if version != 4 or len(lengths) < 19 or lengths[18] != 8:  # table ids of four bytes: before 5.1.16
            raise LogFormatError(
                f"{self._where(event)}: format {version} of server {server} is too old to be read"
            )
        yield from self._columns.take()
        if created:
            yield from self._abandon(event)
        if event.after != event.start:
            self._tables.forget()
            self._state[walk.LAST_TABLE] = self._state[walk.LAST_ENTRY] = -1
        self._state[walk.CHECKSUM] = 4 if checksum else 0
        self._checksum_known = True
        yield FormatDescription(
            **self._at(event), server_version=server, checksum=checksum, created=event.timestamp
        )

    def _previous_gtids(self, event: Event) -> Iterator[Item]:
        yield from self._columns.take()
        yield PreviousGtids(**self._at(event), intervals=events.parse_previous_gtids(event.body))

    def _heartbeat(self, event: Event) -> Iterator[Item]:
        """Take the server's position: it may have skipped events that were not requested."""
        position = event.after
        if event.kind == events.HEARTBEAT_V2:
            _, stated = events.parse_heartbeat_v2(event.body)
            position = position if stated is None else stated
        yield from self._columns.take()
        self._state[walk.POSITION] = max(position, self._columns.position)
        yield Heartbeat(
            file=self._columns.file, position=self._columns.position, restart=self._columns.restart
        )

    def _stop(self, event: Event) -> Iterator[Item]:
        yield from self._columns.take()
        yield Stop(**self._at(event))

    def _incident(self, event: Event) -> Iterator[Item]:
        yield from self._columns.take()
        message = events.parse_incident(event.body)
        raise LogFormatError(
            f"{self._where(event)}: the server notes an incident: {message}. Changes may be missing from its "
            "log; take a new snapshot"
        )

    def _at(self, event: Event) -> dict[str, Any]:
        """The places of an item that ends with the event."""
        opened = self._state[walk.OPEN] >= 0
        restart = self._columns.restart if opened else event.after
        return {"file": self._columns.file, "position": event.after, "restart": restart}

    def _where(self, event: Event) -> str:
        return f"{self._columns.file}:{event.start}"
