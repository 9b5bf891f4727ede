"""MySQL's log, the binlog: bytes in, items out, no I/O.

    decoder = LogDecoder(resolve=slot_of, file="mysql-bin.000001", pos=4)
    while more := receive_into(block, filled):
        filled += more
        for item in decoder.feed(block, 0, filled):
            ...
        # the rest, block[decoder.consumed:filled], goes to the front of the next block, which must have
        # room for decoder.needed bytes from there on

A block is a `uint8` array, best writable (a read-only one is copied) and of some megabytes. An item may have
views of the block (`RowEvents.data`): finish with it before the next call of `feed`, and always exhaust
its iterator.

Items come in the order of the log. Row events come many at a time, as columns, with the transactions they
belong to (`RowEvents`); a run ends where the block does and where something comes that a reader must see in
order: a statement (`Query`), a new file (`Rotate`, `FormatDescription`, `PreviousGtids`), XA
(`XaPrepare`, `XaCommit`, `XaRollback`), `Heartbeat`, `Stop`, `EndOfLog`, `ServerError`. However the bytes are
split into blocks, the items are the same, except for where runs end.

`resolve(table_map)` is called once for each structure of each table and returns the caller's number (the
`slot` of its row events), or None for a table that is not wanted, whose row events are skipped. If a
table's map changes or may have changed (after DDL), all events of the old structure are
yielded before `resolve` is called for the new one.

`file`, `position` and `restart` of an item, or of the decoder after it, are the current reading position; `executed`
adds to a GTID set. An XA transaction's GTID is executed when it is prepared.

Anything unreadable (a damaged stream, an event of an unknown type that may matter, an incident) is a
`LogFormatError` that names file and position; nothing is skipped silently.
"""

from tailrace.connectors.mysql.log.decoder import Framing, LogDecoder
from tailrace.connectors.mysql.log.items import (
    Bytes,
    EndOfLog,
    FormatDescription,
    Heartbeat,
    Int64,
    Interval,
    Item,
    Origin,
    Outcome,
    PreviousGtids,
    Query,
    QueryKind,
    Rotate,
    RowEvents,
    ServerError,
    Stop,
    Transaction,
    Transactions,
    XaCommit,
    XaPrepare,
    XaRollback,
    Xid,
)
from tailrace.connectors.mysql.log.table_map import MapColumn, TableMap

__all__ = [
    "Bytes",
    "EndOfLog",
    "FormatDescription",
    "Framing",
    "Heartbeat",
    "Int64",
    "Interval",
    "Item",
    "LogDecoder",
    "MapColumn",
    "Origin",
    "Outcome",
    "PreviousGtids",
    "Query",
    "QueryKind",
    "Rotate",
    "RowEvents",
    "ServerError",
    "Stop",
    "TableMap",
    "Transaction",
    "Transactions",
    "XaCommit",
    "XaPrepare",
    "XaRollback",
    "Xid",
]
