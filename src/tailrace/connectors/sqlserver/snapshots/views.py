"""Views of tables without a key: such a table as it is at one place of the log, read for as long as it takes.

A shared lock on the table is waited for, and held for a moment: whoever has changed the table is through with his commit
then, and nobody changes it meanwhile. So the transactions that changed it before and those that do afterwards are told apart
by the times of their commits, by the server's clock: the place S is the last transaction up to the middle of the moment.

Where the database allows snapshot isolation, a transaction of that kind fixes in the moment what it sees of the table, and the
lock is let go. Where it does not, the lock is held until the table is read, and those who write to it wait: a warning says so.

Source: https://learn.microsoft.com/sql/t-sql/statements/set-transaction-isolation-level-transact-sql and
https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-cdc-map-time-to-lsn-transact-sql
"""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from tailrace import epoch
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.blocks import ReadRows, blocks_of
from tailrace.connectors.change_tables.snapshots.row_digests import row_digests
from tailrace.connectors.shared.snapshots.chunks import ReadChunk
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.lsn import LSNS, ZERO
from tailrace.connectors.sqlserver.snapshots import statements
from tailrace.connectors.sqlserver.snapshots.read_tables import ReadTable
from tailrace.snapshot.digests import Digests

MOMENT_SECONDS: Final = 0.1

_NOW: Final = "SELECT SYSDATETIME()"
_ALLOWED: Final = "SELECT snapshot_isolation_state FROM sys.databases WHERE database_id = DB_ID()"
_ON: Final = 1
_AT: Final = "SELECT sys.fn_cdc_map_time_to_lsn('largest less than or equal', ?)"

log = logging.getLogger(__name__)


class TableView:
    """A view that is open.

    Attributes:
        position: S, as a section tells it.
        middle: of the moment in which nobody changed the table, the server's local time.

    """

    def __init__(
        self, read: ReadTable, reading: Session, let_go: Callable[[], None], middle: dt.datetime, sql: str
    ) -> None:
        """`reading`: what the table is read on, by the statement `sql`."""
        self.position: Mapping[str, Any] | None = None
        self.middle = middle
        self._read = read
        self._reading = reading
        self._let_go = let_go
        self._sql = sql

    def holds(self) -> bool:
        """It is the table at S."""
        return True

    def rows(self) -> Iterator[ReadChunk]:
        """All rows, in no order."""
        read_us = epoch.now_us()
        for block in blocks_of(self._read, lambda rows: self._reading.batches(self._sql, rows=rows)):
            yield ReadChunk(self._read, [block], False, read_us, self._digested)

    def _digested(self, blocks: Sequence[ReadRows]) -> Digests:
        """Of whole rows; there is one block."""
        (block,) = blocks
        columns = block.columns
        return row_digests(self._read, columns, block.rows)

    def close(self) -> None:
        """End the transaction."""
        self._let_go()


def opened(read: ReadTable, locking: Session, versioned: Session, override: str | None) -> TableView:
    """A view of a table.

    Args:
        read: how it is read.
        locking: for the lock.
        versioned: for the rows, where they can be read without it.
        override: the user's own SELECT, which is read instead.

    Raises:
        RetriableError: the lock is not to be had in time.

    """
    table = read.table.id
    sql = statements.whole(table, read.selects, override=override)
    has_versions = locking.one(_ALLOWED) == _ON
    if not has_versions:
        log.warning(
            "%s has no key and is read under a shared lock: whoever writes to it waits until it is read. A primary key would "
            "mend that, or ALTER DATABASE [%s] SET ALLOW_SNAPSHOT_ISOLATION ON",
            table,
            table.catalog,
        )

    def let_go() -> None:
        for session in (locking, versioned):
            session.execute("IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION")
        versioned.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")

    try:
        locking.execute("BEGIN TRANSACTION")
        locking.rows(f"SELECT TOP (1) 1 FROM {quoted(table.schema, table.name)} WITH (TABLOCK, HOLDLOCK)")  # noqa: S608
        first = locking.one(_NOW)
        if has_versions:
            versioned.execute("SET TRANSACTION ISOLATION LEVEL SNAPSHOT")
            versioned.execute("BEGIN TRANSACTION")
            versioned.rows(f"SELECT TOP (1) 1 FROM {quoted(table.schema, table.name)}")  # noqa: S608 -- names are quoted
        time.sleep(MOMENT_SECONDS)
        middle = first + (locking.one(_NOW) - first) / 2
        if has_versions:
            locking.execute("ROLLBACK TRANSACTION")
    except BaseException:
        let_go()
        raise
    return TableView(read, versioned if has_versions else locking, let_go, middle, sql)


def place_at(session: Session, middle: dt.datetime, reached: Lsn) -> Lsn:
    """S of a moment that the capture job has passed; not before where the log is read up to."""
    found = session.one(_AT, middle)
    return max(ZERO if found is None else LSNS.of(found), reached)
