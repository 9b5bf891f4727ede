"""The walk over a block of the log: one compiled pass that turns events into columns.

Common events (GTIDs, BEGIN and COMMIT, known table maps, rows queries, row events, XIDs) are handled
here, some nanoseconds each. Whatever needs Python (a new table, a statement, a new file, a compressed
transaction) ends the pass with a status; the decoder handles it and calls again. All state lives in one array
of integers, so that a pass can stop anywhere between two events and resume later, in another block.

Event formats: MySQL source documentation, "Binary log events" (`Gtid_event`, `Query_event`,
`Table_map_event`, `Rows_event`, `Rows_query_event`, `Xid_event`), and "MySQL Serialization Library" for the
tagged GTID event.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.connectors.mysql.log.checksum import crc32
from tailrace.kernels import argument_types as arg
from tailrace.kernels.arrays import u16, u32, u64
from tailrace.kernels.compiling import entry, inlined

Bytes = npt.NDArray[np.uint8]
Cells = npt.NDArray[np.int64]

# How events are framed in the block.
PACKETS, BARE = 0, 1

# The cells of the state.
STATUS, FRAMING, CHECKSUM, VERIFY, NEEDED = 0, 1, 2, 3, 4
POSITION, FIXED_START, FIXED_END = (
    5,
    6,
    7,
)  # FIXED_START >= 0: inside a compressed transaction, which has one position
EVENT, STOP, NEXT, START, AFTER = 8, 9, 10, 11, 12  # of the event that ended the pass
EVENTS, TRANSACTIONS, OPEN, BEGUN = 13, 14, 15, 16
QUERY, QUERY_LENGTH = 17, 18  # QUERY: -1 none, CARRIED: kept aside from an earlier block
LAST_TABLE, LAST_ENTRY, LAST_ORIGIN, ORIGINS = 19, 20, 21, 22
FOREIGN = 23  # the events collected so far are in another block than this one
ENDED = 24  # transactions that ended since the columns were last emptied
PART = 25  # row events so far in the compressed transaction
FIELDS: Final = 26  # twelve: of a tagged GTID
COUNTED = 38  # events since the transaction's BEGIN, with it
LIMIT = 39  # where reading ends in this file
STATE_CELLS: Final = 40
NO_LIMIT: Final = 1 << 62
CARRIED: Final = -2

# Why a pass ended.
MORE, FULL, FOREIGN_BLOCK, OTHER, NEW_TABLE, NEW_ORIGIN, MARKER, SPLIT = 0, 1, 2, 3, 4, 5, 6, 7
BAD_LENGTH, BAD_CHECKSUM, UNKNOWN_TABLE, REACHED = 8, 9, 10, 11
_GO_ON: Final = -1

# The columns of row events, and those of transactions.
(
    EV_BODY,
    EV_END,
    EV_TYPE,
    EV_POSITION,
    EV_SLOT,
    EV_TIMESTAMP,
    EV_SERVER,
    EV_TRANSACTION,
    EV_QUERY,
    EV_QUERY_LENGTH,
    EV_FLAGS,
    EV_PART,
    EV_NUMBER,
) = range(13)
EVENT_COLUMNS: Final = 13
(
    TX_ORIGIN,
    TX_GNO,
    TX_IMMEDIATE,
    TX_ORIGINAL,
    TX_THREAD,
    TX_SERVER,
    TX_START,
    TX_BEGIN,
    TX_BEGIN_TIMESTAMP,
    TX_END,
    TX_END_TIMESTAMP,
    TX_OUTCOME,
    TX_XID,
    TX_LAST_COMMITTED,
    TX_SEQUENCE,
    TX_XA,
) = range(16)
TRANSACTION_COLUMNS: Final = 16
COMMITTED, ROLLED_BACK, PREPARED, ABANDONED = 1, 2, 3, 4

# An origin (server UUID and tag) in a row of bytes: UUID, length of the tag, tag.
ORIGIN_TAG: Final = 17
ORIGIN_BYTES: Final = 49

_HEADER: Final = 19
_MASK32: Final = 0xFFFFFFFF
_ARTIFICIAL: Final = 0x20
_DUMMY_TABLE: Final = 0xFFFFFFFFFFFF
_STATEMENT_END: Final = 1
_SHORTEST = np.zeros(256, np.int64)  # bytes of the body that the walk reads unchecked, by type
_SHORTEST[[16, 19, 23, 24, 25, 30, 31, 32, 39]] = 8
_SHORTEST[[2, 33, 34, 42]] = 13, 25, 25, 4
_BEGIN = np.frombuffer(b"BEGIN", np.uint8)
_COMMIT = np.frombuffer(b"COMMIT", np.uint8)
_ROLLBACK = np.frombuffer(b"ROLLBACK", np.uint8)
_ROLLBACK_TO = np.frombuffer(b"ROLLBACK TO", np.uint8)
_SAVEPOINT = np.frombuffer(b"SAVEPOINT ", np.uint8)


@entry(
    arg.BYTES, arg.INT, arg.INT, arg.INTS, arg.INT_TABLE, arg.INT_TABLE, arg.INTS, arg.INT_TABLE, arg.BYTES,
    arg.BYTE_TABLE
)
def walk(
    data: Bytes,
    o: int,
    end: int,
    st: Cells,
    ev: Cells,
    tx: Cells,
    table_keys: Cells,
    table_entries: Cells,
    maps: Bytes,
    origins: Bytes,
) -> int:
    """Walk the events of data[o:end]; the offset of the first one that was not consumed.

    st: the state; st[STATUS] says why the pass ended. ev, tx: int64[columns, capacity], filled from
        st[EVENTS] and st[TRANSACTIONS] on. table_keys: open-addressed hash of table ids (-1 empty), a power
        of two long;
    table_entries: int64[len(table_keys), 3], slot (-1: nobody wants it), and where its map stands in `maps`.
    origins: uint8[n, ORIGIN_BYTES], the last row is for the walk itself.
    """
    while True:
        status = _GO_ON if st[POSITION] < st[LIMIT] or st[OPEN] >= 0 or st[FIXED_START] >= 0 else REACHED
        if status == _GO_ON:
            status = _frame(data, o, end, st)
        if status == _GO_ON:
            status = _event(data, st, ev, tx, table_keys, table_entries, maps, origins)
        if status != _GO_ON:
            st[STATUS] = status
            return o
        st[POSITION] = st[AFTER] if st[FIXED_START] < 0 else st[POSITION]
        st[COUNTED] += 1
        o = st[NEXT]


@inlined
def _u48(data: Bytes, o: int) -> int:
    return int(u32(data, o) | u16(data, o + 4) << 32)


@inlined
def _u56(data: Bytes, o: int) -> int:
    return int(_u48(data, o) | np.int64(data[o + 6]) << 48)


@inlined
def _equal(a: Bytes, p: int, b: Bytes, q: int, n: int) -> bool:
    """Whether a[p:p + n] and b[q:q + n] are the same bytes."""
    k = 0
    while k + 8 <= n:
        if u64(a, p + k) != u64(b, q + k):
            return False
        k += 8
    while k < n:
        if a[p + k] != b[q + k]:
            return False
        k += 1
    return True


@inlined
def _frame(data: Bytes, o: int, end: int, st: Cells) -> int:
    """Find the event at `o`: where it begins, its body ends and the next one begins, and its positions."""
    if st[FRAMING] == PACKETS:
        st[NEEDED] = 5
        if end - o < 5:
            return MORE
        length = np.int64(data[o]) | np.int64(data[o + 1]) << 8 | np.int64(data[o + 2]) << 16
        if length == 0xFFFFFF:
            return SPLIT
        st[NEEDED] = 4 + length
        if end - o < 4 + length:
            return MORE
        if length == 0 or data[o + 4] != 0:
            return MARKER
        event, size = o + 5, length - 1
        if size < _HEADER or u32(data, event + 9) != size:
            return BAD_LENGTH
    else:
        st[NEEDED] = _HEADER
        if end - o < _HEADER:
            return MORE
        event, size = o, u32(data, o + 9)
        if size < _HEADER:
            return BAD_LENGTH
        st[NEEDED] = size
        if end - o < size:
            return MORE
    st[EVENT] = event
    st[NEXT] = event + size
    st[STOP] = event + size - st[CHECKSUM]
    return _place(data, event, int(size), st)


@inlined
def _place(data: Bytes, event: int, size: int, st: Cells) -> int:
    """Check the event's checksum and find its position in the file, in 64 bits (the log has 32 of them)."""
    checked = st[VERIFY] != 0 and st[CHECKSUM] != 0 and data[event + 4] != 15
    if checked and np.int64(crc32(data, event, size - 4)) != u32(data, event + size - 4):
        return BAD_CHECKSUM
    if st[FIXED_START] >= 0:
        st[START] = st[FIXED_START]
        st[AFTER] = st[FIXED_END]
        return _GO_ON
    position = st[POSITION]
    low = u32(data, event + 13)
    st[START] = position
    st[AFTER] = position
    if u16(data, event + 17) & _ARTIFICIAL != 0 or (low == 0 and (position + size) & _MASK32 != 0):
        return _GO_ON  # artificial: the server sends it for the connection, it is in no file
    after = (position & ~_MASK32) | low
    if after < position:
        after += 1 << 32
    st[AFTER] = after
    st[START] = after - size
    return _GO_ON


