"""Functions and @@variables that ask the session or the catalog.

Source: "Metadata functions" and "System functions",
https://learn.microsoft.com/sql/t-sql/functions/metadata-functions-transact-sql
"""

# ruff: noqa: E501  # tables stand in long lines
from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from tailrace.standin.sqlserver.engine import moments, stored, types
from tailrace.standin.sqlserver.engine.catalog import Database, Table
from tailrace.standin.sqlserver.engine.compile_calls import SYSTEM_CALLS
from tailrace.standin.sqlserver.engine.parse_base import Reader
from tailrace.standin.sqlserver.engine.stored import Stored, packed, variant_stored
from tailrace.standin.sqlserver.session import SqlError

if TYPE_CHECKING:
    from tailrace.standin.sqlserver.engine.session import EngineSession

MICROSOFT_VERSION: Final = 0x100003E8  # 16.0.1000
_SERVER: Final[dict[str, str | int]] = {
    "productversion": "16.0.1000.6", "productlevel": "RTM", "productmajorversion": "16", "productminorversion": "0", "productbuild": "1000",
    "edition": "Developer Edition (64-bit)", "editionid": -2117995310, "engineedition": 3, "servername": "tailrace", "machinename": "tailrace",
    "collation": "SQL_Latin1_General_CP1_CI_AS", "ishadrenabled": 0, "isclustered": 0, "isintegratedsecurityonly": 0, "issingleuser": 0,
    "processid": 1, "lcid": 1033, "sqlcharsetname": "iso_1", "isfulltextinstalled": 0, "islocaldb": 0, "isxtpsupported": 0,
    "computernamephysicalnetbios": "tailrace", "resourceversion": "16.00.1000",
}  # fmt: skip


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
    from tailrace.standin.sqlserver.engine.server import VERSION

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
        case "@@dbts":
            return session.engine.rowversion.to_bytes(8, "big")
    return _CONSTANTS[name]


_CONSTANTS: Final[dict[str, Stored]] = {
    "@@servername": "tailrace", "@@servicename": "MSSQLSERVER", "@@language": "us_english", "@@options": 5496, "@@datefirst": 7,
    "@@fetch_status": 0, "@@max_precision": 38, "@@microsoftversion": MICROSOFT_VERSION, "@@nestlevel": 0, "@@procid": 0, "@@textsize": -1,
}  # fmt: skip


def _session(session: EngineSession, name: str, database: str, *values: Any) -> Stored:
    return _FUNCTIONS[name](session, session.engine.catalog.database(database), *values)


def _db_id(session: EngineSession, database: Database, *values: Any) -> Stored:
    if not values:
        return database.id
    found = session.engine.catalog.databases.get(str(values[0] or "").lower())
    return found.id if found else None


def by_id(session: EngineSession, database: Database, number: int | None) -> Database | None:
    """The database of that number, the current one for None."""
    if number is None:
        return database
    return next((d for d in session.engine.catalog.databases.values() if d.id == number), None)


def _db_name(session: EngineSession, database: Database, *values: Any) -> Stored:
    found = by_id(session, database, values[0] or None) if values else database
    return found.name if found else None


def table_named(session: EngineSession, database: Database, text: str | None) -> tuple[Database, Table] | None:
    """The table that a text names, as OBJECT_ID reads it."""
    if not text:
        return None
    try:
        names = Reader(text).names()
        if names[-1].startswith("#"):
            found = session.temporary.get(names[-1].lower())
            return (database, found) if found else None
        where, schema, name = session.engine.catalog.find(names, database.name)
    except SqlError:
        return None
    table = where.table(schema, name)
    return (where, table) if table else None


def _object_id(session: EngineSession, database: Database, name: str | None, kind: str | None = None) -> Stored:
    found = table_named(session, database, name)
    if found is None:
        return _constraint_id(session, database, name, kind)
    return found[1].id if kind is None or kind.strip().upper() in {"U", ""} else None


def _constraint_id(session: EngineSession, database: Database, name: str | None, kind: str | None) -> Stored:
    from tailrace.standin.sqlserver.engine.views import objects

    key = (name or "").split(".")[-1].strip("[]").lower()
    for shown, number, _, _, code, *_ in objects(session, database):
        if (
            str(shown).lower() == key
            and str(code).strip() != "U"
            and (kind is None or kind.strip().upper() == str(code).strip())
        ):
            return number
    return None


