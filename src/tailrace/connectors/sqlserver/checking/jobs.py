"""Checks whether changes are captured, with which latency, and how long they are retained.

Sources:
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-help-jobs-transact-sql,
https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/change-data-capture-sys-dm-cdc-log-scan-sessions
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tailrace.connectors.findings import Finding, Level
from tailrace.connectors.sqlserver import setup_sql
from tailrace.connectors.sqlserver.catalog import agent_is_running
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import SourceSetupError

SHORT_RETENTION_MINUTES: Final = 24 * 60
USUAL_RETENTION_MINUTES: Final = 3 * 24 * 60
LATE_SECONDS: Final = 60
SILENT_SECONDS: Final = 300
IDLE_SECONDS: Final = 900  # in an idle database the capture job adds to cdc.lsn_time_mapping every five minutes
AZURE_SQL_DATABASE: Final = 5  # its engine edition: it has no Agent, a scheduler of its own runs the capture

_LAST_SCAN: Final = """
    SELECT TOP (1) DATEDIFF_BIG(second, end_time, GETDATE()), latency
    FROM sys.dm_cdc_log_scan_sessions WHERE session_id > 0 ORDER BY session_id DESC"""
_LAST_ERROR: Final = """
    SELECT TOP (1) error_number, error_message FROM sys.dm_cdc_errors
    WHERE error_number > 0 AND entry_time > DATEADD(hour, -1, GETDATE()) ORDER BY entry_time DESC"""
_NEWEST: Final = "SELECT DATEDIFF_BIG(second, sys.fn_cdc_map_lsn_to_time(sys.fn_cdc_get_max_lsn()), GETDATE())"


@dataclass(frozen=True, slots=True)
class Job:
    """A capture or clean-up job, from `sys.sp_cdc_help_jobs`; times in seconds and minutes."""

    kind: str
    maxtrans: int
    maxscans: int
    is_continuous: bool
    pollinginterval: int
    retention_minutes: int


def agent(session: Session, settings: SqlServerSettings) -> Finding:
    """Whether SQL Server Agent runs; without it nothing is captured."""
    running = agent_is_running(session, settings.database_sqlserver_agent_status_query)
    if running:
        return Finding(Level.OK, "SQL Server Agent is running")
    if running is None:
        mend = "GRANT VIEW SERVER STATE, or set database.sqlserver.agent.status.query to a statement that tells"
        return Finding(Level.WARNING, "whether SQL Server Agent is running can't be seen", mend)
    mend = "start the service SQL Server Agent, and let it start with the server"
    return Finding(Level.ERROR, "SQL Server Agent is not running, so nothing is captured", mend)


def jobs_of(session: Session) -> dict[str, Job] | None:
    """The jobs of the session's database by kind; None if the login may not see them (it must be in db_owner)."""
    try:
        rows = session.rows("EXEC sys.sp_cdc_help_jobs")
    except SourceSetupError:
        return None
    return {
        str(kind): Job(str(kind), trans or 0, scans or 0, bool(continuous), polling or 0, retention or 0)
        for _, kind, _, trans, scans, continuous, polling, retention, *_ in rows
    }


def findings(session: Session, jobs: dict[str, Job] | None) -> Iterator[Finding]:
    """Whether both jobs exist, how they are configured, and the latency of capture."""
    database = session.database
    if jobs is None:
        what = f"{database}: the capture and clean-up jobs can't be seen, which only db_owner may"
        yield Finding(Level.WARNING, what, "look with a login that may: EXEC sys.sp_cdc_help_jobs")
    else:
        yield _capture(database, jobs.get("capture"))
        yield _clean_up(database, jobs.get("cleanup"))
    yield from _lateness(session, (jobs or {}).get("capture"))


def _capture(database: str, job: Job | None) -> Finding:
    if job is None:
        mend = setup_sql.add_job(database, "capture"), setup_sql.start_capture(database)
        return Finding(Level.ERROR, f"{database} has no capture job, so nothing is captured", statements=mend)
    if not job.is_continuous:
        return Finding(Level.OK, f"{database}: the capture job reads the log when its schedule says so")
    return Finding(
        Level.OK,
        f"{database}: the capture job reads the log every {job.pollinginterval} s, up to {job.maxscans} times "
        f"{job.maxtrans} transactions",
    )


def _clean_up(database: str, job: Job | None) -> Finding:
    if job is None:
        what = f"{database} has no clean-up job: change tables only grow"
        return Finding(Level.WARNING, what, statements=(setup_sql.add_job(database, "cleanup"),))
    if job.retention_minutes < SHORT_RETENTION_MINUTES:
        what = (
            f"{database}: changes are kept for {job.retention_minutes / 60:.1f} hours: after a longer pause reading "
            "can't go on"
        )
        return Finding(Level.WARNING, what, statements=(setup_sql.keep_changes(database, USUAL_RETENTION_MINUTES),))
    return Finding(Level.OK, f"{database}: changes are kept for {job.retention_minutes / (24 * 60):.0f} days")


def _lateness(session: Session, job: Job | None) -> Iterator[Finding]:
    try:
        scans, errors = session.rows(_LAST_SCAN), session.rows(_LAST_ERROR)
    except SourceSetupError:  # VIEW DATABASE STATE is missing
        yield from _lateness_by_time(session)
        return
    database = session.database
    for number, text in errors:
        yield Finding(Level.WARNING, f"{database}: the capture job failed within the last hour: {number}, {text}")
    if not scans:
        yield _not_reading(database, "has not read the log yet")
        return
    [(ago, latency)] = scans
    # A job that polls rarely is silent for longer.
    silent = max(SILENT_SECONDS, 10 * job.pollinginterval if job else 0)
    if ago is not None and ago > silent and (job is None or job.is_continuous):
        yield _not_reading(database, f"last read the log {_span(ago)} ago")
    elif latency is not None and latency > LATE_SECONDS:
        what = f"{database}: changes are captured {_span(latency)} after their commit"
        yield Finding(
            Level.WARNING,
            what,
            "see sys.dm_cdc_log_scan_sessions; raise @maxtrans or @maxscans with sys.sp_cdc_change_job",
        )
    else:
        yield Finding(Level.OK, f"{database}: changes are captured within {max(latency or 0, 1)} s of their commit")


def _lateness_by_time(session: Session) -> Iterator[Finding]:
    """The latency, from the newest captured commit, if the scans of the capture job can't be seen."""
    ago = session.one(_NEWEST)
    if ago is None:
        yield _not_reading(session.database, "has not captured anything yet")
    elif ago > IDLE_SECONDS:
        yield _not_reading(session.database, f"last captured something {_span(ago)} ago")
    else:
        yield Finding(Level.OK, f"{session.database}: the newest captured commit is {_span(ago)} old")


def _not_reading(database: str, what: str) -> Finding:
    return Finding(
        Level.WARNING,
        f"{database}: the capture job {what}",
        "see whether SQL Server Agent runs, and what the job's history says",
        (setup_sql.start_capture(database),),
    )


def _span(seconds: int) -> str:
    return f"{seconds} s" if seconds < 2 * LATE_SECONDS else f"{seconds // 60} min"
