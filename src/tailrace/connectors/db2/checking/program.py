"""Checks whether the Capture program runs, how late it is, what it says, and how long it keeps changes.

Sources: IBM Db2 documentation, "IBMSNAP_REGISTER table" (SYNCHTIME of the global record), "IBMSNAP_CAPMON table",
"IBMSNAP_CAPTRACE table", "IBMSNAP_CAPPARMS table"
"""

# ruff: noqa: S608  # names are quoted
from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tailrace.connectors.db2.catalog_sql import name
from tailrace.connectors.db2.checking.access import Reader
from tailrace.connectors.db2.connection import Session
from tailrace.connectors.db2.setup_sql import Services
from tailrace.connectors.findings import Finding, Level

LATE_SECONDS: Final = 60
SHORT_RETENTION_MINUTES: Final = 24 * 60
USUAL_RETENTION_MINUTES: Final = 7 * 24 * 60
PROMPT_SECONDS: Final = 5
MESSAGES_SHOWN: Final = 3
_MESSAGES_READ: Final = 200
_COMMIT_SECONDS, _SLEEP_SECONDS = 30, 5  # what the program takes where IBMSNAP_CAPPARMS has nothing
_RECENT: Final = dt.timedelta(days=1)
_FAILURE: Final = re.compile(r"\bASN\d{4,5}[ES]\b")
_HOUR_MINUTES: Final = 60
_DAY_MINUTES: Final = 24 * 60


@dataclass(frozen=True, slots=True)
class Parameters:
    """What IBMSNAP_CAPPARMS says; the defaults of the program where it has nothing.

    Attributes:
        retention_minutes: for how long changes are kept.
        commit_seconds: how often the program commits.
        sleep_seconds: how long it sleeps at the end of the log.
        prunes: whether it prunes by itself.

    """

    retention_minutes: int = USUAL_RETENTION_MINUTES
    commit_seconds: int = _COMMIT_SECONDS
    sleep_seconds: int = _SLEEP_SECONDS
    prunes: bool = True

    @property
    def patience(self) -> int:
        """After how many seconds without a commit the program is taken for one that does not run."""
        return max(LATE_SECONDS, 3 * self.commit_seconds)


def findings(session: Session, services: Services, who: Reader) -> Iterator[Finding]:
    """The findings about the program."""
    known = parameters(session, services)
    yield _runs(session, services, known)
    if who.may_read("IBMSNAP_CAPMON"):
        yield from _monitored(session, services, known)
    if who.may_read("IBMSNAP_CAPTRACE"):
        yield from _messages(session, services)
    yield _prompt(services, known)
    yield from _kept(services, known)


def parameters(session: Session, services: Services) -> Parameters:
    """The parameters of the program."""
    table = services.control("IBMSNAP_CAPPARMS")
    rows = session.rows(f"SELECT RETENTION_LIMIT, COMMIT_INTERVAL, SLEEP_INTERVAL, AUTOPRUNE FROM {table}")
    if not rows:
        return Parameters()
    retention, commit, sleep, prunes = rows[0]
    return Parameters(
        USUAL_RETENTION_MINUTES if retention is None else int(retention),
        _COMMIT_SECONDS if commit is None else int(commit),
        _SLEEP_SECONDS if sleep is None else int(sleep),
        prunes != "N",
    )


def _runs(session: Session, services: Services, known: Parameters) -> Finding:
    """Whether the program has committed a while ago: then it moves SYNCHTIME, also when nothing changes."""
    table = services.control("IBMSNAP_REGISTER")
    rows = session.rows(f"SELECT SYNCHTIME, CURRENT TIMESTAMP FROM {table} WHERE GLOBAL_RECORD = 'Y'")
    if not rows or rows[0][0] is None:
        return _stands(services, "has not captured anything yet")
    ago = _seconds(rows[0][1] - rows[0][0])
    if ago > known.patience:
        return _stands(services, f"last committed {_span(ago)} ago")
    return Finding(Level.OK, f"{services.database}: the Capture program runs, and has captured up to {_span(ago)} ago")


def _stands(services: Services, what: str) -> Finding:
    mend = services.told("start") or "start it"
    return Finding(
        Level.ERROR,
        f"{services.database}: the Capture program {what}, so no changes come",
        mend,
        services.command("start"),
    )


