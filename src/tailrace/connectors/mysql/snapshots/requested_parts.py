"""Requested work in the DataFrame way: MySQL's side of `shared/snapshots/requested_parts.py`."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve

from tailrace.config.overrides import SelectOverrides
from tailrace.connectors.base import RequestedStep, Signalled, StartPoint
from tailrace.connectors.mysql.connection import connect
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.signal_sql import MYSQL
from tailrace.connectors.mysql.signal_table import is_captured
from tailrace.connectors.mysql.snapshots import overrides, statements
from tailrace.connectors.mysql.snapshots.incremental_start import keys_now, start_table
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.parts import PartRangePlanning
from tailrace.connectors.mysql.snapshots.request_planning import RequestPlanning
from tailrace.connectors.shared.signal_sql import require_allowed
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.shared.snapshots.overrides import with_statements_of_signal
from tailrace.connectors.shared.snapshots.requested_parts import next_step
from tailrace.errors import RetriableError
from tailrace.requested_work.work import BlockingWork, TableWork, Work
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

log = logging.getLogger(__name__)


def requested_step(
    settings: MySqlSettings, start: Mapping[str, Any], signalled: Signalled, wanted: int, max_bytes: int | None
) -> RequestedStep | None:
    """The next parts of the requested work; see `Connector.requested_step`."""
    work = Work.from_dict(signalled)
    if work.blocking is None and (work.paused or not work.tables):
        return None
    with connect(settings) as session:
        statements.prepare(session)
        requested = _RequestedParts(RequestPlanning(session, settings, RestartPosition.from_dict(start)))
        try:
            return next_step(requested, work, wanted, max_bytes)
        except RetriableError as error:
            if not session.open:
                raise
            log.warning("what a signal asked for has to wait, and the log goes on: %s", error)
            return None


class _RequestedParts(PartRangePlanning):
    """An `RequestedPartsDatabase` over one server."""

    def __init__(self, asking: RequestPlanning) -> None:
        super().__init__(asking.session, asking.server)
        self._asking = asking

    @property
    def unplanned_bytes(self) -> int:
        """The size in bytes of the log that is not planned yet."""
        return self._asking.unplanned_bytes

    @property
    def is_open(self) -> bool:
        """Whether the connection still works, after an error."""
        return bool(self._session.open)

    @property
    def announces_structures(self) -> bool:
        """Whether a blocking snapshot delivers structures."""
        return self._asking.settings.include_schema_changes

    def has(self, table: TableId) -> bool:
        """Whether there is such a table now."""
        return self._asking.has(table)

    def is_captured(self, table: TableId) -> bool:
        """Whether its rows may be requested."""
        return is_captured(self._asking.settings, table, lower_names=self._server.lower_names)

    def keys_now(self, tables: Sequence[TableWork]) -> Mapping[TableId, ChunkKey | NoKey]:
        """The keys by which tables are read, as they are now."""
        return keys_now(self._session, self._server, tables)

    def require_allowed(self, table: TableWork) -> None:
        """Raise `UnsupportedError` if the table has a condition and the configuration allows none."""
        require_allowed(self._asking.settings, table.condition)

    def start_table(self, table: TableWork, key: ChunkKey) -> TableWork | None:
        """A table with its key and its greatest key value now; None if it has no rows to read."""
        return start_table(self._session, self._asking.settings, table, key)

    def is_like(self, key: ChunkKey, begun: Mapping[str, Any]) -> bool:
        """Whether bounds of the stored key `start_table` mean the same rows with this key."""
        return key.is_like(ChunkKey.from_dict(begun))

    def is_before(self, table: TableId, key: ChunkKey, bound: Bound, upto: Bound) -> bool:  # noqa: ARG002
        """Whether a bound lies before another one, in the database's order."""
        return len(statements.ascending(self._session, key, [bound, upto])) > 1

    def point(self, tables: Iterable[TableId], *, warns: bool) -> tuple[StartPoint, frozenset[TableId]] | None:
        """A current position with the structures of the tables; None if it can't be taken now."""
        return self._asking.point(tables, warns=warns)

    def statements(self, blocking: BlockingWork, keys: Mapping[TableId, ChunkKey | NoKey]) -> dict[str, str]:
        """The checked SELECT statements by which tables are read.

        Raises:
            RetriableError: a key may have been made after the point.

        """
        if self._asking.altered(keys):
            raise RetriableError("the keys of tables were altered while a snapshot of them was planned")
        given = {table: text for table, text in blocking.tables.items() if table in keys}
        settings = with_statements_of_signal(self._asking.settings, given, MYSQL)
        # The statements go into the plan: a task may run with another configuration, or after another signal.
        found = overrides.of_tables(settings, self._server, keys)
        settings = evolve(settings, select_overrides=SelectOverrides(tuple(found.values())))
        overrides.checked(self._session, self._server, settings, keys)
        return {quoted_id(table): override.statement for table, override in found.items()}
