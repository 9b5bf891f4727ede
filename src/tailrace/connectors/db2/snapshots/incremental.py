"""Incremental snapshots: Db2's side of `change_tables/snapshots/incremental.py`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import restart_at
from tailrace.connectors.change_tables.snapshots.incremental import ChangeTableIncrementalReader
from tailrace.connectors.db2.connection import Session, connect
from tailrace.connectors.db2.dialect import Db2Dialect
from tailrace.connectors.db2.errors_of_driver import QueryTimeoutError
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.snapshots import locks
from tailrace.connectors.db2.snapshots.bounds import shown
from tailrace.connectors.db2.snapshots.database import Database
from tailrace.connectors.db2.snapshots.keys import ChunkKey
from tailrace.connectors.db2.snapshots.planned_tables import PlannedDb2Tables
from tailrace.connectors.db2.snapshots.source import Db2Source, opened_source
from tailrace.errors import RetriableError
from tailrace.requested_work.work import TableWork
from tailrace.schema.changes_topic import quoted_id
from tailrace.snapshot.segments import Bound

LOCK_MS: Final = 1_000


def incremental_reader(settings: Db2Settings) -> ChangeTableIncrementalReader[Session, Database]:
    """The reader of incremental snapshots."""
    return ChangeTableIncrementalReader(Db2Dialect(settings), PlannedDb2Tables(settings), _Reads(settings))


class _Reads:
    """The `IncrementalReads` of Db2."""

    def __init__(self, settings: Db2Settings) -> None:
        self._settings = settings

    @contextmanager
    def session(self, database: str, place: Lsn) -> Iterator[Session]:  # noqa: ARG002 -- every session sees all
        """A session that waits for locks only briefly."""
        with connect(self._settings) as session:
            locks.limit(session, self._settings, LOCK_MS)
            yield session

    def opened(self, table: TableWork, place: Lsn) -> Db2Source:
        """A source that reads only this table, at an LSN."""
        source = opened_source(
            self._settings,
            restart_at({table.table.catalog: place}).to_dict(),
            {quoted_id(table.table): table.key},
            (),
            {} if table.condition is None else {table.table: table.condition},
            self._settings.incremental_snapshot_chunk_size,
            LOCK_MS,
            reads_ahead=False,
        )
        source.move(table.table, place)  # so that it knows how long changes behind that are kept
        return source

    def catalog_session(self, database: Database) -> Session:
        """The session for queries about tables."""
        return database.asking

    def takes_too_long(self, error: RetriableError) -> bool:
        """Whether `database.query.timeout.ms` was exceeded."""
        return isinstance(error, QueryTimeoutError)

    def values(self, key: ChunkKey, bound: Bound) -> list[Any]:
        """The values of a bound, for notifications."""
        return [shown(column, entry) for column, entry in zip(key.columns, bound, strict=False)]
