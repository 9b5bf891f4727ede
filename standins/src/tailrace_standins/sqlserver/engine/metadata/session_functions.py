"""Functions and @@variables of the session and the catalog.

Source: "Metadata functions" and "System functions",
https://learn.microsoft.com/sql/t-sql/functions/metadata-functions-transact-sql
"""

# ruff: noqa: E501  # tables have long lines
from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from tailrace_standins.sqlserver.engine import stored, temporal, types
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.compiling.calls import SYSTEM_CALLS
from tailrace_standins.sqlserver.engine.metadata.object_functions import OBJECT_FUNCTIONS
from tailrace_standins.sqlserver.engine.metadata.security_functions import SECURITY_FUNCTIONS
from tailrace_standins.sqlserver.engine.stored import Stored, packed, variant_stored
from tailrace_standins.sqlserver.session import SqlError

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


MICROSOFT_VERSION: Final = 0x100003E8  # 16.0.1000
_SERVER: Final[dict[str, str | int]] = {
    "productversion": "16.0.1000.6", "productlevel": "RTM", "productmajorversion": "16", "productminorversion": "0", "productbuild": "1000",
    "edition": "Developer Edition (64-bit)", "editionid": -2117995310, "engineedition": 3,
    "collation": "SQL_Latin1_General_CP1_CI_AS", "isclustered": 0, "isintegratedsecurityonly": 0, "issingleuser": 0,
    "processid": 1, "lcid": 1033, "sqlcharsetname": "iso_1", "isfulltextinstalled": 0, "islocaldb": 0, "isxtpsupported": 0,
    "resourceversion": "16.00.1000",
}  # fmt: skip

VERSION: Final = (
    "Microsoft SQL Server 2022 (RTM) - 16.0.1000.6 (X64) \n\tOct  8 2022 05:58:25 \n"
    "\tCopyright (C) 2022 Microsoft Corporation\n"
    "\tDeveloper Edition (64-bit) on Linux (tailrace's stand-in)"
)


def register(session: EngineSession) -> None:
    """Make them known to the session's connection."""
    define = session.connection.define
    define("sys_global", lambda name: _global(session, name), stable=False)
    define("sys_session", lambda name, database, *values: _session(session, name, database, *values), stable=False)
    define("sys_function", lambda number, database, *values: _system(session, number, database, *values), stable=False)


def _system(session: EngineSession, number: int, database: str, *values: Stored) -> Stored:
    found = SYSTEM_CALLS[number]
    decoded = [stored.decoded(value, of) for value, of in zip(values, found.arguments, strict=False)]
    decoded += [None] * (len(found.arguments) - len(decoded))
    return stored.encoded(found.call(session, session.engine.catalog.database(database), *decoded), found.result)


def _global(session: EngineSession, name: str) -> Stored:
    match name:
        case "@@version":
            return VERSION
        case "@@spid":
            return session.id
        case "@@trancount":
            return session.trancount
        case "@@rowcount":
            return session.row_count
        case "@@error":
            return session.last_error
        case "@@identity":
            return None if session.identity is None else packed(Decimal(session.identity))
        case "@@lock_timeout":
            return session.lock_timeout
        case "@@servername":
            return session.server_name
        case "@@dbts":
            return session.engine.rowversion.to_bytes(8, "big")
    return _CONSTANTS[name]


_CONSTANTS: Final[dict[str, Stored]] = {
    "@@servicename": "MSSQLSERVER", "@@language": "us_english", "@@options": 5496, "@@datefirst": 7,
    "@@fetch_status": 0, "@@max_precision": 38, "@@microsoftversion": MICROSOFT_VERSION, "@@nestlevel": 0, "@@procid": 0, "@@textsize": -1,
}  # fmt: skip


def _session(session: EngineSession, name: str, database: str, *values: Any) -> Stored:
    return _FUNCTIONS[name](session, session.engine.catalog.database(database), *values)


def _variant(value: str | int | None) -> Stored:
    return None if value is None else variant_stored(types.INT if isinstance(value, int) else types.SYSNAME, value)


def _server_property(session: EngineSession, _database: Database, name: str | None) -> Stored:
    if (name or "").lower() in {"servername", "machinename", "computernamephysicalnetbios"}:
        return _variant(session.server_name)
    if (name or "").lower() == "ishadrenabled":
        return _variant(int(session.engine.availability is not None))
    return _variant(_SERVER.get((name or "").lower()))