@inlined
def _event(
    data: Bytes,
    st: Cells,
    ev: Cells,
    tx: Cells,
    table_keys: Cells,
    table_entries: Cells,
    maps: Bytes,
    origins: Bytes,
) -> int:
    kind = data[st[EVENT] + 4]
    if st[STOP] - st[EVENT] < _HEADER + _SHORTEST[kind]:
        return BAD_LENGTH
    if 30 <= kind <= 32 or kind == 39 or 23 <= kind <= 25:
        return _rows(data, st, ev, tx, table_keys, table_entries)
    if kind == 19:
        return _table_map(data, st, table_keys, table_entries, maps)
    if kind in (33, 34):
        return _gtid(data, st, tx, origins, kind == 34)
    if kind == 2:
        return _query(data, st, tx)
    if kind == 16:
        st[OPEN] = _opened(data, st, tx)
        if st[OPEN] < 0:
            return FULL
        tx[TX_XID, st[OPEN]] = u64(data, st[EVENT] + _HEADER)
        close(data, st, tx, COMMITTED)
        return _GO_ON
    if kind == 29:
        return _rows_query(st)
    if kind == 42:
        return _tagged_gtid(data, st, tx, origins)
    if kind in (5, 13, 14):
        return _GO_ON  # variables of a statement: the statement itself follows
    return OTHER