def _monitored(session: Session, services: Services, known: Parameters) -> Iterator[Finding]:
    """How far it was behind the log when it last wrote that down."""
    table = services.control("IBMSNAP_CAPMON")
    rows = session.rows(
        f"SELECT MONITOR_TIME, SYNCHTIME, TRANS_SPILLED FROM {table} ORDER BY MONITOR_TIME DESC FETCH FIRST 1 ROW ONLY"
    )
    for at, reached, spilled in rows:
        behind = max(_seconds(at - reached), 0)
        what = f"{services.database}: the Capture program was {_span(behind)} behind the log at {_shown(at)} (IBMSNAP_CAPMON)"
        if behind > known.patience:
            yield Finding(Level.WARNING, what, _why_late(spilled))
        else:
            yield Finding(Level.OK, what)


def _why_late(spilled: int) -> str:
    if spilled:
        return f"{spilled} transactions did not fit into its memory: raise MEMORY_LIMIT in IBMSNAP_CAPPARMS"
    return "see what holds it up: long transactions, locks on change tables, or a machine without time for it"


def _messages(session: Session, services: Services) -> Iterator[Finding]:
    """What the program said last: failures within a day, else the newest message."""
    table = services.control("IBMSNAP_CAPTRACE")
    operation, text = (name(*each, is_zos=services.is_zos) for each in (("OPERATION", 8), ("DESCRIPTION", 1024)))
    rows = session.rows(
        f"SELECT {operation}, TRACE_TIME, {text}, CURRENT TIMESTAMP FROM {table} "
        f"ORDER BY TRACE_TIME DESC FETCH FIRST {_MESSAGES_READ} ROWS ONLY"
    )
    failures = [row for row in rows if _is_failure(row)]
    for _, at, text, _ in failures[:MESSAGES_SHOWN]:
        yield Finding(Level.WARNING, f"{services.database}: the Capture program said at {_shown(at)}: {text.strip()}")
    if rows and not failures:
        _, at, text, _ = rows[0]
        yield Finding(
            Level.OK, f"{services.database}: the Capture program's newest message, of {_shown(at)}: {text.strip()}"
        )


def _is_failure(row: tuple[Any, ...]) -> bool:
    operation, at, text, now = row
    return now - at < _RECENT and (operation.strip() == "ERROR" or _FAILURE.search(text) is not None)


def _prompt(services: Services, known: Parameters) -> Finding:
    """How late changes are at least."""
    seconds = known.commit_seconds + known.sleep_seconds
    what = (
        f"{services.database}: changes come up to {_span(seconds)} after their commit "
        f"(COMMIT_INTERVAL {known.commit_seconds} s, SLEEP_INTERVAL {known.sleep_seconds} s)"
    )
    if seconds <= PROMPT_SECONDS:
        return Finding(Level.OK, what)
    sql = f"UPDATE {services.control('IBMSNAP_CAPPARMS')} SET COMMIT_INTERVAL = 1, SLEEP_INTERVAL = 1"
    return Finding(Level.OK, what, f"for less: {sql}; then start the Capture program again")


def _kept(services: Services, known: Parameters) -> Iterator[Finding]:
    """For how long changes are kept."""
    database = services.database
    if not known.prunes:
        mend = f"UPDATE {services.control('IBMSNAP_CAPPARMS')} SET AUTOPRUNE = 'Y', or prune with asnccmd now and then"
        yield Finding(Level.WARNING, f"{database}: change tables only grow: AUTOPRUNE is 'N'", mend)
    elif known.retention_minutes < SHORT_RETENTION_MINUTES:
        what = f"{database}: changes are kept for {_kept_for(known)}: after a longer pause reading can't go on"
        mend = "it holds when the Capture program is started again"
        yield Finding(Level.WARNING, what, mend, (services.keep_changes(USUAL_RETENTION_MINUTES),))
    else:
        yield Finding(Level.OK, f"{database}: changes are kept for {_kept_for(known)}")


def _kept_for(known: Parameters) -> str:
    minutes = known.retention_minutes
    return f"{minutes / _HOUR_MINUTES:.1f} hours" if minutes < _DAY_MINUTES else f"{minutes // _DAY_MINUTES} days"


def _seconds(span: dt.timedelta) -> int:
    return int(span.total_seconds())


def _span(seconds: int) -> str:
    return f"{seconds} s" if seconds < 2 * LATE_SECONDS else f"{seconds // 60} min"


def _shown(at: dt.datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}"
