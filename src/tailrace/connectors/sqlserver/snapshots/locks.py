"""Other sessions' locks that block a snapshot: how long it waits, and the error if that is too short."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tailrace.connectors.sqlserver.errors_of_driver import LockTimeoutError
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import SnapshotLockError
from tailrace.schema.tables import TableId


@contextmanager
def within_lock_timeout(settings: SqlServerSettings, table: TableId) -> Iterator[None]:
    """Read or lock a table within the block, by a session that waits as `snapshot.lock.timeout.ms` says.

    Raises:
        SnapshotLockError: a lock was not granted in time, and the snapshot must fail then.
        LockTimeoutError: it must be tried again.

    """
    try:
        yield
    except LockTimeoutError as error:
        if not settings.lock_timeout_is_final:
            raise
        limit = settings.snapshot_lock_timeout_ms
        raise SnapshotLockError(
            f"the snapshot could not lock {table} within snapshot.lock.timeout.ms={limit}: another session holds one. "
            "End its transaction (sys.dm_tran_locks has its session), give the snapshot more time, "
            f"or -1 to wait for ever; {error}"
        ) from error
