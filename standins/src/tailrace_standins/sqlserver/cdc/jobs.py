"""Jobs: their settings in msdb.dbo.cdc_jobs, and sp_cdc_add_job, sp_cdc_change_job, sp_cdc_drop_job.

Sources: https://learn.microsoft.com/sql/relational-databases/system-tables/dbo-cdc-jobs-transact-sql,
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-add-job-transact-sql,
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-change-job-transact-sql
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from tailrace_standins.sqlserver.cdc import rows, shapes
from tailrace_standins.sqlserver.cdc.messages import failure
from tailrace_standins.sqlserver.cdc.system_rows import JobRow
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.sqlserver.engine.stored import Stored, guid_stored
from tailrace_standins.storage.transactions import write

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

CAPTURE: Final = "capture"
CLEANUP: Final = "cleanup"
LONGEST_RETENTION: Final = 52_594_800
_DAY: Final = 86_400
_DEFAULTS: Final[dict[str, dict[str, int]]] = {
    CAPTURE: {"maxtrans": 500, "maxscans": 10, "continuous": 1, "pollinginterval": 5, "retention": 0, "threshold": 0},
    CLEANUP: {
        "maxtrans": 0,
        "maxscans": 0,
        "continuous": 0,
        "pollinginterval": 0,
        "retention": 4320,
        "threshold": 5000,
    },
}
SETTINGS: Final = tuple(_DEFAULTS[CAPTURE])


@dataclass(frozen=True, slots=True)
class Job:
    """A job's settings; the polling interval is in seconds, the retention in minutes."""

    id: bytes
    type: str
    maxtrans: int
    maxscans: int
    continuous: bool
    pollinginterval: int
    retention: int
    threshold: int


def _table(session: EngineSession) -> tuple[Database, Table | None]:
    """The database msdb and its cdc_jobs; None if no job was ever created, or on a secondary, whose own msdb has none."""
    msdb = session.engine.catalog.database("msdb")
    return msdb, None if session.is_secondary else msdb.table("dbo", "cdc_jobs")


def _found(session: EngineSession, database: Database, kind: str = "") -> list[JobRow]:
    _, table = _table(session)
    if table is None:
        return []
    condition, values = ("database_id=?1 AND job_type=?2", [database.id, kind]) if kind else ("database_id=?1", [database.id])
    return [JobRow._make(row) for row in rows.read(session, table, condition, values)]


def settings(session: EngineSession, database: Database) -> list[Job]:
    """The jobs of a database."""
    return [
        Job(r.job_id, r.job_type, r.maxtrans, r.maxscans, bool(r.continuous), r.pollinginterval, r.retention, r.threshold)
        for r in _found(session, database)
    ]


def setting(session: EngineSession, database: Database, kind: str) -> Job | None:
    """The job of that kind."""
    return next((job for job in settings(session, database) if job.type == kind), None)


def add(session: EngineSession, database: Database, kind: str, given: dict[str, int]) -> None:
    """Create a job; raises 22992, and as `check`."""
    check(kind, given)
    values = {**_DEFAULTS[kind], **given}
    row: list[Stored] = [database.id, kind, guid_stored(uuid4()), *(values[name] for name in SETTINGS)]

    def work(transaction: Transaction) -> None:
        msdb, table = _table(session)
        if table is None:
            now = session.engine.now()[:23]
            table = shapes.system_table(
                session.engine.catalog, "dbo", "cdc_jobs", shapes.CDC_JOBS, ("database_id", "job_type"), created=now
            )
            rows.create(session, transaction, msdb, table)
        rows.remove(session, transaction, msdb, table, _found(session, database, kind))
        rows.add(session, transaction, table, [row])

    write(session, work)


def change(session: EngineSession, database: Database, kind: str, given: dict[str, int]) -> None:
    """Change a job's settings; raises 22997 if there is no such job."""
    check(kind, given)
    found = _found(session, database, kind)
    msdb, table = _table(session)
    if table is None or not found:
        raise failure(22997, kind)
    if given.get("continuous") == 0:
        given = {**given, "pollinginterval": 0}
    elif given.get("pollinginterval"):
        given = {**given, "continuous": 1}
    write(session, lambda transaction: rows.change(session, transaction, msdb, table, found[0], **given))


def drop(session: EngineSession, database: Database, kind: str) -> None:
    """Drop a job; does nothing if there is none."""
    msdb, table = _table(session)
    found = _found(session, database, kind)
    if table is not None and found:
        write(session, lambda transaction: rows.remove(session, transaction, msdb, table, found))


def check(kind: str, given: dict[str, int]) -> None:
    """Check settings; raises 22992, 22995, 22996 and the other errors about values out of range."""
    if kind not in _DEFAULTS:
        raise failure(22992, kind)
    if kind == CAPTURE and given.get("retention") is not None:
        raise failure(22995)
    if kind == CLEANUP and any(name in given for name in ("maxtrans", "maxscans", "continuous", "pollinginterval")):
        raise failure(22996)
    if given.get("maxtrans", 1) <= 0:
        raise failure(22991)
    if given.get("maxscans", 1) <= 0:
        raise failure(22970)
    if not 0 <= given.get("pollinginterval", 0) <= _DAY:
        raise failure(22990)
    if not 0 < given.get("retention", 1) <= LONGEST_RETENTION:
        raise failure(22994)
    if given.get("threshold", 1) <= 0:
        raise failure(22850)
