"""The estimated sizes of tables, and their split points.

Split points are found by walking along the index: keys at equal distances are queried, which reads the index once, on
the server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.snapshots.bounds import bound_of_row
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.shared.snapshots.parts import walked
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey
from tailrace.connectors.sqlserver.snapshots.locks import within_lock_timeout
from tailrace.connectors.sqlserver.snapshots.statements import ALIAS, chunk_end
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

LEAST_ROWS: Final = 50_000  # fewer rows are not worth a second connection
_ROWS: Final = "SELECT object_id, SUM(rows) FROM sys.partitions WHERE index_id IN (0, 1) GROUP BY object_id"


def estimated_rows(session: Session, instances: Sequence[Instance]) -> dict[TableId, int]:
    """The row counts of the instances' tables in the server's statistics."""
    found = {int(number): int(rows or 0) for number, rows in session.rows(_ROWS)}
    return {instance.table: found.get(instance.source_object_id, 0) for instance in instances}


def span(session: Session, table: TableId, key: ChunkKey) -> tuple[int, int] | None:
    """The least and the greatest value of the key's first column, if that is a number; the index has them at its ends."""
    if not key.columns[0].is_number:
        return None
    name, of = f"{ALIAS}.{quoted(key.columns[0].name)}", quoted(table.schema, table.name)
    ((low, high),) = session.rows(f"SELECT MIN({name}), MAX({name}) FROM {of} AS {ALIAS}")  # noqa: S608 -- names are quoted
    return None if low is None else (int(low), int(high))


def key_behind(session: Session, table: TableId, key: ChunkKey, count: int, after: Bound | None) -> Bound | None:
    """The key `count` rows after a bound; None if fewer rows follow."""
    found = session.rows(chunk_end(table, key, after, count))
    return bound_of_row(key, found[0]) if found else None


class Cutter:
    """Splits tables of several databases."""

    def __init__(
        self,
        settings: SqlServerSettings,
        sessions: Mapping[str, Session],
        keys: Mapping[TableId, ChunkKey | NoKey],
        rows: Mapping[TableId, int],
    ) -> None:
        """`rows`: the estimated row counts. If a lock may end the snapshot, the sessions get its lock timeout."""
        if settings.lock_timeout_is_final:
            for session in sessions.values():
                session.execute(f"SET LOCK_TIMEOUT {settings.snapshot_lock_timeout_ms}")
        self._settings = settings
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
        with within_lock_timeout(self._settings, table):
            return walked(partial(key_behind, self._sessions[table.catalog], table, key, step), None, parts - 1).points

    def span(self, table: TableId) -> tuple[int, int] | None:
        """The least and the greatest value of the key's first column, if that is a number."""
        key = self._keys[table]
        if isinstance(key, NoKey):
            return None
        with within_lock_timeout(self._settings, table):
            return span(self._sessions[table.catalog], table, key)
