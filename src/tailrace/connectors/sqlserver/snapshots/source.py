"""SQL Server's side of a snapshot: what `change_tables/snapshots/source.py` reads, opened at P."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource, Patience
from tailrace.connectors.shared.snapshots.keys import stored_keys
from tailrace.connectors.shared.snapshots.overrides import overrides_of
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.errors_of_driver import LockTimeoutError
from tailrace.connectors.sqlserver.lsn import LSNS
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots.database import Database
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey
from tailrace.connectors.sqlserver.snapshots.locks import within_lock_timeout
from tailrace.connectors.sqlserver.snapshots.read_tables import ReadTable
from tailrace.errors import RetriableError
from tailrace.schema.tables import TableId

ATTEMPTS: Final = 6


class SqlServerSource(ChangeTableSource[Database, ReadTable]):
    """A `SnapshotSource` over one server, opened at P; used by one lane."""

    def __init__(
        self,
        settings: SqlServerSettings,
        point: Mapping[str, Any],
        keys: Mapping[str, Any],
        conditions: Mapping[TableId, str] | None = None,
        rows_at_most: int | None = None,
        lock_ms: int | None = None,
        *,
        with_overrides: bool = False,
        recompiles: bool = False,
        reads_ahead: bool = True,
    ) -> None:
        """A source that stands at P.

        Args:
            settings: of the connector.
            point: P as a restart position.
            keys: by which tables are read, the connector's own JSON by their names.
            conditions: of the user's own, for WHERE, for some of them.
            rows_at_most: of a chunk; None: as many as some megabytes have.
            lock_ms: for how long a read waits for a lock, once; None: as `snapshot.lock.timeout.ms` says, and again and again.
            with_overrides: statements of the user's own (`snapshot.select.statement.overrides`) are read instead of tables.
            recompiles: the plan of a chunk's statement is made anew each time.
            reads_ahead: chunks wait for the log, many at a time: more are read meanwhile.

        Raises:
            PositionLostError: the changes of a table are not told from P on.

        """
        self._settings = settings
        databases: dict[str, Database] = {}
        stored = stored_keys(keys, ChunkKey.from_dict)
        found = overrides_of(settings, stored, lower_names=True) if with_overrides else {}
        overrides = {table: each.statement for table, each in found.items()}
        super().__init__(
            LSNS,
            keys,
            databases,
            conditions,
            overrides,
            _patience(settings) if lock_ms is None else Patience(is_final=lambda error: _is_final(settings, error)),
            rows_at_most,
            recompiles=recompiles,
            reads_ahead=reads_ahead,
        )
        restart, patience = POSITIONS.restart(point), None if lock_ms is None else lock_ms / 1000
        lock_ms = settings.snapshot_lock_timeout_ms if lock_ms is None else lock_ms
        try:
            for name in dict.fromkeys(table.catalog for table in stored):
                its = {table: key for table, key in stored.items() if table.catalog == name}
                databases[name] = Database(settings, name, restart[name].lsn, its, lock_ms, patience)
                databases[name].chosen = {*overrides, *(conditions or {})}
        except BaseException:
            self.close()
            raise

    def any_session(self) -> Session:
        """A session for questions to the server."""
        return next(iter(self._databases.values())).asking


def _patience(settings: SqlServerSettings) -> Patience:
    """As `snapshot.lock.timeout.ms` says, and again and again."""
    return Patience(
        ATTEMPTS, lambda table: within_lock_timeout(settings, table), lambda error: _is_final(settings, error)
    )


def _is_final(settings: SqlServerSettings, error: RetriableError) -> bool:
    return isinstance(error, LockTimeoutError) and settings.lock_timeout_is_final
