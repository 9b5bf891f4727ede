"""The catalogue of change data capture: capture instances, the max LSN, and the status of the Agent.

Source: https://learn.microsoft.com/sql/relational-databases/system-tables/change-data-capture-tables-transact-sql
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.lsn import LSNS, ZERO
from tailrace.errors import ConfigError, SourceSetupError
from tailrace.schema.tables import TableId

_INSTANCES: Final = """
    SELECT s.name, t.name, c.capture_instance, c.object_id, c.start_lsn, c.create_date, c.source_object_id, c.role_name,
           OBJECT_NAME(c.object_id), c.index_name
    FROM cdc.change_tables c JOIN sys.tables t ON t.object_id = c.source_object_id
    JOIN sys.schemas s ON s.schema_id = t.schema_id"""
_COLUMNS: Final = "SELECT object_id, column_name FROM cdc.captured_columns ORDER BY object_id, column_ordinal"
_INDEX_COLUMNS: Final = "SELECT object_id, column_name FROM cdc.index_columns ORDER BY object_id, index_ordinal"
_DATABASE: Final = "SELECT name, is_cdc_enabled FROM sys.databases WHERE name = ?"
_AGENT: Final = "SELECT status FROM sys.dm_server_services WHERE servicename LIKE N'SQL Server Agent (%'"
_AGENT_RUNS: Final = 4
_STAMP: Final = """
    SELECT object_id, start_lsn FROM cdc.change_tables
    UNION ALL SELECT COUNT(*), MAX(ddl_lsn) FROM cdc.ddl_history"""
_ALTERED: Final = "SELECT DISTINCT object_id FROM cdc.ddl_history"
_HIDDEN: Final = """
    SELECT c.capture_instance, c.object_id FROM cdc.change_tables c
    WHERE NOT EXISTS (SELECT 1 FROM sys.tables t WHERE t.object_id = c.source_object_id)
    ORDER BY c.capture_instance"""


def require_captured(session: Session, database: str) -> str:
    """The database's name, as the server spells it.

    Raises:
        ConfigError: there is no such database.
        SourceSetupError: change data capture is not enabled for it.

    """
    found = session.rows(_DATABASE, database)
    if not found:
        raise ConfigError(
            f"database.names: there is no database {database!r} on this server, or the user may not see it"
        )
    name, is_enabled = found[0]
    if not is_enabled:
        raise SourceSetupError(
            f"change data capture is not enabled for the database {name}: USE [{name}]; EXEC sys.sp_cdc_enable_db"
        )
    return str(name)


def max_lsn(session: Session) -> Lsn:
    """The max LSN, up to which the log is captured; `ZERO` if nothing is."""
    return _lsn(session.one("SELECT sys.fn_cdc_get_max_lsn()"))


def min_lsn(session: Session, instance: str) -> Lsn:
    """The min LSN, from which on an instance has its changes; `ZERO` if it does not exist or has not begun."""
    return _lsn(session.one("SELECT sys.fn_cdc_get_min_lsn(?)", instance))


def instances(session: Session) -> list[Instance]:
    """The capture instances of the session's database by table, those of a table in reading order.

    Those of tables that the user may not see (`hidden`) are left out: the catalogue does not reveal their tables.
    """
    columns = _by_object(session.rows(_COLUMNS))
    keys = _by_object(session.rows(_INDEX_COLUMNS))
    found = [_instance(session.database, row, columns, keys) for row in session.rows(_INSTANCES)]
    return sorted(found, key=lambda each: (each.table, each.order))


def name_in_database(table: TableId) -> str:
    """`schema.table`, in brackets if a name contains a dot."""
    return quoted(table.schema, table.name) if "." in table.schema + table.name else f"{table.schema}.{table.name}"


def hidden(session: Session) -> list[tuple[str, int]]:
    """The instances whose source table the user may not see, and that `instances` leaves out: name, object id."""
    return [(str(name), int(object_id)) for name, object_id in session.rows(_HIDDEN)]


def instances_stamp(session: Session) -> tuple[Any, ...]:
    """A value that changes when an instance is created, dropped or gets another start, or its table is altered."""
    return tuple(sorted(session.rows(_STAMP), key=repr))  # NULLs do not compare with bytes


def altered_since_captured(session: Session) -> frozenset[int]:
    """The object ids of the change tables whose source table was altered since the instance was created."""
    return frozenset(object_id for (object_id,) in session.rows(_ALTERED))


def agent_is_running(session: Session, query: str | None = None) -> bool | None:
    """Whether SQL Server Agent, which runs the capture job, is running; None if that can't be seen.

    The view needs a permission, and Azure has no Agent. `query` (`database.sqlserver.agent.status.query`) replaces the
    query: it returns 1 if the Agent runs; `#db` in it stands for the database.
    """
    try:
        name = quoted(session.database)
        status = session.one((query or _AGENT).replace("[#db]", name).replace("#db", name))
    except SourceSetupError:
        return None
    if status is None:
        return None
    return bool(status) if query else int(status) == _AGENT_RUNS


def _instance(
    database: str, row: tuple[Any, ...], columns: dict[int, list[str]], keys: dict[int, list[str]]
) -> Instance:
    schema, table, name, object_id, start, created, source, role, change_table, index = row
    return Instance(
        TableId(database, schema, table),
        name,
        object_id,
        source,
        change_table or f"{name}_CT",
        None if start is None else _lsn(start),
        created,
        tuple(columns.get(object_id, ())),
        tuple(keys.get(object_id, ())),
        index or "",
        role,
    )


def _by_object(rows: list[tuple[Any, ...]]) -> dict[int, list[str]]:
    names: defaultdict[int, list[str]] = defaultdict(list)
    for object_id, name in rows:
        names[object_id].append(name)
    return names


def _lsn(raw: bytes | None) -> Lsn:
    return LSNS.of(raw) if raw else ZERO
