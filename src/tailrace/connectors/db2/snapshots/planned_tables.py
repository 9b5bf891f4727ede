"""Db2's tables for planning a snapshot: their keys and sizes, and where to split them."""

# ruff: noqa: S608 -- names are quoted or literals
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
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.snapshots.bounds import bound_of_row
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.db2 import transactions
from tailrace.connectors.db2.catalog_sql import name
from tailrace.connectors.db2.connection import Session, literal, quoted
from tailrace.connectors.db2.server_times import moment_of
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.snapshots import locks, statements
from tailrace.connectors.db2.snapshots.capture_progress import CaptureProgram
from tailrace.connectors.db2.snapshots.key_catalog import altered_at
from tailrace.connectors.db2.snapshots.keys import ChunkKey, keys_of, led_by, usable_keys
from tailrace.connectors.db2.snapshots.read_tables import Db2Tables, lost
from tailrace.connectors.db2.snapshots.statements import ALIAS
from tailrace.connectors.db2.tables_with_changes import mean_bytes, row_counts
from tailrace.connectors.shared.snapshots.keys import NoKey, key_now
from tailrace.connectors.shared.snapshots.overrides import refused
from tailrace.errors import PositionLostError, RetriableError, SourceSetupError
from tailrace.requested_work.work import TableWork
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

LOCK_MS: Final = 1_000  # planning beside the log does not wait for transactions that write to a table
SHOWN: Final = 10
MOST_COUNTED: Final = 1_000_000  # rows of a table without statistics
_LUW_ROWS: Final = f"SELECT {name('TABSCHEMA')}, {name('TABNAME')}, CARD FROM SYSCAT.TABLES WHERE TYPE = 'T'"
_ZOS_ROWS: Final = f"SELECT {name('CREATOR')}, {name('NAME')}, BIGINT(CARDF) FROM SYSIBM.SYSTABLES WHERE TYPE = 'T'"
_LUW_HAS: Final = "SELECT 1 FROM SYSCAT.TABLES WHERE TYPE = 'T' AND TABSCHEMA = {0} AND TABNAME = {1}"
_ZOS_HAS: Final = "SELECT 1 FROM SYSIBM.SYSTABLES WHERE TYPE = 'T' AND CREATOR = {0} AND NAME = {1}"

log = logging.getLogger(__name__)


