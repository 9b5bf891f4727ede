"""The consistent point P of a snapshot: a log position, the structures at it, and how exact the snapshot is.

A snapshot as of P needs readers that see everything committed up to P. With GTIDs, P is a set of transactions, and each
reader waits until its server has made them visible (`wait_visible`): there is no lock, and any server of the group will
do. Without GTIDs, a log position is ahead of what is visible, by the transactions that are being committed. A read lock
lets them finish; it is held only while the log's head is queried. The lock is on all tables, or on the captured ones if
the user lacks that privilege. If neither is possible, or `snapshot.locking.mode` is `none`, the log's head is used as
it is. A change that was being committed may then be missing both from the rows and from the log that is read
afterwards: exactness is not claimed.

XA transactions that are prepared at P are in neither, so P waits for their end.

Source: MySQL Reference Manual, "FLUSH TABLES WITH READ LOCK", "LOCK TABLES", "Functions Used with Global Transaction
Identifiers".
"""

from __future__ import annotations

import enum
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import GONE, Head, Server, Wanted
from tailrace.connectors.mysql.connection import Connection, error_number, rows
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.connectors.mysql.initial_structures import included_uncaptured
from tailrace.connectors.mysql.server_structures import ServerStructures, events_between, is_ddl, split_at, structures
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.prepared_xa import prepared_before, prepared_now
from tailrace.connectors.mysql.snapshots.read_locks import head_under, may_lock, read_locks
from tailrace.errors import ProgressError, RetriableError, SourceSetupError

ATTEMPTS: Final = 10
VISIBLE_SECONDS: Final = 60.0
XA_WAIT_SECONDS: Final = 60.0
STEP_SECONDS: Final = 0.2
WAIT_AT_ONCE: Final = 5  # seconds that one statement waits on the server
SHOWN: Final = 10


class Exactness(enum.Enum):
    """How certain it is that a snapshot as of a point has exactly the tables' rows at it."""

    BY_GTIDS = "gtids"
    BY_LOCK = "lock"
    NOT_CLAIMED = "not claimed"


_SAYS: Final = {
    Exactness.BY_GTIDS: "the snapshot is exact: each reader waits for the transactions (GTIDs) up to its point",
    Exactness.BY_LOCK: "the snapshot is exact: a read lock was held for the moment in which its point was taken",
    Exactness.NOT_CLAIMED: "the snapshot may miss changes that were being committed when its point was taken",
}


@dataclass(frozen=True, slots=True)
class Point:
    """The point at which a snapshot is taken.

    Attributes:
        structures: of the tables there; `head` is the log position.
        exactness: whether the rows are exactly those at the position.
        warnings: for the user, each a sentence.

    """

    structures: ServerStructures
    exactness: Exactness
    warnings: tuple[str, ...] = ()

    @property
    def head(self) -> Head:
        """The log position."""
        return self.structures.head

    @property
    def says(self) -> str:
        """Its exactness, for the log."""
        return _SAYS[self.exactness]


def take(
    connection: Connection,
    server: Server,
    settings: MySqlSettings,
    wanted: Wanted,
    *,
    patience: float = XA_WAIT_SECONDS,
    locks_all: bool = True,
) -> Point:
    """Take a point at the current end of the log.

    Args:
        connection: to the server.
        server: its version and variables.
        settings: for `snapshot.locking.mode` and `snapshot.lock.timeout.ms`.
        wanted: selects the tables.
        patience: seconds to wait for the end of prepared XA transactions.
        locks_all: whether a lock may be one on all tables.

    Raises:
        RetriableError: a lock was not granted in time, structures kept changing, or an XA transaction stays prepared.

    """
    deadline = time.monotonic() + patience
    while True:
        point = _taken(connection, server, settings, wanted, locks_all=locks_all)
        now = prepared_now(connection)
        # The list is newer than P. The log in between shows which transactions were prepared or ended since.
        xids = _prepared_at(connection, server, point.head, now or set())
        if xids == set():
            return point if now is not None else _without_xa_privilege(point)
        # Their rows are before this P in the log, so a new P is taken when they have ended.
        _wait_for_xa(connection, xids, deadline)


def wait_visible(connection: Connection, gtids: str | None, timeout: float = VISIBLE_SECONDS) -> None:
    """Wait until the server of this connection shows everything up to the point; without GTIDs, return at once.

    Args:
        connection: to the server that rows are read from, which may be another one than the point's.
        gtids: the point's GTID set.
        timeout: seconds.

    Raises:
        RetriableError: the server does not have them by then.
        ProgressError: the server has no GTIDs.

    """
    if not gtids:
        return
    deadline = time.monotonic() + timeout
    while True:
        left = deadline - time.monotonic()
        if _have_executed(connection, gtids, max(1, math.ceil(min(left, WAIT_AT_ONCE)))):
            return
        if time.monotonic() >= deadline:
            raise RetriableError(_still_missing(connection, gtids, timeout))