def _object(session: EngineSession, database: Database, number: int | None, other: int | None) -> Table | None:
    where = by_id(session, database, other)
    return where.by_id.get(number or 0) if where else None


def _object_name(session: EngineSession, database: Database, number: int | None, other: int | None = None) -> Stored:
    table = _object(session, database, number, other)
    return table.name if table else None


def _object_schema_name(
    session: EngineSession, database: Database, number: int | None, other: int | None = None
) -> Stored:
    table = _object(session, database, number, other)
    return table.schema if table else None


def _objectproperty(_session: EngineSession, database: Database, number: int | None, what: str | None) -> Stored:
    table = database.by_id.get(number or 0)
    if table is None:
        return None
    answers = {"isusertable": int(not table.is_shipped), "istable": 1, "ismsshipped": int(table.is_shipped), "tablehasprimarykey": int(table.primary_key is not None), "tablehasidentity": int(table.identity is not None)}  # fmt: skip
    return answers.get((what or "").lower(), 0)


def _schema_id(_session: EngineSession, database: Database, name: str | None = "dbo") -> Stored:
    found = database.schemas.get((name or "").lower())
    return found[0] if found else None


def _schema_name(_session: EngineSession, database: Database, number: int | None = 1) -> Stored:
    return next((name for n, name in database.schemas.values() if n == number), None)


def _column_property(
    session: EngineSession, database: Database, number: int | None, column: str | None, what: str | None
) -> Stored:
    table = database.by_id.get(number or 0) or next((t for t in session.temporary.values() if t.id == number), None)
    found = table.by_name.get((column or "").lower()) if table else None
    if found is None:
        return None
    answers: dict[str, Stored] = {"allowsnull": int(found.nullable), "columnid": found.id, "ordinal": found.id, "iscomputed": int(bool(found.computed)), "isidentity": int(bool(found.identity)), "ispersisted": int(found.persisted), "ishidden": 0, "issparse": 0, "isrowguidcol": 0, "precision": found.type.precision or None, "scale": found.type.scale}  # fmt: skip
    return answers.get((what or "").lower())


def _col_name(_session: EngineSession, database: Database, number: int | None, column: int | None) -> Stored:
    table = database.by_id.get(number or 0)
    found = table.by_id.get(column or 0) if table else None
    return found.name if found else None


def _col_length(session: EngineSession, database: Database, name: str | None, column: str | None) -> Stored:
    from tailrace.standin.sqlserver.engine.view_types import max_length

    found = table_named(session, database, name)
    each = found[1].by_name.get((column or "").lower()) if found else None
    return max_length(each.type) if each else None


def _type_name(_session: EngineSession, _database: Database, number: int | None) -> Stored:
    from tailrace.standin.sqlserver.engine.view_types import TYPE_IDS

    return next((name for name, (_, user) in TYPE_IDS.items() if user == number), None)


def _type_id(_session: EngineSession, _database: Database, name: str | None) -> Stored:
    from tailrace.standin.sqlserver.engine.view_types import TYPE_IDS

    found = TYPE_IDS.get((name or "").lower().rpartition(".")[2].strip("[]"))
    return found[1] if found else None


def _index_col(
    session: EngineSession, database: Database, name: str | None, index_id: int | None, key: int | None
) -> Stored:
    found = table_named(session, database, name)
    index = next((i for i in found[1].indexes if i.id == index_id), None) if found else None
    if found is None or index is None or not 0 < (key or 0) <= len(index.columns):
        return None
    return found[1].by_id[index.columns[(key or 1) - 1][0]].name


def _variant(value: str | int | None) -> Stored:
    return None if value is None else variant_stored(types.INT if isinstance(value, int) else types.SYSNAME, value)


def _server_property(_session: EngineSession, _database: Database, name: str | None) -> Stored:
    return _variant(_SERVER.get((name or "").lower()))


def _database_property(session: EngineSession, _database: Database, name: str | None, what: str | None) -> Stored:
    found = session.engine.catalog.databases.get((name or "").lower())
    if found is None:
        return None
    answers: dict[str, str | int] = {"status": "ONLINE", "updateability": "READ_WRITE", "useraccess": "MULTI_USER", "collation": found.collation, "recovery": found.options.get("RECOVERY", "FULL"), "version": 957, "isinstandby": 0, "isautoclose": 0, "ispublished": 0, "edition": "Developer"}  # fmt: skip
    return _variant(answers.get((what or "").lower()))


