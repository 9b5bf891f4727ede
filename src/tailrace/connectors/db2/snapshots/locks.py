"""Locks: other sessions' that block a snapshot, and those that its own sessions keep.

Source: IBM Db2 documentation, "SET CURRENT LOCK TIMEOUT", "Locks and concurrency control"
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tailrace.connectors.db2.connection import Session
from tailrace.connectors.db2.errors_of_driver import LockTimeoutError
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.errors import SnapshotLockError, TailraceError
from tailrace.schema.tables import TableId


def limit(session: Session, settings: Db2Settings, milliseconds: int) -> None:
    """Set how long a session waits for a lock: 0 does not wait, -1 waits without limit.

    Db2 for z/OS limits that for all sessions alike (IRLMRWT), and has had the register only since version 13.
    """
    if settings.is_zos:
        return
    # The register takes seconds; a part of one is one.
    wait = "WAIT" if milliseconds < 0 else "NOT WAIT" if milliseconds == 0 else f"WAIT {-(-milliseconds // 1000)}"
    session.execute(f"SET CURRENT LOCK TIMEOUT {wait}")


@contextmanager
def released(session: Session) -> Iterator[None]:
    """End the session's transaction after the block: until then, even a reader's lock stands in the way of ALTER and DROP."""
    try:
        yield
    finally:
        with suppress(TailraceError):  # a connection that is gone shows at the next statement, and keeps no lock
            session.rollback()


@contextmanager
def within_lock_timeout(settings: Db2Settings, table: TableId) -> Iterator[None]:
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
        limit_ms = settings.snapshot_lock_timeout_ms
        raise SnapshotLockError(
            f"the snapshot could not lock {table} within snapshot.lock.timeout.ms={limit_ms}: another session holds one. "
            "End its transaction (MON_GET_APPL_LOCKWAIT and SYSIBMADM.MON_LOCKWAITS show its application), give the snapshot "
            f"more time, or -1 to wait for ever; {error}"
        ) from error
