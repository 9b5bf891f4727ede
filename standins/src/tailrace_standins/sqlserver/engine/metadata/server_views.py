"""Dynamic management views: the present services, sessions, requests, locks and transactions.

Source: "System dynamic management views",
https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/system-dynamic-management-views
"""

# ruff: noqa: E501  # lists of columns are not wrapped
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import access
from tailrace_standins.sqlserver.engine.access import VIEW_DATABASE_STATE, VIEW_SERVER_STATE
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.metadata.views import ViewRows, row_count, tables_of, view
from tailrace_standins.sqlserver.engine.system import SystemObjects

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def _beside(session: EngineSession) -> list[EngineSession]:
    """The sessions of the same instance, of the primary or of the secondary; without VIEW SERVER STATE only the own one."""
    if not access.allows_on_server(session, VIEW_SERVER_STATE):
        return [session]
    return [other for other in list(session.engine.sessions.values()) if other.is_secondary == session.is_secondary]


def _services(session: EngineSession, _database: Database) -> ViewRows:
    agent = (4, "Running") if session.engine.agent_running else (1, "Stopped")
    started = session.engine.started + " +00:00"
    return [
        ("SQL Server (MSSQLSERVER)", 2, "Automatic", 4, "Running", 1, started, "NT Service\\MSSQLSERVER", "N"),
        (
            "SQL Server Agent (MSSQLSERVER)",
            2,
            "Automatic",
            *agent,
            2 if session.engine.agent_running else None,
            started,
            "NT Service\\SQLSERVERAGENT",
            "N",
        ),
    ]


def _sessions(session: EngineSession, _database: Database) -> ViewRows:
    now = session.engine.now()[:23]
    for s in _beside(session):
        database = session.engine.catalog.database(s.database)
        yield (
            s.id,
            now,
            s.login.host or None,
            s.login.application or None,
            s.login.user,
            "running" if s is session else "sleeping",
            database.id,
            s.isolation.value,
            s.lock_timeout,
            s.trancount,
            1,
        )


def _requests(session: EngineSession, _database: Database) -> ViewRows:
    waiting = session.engine.locks.waiting()
    now = session.engine.now()[:23]
    for s in _beside(session):
        if s is session or s.id in waiting:
            database = session.engine.catalog.database(s.database)
            blocked = waiting.get(s.id, 0)
            yield (
                s.id,
                0,
                now,
                "suspended" if s.id in waiting else "running",
                "SELECT",
                database.id,
                blocked,
                "LCK_M_X" if blocked else None,
                s.transaction.id if s.transaction else 0,
                s.trancount,
            )


def _locks(session: EngineSession, _database: Database) -> ViewRows:
    for owner, resource, mode in session.engine.locks.held():
        kind = {"table": "OBJECT", "row": "KEY"}.get(str(resource[0]))
        if kind:
            yield (kind, "", mode, "GRANT", "LOCK", owner, int(str(resource[1])))


def _active_transactions(session: EngineSession, _database: Database) -> ViewRows:
    for s in _beside(session):
        if s.transaction is not None:
            yield (s.transaction.id, s.transaction.name or "user_transaction", s.transaction.begun[:23], 1, 2, s.id)


def _partition_stats(session: EngineSession, database: Database) -> ViewRows:
    """Pages are none of this engine's: each partition has one."""
    for t in tables_of(session, database):
        count = row_count(session, t)
        for index_id in [i.id for i in t.indexes if i.clustered] or [0]:
            yield (t.id * 16 + index_id, t.id, index_id, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, count)
        for i in t.indexes:
            if not i.clustered:
                yield (t.id * 16 + i.id, t.id, i.id, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, count)


_VIEWS: Final = (
    view("dm_db_partition_stats", "partition_id:l object_id:i index_id:i partition_number:i in_row_data_page_count:l in_row_used_page_count:l in_row_reserved_page_count:l lob_used_page_count:l lob_reserved_page_count:l row_overflow_used_page_count:l row_overflow_reserved_page_count:l used_page_count:l reserved_page_count:l row_count:l", _partition_stats, is_live=True, permission=VIEW_DATABASE_STATE),
    view("dm_server_services", "servicename:n startup_type:i startup_type_desc:n status:i status_desc:n process_id:i last_startup_time:o service_account:n is_clustered:n", _services, is_live=True, permission=VIEW_SERVER_STATE),
    view("dm_exec_sessions", "session_id:s login_time:d host_name:n program_name:n login_name:n status:n database_id:s transaction_isolation_level:s lock_timeout:i open_transaction_count:i is_user_process:b", _sessions, is_live=True),
    view("dm_exec_requests", "session_id:s request_id:i start_time:d status:n command:n database_id:s blocking_session_id:s wait_type:n transaction_id:l open_transaction_count:i", _requests, is_live=True, permission=VIEW_SERVER_STATE),
    view("dm_tran_locks", "resource_type:n resource_subtype:n request_mode:n request_status:n request_type:n request_session_id:i resource_associated_entity_id:l", _locks, is_live=True, permission=VIEW_SERVER_STATE),
    view("dm_tran_active_transactions", "transaction_id:l name:n transaction_begin_time:d transaction_type:i transaction_state:i session_id:i", _active_transactions, is_live=True, permission=VIEW_SERVER_STATE),
)  # fmt: skip


def register(system: SystemObjects) -> None:
    """Make the views known."""
    system.add("sys", *_VIEWS)
