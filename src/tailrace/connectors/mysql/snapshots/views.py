"""Consistent reads (*views*) of tables without a key: the table as of one log position, for as long as reading takes.

The first consistent read of a transaction fixes its read view for all tables. Here that is a read of one row, so the
time is known. Before that, the transaction has accessed the table by a SELECT of no row. It fixes no read view, but
takes the metadata lock, which blocks DDL until the transaction ends. The log's head H, queried afterwards, lies after
everything that the view shows.

The view is the table at H if it shows all of the table's changes before H in the log. How that is known:

- With GTIDs the server is asked, right before the view is opened, for the executed set, which is visible then. The view
  holds if every transaction before H that changed the table is in that set. In doubt are only transactions that were
  being committed at that time. If one of them changed the table, another view is opened, up to `ATTEMPTS` times.
- Under a read lock on the table, held while the view is opened and H is queried, nothing is in doubt.
- Without either the view is used as it is, and a change that was being committed may be missing or come twice.

Source: MySQL Reference Manual, "Consistent Nonlocking Reads", "Metadata Locking", "LOCK TABLES and UNLOCK TABLES
Statements".
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tailrace import epoch
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Head, Server, quoted
from tailrace.connectors.mysql.connection import Connection, execute, rows
from tailrace.connectors.mysql.selecting import SelectedRows, Selection
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.read_locks import holding, read_locks
from tailrace.connectors.mysql.snapshots.read_tables import ReadTable
from tailrace.connectors.mysql.snapshots.row_digests import RowDigests
from tailrace.connectors.mysql.snapshots.touched_rows import ViewContents
from tailrace.connectors.shared.snapshots.chunks import ReadChunk
from tailrace.errors import RetriableError, SourceSetupError
from tailrace.schema.tables import TableId
from tailrace.snapshot.digests import Digests

ATTEMPTS: Final = 10  # to open a view by GTIDs, before a lock is taken
WITH_VIEWS: Final = "InnoDB"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ViewRequest:
    """The table to read.

    Attributes:
        table: its plans and shape.
        sql: the SELECT.
        digests: of its rows.

    """

    table: ReadTable
    sql: str
    digests: RowDigests

    @property
    def id(self) -> TableId:
        """The table's id."""
        return self.table.table.id

    @property
    def name(self) -> str:
        """The table's quoted name."""
        return f"{quoted(self.id.catalog)}.{quoted(self.id.name)}"


class TableView:
    """A view that is open on a connection.

    Attributes:
        head: H.
        seen: what it shows before H; None: everything, as far as can be known.

    """

    def __init__(self, connection: Connection, wanted: ViewRequest, head: Head, seen: ViewContents | None) -> None:
        self.head = head
        self.seen = seen
        self.position: Mapping[str, Any] | None = None  # H in the source's form; the source sets it
        self._connection = connection
        self._wanted = wanted

    def holds(self) -> bool:
        """Whether it shows all of the table's changes before H, as the section up to H has found."""
        return self.seen is None or self._wanted.id not in self.seen.unseen

    def rows(self) -> Iterator[ReadChunk]:
        """The rows, in no order, block by block."""
        wanted, read_us = self._wanted, epoch.now_us()
        with Selection(self._connection, wanted.sql, (), wanted.table.plans) as selection:
            for block in selection.images():
                yield ReadChunk(wanted.table, [block], False, read_us, self._digested)

    def _digested(self, blocks: Sequence[SelectedRows]) -> Digests:
        """Digests of whole rows, of the chunk's only block."""
        table, key = self._wanted.table.table, self._wanted.table.plans.key
        (block,) = blocks
        return self._wanted.digests.of_selected(table, key, block.keys)

    def close(self) -> None:
        """End the transaction, and forget what the view shows."""
        self.seen = None
        if self._connection.open:
            execute(self._connection, "ROLLBACK")


class Unopened:
    """Stands for a view that could not be opened, because the table's structure is no longer that at H."""

    position = None

    def holds(self) -> bool:
        """False: it shows nothing."""
        return False

    def rows(self) -> Iterator[ReadChunk]:
        """No rows."""
        yield from ()

    def close(self) -> None:
        """Do nothing."""


