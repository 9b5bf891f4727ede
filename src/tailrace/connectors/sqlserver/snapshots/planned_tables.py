"""SQL Server's tables for planning a snapshot: their keys and sizes, and where to split them."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final

from tailrace.config.overrides import SelectOverride
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.bounds import bound_of_row
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.snapshots.keys import NoKey, key_now
from tailrace.connectors.shared.snapshots.overrides import refused
from tailrace.connectors.sqlserver import transactions
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.replicas import wait_for
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots import statements
from tailrace.connectors.sqlserver.snapshots.capture_progress import CaptureJob
from tailrace.connectors.sqlserver.snapshots.database import LOCKS
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey, altered_at, keys_of, led_by, usable_keys
from tailrace.connectors.sqlserver.snapshots.locks import within_lock_timeout
from tailrace.connectors.sqlserver.snapshots.read_tables import lost, read_tables
from tailrace.connectors.sqlserver.snapshots.statements import ALIAS
from tailrace.connectors.sqlserver.tables_with_changes import row_counts, table_row_bytes
from tailrace.errors import PositionLostError, RetriableError, SourceSetupError, UnsupportedError
from tailrace.requested_work.work import TableWork
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

LOCK_MS: Final = 1_000  # planning beside the log does not wait for transactions that write to a table
SHOWN: Final = 10
_ROWS: Final = "SELECT object_id, SUM(rows) FROM sys.partitions WHERE index_id IN (0, 1) GROUP BY object_id"

log = logging.getLogger(__name__)


class SqlServerTables:
    """The `PlannedTables` of one configuration. Cheap to make; holds no connection."""

    lower_names = True

    def __init__(self, settings: SqlServerSettings) -> None:
        self._settings = settings

    def key(self, given: Mapping[str, Any]) -> ChunkKey:
        """Parse a key from its JSON."""
        return ChunkKey.from_dict(given)

    def keys_of(self, session: Session, instances: Sequence[Instance]) -> Mapping[TableId, ChunkKey | NoKey]:
        """The keys of the instances' tables, from their unique indexes."""
        return keys_of(session, instances)

    def key_now(self, session: Session, instance: Instance, table: TableWork) -> ChunkKey | NoKey:
        """The key by which a table is read, as it is now: the one with which it was begun, if that is left."""
        begun = None if table.key is None else self.key(table.key)
        return key_now(
            usable_keys(session, [instance])[table.table],
            begun,
            lambda key: key if table.surrogate is None else led_by(session, instance, table.surrogate, key),
        )

    def start_table(self, session: Session, table: TableWork, key: ChunkKey) -> TableWork | None:
        """A table with its key and its greatest key value now; rows that get a greater key later are in the log."""
        hint = "" if session.is_read_only else LOCKS
        sql = statements.greatest(table.table, key, hint, table.condition)
        with session.rolled_back():
            greatest = session.rows(sql)
        if not greatest:
            return None
        return replace(table, key=key.to_dict(), upto=bound_of_row(key, greatest[0]))

    def altered_at(self, session: Session, instances: Sequence[Instance]) -> Mapping[TableId, dt.datetime]:
        """`modify_date` of the tables, which moves with their indexes too."""
        found = altered_at(session, [instance.source_object_id for instance in instances])
        return {
            instance.table: found[instance.source_object_id]
            for instance in instances
            if instance.source_object_id in found
        }

    def captured_until(self, session: Session, lsn: Lsn) -> dt.datetime | None:
        """When the newest transaction up to an LSN was committed; one without changes counts."""
        return transactions.end_time(session, lsn)

    def capture(self, session: Session) -> CaptureJob:
        """The capture job."""
        return CaptureJob(session)

    def has(self, session: Session, table: TableId) -> bool:
        """Whether there is such a table now."""
        return session.one("SELECT OBJECT_ID(?)", quoted(table.schema, table.name)) is not None

    def estimated_rows(self, session: Session, instances: Sequence[Instance]) -> Mapping[TableId, int]:
        """The row counts in the server's statistics."""
        found = {int(number): int(rows or 0) for number, rows in session.rows(_ROWS)}
        return {instance.table: found.get(instance.source_object_id, 0) for instance in instances}

    def row_bytes(self, session: Session, instance: Instance) -> int:
        """The approximate size of a row in bytes, from some rows of the table."""
        return table_row_bytes(session, instance)

    def change_counts(self, session: Session, instances: Sequence[Instance], window: Window) -> Sequence[int]:
        """The row counts of the change tables themselves, whatever `data.query.mode` is."""
        return row_counts(session, instances, window)

    def key_behind(
        self, session: Session, table: TableId, key: ChunkKey, count: int, after: Bound | None
    ) -> Bound | None:
        """The key `count` rows after a bound."""
        found = session.rows(statements.chunk_end(table, key, after, count))
        return bound_of_row(key, found[0]) if found else None

    def span(self, session: Session, table: TableId, key: ChunkKey) -> tuple[int, int] | None:
        """The least and the greatest value of the key's first column; the index has them at its ends."""
        if not key.columns[0].is_number:
            return None
        name, of = f"{ALIAS}.{quoted(key.columns[0].name)}", quoted(table.schema, table.name)
        ((low, high),) = session.rows(f"SELECT MIN({name}), MAX({name}) FROM {of} AS {ALIAS}")  # noqa: S608 -- names are quoted
        return None if low is None else (int(low), int(high))

    def is_before(self, session: Session, key: ChunkKey, bound: Bound, upto: Bound) -> bool:
        """Whether a bound lies before another one, in the server's order."""
        return len(statements.ascending(session, key, [bound, upto])) > 1

    def require_keys(self, keys: Mapping[TableId, ChunkKey | NoKey]) -> None:
        """Require a key for every table: a replica has no locks, which a table without a key needs for a consistent view."""
        without = [f"{table} ({key.reason})" for table, key in keys.items() if isinstance(key, NoKey)]
        if without and self._settings.reads_replica:
            more = f" and {len(without) - SHOWN} more" if len(without) > SHOWN else ""
            raise UnsupportedError(
                f"no key tells the rows of these tables apart, so they can't be read from a replica as of one position of the "
                f"log: {', '.join(without[:SHOWN])}{more}. Give them a primary key, or leave their rows out of the snapshot "
                "with snapshot.include.collection.list: their changes are told all the same. Or take the snapshot in one of "
                "Debezium's ways, which are not exact, with snapshot.isolation.mode=snapshot"
            )

    def require_readable(
        self, session: Session, point: Lsn, table: TableId, key: ChunkKey | None, override: SelectOverride
    ) -> None:
        """Check the user's statement for a table; accept it if the table is gone."""
        read = read_tables(self._settings, session, point, {table: key}).of(table)
        if read is None:
            return
        sql = statements.none_of(table, read.selects, override.statement)
        try:
            with session.rolled_back():
                session.rows(sql)
        except SourceSetupError as error:
            raise refused(override, error) from error

    def limit_locks(self, session: Session) -> None:
        """Set the lock timeout to `snapshot.lock.timeout.ms`."""
        session.execute(f"SET LOCK_TIMEOUT {self._settings.snapshot_lock_timeout_ms}")

    @property
    def lock_timeout_is_final(self) -> bool:
        """Whether the user has set `snapshot.lock.timeout.ms`, or an isolation mode."""
        return self._settings.lock_timeout_is_final

    def in_time(self, table: TableId) -> AbstractContextManager[None]:
        """Raise `SnapshotLockError` if a lock timeout is final."""
        return within_lock_timeout(self._settings, table)

    def hurry(self, session: Session, lsn: Lsn) -> None:
        """Make the session wait for locks for a second."""
        wait_for(session, lsn, LOCK_MS / 1000)
        session.execute(f"SET LOCK_TIMEOUT {LOCK_MS}")

    def late_instances_error(self, database: str, waiting: Sequence[str], seconds: float) -> RetriableError:
        """The error, which says to check the Agent and the capture job."""
        return RetriableError(
            f"the capture job of {database} has not begun with {', '.join(waiting[:SHOWN])} after "
            f"{seconds:g} s: is SQL Server Agent running, and the job cdc.{database}_capture?"
        )

    def warn_of_others(self, database: str, tables: Sequence[TableId]) -> None:
        """Warn, and name the first ones."""
        if tables:
            shown = ", ".join(f"{table.schema}.{table.name}" for table in tables[:SHOWN])
            more = f" and {len(tables) - SHOWN} more" if len(tables) > SHOWN else ""
            log.warning(
                "not captured, and therefore not in the snapshot, are in %s: %s%s. EXEC sys.sp_cdc_enable_table has a table "
                "captured; table.include.list and table.exclude.list say which are wanted",
                database,
                shown,
                more,
            )

    def lost(self, table: TableId, point: Lsn) -> PositionLostError:
        """The error: they were cleaned up, or capture was enabled again."""
        return lost(table, point)
