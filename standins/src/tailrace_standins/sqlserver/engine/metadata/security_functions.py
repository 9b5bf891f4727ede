"""Functions of users, roles and permissions.

Source: "Security functions", https://learn.microsoft.com/sql/t-sql/functions/security-functions-transact-sql
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from tailrace_standins.sqlserver.engine import access
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.errors import unsupported
from tailrace_standins.sqlserver.engine.metadata.object_functions import table_named
from tailrace_standins.sqlserver.engine.principals import SYSADMIN
from tailrace_standins.sqlserver.engine.stored import Stored

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_SERVER_ROLES: Final = frozenset((
    SYSADMIN, "serveradmin", "securityadmin", "dbcreator", "processadmin", "setupadmin", "bulkadmin", "diskadmin",
))  # fmt: skip


def _has_perms(
    session: EngineSession, database: Database, name: str | None, kind: str | None, what: str | None, *_column: Any
) -> Stored:
    """HAS_PERMS_BY_NAME: NULL if the securable does not exist; without name and class the server is meant."""
    wanted, of = (what or "").upper(), (kind or "").upper()
    if not of:
        return int(access.allows_on_server(session, wanted))
    if of == "DATABASE":
        where = session.known(name.strip("[]")) if name else database
        return None if where is None else int(access.may_use(session, where) and _may(session, where, wanted))
    if of != "OBJECT":
        raise unsupported(f"HAS_PERMS_BY_NAME of {of}")
    found = table_named(session, database, name)
    if found is None:
        return None
    return int(any(access.allows(session, found[0], each, found[1]) for each in _actions(wanted)))


def _may(session: EngineSession, database: Database, wanted: str) -> bool:
    return any(access.allows(session, database, each) for each in _actions(wanted))


def _actions(wanted: str) -> tuple[str, ...]:
    return ("SELECT", "INSERT", "UPDATE", "DELETE", "CONTROL") if wanted == "ANY" else (wanted,)


def _has_dbaccess(session: EngineSession, _database: Database, name: str | None) -> Stored:
    found = session.known(name or "")
    return None if found is None else int(access.may_use(session, found))


def _is_srvrolemember(
    session: EngineSession, _database: Database, role: str | None, login: str | None = None
) -> Stored:
    """IS_SRVROLEMEMBER: sysadmin is the only server role that has members."""
    key = (role or "").lower()
    if key not in {*_SERVER_ROLES, "public"}:
        return None
    if login is None or login.lower() == session.login.user.lower():
        return int(key == "public" or access.is_sysadmin(session))
    found = session.engine.catalog.database("master").principals.logins.get(login.lower())
    if found is None:
        return int(login.lower() == "sa") or None
    return int(key == "public" or SYSADMIN in found.roles)


def _is_rolemember(session: EngineSession, database: Database, role: str | None, name: str | None = None) -> Stored:
    """IS_ROLEMEMBER and IS_MEMBER."""
    key = (role or "").lower()
    if key not in database.principals.roles:
        return None
    if name is None:
        return int(key in access.roles_of(session, database))
    return int(key in database.principals.roles_of(name)) if database.principals.knows(name) else None


def _user_name(session: EngineSession, database: Database, number: int | None = None) -> Stored:
    """USER_NAME, CURRENT_USER, SESSION_USER, USER."""
    if number is None:
        return access.user_name(session, database)
    fixed = {1: "dbo", 2: "guest", 3: "INFORMATION_SCHEMA", 4: "sys"}
    own = database.principals
    names = [user.name for user in own.users.values() if user.id == number]
    names += [role.name for role in own.roles.values() if role.id == number]
    return fixed.get(number) or next(iter(names), None)


def _user_id(session: EngineSession, database: Database, name: str | None = None) -> Stored:
    key = (name or access.user_name(session, database)).lower()
    return {"dbo": 1, "guest": 2, **database.principals.numbers}.get(key)


def _login_id(session: EngineSession, _database: Database, name: str | None = None) -> Stored:
    key = (name or session.login.user).lower()
    found = session.engine.catalog.database("master").principals.logins.get(key)
    return found.id if found else 1 if key in {"sa", session.login.user.lower()} else None


SECURITY_FUNCTIONS: Final[dict[str, Callable[..., Stored]]] = {
    **dict.fromkeys(("USER_NAME", "CURRENT_USER", "SESSION_USER", "USER"), _user_name),
    "USER_ID": _user_id,
    "SUSER_ID": _login_id,
    "HAS_PERMS_BY_NAME": _has_perms,
    "HAS_DBACCESS": _has_dbaccess,
    "IS_SRVROLEMEMBER": _is_srvrolemember,
    "IS_MEMBER": _is_rolemember,
    "IS_ROLEMEMBER": _is_rolemember,
}
