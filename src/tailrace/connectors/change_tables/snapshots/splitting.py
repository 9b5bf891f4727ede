"""The split points of tables.

They are found by walking along the index: keys at equal distances are queried, which reads the index once, on the
server.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final, Generic

from tailrace.connectors.change_tables.dialect import Session
from tailrace.connectors.change_tables.snapshots.planned_tables import KeyT, PlannedTables
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.shared.snapshots.parts import walked
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

LEAST_ROWS: Final = 50_000  # fewer rows are not worth a second connection


class TableSplitter(Generic[Session, KeyT]):
    """Splits tables of several databases."""

    def __init__(
        self,
        tables: PlannedTables[Session, KeyT],
        sessions: Mapping[str, Session],
        keys: Mapping[TableId, KeyT | NoKey],
        rows: Mapping[TableId, int],
    ) -> None:
        """`rows`: the estimated row counts. If a lock may end the snapshot, the sessions get its lock timeout."""
        if tables.lock_timeout_is_final:
            for session in sessions.values():
                tables.limit_locks(session)
        self._tables = tables
        self._sessions = sessions
        self._keys = keys
        self._rows = rows

    @property
    def least_rows(self) -> int:
        """A table of fewer rows is not split."""
        return LEAST_ROWS

    def split_points(self, table: TableId, parts: int) -> list[Bound]:
        """The bounds that split a table into parts of about equal row counts."""
        key = self._keys[table]
        step = self._rows[table] // parts
        if isinstance(key, NoKey) or self._rows[table] < max(LEAST_ROWS, 2) or not step:
            return []
        with self._tables.in_time(table):
            behind = partial(self._tables.key_behind, self._sessions[table.catalog], table, key, step)
            return walked(behind, None, parts - 1).points

    def span(self, table: TableId) -> tuple[int, int] | None:
        """The least and the greatest value of the key's first column, if that is a number."""
        key = self._keys[table]
        if isinstance(key, NoKey):
            return None
        with self._tables.in_time(table):
            return self._tables.span(self._sessions[table.catalog], table, key)
