"""Consistent reads (*views*) of tables without a key: the table as of one LSN, for as long as reading takes.

A shared lock on the table is waited for, and held for a short time. A transaction that has changed the table before has
committed by then, and none changes it meanwhile. So the transactions before and after are distinguished by their commit
times, on the server's clock: the view's position S is the last transaction up to the middle of that time.

If the database allows snapshot isolation, a snapshot transaction begins to read while the lock is held, and the lock is
released. If not, the lock is held until the table is read, and writers wait: a warning says so.

Source: https://learn.microsoft.com/sql/t-sql/statements/set-transaction-isolation-level-transact-sql and
https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-cdc-map-time-to-lsn-transact-sql
"""

from __future__ import annotations

import contextlib
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
from tailrace.errors import TailraceError
from tailrace.snapshot.digests import Digests

MOMENT_SECONDS: Final = 0.1  # that the lock is held at least: it keeps commit times apart, which have a grain of 3.33 ms

_NOW: Final = "SELECT SYSDATETIME()"
_ALLOWED: Final = "SELECT snapshot_isolation_state FROM sys.databases WHERE database_id = DB_ID()"
_ON: Final = 1
_AT: Final = "SELECT sys.fn_cdc_map_time_to_lsn('largest less than or equal', ?)"

log = logging.getLogger(__name__)


class TableView:
    """A view that is open.

    Attributes:
        position: S, in a section's form.
        middle: of the time in which no one could change the table, the server's local time.

    """

    def __init__(
        self, read: ReadTable, reading: Session, let_go: Callable[[], None], middle: dt.datetime, sql: str
    ) -> None:
        """`reading`: the session that reads the table, by the statement `sql`."""
        self.position: Mapping[str, Any] | None = None
        self.middle = middle
        self._read = read
        self._reading = reading
        self._let_go = let_go
        self._sql = sql

    def holds(self) -> bool:
        """True: it is the table at S."""
        return True

    def rows(self) -> Iterator[ReadChunk]:
        """All rows, in no order, block by block."""
        read_us = epoch.now_us()
        for block in blocks_of(self._read, lambda rows: self._reading.batches(self._sql, rows=rows)):
            yield ReadChunk(self._read, [block], False, read_us, self._digested)

    def _digested(self, blocks: Sequence[ReadRows]) -> Digests:
        """Digests of whole rows, of the chunk's only block."""
        (block,) = blocks
        columns = block.columns
        return row_digests(self._read, columns, block.rows)

    def close(self) -> None:
        """End the transaction."""
        self._let_go()


def opened(read: ReadTable, locking: Session, versioned: Session, override: str | None) -> TableView:
    """Open a view of a table.

    Args:
        read: how it is read.
        locking: the session for the lock.
        versioned: the session for the rows, if row versions are available.
        override: the user's SELECT, which replaces the table.

    Raises:
        RetriableError: the lock was not granted in time.

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
            # A snapshot transaction sees what was committed at its first read, not at BEGIN. So it reads while the lock
            # is held.
            versioned.rows(f"SELECT TOP (1) 1 FROM {quoted(table.schema, table.name)}")  # noqa: S608 -- names are quoted
        time.sleep(MOMENT_SECONDS)
        middle = first + (locking.one(_NOW) - first) / 2
        if has_versions:
            locking.execute("ROLLBACK TRANSACTION")
    except BaseException:
        with contextlib.suppress(TailraceError):  # of a session that broke; both are replaced then
            let_go()
        raise
    return TableView(read, versioned if has_versions else locking, let_go, middle, sql)


def place_at(session: Session, middle: dt.datetime, reached: Lsn) -> Lsn:
    """S for a time that the capture job has passed; not before the position that the log is read to."""
    found = session.one(_AT, middle)
    return max(ZERO if found is None else LSNS.of(found), reached)