def _identity_of(session: EngineSession, database: Database, name: str | None, place: int) -> Stored:
    found = table_named(session, database, name)
    if found is None or found[1].identity is None or found[1].identity.identity is None:
        return None
    seed, step = found[1].identity.identity
    return packed(Decimal((session.engine.identities.get(found[1].id, seed), seed, step)[place]))


def _has_perms(
    session: EngineSession, database: Database, name: str | None, kind: str | None, _what: str | None, *_more: Any
) -> Stored:
    """Everyone is sysadmin; what does not exist has no permissions."""
    if (kind or "").upper() == "OBJECT" and name and table_named(session, database, name) is None:
        return None
    if (kind or "").upper() == "DATABASE" and name and name.strip("[]").lower() not in session.engine.catalog.databases:
        return None
    return 1


def _is_role(_session: EngineSession, _database: Database, name: str | None, *_more: Any) -> Stored:
    known = {
        "sysadmin",
        "db_owner",
        "public",
        "serveradmin",
        "securityadmin",
        "dbcreator",
        "processadmin",
        "setupadmin",
        "bulkadmin",
        "diskadmin",
    }
    return 1 if (name or "").lower() in known else None


def _error(session: EngineSession, attribute: str) -> Stored:
    return getattr(session.errors[-1], attribute) if session.errors else None


def _xact_state(session: EngineSession, _database: Database) -> Stored:
    return 0 if session.transaction is None else -1 if session.transaction.is_doomed else 1


def _now(session: EngineSession, *, to: str) -> Stored:
    now = session.now = session.now or session.engine.now_utc()
    if to == "datetime":
        return moments.text(moments.as_datetime(moments.moment(now)))
    return now + "+00:00" if to == "offset" else now


_FUNCTIONS: Final[dict[str, Callable[..., Stored]]] = {
    "DB_ID": _db_id,
    "DB_NAME": _db_name,
    "ORIGINAL_DB_NAME": lambda s, _d: s.login.database or "master",
    "OBJECT_ID": _object_id,
    "OBJECT_NAME": _object_name,
    "OBJECT_SCHEMA_NAME": _object_schema_name,
    "OBJECTPROPERTY": _objectproperty,
    "SCHEMA_ID": _schema_id,
    "SCHEMA_NAME": _schema_name,
    **dict.fromkeys(("SUSER_NAME", "SUSER_SNAME", "ORIGINAL_LOGIN", "SYSTEM_USER"), lambda s, _d, *_v: s.login.user),
    **dict.fromkeys(("SUSER_ID", "USER_ID"), lambda _s, _d, *_v: 1),
    **dict.fromkeys(("USER_NAME", "CURRENT_USER", "SESSION_USER", "USER"), lambda _s, _d, *_v: "dbo"),
    "HOST_NAME": lambda s, _d: s.login.host,
    "APP_NAME": lambda s, _d: s.login.application,
    "HAS_PERMS_BY_NAME": _has_perms,
    "HAS_DBACCESS": lambda s, _d, name: int(str(name).lower() in s.engine.catalog.databases) or None,
    "IS_SRVROLEMEMBER": _is_role,
    "IS_MEMBER": _is_role,
    "IS_ROLEMEMBER": _is_role,
    "SERVERPROPERTY": _server_property,
    "DATABASEPROPERTYEX": _database_property,
    "COLUMNPROPERTY": _column_property,
    "COL_NAME": _col_name,
    "COL_LENGTH": _col_length,
    "TYPE_NAME": _type_name,
    "TYPE_ID": _type_id,
    "INDEX_COL": _index_col,
    "IDENT_CURRENT": lambda s, d, name: _identity_of(s, d, name, 0),
    "IDENT_SEED": lambda s, d, name: _identity_of(s, d, name, 1),
    "IDENT_INCR": lambda s, d, name: _identity_of(s, d, name, 2),
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
    "GETDATE": lambda s, _d: _now(s, to="datetime"),
    "CURRENT_TIMESTAMP": lambda s, _d: _now(s, to="datetime"),
    "GETUTCDATE": lambda s, _d: _now(s, to="datetime"),
    "SYSDATETIME": lambda s, _d: _now(s, to="datetime2"),
    "SYSUTCDATETIME": lambda s, _d: _now(s, to="datetime2"),
    "SYSDATETIMEOFFSET": lambda s, _d: _now(s, to="offset"),
}
