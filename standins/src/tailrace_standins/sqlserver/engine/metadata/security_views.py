"""Catalog views of logins, users, roles and permissions, and the procedures that change members of roles.

Sources: "Security catalog views",
https://learn.microsoft.com/sql/relational-databases/system-catalog-views/security-catalog-views-transact-sql;
"sp_addrolemember", https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-addrolemember-transact-sql
"""

# ruff: noqa: E501  # lists of columns are not wrapped
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import security
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.metadata.arguments import procedure, text_of
from tailrace_standins.sqlserver.engine.metadata.views import ViewRows, view
from tailrace_standins.sqlserver.engine.principals import FIXED_ROLES, PUBLIC, Permission
from tailrace_standins.sqlserver.engine.system import SystemObjects
from tailrace_standins.sqlserver.session import Outcome, Parameter

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_FIXED: Final = (("dbo", 1, "dbo", b"\x01"), ("guest", 2, "guest", b"\x00"), ("INFORMATION_SCHEMA", 3, None, None), ("sys", 4, None, None))
_CODES: Final = {"SELECT": "SL", "INSERT": "IN", "UPDATE": "UP", "DELETE": "DL", "CONTROL": "CL", "UNMASK": "UMSK", "VIEW DEFINITION": "VW", "VIEW DATABASE STATE": "VWDS", "VIEW SERVER STATE": "VWSS"}  # fmt: skip
_CLASSES: Final = {"DATABASE": (0, "DATABASE"), "OBJECT": (1, "OBJECT_OR_COLUMN"), "SCHEMA": (3, "SCHEMA")}


def _principals(_session: EngineSession, database: Database) -> ViewRows:
    for name, number, schema, sid in _FIXED:
        yield (name, number, "S", "SQL_USER", schema, sid, 0)
    for user in database.principals.users.values():
        yield (user.name, user.id, "S", "SQL_USER", user.schema, user.id.to_bytes(4, "big"), 0)
    for role in database.principals.roles.values():
        yield (role.name, role.id, "R", "DATABASE_ROLE", None, None, int(role.name in FIXED_ROLES and role.name != PUBLIC))


def _members(_session: EngineSession, database: Database) -> ViewRows:
    numbers = database.principals.numbers
    yield (FIXED_ROLES["db_owner"], 1)
    for role in database.principals.roles.values():
        for member in role.members:
            yield (role.id, numbers[member])


def _permissions(_session: EngineSession, database: Database) -> ViewRows:
    numbers = database.principals.numbers
    for each in database.principals.permissions:
        kind, number = each.target
        if kind in _CLASSES:
            major = 0 if kind == "DATABASE" else number
            yield (*_CLASSES[kind], major, 0, numbers[each.grantee], 1, *_permission_columns(each))


def _permission_columns(each: Permission) -> tuple[str, str, str, str]:
    return _CODES[each.action], each.action, *(("D", "DENY") if each.is_denied else ("G", "GRANT"))


def _logins(session: EngineSession, _database: Database) -> ViewRows:
    yield ("sa", 1, b"\x01", "S", "SQL_LOGIN", 0, "master")
    yield ("sysadmin", 3, b"\x03", "R", "SERVER_ROLE", 0, None)
    for login in session.engine.catalog.database("master").principals.logins.values():
        sid = login.id.to_bytes(4, "big")
        yield (login.name, login.id, sid, "S", "SQL_LOGIN", int(login.is_disabled), login.database)


def _server_members(session: EngineSession, _database: Database) -> ViewRows:
    yield (3, 1)
    for login in session.engine.catalog.database("master").principals.logins.values():
        if login.roles:
            yield (3, login.id)


def _member_added(session: EngineSession, _database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    security.set_member(session, text_of(p, "@rolename") or "", text_of(p, "@membername") or "", is_added=True)
    yield from ()


def _member_dropped(session: EngineSession, _database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    security.set_member(session, text_of(p, "@rolename") or "", text_of(p, "@membername") or "", is_added=False)
    yield from ()


_OBJECTS: Final = (
    view("database_principals", "name:n principal_id:i type:c type_desc:n default_schema_name:n sid:y is_fixed_role:b", _principals, is_live=True),
    view("database_role_members", "role_principal_id:i member_principal_id:i", _members, is_live=True),
    view("database_permissions", "class:t class_desc:x major_id:i minor_id:i grantee_principal_id:i grantor_principal_id:i type:n permission_name:n state:c state_desc:x", _permissions, is_live=True),
    view("server_principals", "name:n principal_id:i sid:y type:c type_desc:n is_disabled:b default_database_name:n", _logins, is_live=True),
    view("server_role_members", "role_principal_id:i member_principal_id:i", _server_members, is_live=True),
    procedure("sp_addrolemember", "rolename membername", _member_added, 2),
    procedure("sp_droprolemember", "rolename membername", _member_dropped, 2),
)  # fmt: skip


def register(system: SystemObjects) -> None:
    """Make the views and procedures known."""
    system.add("sys", *_OBJECTS)
