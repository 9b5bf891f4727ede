"""Checks whether a SQL Server is set up for change data capture, and suggests T-SQL for what is missing.

`check` connects, and returns findings about the server and each database in `database.names`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tailrace.config.properties.snapshots import WITH_ROWS
from tailrace.connectors.findings import Finding, Level
from tailrace.connectors.shared import unmatched_lists
from tailrace.connectors.sqlserver import catalog, listed_tables, local_times, setup_sql, structures
from tailrace.connectors.sqlserver.checking import access, jobs, signals, tables
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import TailraceError

_OFFSET: Final = "SELECT DATEPART(TZOFFSET, SYSDATETIMEOFFSET())"
_SERVER: Final = """
    SELECT CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)), CAST(SERVERPROPERTY('Edition') AS nvarchar(128)),
           CAST(SERVERPROPERTY('EngineEdition') AS int)"""
_DATABASE: Final = """
    SELECT is_cdc_enabled, snapshot_isolation_state, CAST(DATABASEPROPERTYEX(name, 'Updateability') AS nvarchar(128))
    FROM sys.databases WHERE name = DB_NAME()"""
_SNAPSHOTS_ON: Final = 1
_READ_ONLY: Final = "READ_ONLY"


def check(settings: SqlServerSettings) -> list[Finding]:
    """All findings; a server that can't be reached is an error among them."""
    found: list[Finding] = []
    for database in settings.database_names:
        try:
            with listed_tables.connect_named(settings, database) as session:
                found += _of_database(session, settings, is_first=not found)
        except TailraceError as error:
            found.append(Finding(Level.ERROR, str(error)))
    # Lists can't be compared with databases that can't be read: that would only repeat the errors.
    if any(each.level is Level.ERROR for each in found):
        return found
    return [*found, *_of_lists(settings)]


def _of_lists(settings: SqlServerSettings) -> list[Finding]:
    """The findings about entries of lists that match nothing."""
    try:
        return unmatched_lists.findings(settings, listed_tables.existing(settings))
    except TailraceError as error:
        return [Finding(Level.ERROR, str(error))]


def _of_database(session: Session, settings: SqlServerSettings, *, is_first: bool) -> Iterator[Finding]:
    version, edition, engine = session.rows(_SERVER)[0]
    has_agent = engine != jobs.AZURE_SQL_DATABASE
    if is_first:
        encrypted = "without TLS" if settings.driver_encrypt == "false" else "with TLS"
        yield Finding(Level.OK, f"SQL Server {version}, {edition}, at {settings.database_hostname}, {encrypted}")
        if has_agent and not settings.reads_replica:
            yield jobs.agent(session, settings)
        yield from _zone(session, settings)
    is_enabled, snapshots, updateability = session.rows(_DATABASE)[0]
    if not is_enabled:
        mend = (setup_sql.enable_database(session.database),)
        yield Finding(Level.ERROR, f"{session.database}: change data capture is not enabled", statements=mend)
        return
    yield from _replica(session, settings, is_read_only=updateability == _READ_ONLY)
    yield from _isolation(session.database, settings, is_on=snapshots == _SNAPSHOTS_ON)
    yield from _of_capture(session, settings, has_jobs=has_agent and updateability != _READ_ONLY)


def _zone(session: Session, settings: SqlServerSettings) -> Iterator[Finding]:
    """A warning if the server's clock contradicts the configured time zone."""
    zone, name = settings.server_zone, str(settings.database_server_timezone)
    if zone is not None and (what := local_times.other_offset(zone, name, session.one(_OFFSET))):
        yield Finding(Level.WARNING, what)


def _of_capture(session: Session, settings: SqlServerSettings, *, has_jobs: bool) -> Iterator[Finding]:
    who = access.login(session)
    yield access.of_schema(session, who)
    if not who.may_read_catalog:
        return
    if has_jobs:
        yield from jobs.findings(session, jobs.jobs_of(session))
    wanted = structures.tables(session, session.database, settings.tables.matches)
    instances = catalog.instances(session)
    yield from tables.findings(session, settings, wanted, instances, catalog.altered_since_captured(session))
    yield from signals.findings(session, settings, wanted, instances)
    yield from signals.rights(session, settings, who)
    read = [each for each in instances if each.table in wanted]
    yield from access.findings(session, settings, who, read, list(tables.by_table(read)))


def _replica(session: Session, settings: SqlServerSettings, *, is_read_only: bool) -> Iterator[Finding]:
    if settings.reads_replica and is_read_only:
        yield Finding(Level.OK, f"{session.database} is read on a replica; its jobs are looked at on the primary")
    elif settings.reads_replica:
        what = f"{session.database}: driver.applicationIntent is ReadOnly, and this is no read-only replica"
        mend = "connect to the availability group's listener, and give it read-only routing; or leave the intent out"
        yield Finding(Level.WARNING, what, mend)
    elif is_read_only:
        what = f"{session.database} is read-only here"
        yield Finding(
            Level.ERROR, what, "set driver.applicationIntent=ReadOnly to read a replica, or connect to the primary"
        )


def _isolation(database: str, settings: SqlServerSettings, *, is_on: bool) -> Iterator[Finding]:
    """An error if snapshot isolation is requested and not allowed; a replica always has row versions."""
    asked = settings.snapshot_isolation_mode == "snapshot" and settings.snapshot_mode in WITH_ROWS
    if asked and not is_on and not settings.reads_replica:
        what = f"{database}: snapshot.isolation.mode is snapshot, and the database does not allow it"
        yield Finding(Level.ERROR, what, statements=(setup_sql.allow_snapshot_isolation(database),))