@inlined
def _rows(data: Bytes, st: Cells, ev: Cells, tx: Cells, table_keys: Cells, table_entries: Cells) -> int:
    event = st[EVENT]
    body = event + _HEADER
    table = _u48(data, body)
    flags = u16(data, body + 6)
    entry = st[LAST_ENTRY] if table == st[LAST_TABLE] else find_table(table_keys, table)
    known = table_keys[entry] == table
    if known:
        st[LAST_TABLE] = table
        st[LAST_ENTRY] = entry
    elif table != _DUMMY_TABLE:  # a dummy event has no rows: it only ends a statement
        return UNKNOWN_TABLE
    if known and table_entries[entry, 0] >= 0:
        n = st[EVENTS]
        if st[FOREIGN] != 0:
            return FOREIGN_BLOCK
        opened = _opened(data, st, tx)
        if n == ev.shape[1] or opened < 0:
            return FULL
        ev[EV_BODY, n] = body
        ev[EV_END, n] = st[STOP]
        ev[EV_TYPE, n] = data[event + 4]
        ev[EV_POSITION, n] = st[START]
        ev[EV_SLOT, n] = table_entries[entry, 0]
        ev[EV_TIMESTAMP, n] = u32(data, event)
        ev[EV_SERVER, n] = u32(data, event + 5)
        ev[EV_TRANSACTION, n] = opened
        ev[EV_QUERY, n] = st[QUERY]
        ev[EV_QUERY_LENGTH, n] = st[QUERY_LENGTH]
        ev[EV_FLAGS, n] = flags
        ev[EV_PART, n] = st[PART]
        ev[EV_NUMBER, n] = st[COUNTED]
        st[EVENTS] = n + 1
    st[PART] += st[FIXED_START] >= 0
    if flags & _STATEMENT_END:
        st[QUERY] = -1
        st[QUERY_LENGTH] = 0
    return _GO_ON


@inlined
def _rows_query(st: Cells) -> int:
    """Note the statement's offset; its first byte is a length that newer servers leave meaningless."""
    if st[FOREIGN] != 0:
        return FOREIGN_BLOCK
    st[QUERY] = st[EVENT] + _HEADER + 1
    st[QUERY_LENGTH] = st[STOP] - st[QUERY]
    return _GO_ON


@entry(arg.INTS, arg.INT)
def find_table(table_keys: Cells, table: int) -> int:
    """The entry of a table id, or the empty one where it belongs."""
    mask = len(table_keys) - 1
    entry = (table * 0x9E3779B1 >> 12) & mask
    while table_keys[entry] != table and table_keys[entry] != -1:
        entry = (entry + 1) & mask
    return entry


