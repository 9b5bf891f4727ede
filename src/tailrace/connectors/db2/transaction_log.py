"""The database's log while it is read: its sessions, its clock, what pruning may have taken, and whether asncap works.

The register does not tell up to where rows were pruned. What can't have been pruned follows from time: the Capture program
deletes rows that are older than RETENTION_LIMIT minutes. So a position has a time before which nothing behind it was committed
(`DatabasePosition.as_of_us`), which is SYNCHTIME when the head was read. As long as that is younger than the limit, nothing
behind the position is gone. Otherwise IBMSNAP_UOW decides: with a row at or before the position, pruning has not come to it.
And where IBMSNAP_UOW was made within that time, nothing was ever pruned.

Not seen are rows that are deleted by hand, and those that the Apply program has taken on behalf of other subscribers, which are
pruned earlier (`tailrace check` tells of those).

Sources: IBM Db2 documentation, "IBMSNAP_CAPPARMS table", "Pruning" (SQL Replication), "IBMSNAP_CAPTRACE table"
"""

# ruff: noqa: S608 -- names are quoted
from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Final

from tailrace import epoch
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.transactions import Transactions
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.db2 import catalog, transactions
from tailrace.connectors.db2.catalog import control
from tailrace.connectors.db2.catalog_sql import name
from tailrace.connectors.db2.connection import Session, connect
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.transactions import SECOND_US, Head
from tailrace.errors import SourceSetupError
from tailrace.schema.tables import TableId

QUIET_SECONDS: Final = 60.0  # without anything captured, before it is looked whether the Capture program works
STUCK_SECONDS: Final = 300.0  # of SYNCHTIME behind the clock
FRESH_SECONDS: Final = 1.0  # how old the clock of a look at the head may be
_SHOWN: Final = 200

log = logging.getLogger(__name__)


class TransactionLog:
    """A `Log` of Db2."""

    def __init__(self, settings: Db2Settings, offset_minutes: int | None) -> None:
        """The log of the database; `offset_minutes`: how far the server's clock is ahead of UTC, if a plan fixes it."""
        self._settings = settings
        self._given_offset = offset_minutes
        self._head: Head | None = None
        self._fresh_head: Head | None = None
        self._looked_at = 0.0
        self._retention_us: int | None = None
        self._quiet_since = time.monotonic()
        self._has_warned = False

    most_transactions: int | None = None

    def connect(self) -> Session:
        """A session in the database."""
        return connect(self._settings)

    def head(self, session: Session) -> Lsn:
        """The greatest synchpoint, by a clock that is looked at in the same moment."""
        self._looked_at = time.monotonic()
        self._head = self._fresh_head = transactions.head(session, self._settings)
        return self._head.lsn

    @property
    def as_of_us(self) -> int | None:
        """SYNCHTIME at the last `head`."""
        return None if self._head is None else self._head.synchtime_us

    def is_kept(self, session: Session, after: Lsn, as_of_us: int | None) -> bool:
        """Whether rows behind an LSN can't have been pruned."""
        now, self._fresh_head = self._fresh_head, None
        # One look serves the check before a window is read; the one behind it needs the clock of then.
        if now is None or time.monotonic() - self._looked_at > FRESH_SECONDS:
            now = transactions.head(session, self._settings)
        if now.lsn <= after:
            return True
        if self._retention_us is None:
            self._retention_us = transactions.retention_us(session, self._settings)
        oldest_us = transactions.kept_from_us(now, self._retention_us)
        if as_of_us is not None and as_of_us > oldest_us:
            return True
        if transactions.reaches_back_to(session, self._settings, after):
            return True
        return catalog.capture_began_us(session, self._settings, now.offset_minutes) > oldest_us

    def transactions(self, session: Session, window: Window, at_most: int) -> Transactions:
        """The transactions of a window, from IBMSNAP_UOW."""
        self._quiet_since = time.monotonic()
        offset = self._given_offset
        if offset is None:
            offset = 0 if self._head is None else self._head.offset_minutes
        return transactions.transactions(session, self._settings, window, at_most, offset)

    def begun_anew(self, session: Session, window: Window) -> Sequence[TableId]:
        """The tables whose CD_NEW_SYNCHPOINT in a window is that of no row: it is of an activation then.

        If rows have come since, it is theirs, and nothing tells of the activation any more.
        """
        return catalog.activated(session, self._settings, window)

    def look_why_quiet(self, session: Session, head: Lsn) -> None:
        """Warn if nothing was captured for a while, or ever, and the Capture program does not seem to work."""
        is_due = head.is_zero or time.monotonic() - self._quiet_since > QUIET_SECONDS
        if not is_due or self._has_warned or self._head is None:
            return
        self._quiet_since = time.monotonic()
        behind_us = self._head.now_us - (self._head.synchtime_us or 0)
        if behind_us > STUCK_SECONDS * SECOND_US:
            self._has_warned = True
            since = (
                "ever" if self._head.synchtime_us is None else f"since {epoch.moment_of(self._head.synchtime_us)} (UTC)"
            )
            log.warning(
                "nothing of %s was captured %s: does the Capture program run? (asnccmd capture_schema=%s capture_server=%s "
                "status)%s", session.database, since, self._settings.control_schema, session.database, self._trace(session),
            )  # fmt: skip

    def _trace(self, session: Session) -> str:
        """Its newest error, for messages."""
        try:
            text = name("DESCRIPTION", 1024, is_zos=self._settings.is_zos)
            found = session.one(
                f"SELECT {text} FROM {control(self._settings, 'IBMSNAP_CAPTRACE')} "
                "WHERE OPERATION = 'ERROR' ORDER BY TRACE_TIME DESC FETCH FIRST 1 ROW ONLY"
            )
        except SourceSetupError as error:
            return f" Its messages can't be read: {error}"
        return "" if found is None else f" Its newest error: {str(found)[:_SHOWN]}"