def _database_property(session: EngineSession, _database: Database, name: str | None, what: str | None) -> Stored:
    found = session.known(name or "")
    if found is None:
        return None
    updateability = "READ_ONLY" if session.is_secondary and not found.is_system else "READ_WRITE"
    answers: dict[str, str | int] = {"status": "ONLINE", "updateability": updateability, "useraccess": "MULTI_USER", "collation": found.collation, "recovery": found.options.get("RECOVERY", "FULL"), "version": 957, "isinstandby": 0, "isautoclose": 0, "ispublished": 0, "edition": "Developer"}  # fmt: skip
    return _variant(answers.get((what or "").lower()))


def _collation_property(_session: EngineSession, _database: Database, name: str | None, what: str | None) -> Stored:
    from tailrace_standins.sqlserver.tds.collations import properties

    try:
        return _variant(None if name is None else properties(name).get((what or "").lower()))
    except SqlError:  # there is no such collation
        return None


def _error(session: EngineSession, attribute: str) -> Stored:
    return getattr(session.errors[-1], attribute) if session.errors else None


def _xact_state(session: EngineSession, _database: Database) -> Stored:
    return 0 if session.transaction is None else -1 if session.transaction.is_doomed else 1


def _now(session: EngineSession, *, to: str) -> Stored:
    """The time of the current statement, by the server's clock: local, with its offset, or in UTC."""
    now = session.now = session.now or session.engine.moment()
    shown = session.engine.clock_text(now.astimezone(dt.UTC) if to in _OF_UTC else now)
    if to.startswith("datetime "):
        return temporal.text(temporal.as_datetime(temporal.moment(shown)))
    minutes = (now.utcoffset() or dt.timedelta()) // dt.timedelta(minutes=1)
    return shown + temporal.offset_text(minutes) if to == "offset" else shown


_OF_UTC: Final = frozenset({"datetime of UTC", "datetime2 of UTC", "offset"})  # a datetimeoffset is stored so
_FUNCTIONS: Final[dict[str, Callable[..., Stored]]] = {
    **OBJECT_FUNCTIONS,
    "ORIGINAL_DB_NAME": lambda s, _d: s.login.database or "master",
    **dict.fromkeys(("SUSER_NAME", "SUSER_SNAME", "ORIGINAL_LOGIN", "SYSTEM_USER"), lambda s, _d, *_v: s.login.user),
    **SECURITY_FUNCTIONS,
    "HOST_NAME": lambda s, _d: s.login.host,
    "APP_NAME": lambda s, _d: s.login.application,
    "SERVERPROPERTY": _server_property,
    "DATABASEPROPERTYEX": _database_property,
    "COLLATIONPROPERTY": _collation_property,
    "SCOPE_IDENTITY": lambda s, _d: None if s.identity is None else packed(Decimal(s.identity)),
    "XACT_STATE": _xact_state,
    "ERROR_NUMBER": lambda s, _d: _error(s, "number"),
    "ERROR_MESSAGE": lambda s, _d: _error(s, "message"),
    "ERROR_SEVERITY": lambda s, _d: _error(s, "severity"),
    "ERROR_STATE": lambda s, _d: _error(s, "state"),
    "ERROR_LINE": lambda s, _d: _error(s, "line"),
    "ERROR_PROCEDURE": lambda s, _d: _error(s, "procedure") or None,
    "CONNECTIONPROPERTY": lambda _s, _d, name: _variant(
        {"net_transport": "TCP", "protocol_type": "TSQL", "auth_scheme": "SQL"}.get(str(name).lower())
    ),
    "FULLTEXTSERVICEPROPERTY": lambda _s, _d, _name: 0,
    "CURRENT_TRANSACTION_ID": lambda s, _d: s.transaction.id if s.transaction else 0,
    "GETDATE": lambda s, _d: _now(s, to="datetime here"),
    "CURRENT_TIMESTAMP": lambda s, _d: _now(s, to="datetime here"),
    "GETUTCDATE": lambda s, _d: _now(s, to="datetime of UTC"),
    "SYSDATETIME": lambda s, _d: _now(s, to="datetime2 here"),
    "SYSUTCDATETIME": lambda s, _d: _now(s, to="datetime2 of UTC"),
    "SYSDATETIMEOFFSET": lambda s, _d: _now(s, to="offset"),
}