@inlined
def _table_map(data: Bytes, st: Cells, table_keys: Cells, table_entries: Cells, maps: Bytes) -> int:
    """Skip a table map that is byte for byte known; any other is a new table."""
    body = st[EVENT] + _HEADER
    table = _u48(data, body)
    entry = st[LAST_ENTRY] if table == st[LAST_TABLE] else find_table(table_keys, table)
    length = st[STOP] - body
    if table_keys[entry] != table or table_entries[entry, 2] != length:
        return NEW_TABLE
    if not _equal(data, body, maps, table_entries[entry, 1], length):
        return NEW_TABLE
    st[LAST_TABLE] = table
    st[LAST_ENTRY] = entry
    return _GO_ON


@inlined
def _opened(data: Bytes, st: Cells, tx: Cells) -> int:
    """The transaction of the event: the open one, else a new one that begins here; -1 if there is no room."""
    if st[OPEN] >= 0:
        return int(st[OPEN])
    return begin(data, st, tx)


@entry(arg.BYTES, arg.INTS, arg.INT_TABLE)
def begin(data: Bytes, st: Cells, tx: Cells) -> int:
    """Open a transaction at the event; one that is still open was never finished. -1 if there is no room."""
    n = st[TRANSACTIONS]
    if n == tx.shape[1]:
        return -1
    if st[OPEN] >= 0:
        tx[TX_END, st[OPEN]] = st[START]
        tx[TX_OUTCOME, st[OPEN]] = ABANDONED
        st[ENDED] += 1
    for column in range(tx.shape[0]):
        tx[column, n] = 0
    tx[TX_ORIGIN, n] = -1
    tx[TX_START, n] = st[START]
    tx[TX_SERVER, n] = u32(data, st[EVENT] + 5)
    tx[TX_BEGIN_TIMESTAMP, n] = u32(data, st[EVENT])
    st[TRANSACTIONS] = n + 1
    st[OPEN] = n
    st[BEGUN] = 0
    return int(n)


@entry(arg.BYTES, arg.INTS, arg.INT_TABLE, arg.INT)
def close(data: Bytes, st: Cells, tx: Cells, outcome: int) -> None:
    """End the open transaction with the event."""
    n = st[OPEN]
    tx[TX_END, n] = st[AFTER]
    tx[TX_END_TIMESTAMP, n] = u32(data, st[EVENT])
    tx[TX_OUTCOME, n] = outcome
    st[ENDED] += 1
    st[OPEN] = -1
    st[BEGUN] = 0
    st[QUERY] = -1
    st[QUERY_LENGTH] = 0


@inlined
def _gtid(data: Bytes, st: Cells, tx: Cells, origins: Bytes, anonymous: bool) -> int:
    p = st[EVENT] + _HEADER
    origin = -1
    if not anonymous:
        origin = _find_origin(data, p + 1, p + 1, 0, st, origins)
        if origin < 0:
            return NEW_ORIGIN
    n = begin(data, st, tx)
    if n < 0:
        return FULL
    tx[TX_ORIGIN, n] = origin
    tx[TX_GNO, n] = 0 if anonymous else u64(data, p + 17)
    if st[STOP] >= p + 42:  # the logical clock: since 5.7
        tx[TX_LAST_COMMITTED, n] = u64(data, p + 26)
        tx[TX_SEQUENCE, n] = u64(data, p + 34)
    if st[STOP] >= p + 49:  # commit timestamps: since 8.0
        immediate = _u56(data, p + 42)
        original = immediate
        if immediate & (1 << 55) and st[STOP] >= p + 56:
            immediate &= (1 << 55) - 1
            original = _u56(data, p + 49)
        tx[TX_IMMEDIATE, n] = immediate
        tx[TX_ORIGINAL, n] = original
    return _GO_ON


@inlined
def _find_origin(data: Bytes, uuid: int, tag: int, tag_length: int, st: Cells, origins: Bytes) -> int:
    """The number of the origin with this UUID and tag, the last used one first; -1 if it is new."""
    last = st[LAST_ORIGIN]
    for k in range(st[ORIGINS]):
        n = last + k
        if n >= st[ORIGINS]:
            n -= st[ORIGINS]
        row = origins[n]
        same_server = row[16] == tag_length and _equal(data, uuid, row, 0, 16)
        if same_server and _equal(data, tag, row, ORIGIN_TAG, tag_length):
            st[LAST_ORIGIN] = n
            return int(n)
    return -1


