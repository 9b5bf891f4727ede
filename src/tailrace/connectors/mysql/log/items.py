"""The log decoder's items: runs of row events as columns, and single items for whatever is between them.

Every item has its file, the offset up to which that file is read once the item is handled (`position`,
after its last event) and the offset from which reading must begin again to understand what follows
(`restart`: the start of the open transaction, else `position`). `executed` are the GTIDs of transactions that
ended with the item.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt

from tailrace.connectors.mysql.log import walk

Bytes = npt.NDArray[np.uint8]
Int64 = npt.NDArray[np.int64]


class Outcome(enum.IntEnum):
    """How a transaction ended."""

    OPEN = 0
    COMMITTED = walk.COMMITTED
    ROLLED_BACK = walk.ROLLED_BACK  # changes of tables without transactions remain
    PREPARED = walk.PREPARED  # XA: it counts when its XA COMMIT comes, perhaps never
    ABANDONED = walk.ABANDONED  # the log continues without its end


@dataclass(frozen=True, slots=True)
class Origin:
    """The part of a GTID before the number: the UUID of the server that made it, and a tag ("" for none)."""

    uuid: UUID
    tag: str = ""

    def __str__(self) -> str:
        return f"{self.uuid}:{self.tag}" if self.tag else str(self.uuid)


@dataclass(frozen=True, slots=True)
class Interval:
    """The GTIDs `first` to `last` of an origin, both included."""

    origin: Origin
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Transaction:
    """One transaction: the row of `Transactions` of the same attributes; see there."""

    origin: Origin | None
    gno: int
    immediate_us: int
    original_us: int
    thread: int
    server_id: int
    start: int
    begin: int
    begin_timestamp: int
    end: int
    end_timestamp: int
    outcome: Outcome
    xid: int
    last_committed: int
    sequence: int
    xa: bool

    @property
    def gtid(self) -> str | None:
        """The GTID as text; None for an anonymous transaction."""
        return None if self.origin is None else f"{self.origin}:{self.gno}"


@dataclass(frozen=True, slots=True)
class Transactions:
    """The transactions of a run, in log order, as columns of int64.

    The first is the one that was open when the last run ended, if one was (`RowEvents.continued`).

    Attributes:
        origins: what `origin` counts in; grows, never changes otherwise.
        origin: index in `origins`; -1 for an anonymous transaction.
        gno: number of the GTID.
        immediate_us: when it was committed on this server, microseconds since the epoch; 0 if the log doesn't
            say.
        original_us: when it was committed on the server where it was made; 0 if the log doesn't say.
        thread: number of the client connection.
        server_id: of the server where it was made.
        start: offset of its first event (GTID, else BEGIN).
        begin: offset of its BEGIN (or XA START); 0 before that and if it has none.
        begin_timestamp: seconds, in the header of that event.
        end: offset behind its last event; 0 while it is open.
        end_timestamp: seconds, in the header of its last event.
        outcome: an `Outcome`.
        xid: the storage engine's number; 0 if it has none.
        last_committed, sequence: the logical clock of the group commit.
        xa: 1 for an XA transaction.

    """

    origins: Sequence[Origin]
    origin: Int64
    gno: Int64
    immediate_us: Int64
    original_us: Int64
    thread: Int64
    server_id: Int64
    start: Int64
    begin: Int64
    begin_timestamp: Int64
    end: Int64
    end_timestamp: Int64
    outcome: Int64
    xid: Int64
    last_committed: Int64
    sequence: Int64
    xa: Int64

    def __len__(self) -> int:
        return len(self.origin)

    def __getitem__(self, index: int) -> Transaction:
        names = Transaction.__dataclass_fields__
        cells = {name: int(getattr(self, name)[index]) for name in names}
        origin = None if cells["origin"] < 0 else self.origins[cells["origin"]]
        whole = {**cells, "origin": origin, "outcome": Outcome(cells["outcome"]), "xa": bool(cells["xa"])}
        return Transaction(**whole)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What all items have: see the module."""

    file: str
    position: int
    restart: int
    executed: tuple[Interval, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RowEvents(Item):
    """A run of row events of wanted tables, in log order, and the transactions that they belong to.

    There may be no event at all: then only transactions ended, none of which touched a wanted table. When the
    decoder is fed again, only `data` and its views become invalid.

    Attributes:
        data: the block that `body`, `end` and `query` count in.
        body: offset of each event behind its header of 19 bytes.
        end: offset behind its last row.
        kind: the event type: 23 to 25 and 30 to 32 (write, update, delete), 39 (partial update).
        start: position of the event in the file; that of the whole for an event of a compressed transaction.
        slot: what `resolve` returned for the table.
        timestamp: seconds, in the event's header.
        server_id: in the event's header.
        transaction: index in `transactions`.
        query: offset of the statement's text in `data`; -1 if the log has none, -2 if it is `carried_query`.
        query_length: its length in bytes.
        flags: of the event; bit 0 is set on a statement's last event.
        part: how many row events, wanted or not, came before it in the same compressed transaction; 0 outside
            of one.
        number: how many events of any kind came before it in its transaction since BEGIN, with that.
        carried_query: the text of a statement that came before this block.
        transactions: of the run.
        continued: the first transaction began in an earlier run.
        placed: file and offset where the events take effect, if that is not where they are (XA).

    """

    data: Bytes
    body: Int64
    end: Int64
    kind: Int64
    start: Int64
    slot: Int64
    timestamp: Int64
    server_id: Int64
    transaction: Int64
    query: Int64
    query_length: Int64
    flags: Int64
    part: Int64
    number: Int64
    carried_query: bytes
    transactions: Transactions
    continued: bool
    placed: tuple[str, int] | None = None

    @property
    def place_file(self) -> str:
        """The file where the events take effect."""
        return self.file if self.placed is None else self.placed[0]

    @property
    def places(self) -> Int64:
        """The offset where each event takes effect: its own, except for XA."""
        return self.start if self.placed is None else np.full(len(self.start), self.placed[1], np.int64)

    def __len__(self) -> int:
        return len(self.body)


class QueryKind(enum.Enum):
    """What a statement in the log does, judged by its first word. Only of DATA it is sure that no structure changes."""

    DEFINITION = "definition"  # CREATE, ALTER, DROP, RENAME, TRUNCATE
    DATA = "data"  # INSERT, UPDATE, DELETE, REPLACE, LOAD, ...: rows changed, and the log doesn't say which
    OTHER = "other"  # GRANT, SET, FLUSH, ...: no matter for a reader of rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Query(Item):
    """A statement that is not BEGIN, COMMIT, ROLLBACK or a savepoint.

    Attributes:
        start: position of the event in the file.
        database: the session's; "" for none.
        sql: the text.
        kind: see `QueryKind`.
        timestamp: seconds, in the event's header.
        server_id: in the event's header.
        thread: number of the client connection.
        error_code: what the statement ended with on the server; 0 for success.
        sql_mode: the session's, MySQL's bits; None if the log doesn't say.
        charset: number of the collation of character_set_client.
        collation_server: number of the session's collation_server.
        collation_database: number of the database's default collation, if it is given.
        default_collation_for_utf8mb4: number.
        time_zone: the session's, if the statement depends on it.
        ddl_xid: the storage engine's number of an atomic DDL.
        microseconds: part of `timestamp` below the second, if the log has it.
        transaction: the transaction; ended with the statement unless that stands between BEGIN and COMMIT.

    """

    start: int
    database: str
    sql: str
    kind: QueryKind
    timestamp: int
    server_id: int
    thread: int
    error_code: int
    sql_mode: int | None = None
    charset: int | None = None
    collation_server: int | None = None
    collation_database: int | None = None
    default_collation_for_utf8mb4: int | None = None
    time_zone: str | None = None
    ddl_xid: int | None = None
    microseconds: int | None = None
    transaction: Transaction


@dataclass(frozen=True, slots=True)
class Xid:
    """The name of an XA transaction."""

    format_id: int
    gtrid: bytes
    bqual: bytes

    def __str__(self) -> str:
        return f"X'{self.gtrid.hex()}',X'{self.bqual.hex()}',{self.format_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class XaPrepare(Item):
    """The XA transaction whose rows came before is prepared; with `one_phase` it is committed at once."""

    xid: Xid
    one_phase: bool
    transaction: Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class XaCommit(Item):
    """A prepared XA transaction is committed: its rows, which came with its XaPrepare, count from here on."""

    xid: Xid
    transaction: Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class XaRollback(Item):
    """A prepared XA transaction is undone: its rows never count."""

    xid: Xid
    transaction: Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotate(Item):
    """The log continues in `file`; `made_up` if the event is only sent to the connection and not in the file."""

    made_up: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatDescription(Item):
    """A file begins, or a dump within one: what wrote it, whether its events have checksums, and when it was made.

    `created` are the seconds in the event's header. Those in its body are 0 where a dump begins within the file.
    """

    server_version: str
    checksum: bool
    created: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousGtids(Item):
    """The GTIDs in all files before this one."""

    intervals: tuple[Interval, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat(Item):
    """The server has nothing to send; it is at `position`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Item):
    """The server was shut down cleanly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOfLog(Item):
    """The end of a non-blocking dump, or of the requested part of the log (`reached`)."""

    reached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerError(Item):
    """The server ends the dump with an error."""

    code: int
    sqlstate: str
    message: str
