"""From which log position on a server provably shows everything before it.

The log is ahead of what is visible: a transaction is written to it first, and then committed in the storage engine.
With GTIDs the reader waits until a set is executed. Without them, a read lock on the table waits for the transactions
that write to the table, until their commits are finished: the log's head at that time is such a position V. The lock is
held only while the head is queried.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from tailrace.connectors.base import Progress
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Server, quoted
from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.read_locks import head_under, may_lock_tables
from tailrace.connectors.mysql.structures import Structures
from tailrace.errors import RetriableError, SourceSetupError
from tailrace.schema.tables import Table, TableId

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Boundary:
    """A position of the log where no transaction is open, and before which everything is delivered.

    Attributes:
        progress: at the position.
        gtids: executed there; None if the server has no GTIDs.
        structures: at the position.

    """

    progress: Progress
    gtids: str | None
    structures: Structures

    @property
    def restart(self) -> RestartPosition:
        """The boundary as a restart position."""
        return RestartPosition.from_dict(self.progress.restart)

    def is_behind(self, place: RestartPosition | None) -> bool:
        """Whether the boundary has reached a position; a position on another server counts as reached."""
        return not self.restart.is_before(place)


@dataclass(frozen=True, slots=True)
class Visible:
    """Everything before `place` is visible.

    Attributes:
        place: V; None if it is the boundary itself.
        is_proven: False if no lock was granted, so that it is only probable.

    """

    place: RestartPosition | None = None
    is_proven: bool = True


class Visibility:
    """Determines from which position on a table can be read, at a boundary; for one table at a time."""

    def __init__(self, settings: MySqlSettings) -> None:
        self._settings = settings
        self._pending: Visible | None = None
        self._table: TableId | None = None
        self._structures: Mapping[TableId, Table] = {}
        self._warned = False

    def at(self, boundary: Boundary, connection: Connection, server: Server, table: TableId) -> Visible | None:
        """V, if it lies before this boundary; None: the table can be read only at a later boundary."""
        # With GTIDs, readers wait for the executed set, so everything before the boundary is visible to them.
        if boundary.gtids is not None:
            return Visible()
        pending = self._pending
        # V belongs to one table and one set of structures. After DDL the lock must be taken again, or V would not cover
        # the altered table.
        if pending is None or self._table != table or self._structures != boundary.structures.tables:
            pending = self._pending = self._seen(boundary, connection, server, table)
            self._table, self._structures = table, dict(boundary.structures.tables)
        if not boundary.is_behind(pending.place):
            return None
        self._pending = None
        return pending

    def _seen(self, boundary: Boundary, connection: Connection, server: Server, table: TableId) -> Visible:
        era = boundary.restart.era
        if may_lock_tables(self._settings):
            lock = f"LOCK TABLES {quoted(table.catalog)}.{quoted(table.name)} READ"
            try:
                head = head_under(connection, server, lock, self._settings.snapshot_lock_timeout_ms)
                return Visible(head.restart(server, era))
            except (SourceSetupError, RetriableError) as error:
                if not connection.open:
                    raise
                self._warn(str(error))
        else:
            self._warn(f"snapshot.locking.mode is {self._settings.snapshot_locking_mode}")
        # The head without a lock: transactions before it may still be committing, and so be invisible.
        return Visible(catalog.head(connection, server).restart(server, era), is_proven=False)

    def _warn(self, why: str) -> None:
        if not self._warned:
            log.warning(
                "the incremental snapshot is not proven to be exact: GTIDs are off, and no lock was taken: %s. A change "
                "that the log tells meanwhile wins over the row that was read, as in Debezium",
                why,
            )
        self._warned = True