def _taken(
    connection: Connection, server: Server, settings: MySqlSettings, wanted: Wanted, *, locks_all: bool
) -> Point:
    for _ in range(ATTEMPTS):
        found = structures(connection, server, wanted, included_uncaptured(settings), locking=may_lock(settings))
        if server.has_gtids:
            return Point(found, Exactness.BY_GTIDS)
        locks = read_locks(settings, found.tables, on_all=locks_all)
        point = _without_gtids(connection, server, settings, found, locks)
        # The structures were read before the head was. They are those at the head only if no DDL lies in between.
        if point is not None and _hold_still(connection, found.head, point.head):
            return point
    raise RetriableError(f"structures of tables changed {ATTEMPTS} times while the snapshot's point was taken")


def _without_gtids(
    connection: Connection, server: Server, settings: MySqlSettings, found: ServerStructures, locks: Sequence[str]
) -> Point | None:
    """A point under the first lock that is granted, else an unproven one; None if a table was dropped meanwhile."""
    reasons: list[str] = []
    for statement in locks:
        try:
            at = head_under(connection, server, statement, settings.snapshot_lock_timeout_ms)
        except SourceSetupError as error:
            if not connection.open:
                raise
            # A table was dropped since the structures were read: read them again.
            if error_number(error) in GONE:
                return None
            reasons.append(str(error))
        else:
            return Point(replace(found, head=at), Exactness.BY_LOCK)
    why = "; ".join(reasons) or f"snapshot.locking.mode is {settings.snapshot_locking_mode}"
    warning = f"{_SAYS[Exactness.NOT_CLAIMED]}: GTIDs are off, and no lock was taken: {why}"
    return Point(found, Exactness.NOT_CLAIMED, (warning,))


def _hold_still(connection: Connection, start: Head, end: Head) -> bool:
    """Whether no DDL lies between two positions."""
    if start == end:
        return True
    events = events_between(connection, start, end)
    if events is None:
        return False
    before, _ = split_at(events, end)
    return not any(map(is_ddl, before))


def _prepared_at(connection: Connection, server: Server, at: Head, now: set[str]) -> set[str] | None:
    """The XA transactions that are prepared at a position; None if the log since then is too long to examine."""
    events = events_between(connection, at, catalog.head(connection, server))
    if events is None:
        return None
    _, since = split_at(events, at)
    return prepared_before(now, since)


def _wait_for_xa(connection: Connection, xids: set[str] | None, deadline: float) -> None:
    """Wait until these are ended.

    Raises:
        RetriableError: the deadline has passed.

    """
    left = xids or set()
    while True:
        if time.monotonic() >= deadline:
            raise RetriableError(_still_prepared(left))
        time.sleep(STEP_SECONDS)
        left &= prepared_now(connection) or set()
        if not left:
            return


def _still_prepared(xids: set[str]) -> str:
    shown = " and ".join(
        [" ".join(sorted(xids)[:SHOWN]), *([f"{len(xids) - SHOWN} more"] if len(xids) > SHOWN else [])]
    )
    return (
        f"a snapshot can't begin while XA transactions are prepared: {shown or 'too many to tell'}. End them (XA COMMIT or "
        "XA ROLLBACK with the xid; XA RECOVER CONVERT XID lists them), or wait for the application that does"
    )


def _without_xa_privilege(point: Point) -> Point:
    warning = (
        "whether an XA transaction is prepared at the snapshot's point can't be asked, its rows would be missing: grant "
        "XA_RECOVER_ADMIN, if the application uses XA"
    )
    return replace(point, warnings=(*point.warnings, warning))


def _have_executed(connection: Connection, gtids: str, seconds: int) -> bool:
    ((mode,),) = rows(connection, "SELECT @@GLOBAL.gtid_mode")
    if str(mode).upper() != "ON":
        raise ProgressError(
            f"the snapshot's point was taken with GTIDs, and gtid_mode is {mode} on this server: connect to a server of "
            "the same group that has them on, or begin the snapshot again"
        )
    ((outcome,),) = rows(connection, "SELECT WAIT_FOR_EXECUTED_GTID_SET(%s, %s)", gtids, seconds)
    return bool(outcome == 0)


def _still_missing(connection: Connection, gtids: str, timeout: float) -> str:
    executed, _ = catalog.gtids(connection)
    missing = GtidSet.parse(gtids).subtract(executed)
    return (
        f"this server does not show the transactions {missing} of the snapshot's point after {timeout:g} s: it is a "
        "replica that lags behind, or not of the same group"
    )
