"""The server's side of planning requested work."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Final

from attrs import evolve

from tailrace.connectors.base import StartPoint
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Head
from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.initial_structures import first_history
from tailrace.connectors.mysql.log_file_identity import restart_after
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots import point
from tailrace.connectors.mysql.snapshots.key_proofs import altered_since
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.parts import log_since
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.errors import RetriableError
from tailrace.schema.tables import TableId

XA_SECONDS: Final = 1.0  # the log waits meanwhile; the next batch tries again

log = logging.getLogger(__name__)


class RequestPlanning:
    """One planning step: a connection, and the position up to which the log is planned."""

    def __init__(self, session: Connection, settings: MySqlSettings, start: RestartPosition) -> None:
        self.session = session
        self.settings = settings
        self.server = catalog.server(session)
        self._start = start
        self._taken: Head | None = None

    @property
    def unplanned_bytes(self) -> int:
        """The size in bytes of the log that is not planned yet."""
        return log_since(self.session, self.server, self._start)

    def has(self, table: TableId) -> bool:
        """Whether there is such a table now."""
        return table in catalog.table_ids(self.session)

    def point(self, tables: Iterable[TableId], *, warns: bool) -> tuple[StartPoint, frozenset[TableId]] | None:
        """A current position, with the structures of these tables, and which of them exist; None if it can't be taken."""
        wanted = frozenset(tables)
        # Only the structures of these tables: they are stored in an offset, which should stay small.
        settings = evolve(self.settings, schema_history_internal_store_only_captured_tables_ddl=True)
        try:
            taken = point.take(
                self.session,
                self.server,
                settings,
                wanted.__contains__,
                patience=XA_SECONDS,
                locks_all=False,
            )
        except RetriableError as error:
            if not self.session.open:
                raise
            log.warning("what a signal asked for has to wait, and the log goes on: %s", error)
            return None
        for warning in taken.warnings if warns else ():
            log.warning("%s", warning)
        self._taken = taken.head
        restart = restart_after(self.settings, self.server, catalog.files(self.session), self._start, taken.head)
        history = first_history(settings, self.server, restart, taken.structures)
        return StartPoint(restart.to_dict(), history), frozenset(taken.structures.tables)

    def altered(self, keys: Mapping[TableId, ChunkKey | NoKey]) -> frozenset[TableId]:
        """The tables whose key, which was just looked up, may have been made after the position was taken."""
        return frozenset() if self._taken is None else altered_since(self.session, self.server, self._taken, keys)