class PlannedDb2Tables:
    """The `PlannedTables` of one configuration. Cheap to make; holds no connection."""

    lower_names = True

    def __init__(self, settings: Db2Settings) -> None:
        self._settings = settings
        self._isolation = statements.committed(is_zos=settings.is_zos)

    def key(self, given: Mapping[str, Any]) -> ChunkKey:
        """Parse a key from its JSON."""
        return ChunkKey.from_dict(given)

    def keys_of(self, session: Session, instances: Sequence[Instance]) -> Mapping[TableId, ChunkKey | NoKey]:
        """The keys of the instances' tables, from their unique indexes."""
        return keys_of(session, instances, is_zos=self._settings.is_zos)

    def key_now(self, session: Session, instance: Instance, table: TableWork) -> ChunkKey | NoKey:
        """The key by which a table is read, as it is now: the one with which it was begun, if that is left."""
        begun, is_zos = None if table.key is None else self.key(table.key), self._settings.is_zos
        return key_now(
            usable_keys(session, [instance], is_zos=is_zos)[table.table],
            begun,
            lambda key: key if table.surrogate is None else led_by(session, instance, table.surrogate, key, is_zos=is_zos),
        )

    def altered_at(self, session: Session, instances: Sequence[Instance]) -> Mapping[TableId, dt.datetime]:
        """ALTER_TIME of the tables, or the time at which an index of theirs was made."""
        with locks.released(session):
            return altered_at(session, [instance.table for instance in instances], is_zos=self._settings.is_zos)

    def captured_until(self, session: Session, lsn: Lsn) -> dt.datetime | None:
        """SYNCHTIME, if nothing behind an LSN is captured; else when the newest transaction up to there was committed."""
        head = transactions.head(session, self._settings)
        if head.lsn <= lsn:
            return None if head.synchtime_us is None else moment_of(head.synchtime_us, head.offset_minutes)
        with locks.released(session):
            return transactions.newest_commit(session, self._settings, lsn)

    def capture(self, session: Session) -> CaptureProgram:
        """The Capture program."""
        return CaptureProgram(session, self._settings)

    def start_table(self, session: Session, table: TableWork, key: ChunkKey) -> TableWork | None:
        """A table with its key and its greatest key value now; rows that get a greater key later are in the log."""
        with locks.released(session):
            greatest = session.rows(statements.greatest(table.table, key, self._isolation, table.condition))
        if not greatest:
            return None
        return replace(table, key=key.to_dict(), upto=bound_of_row(key, greatest[0]))

    def has(self, session: Session, table: TableId) -> bool:
        """Whether there is such a table now."""
        sql = _ZOS_HAS if self._settings.is_zos else _LUW_HAS
        return session.one(sql.format(literal(table.schema), literal(table.name))) is not None

    def estimated_rows(self, session: Session, instances: Sequence[Instance]) -> Mapping[TableId, int]:
        """The row counts in the server's statistics; a table without any is counted, as far as `MOST_COUNTED`."""
        wanted = {instance.table for instance in instances}
        known = {
            TableId(session.database, schema.rstrip(), table): int(rows)
            for schema, table, rows in session.rows(_ZOS_ROWS if self._settings.is_zos else _LUW_ROWS)
        }
        found = {table: known.get(table, 0) for table in wanted}
        return {table: rows if rows >= 0 else self._counted(session, table) for table, rows in found.items()}

    def _counted(self, session: Session, table: TableId) -> int:
        try:
            return int(session.one(statements.count(table, MOST_COUNTED)))
        except (SourceSetupError, RetriableError) as error:
            session.rollback()
            log.info("the rows of %s can't be counted, and it is taken for a small table: %s", table, error)
            return 0

    def row_bytes(self, session: Session, instance: Instance) -> int:
        """The approximate size of a row in bytes, from some rows of the table."""
        with locks.released(session):
            return mean_bytes(session, instance, f"{quoted(instance.table.schema, instance.table.name)}")

    def change_counts(self, session: Session, instances: Sequence[Instance], window: Window) -> Sequence[int]:
        """The row counts of the change tables."""
        return row_counts(session, instances, window)

    def key_behind(
        self, session: Session, table: TableId, key: ChunkKey, count: int, after: Bound | None
    ) -> Bound | None:
        """The key `count` rows after a bound."""
        with locks.released(session):
            found = session.rows(statements.chunk_end(table, key, after, count))
        return bound_of_row(key, found[0]) if found else None

    def span(self, session: Session, table: TableId, key: ChunkKey) -> tuple[int, int] | None:
        """The least and the greatest value of the key's first column."""
        if not key.columns[0].is_number:
            return None
        with locks.released(session):
            ((low, high),) = session.rows(statements.span(table, key.columns[0].exact_value(ALIAS)))
        return None if low is None else (int(low), int(high))

    def is_before(self, session: Session, key: ChunkKey, bound: Bound, upto: Bound) -> bool:
        """Whether a bound lies before another one, in the server's order."""
        return len(statements.ascending(session, key, [bound, upto])) > 1

    def require_keys(self, keys: Mapping[TableId, ChunkKey | NoKey]) -> None:
        """Accept every table: one without a key is read under a lock."""

    def require_readable(
        self, session: Session, point: Lsn, table: TableId, key: ChunkKey | None, override: SelectOverride
    ) -> None:
        """Check the user's statement for a table; accept it if the table is gone."""
        read = Db2Tables(self._settings, session, DatabasePosition(point), {table: key}, {}).of(table)
        if read is None:
            return
        try:
            with locks.released(session):
                session.rows(statements.none_of(table, read.selects, override.statement))
        except SourceSetupError as error:
            raise refused(override, error) from error

    def limit_locks(self, session: Session) -> None:
        """Set the lock timeout to `snapshot.lock.timeout.ms`."""
        locks.limit(session, self._settings, self._settings.snapshot_lock_timeout_ms)

    @property
    def lock_timeout_is_final(self) -> bool:
        """Whether the user has set `snapshot.lock.timeout.ms`, or an isolation mode."""
        return self._settings.lock_timeout_is_final

    def in_time(self, table: TableId) -> AbstractContextManager[None]:
        """Raise `SnapshotLockError` if a lock timeout is final."""
        return locks.within_lock_timeout(self._settings, table)

    def hurry(self, session: Session, lsn: Lsn) -> None:  # noqa: ARG002 -- there are no replicas that are read
        """Make the session wait for locks for a second."""
        locks.limit(session, self._settings, LOCK_MS)

    def late_instances_error(self, database: str, waiting: Sequence[str], seconds: float) -> RetriableError:
        """The error, which says to check the Capture program."""
        schema = self._settings.control_schema
        return RetriableError(
            f"the Capture program of {database} has not begun with {', '.join(waiting[:SHOWN])} after {seconds:g} s: does it "
            f"run, and has it read the register anew since? (asnccmd capture_schema={schema} capture_server={database} reinit)"
        )

    def warn_of_others(self, database: str, tables: Sequence[TableId]) -> None:
        """Warn, and name the first ones."""
        if tables:
            shown = ", ".join(f"{table.schema}.{table.name}" for table in tables[:SHOWN])
            more = f" and {len(tables) - SHOWN} more" if len(tables) > SHOWN else ""
            log.warning(
                "not captured, and therefore not in the snapshot, are in %s: %s%s. Registering a table (CALL %s.ADDTABLE) has "
                "it captured; table.include.list and table.exclude.list say which are wanted",
                database,
                shown,
                more,
                self._settings.control_schema,
            )

    def lost(self, table: TableId, point: Lsn) -> PositionLostError:
        """The error: it was registered anew, or deactivated."""
        return lost(table, point, self._settings)
