"""The stored procedures of change data capture, in the schema sys.

Source: "Change data capture stored procedures",
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/change-data-capture-stored-procedures-transact-sql
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc import cleanup, disabling, enabling, jobs, reports, rows
from tailrace_standins.sqlserver.cdc.arguments import Given, changing, needed, number, procedure, text
from tailrace_standins.sqlserver.cdc.messages import failure, warning
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.session import Outcome

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.cdc.feature import ChangeDataCapture
    from tailrace_standins.sqlserver.engine.session import EngineSession

_ENABLE: Final = (
    "source_schema source_name capture_instance supports_net_changes role_name index_name captured_column_list "
    "filegroup_name allow_partition_switch"
)


class _Procedures:
    """The procedures that change something; each runs in its database."""

    def __init__(self, feature: ChangeDataCapture) -> None:
        self._feature = feature

    def enable_db(self, session: EngineSession, database: Database, _given: Given) -> Iterator[Outcome]:
        """sp_cdc_enable_db."""
        if database.is_cdc_enabled:
            yield warning(22905, database.name)
            return
        enabling.enable_db(session, database)

    def disable_db(self, session: EngineSession, database: Database, _given: Given) -> Iterator[Outcome]:
        """sp_cdc_disable_db, which drops the jobs too."""
        self._feature.dropping(session, database)
        yield from ()

    def enable_table(self, session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
        """sp_cdc_enable_table; for the first table of a database it adds the jobs and starts them."""
        rows.table(database, "change_tables")
        net, role = number(given, "supports_net_changes"), text(given, "role_name")
        if role is not None and not role.strip():
            raise failure(22907)
        wish = enabling.Wish(
            needed(given, "source_schema"), needed(given, "source_name"), text(given, "capture_instance"),
            None if net is None else bool(net), role, text(given, "index_name"), text(given, "captured_column_list"),
            text(given, "filegroup_name"),
        )  # fmt: skip
        enabling.enable_table(session, database, self._feature.instances, wish)
        if number(given, "allow_partition_switch") == 0:
            yield warning(22857)
        if not jobs.settings(session, database):
            for kind in (jobs.CAPTURE, jobs.CLEANUP):
                jobs.add(session, database, kind, {})
            self._feature.start_job(database)

    def disable_table(self, session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
        """sp_cdc_disable_table."""
        rows.table(database, "change_tables")
        schema, name, instance = (needed(given, each) for each in ("source_schema", "source_name", "capture_instance"))
        disabling.disable_table(session, database, schema, name, instance)
        yield from ()

    def add_job(self, session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
        """sp_cdc_add_job, which replaces a job of the same kind."""
        rows.table(database, "change_tables")
        kind = needed(given, "job_type").lower()
        jobs.add(session, database, kind, _settings(given))
        if kind == jobs.CAPTURE and number(given, "start_job") != 0:
            self._feature.start_job(database)
        yield from ()

    def change_job(self, session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
        """sp_cdc_change_job, which takes effect when the job next starts."""
        rows.table(database, "change_tables")
        jobs.change(session, database, (text(given, "job_type") or jobs.CAPTURE).lower(), _settings(given))
        yield from ()

    def drop_job(self, session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
        """sp_cdc_drop_job, which stops a capture job."""
        rows.table(database, "change_tables")
        kind = needed(given, "job_type").lower()
        jobs.check(kind, {})
        if kind == jobs.CAPTURE:
            self._feature.job(database).stop()
        jobs.drop(session, database, kind)
        yield from ()

    def start_job(self, session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
        """sp_cdc_start_job; a clean-up runs within the call."""
        kind = self._existing(session, database, given)
        if kind == jobs.CAPTURE:
            self._feature.job(database).start()
        else:
            cleanup.clean_database(session, database, self._feature.columns)
        yield from ()

    def stop_job(self, session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
        """sp_cdc_stop_job."""
        if self._existing(session, database, given) == jobs.CAPTURE:
            self._feature.job(database).stop()
        yield from ()

    def _existing(self, session: EngineSession, database: Database, given: Given) -> str:
        rows.table(database, "change_tables")
        kind = (text(given, "job_type") or jobs.CAPTURE).lower()
        jobs.check(kind, {})
        if jobs.setting(session, database, kind) is None:
            raise failure(22997, kind)
        return kind

    def scan(self, _session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
        """sp_cdc_scan, with @continuous = 0 only; the stand-in's job does the continuous scans."""
        rows.table(database, "change_tables")
        maxtrans, maxscans = number(given, "maxtrans"), number(given, "maxscans")
        jobs.check(
            jobs.CAPTURE,
            {"maxtrans": 1 if maxtrans is None else maxtrans, "maxscans": 1 if maxscans is None else maxscans},
        )
        self._feature.job(database).scan(maxtrans or 500, maxscans or 10)
        yield from ()

    def clean(self, session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
        """sp_cdc_cleanup_change_table."""
        rows.table(database, "change_tables")
        mark = given.get("low_water_mark")
        threshold = number(given, "threshold")
        cleanup.clean_instance(
            session,
            database,
            self._feature.columns,
            needed(given, "capture_instance"),
            bytes(mark) if isinstance(mark, bytes) else None,
            5000 if threshold is None else threshold,
        )
        yield from ()


def _settings(given: Given) -> dict[str, int]:
    found = {name: number(given, name) for name in jobs.SETTINGS}
    return {name: value for name, value in found.items() if value is not None}


def register(feature: ChangeDataCapture) -> None:
    """Register the procedures with the engine."""
    own = _Procedures(feature)
    settings = " ".join(jobs.SETTINGS)
    feature.engine.system.add(
        "sys",
        changing("sp_cdc_enable_db", "", own.enable_db, by_sysadmin=True),
        changing("sp_cdc_disable_db", "", own.disable_db, by_sysadmin=True),
        changing("sp_cdc_enable_table", _ENABLE, own.enable_table, 2),
        changing("sp_cdc_disable_table", "source_schema source_name capture_instance", own.disable_table, 3),
        procedure("sp_cdc_help_change_data_capture", "source_schema source_name", reports.instances),
        procedure("sp_cdc_get_captured_columns", "capture_instance", reports.captured_columns, 1),
        procedure("sp_cdc_get_ddl_history", "capture_instance", reports.ddl_history, 1),
        procedure("sp_cdc_help_jobs", "", reports.help_jobs),
        changing("sp_cdc_add_job", f"job_type start_job {settings}", own.add_job, 1, of_agent=True),
        changing("sp_cdc_change_job", f"job_type {settings}", own.change_job, of_agent=True),
        changing("sp_cdc_drop_job", "job_type", own.drop_job, 1, of_agent=True),
        changing("sp_cdc_start_job", "job_type", own.start_job, of_agent=True),
        changing("sp_cdc_stop_job", "job_type", own.stop_job, of_agent=True),
        changing("sp_cdc_scan", "maxtrans maxscans continuous pollinginterval", own.scan),
        changing("sp_cdc_cleanup_change_table", "capture_instance low_water_mark threshold", own.clean, 2),
    )
