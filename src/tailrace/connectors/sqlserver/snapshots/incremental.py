"""Incremental snapshots: SQL Server's side of `change_tables/snapshots/incremental.py`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import restart_at
from tailrace.connectors.change_tables.snapshots.incremental import ChangeTableIncrementalReader
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.errors_of_driver import QueryTimeoutError
from tailrace.connectors.sqlserver.replicas import connect_at
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots.database import Database
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey, Kind
from tailrace.connectors.sqlserver.snapshots.planned_tables import SqlServerTables
from tailrace.connectors.sqlserver.snapshots.source import SqlServerSource, opened_source
from tailrace.errors import RetriableError
from tailrace.requested_work.work import TableWork
from tailrace.schema.changes_topic import quoted_id
from tailrace.snapshot.segments import Bound

LOCK_MS: Final = 1_000


def incremental_reader(settings: SqlServerSettings) -> ChangeTableIncrementalReader[Session, Database]:
    """The reader of incremental snapshots."""
    return ChangeTableIncrementalReader(SqlServerDialect(settings), SqlServerTables(settings), _Reads(settings))


class _Reads:
    """The `IncrementalReads` of SQL Server."""

    def __init__(self, settings: SqlServerSettings) -> None:
        self._settings = settings

    @contextmanager
    def session(self, database: str, place: Lsn) -> Iterator[Session]:
        """A session that sees what is captured up to an LSN."""
        with connect_at(self._settings, database, place, LOCK_MS / 1000) as session:
            session.execute(f"SET LOCK_TIMEOUT {LOCK_MS}")
            yield session

    def opened(self, table: TableWork, place: Lsn) -> SqlServerSource:
        """A source that reads only this table, at an LSN."""
        return opened_source(
            self._settings,
            restart_at({table.table.catalog: place}).to_dict(),
            {quoted_id(table.table): table.key},
            (),
            {} if table.condition is None else {table.table: table.condition},
            self._settings.incremental_snapshot_chunk_size,
            LOCK_MS,
            recompiles=self._settings.incremental_snapshot_option_recompile,
            reads_ahead=False,
        )

    def catalog_session(self, database: Database) -> Session:
        """The session for queries about tables."""
        return database.asking

    def takes_too_long(self, error: RetriableError) -> bool:
        """Whether `database.query.timeout.ms` was exceeded."""
        return isinstance(error, QueryTimeoutError)

    def values(self, key: ChunkKey, bound: Bound) -> list[Any]:
        """The values of a bound, for notifications."""
        found = zip(key.columns, bound, strict=False)
        return [bytes.fromhex(entry) if column.kind is Kind.BYTES else entry for column, entry in found]