@inlined
def varlen(data: Bytes, o: int) -> tuple[int, int]:
    """An unsigned integer of the serialization library and the offset behind it.

    As many bytes follow the first as that has trailing ones; the other bits are the value, lowest first.
    """
    first = np.int64(data[o])
    extra = 0
    while extra < 8 and first >> extra & 1:
        extra += 1
    value = np.uint64(0)
    for k in range(extra):
        value |= np.uint64(data[o + 1 + k]) << np.uint64(8 * k)
    if extra < 7:
        value = value << np.uint64(7 - extra) | np.uint64(first >> (extra + 1))
    return int(np.int64(value)), o + 1 + extra


@entry(arg.BYTES, arg.INTS, arg.INT_TABLE, arg.BYTE_TABLE)
def _tagged_gtid(data: Bytes, st: Cells, tx: Cells, origins: Bytes) -> int:
    """A GTID with a tag: numbered fields, of which any with a default may be missing."""
    if not tagged_fields(data, st, origins):
        return OTHER
    name = origins[len(origins) - 1]
    origin = _find_origin(name, 0, ORIGIN_TAG, name[16], st, origins)
    if origin < 0:
        return NEW_ORIGIN
    n = begin(data, st, tx)
    if n < 0:
        return FULL
    tx[TX_ORIGIN, n] = origin
    tx[TX_GNO, n] = st[FIELDS + 2]
    tx[TX_LAST_COMMITTED, n] = st[FIELDS + 4]
    tx[TX_SEQUENCE, n] = st[FIELDS + 5]
    tx[TX_IMMEDIATE, n] = st[FIELDS + 6]
    tx[TX_ORIGINAL, n] = st[FIELDS + 7] if st[FIELDS + 7] != 0 else st[FIELDS + 6]
    return _GO_ON


@entry(arg.BYTES, arg.INTS, arg.BYTE_TABLE)
def tagged_fields(data: Bytes, st: Cells, origins: Bytes) -> bool:
    """Read the numbered fields of a tagged GTID into the state, its origin into the last row of `origins`.

    False if there is a field that is not known and not to be passed over.
    """
    name = origins[len(origins) - 1]
    name[:] = 0
    st[FIELDS : FIELDS + 12] = 0
    o = st[EVENT] + _HEADER
    _version, o = varlen(data, o)
    _size, o = varlen(data, o)
    last_needed, o = varlen(data, o)
    while o < st[STOP]:
        field, o = varlen(data, o)
        if field > 11:
            return field > last_needed
        if field == 1:
            for k in range(16):
                byte, o = varlen(data, o)
                name[k] = byte
        elif field == 3:
            length, o = varlen(data, o)
            if length > 32:
                return False
            name[16] = length
            for k in range(length):
                name[ORIGIN_TAG + k] = data[o + k]
            o += length
        else:
            value, o = varlen(data, o)
            # these three are signed, and positive: the lowest bit is the sign
            st[FIELDS + field] = value >> 1 if field in (2, 4, 5) else value
    return True


@inlined
def _query(data: Bytes, st: Cells, tx: Cells) -> int:
    """BEGIN, COMMIT, ROLLBACK and savepoints; any other statement is Python's."""
    p = st[EVENT] + _HEADER
    sql = p + 13 + u16(data, p + 11) + np.int64(data[p + 8]) + 1
    n = st[STOP] - sql
    if n < 0:
        return BAD_LENGTH
    if n == 5 and _equal(data, sql, _BEGIN, 0, 5):
        opened = _opened(data, st, tx)
        if opened < 0:
            return FULL
        tx[TX_THREAD, opened] = u32(data, p)
        tx[TX_BEGIN, opened] = st[START]
        tx[TX_BEGIN_TIMESTAMP, opened] = u32(data, st[EVENT])
        st[BEGUN] = 1
        st[COUNTED] = 0
        return _GO_ON
    if n == 6 and _equal(data, sql, _COMMIT, 0, 6) and st[OPEN] >= 0:
        close(data, st, tx, COMMITTED)
        return _GO_ON
    if n == 8 and _equal(data, sql, _ROLLBACK, 0, 8) and st[OPEN] >= 0:
        close(data, st, tx, ROLLED_BACK)
        return _GO_ON
    if n >= 10 and _equal(data, sql, _SAVEPOINT, 0, 10):
        return _GO_ON
    if n >= 11 and _equal(data, sql, _ROLLBACK_TO, 0, 11):
        return _GO_ON  # what a savepoint undid is not in the log, or could not be undone
    return OTHER