class Views:
    """Opens the views of one lane."""

    def __init__(self, settings: MySqlSettings, asking: Connection, server: Server) -> None:
        """`asking`: a connection for queries and locks."""
        self._settings = settings
        self._asking = asking
        self._server = server
        self._attempts: dict[TableId, int] = {}

    def open(self, reading: Connection, wanted: ViewRequest) -> TableView:
        """Open a view of a table on a connection, in place of one that may be open there.

        It shows everything before the position that the log is read to.

        Raises:
            StructureError: the table's structure is no longer that at the position.
            SourceSetupError: the server refuses it.
            RetriableError: a connection was lost.

        """
        engine = self._engine(wanted.id)
        if engine != WITH_VIEWS:
            return self._unproven(reading, wanted, f"its engine is {engine}, of which a read is not of one moment")
        attempts = self._attempts.get(wanted.id, 0)
        # Counted over all views of the table: one that changes all the time is locked in the end.
        self._attempts[wanted.id] = attempts + 1
        if self._server.has_gtids and attempts < ATTEMPTS:
            return self._by_gtids(reading, wanted)
        reasons: list[str] = []
        view = self._under_lock(reading, wanted, reasons)
        if view is not None:
            return view
        what = "it changes all the time" if self._server.has_gtids else "GTIDs are off"
        return self._unproven(reading, wanted, f"{what}, and no lock was taken: {'; '.join(reasons)}")

    def _by_gtids(self, reading: Connection, wanted: ViewRequest) -> TableView:
        _begin(reading, wanted)
        # The order matters: a transaction in this set is visible before the first read fixes the read view.
        executed, _ = catalog.gtids(self._asking)
        return self._opened(reading, wanted, ViewContents(executed))

    def _under_lock(self, reading: Connection, wanted: ViewRequest, reasons: list[str]) -> TableView | None:
        """A view that was opened under a lock; None if no lock was granted."""
        timeout = self._settings.snapshot_lock_timeout_ms
        for statement in reversed(read_locks(self._settings, [wanted.id])):  # the table's own lock disturbs fewer sessions
            try:
                with holding(self._asking, statement, timeout):
                    _begin(reading, wanted, timeout)
                    return self._opened(reading, wanted, None)
            except (SourceSetupError, RetriableError) as error:
                if not (self._asking.open and reading.open):
                    raise
                execute(reading, "ROLLBACK")
                reasons.append(str(error))
                if isinstance(error, RetriableError):  # a transaction that blocks one of the locks blocks the other too
                    break
        if not reasons:
            reasons.append(f"snapshot.locking.mode is {self._settings.snapshot_locking_mode}")
        return None

    def _unproven(self, reading: Connection, wanted: ViewRequest, why: str) -> TableView:
        log.warning(
            "the snapshot of %s is not proven to be exact: %s. A change that was being committed when it was read may be "
            "missing, or come twice. A primary key would mend that",
            wanted.id,
            why,
        )
        _begin(reading, wanted)
        return self._opened(reading, wanted, None)

    def _opened(self, reading: Connection, wanted: ViewRequest, seen: ViewContents | None) -> TableView:
        # This read fixes the read view, and H is queried after it: so H lies after everything that the view shows.
        rows(reading, f"SELECT 1 FROM {wanted.name} LIMIT 1")  # noqa: S608 -- names are quoted
        return TableView(reading, wanted, catalog.head(self._asking, self._server), seen)

    def _engine(self, table: TableId) -> str:
        """The storage engine; InnoDB if there is no such table, since the next statement will show that."""
        sql = "SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s"
        found = rows(self._asking, sql, table.catalog, table.name)
        return str(found[0][0]) if found else WITH_VIEWS


def _begin(reading: Connection, wanted: ViewRequest, timeout_ms: int | None = None) -> None:
    """Begin a transaction that has no read view yet, and in which the table keeps its known structure.

    With a timeout, the wait for a session that alters the table is limited: that session may wait for our own lock.
    """
    wait = "DEFAULT" if timeout_ms is None else max(1, math.ceil(timeout_ms / 1000))
    execute(reading, f"SET SESSION lock_wait_timeout = {wait}")
    execute(reading, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    # Without WITH CONSISTENT SNAPSHOT, as the first read is to fix the read view.
    execute(reading, "START TRANSACTION READ ONLY")
    rows(reading, f"SELECT 1 FROM {wanted.name} LIMIT 0")  # noqa: S608 -- names are quoted
    # A statement of the user may read other tables: it takes their metadata locks too, and fails here if it does not
    # fit.
    with Selection(reading, f"{wanted.sql} LIMIT 0", (), wanted.table.plans) as selection:
        for _ in selection.images():
            pass
