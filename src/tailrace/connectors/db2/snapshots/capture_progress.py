"""Proof that the Capture program (asncap) has passed a time: everything committed before it is in the change tables.

The greatest synchpoint proves nothing: it may stand still. The proof is SYNCHTIME of the global row of
IBMSNAP_REGISTER, up to which asncap has read the log: it has passed a time as soon as SYNCHTIME is later, on the
server's own clock. Later by less than `CLOCK_SECONDS` proves nothing, as commits of one moment may be numbered in
another order, and members of a cluster have clocks of their own.

Rewinding reads chunks without locks to one position P of the log, from the change tables. That is exact under four
conditions:

1. Every commit up to P is visible to a read that waits for outcomes. asncap reads the log, in which a commit stands
   before its transaction gives up its locks; a read with `WITH CS WAIT FOR OUTCOME` waits for these (`statements.py`).
   Documented: the clause, and that locks are held until the commit is in the log.
2. P is captured. Synchpoints are read WITH CS and never UR: asncap commits rows and the synchpoint that tells of them
   in one transaction (COMMIT_INTERVAL), so a committed synchpoint has its rows. Documented: that subscribers read up to
   the synchpoint. Assumed: that rows are never committed after their synchpoint.
3. H, up to which the log is read after a chunk, has all commits that the chunk shows: SYNCHTIME is later than the end
   of the read. Documented: that SYNCHTIME of the global row is the time of the last log record that was processed, and
   that the row is updated in each commit interval, also when no registered table changes. Assumed: times of commits in
   the log ascend, but for `CLOCK_SECONDS`; at the log's end SYNCHTIME is no later than that either.
4. A chunk shows committed rows only, each with all columns of one moment: so with cursor stability.

A clock that is set back, as in autumn, delays a proof: a SYNCHTIME later than the clock itself is from before.

Source: IBM Db2 documentation, "IBMSNAP_REGISTER table", "IBMSNAP_CAPPARMS table", "Determining where Capture is in the
log"
"""

# ruff: noqa: S608 -- names are quoted
from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Iterator
from typing import Final

from tailrace.connectors.db2.catalog import control
from tailrace.connectors.db2.connection import Session
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.errors import RetriableError, SourceSetupError

CLOCK_SECONDS: Final = 1.0
PATIENCE_SECONDS: Final = 120.0
INTERVALS: Final = 4.0  # that may pass without news
USUAL_INTERVAL_SECONDS: Final = 35.0  # IBM's COMMIT_INTERVAL and SLEEP_INTERVAL

log = logging.getLogger(__name__)


class CaptureProgram:
    """The Capture program of a database, as far as the control tables show it: a `Capture`."""

    def __init__(self, session: Session, settings: Db2Settings) -> None:
        self._session = session
        self._settings = settings
        self._seen: dt.datetime | None = None
        self._interval = self._asked_interval()

    def now(self) -> dt.datetime:
        """The server's local time; call it after the read that it is to prove something about."""
        found: dt.datetime = self._session.one("SELECT CURRENT TIMESTAMP FROM SYSIBM.SYSDUMMY1")
        self._session.commit()
        return found

    def has_passed(self, moment: dt.datetime) -> bool:
        """Whether everything committed before a time is in the change tables."""
        found = self._session.rows(
            f"SELECT r.SYNCHTIME, CURRENT TIMESTAMP FROM {control(self._settings, 'IBMSNAP_REGISTER')} AS r "
            "WHERE r.GLOBAL_RECORD = 'Y' AND r.SYNCHTIME IS NOT NULL WITH CS"
        )
        self._session.commit()  # a reader's lock on the table would stand in the way of whoever alters it
        slack = dt.timedelta(seconds=CLOCK_SECONDS)
        self._seen = max((synchtime for synchtime, _ in found), default=None)
        return any(moment + slack < synchtime <= now + slack for synchtime, now in found)

    def wait_until_passed(self, moment: dt.datetime) -> Iterator[None]:
        """Wait until the program has passed a time, in steps that the caller makes as long as it wants.

        Raises:
            RetriableError: the program does not pass it in time.

        """
        deadline = time.monotonic() + self.patience
        while not self.has_passed(moment):
            if time.monotonic() >= deadline:
                raise RetriableError(
                    f"{self.stuck(moment, self.patience)} What a snapshot read by then can't be told from what came later. Or "
                    "take it in one of Debezium's ways, with snapshot.isolation.mode, which does not need the program"
                )
            yield

    @property
    def patience(self) -> float:
        """The longest wait, in seconds."""
        return max(PATIENCE_SECONDS, INTERVALS * self._interval)

    def stuck(self, moment: dt.datetime, seconds: float) -> str:
        """The message if the program has not passed a time for so long."""
        schema, database = self._settings.control_schema, self._session.database
        return (
            f"the Capture program (asncap) of {database} has not passed {moment} after {seconds:g} s: SYNCHTIME of the global "
            f"row of {schema}.IBMSNAP_REGISTER is {self._seen}. Does it run (asnccmd capture_schema={schema} "
            f"capture_server={database} status)? {schema}.IBMSNAP_CAPTRACE has its messages, and COMMIT_INTERVAL of "
            f"{schema}.IBMSNAP_CAPPARMS says how often it tells what is captured."
        )

    def _asked_interval(self) -> float:
        """How long asncap is silent at most, in seconds."""
        try:
            found = self._session.rows(
                f"SELECT MAX(COMMIT_INTERVAL), MAX(SLEEP_INTERVAL) FROM {control(self._settings, 'IBMSNAP_CAPPARMS')}"
            )
            self._session.commit()
        except SourceSetupError as error:
            log.info("the parameters of the Capture program of %s can't be seen: %s", self._session.database, error)
            return USUAL_INTERVAL_SECONDS
        known = [float(each) for each in found[0] if each is not None]
        return sum(known) if known else USUAL_INTERVAL_SECONDS
