"""Executes GRANT, DENY and REVOKE.

Source: "GRANT", https://learn.microsoft.com/sql/t-sql/statements/grant-transact-sql
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.access import VIEW_DATABASE_STATE, VIEW_SERVER_STATE
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.principals import Permission, Principals, Target
from tailrace_standins.sqlserver.engine.security import change_server, changed, own_database, server_database
from tailrace_standins.sqlserver.session import Affected, Outcome

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_SERVER: Final[Target] = ("SERVER", 0)
_HEEDED: Final = frozenset(
    ("SELECT", "INSERT", "UPDATE", "DELETE", "CONTROL", "UNMASK", "VIEW DEFINITION", VIEW_DATABASE_STATE, VIEW_SERVER_STATE)
)
# What everybody may do here.
_NOT_HEEDED: Final = frozenset(("EXECUTE", "CONNECT", "CONNECT SQL", "REFERENCES", "VIEW ANY DATABASE"))


def grant(session: EngineSession, statement: tree.Grant) -> Iterator[Outcome]:
    """GRANT, DENY and REVOKE; raises 15151."""
    actions = [_checked(action, statement) for action in statement.actions]
    is_server = VIEW_SERVER_STATE in actions
    database = server_database(session) if is_server else own_database(session)
    target = _SERVER if is_server else _target(session, database, statement)
    for name in statement.principals:
        known = name.lower() in database.principals.logins if is_server else database.principals.knows(name)
        if not known:
            raise error(15151, "find", "login" if is_server else "user", name)
    said = [
        Permission(name.lower(), action, target, is_denied=statement.verb == "DENY")
        for name in statement.principals
        for action in actions
        if action in _HEEDED
    ]

    def change(old: Principals) -> Principals:
        return old.with_permissions(said, is_revoked=statement.verb == "REVOKE")

    if is_server:
        change_server(session, change)
    else:
        changed(session, database, change)
    yield Affected(None, statement.verb)


def _checked(action: str, statement: tree.Grant) -> str:
    if action in _HEEDED or (action in _NOT_HEEDED and statement.verb != "DENY"):
        return action
    raise unsupported(f"{statement.verb} {action}")


def _target(session: EngineSession, database: Database, statement: tree.Grant) -> Target:
    """What a permission is on; raises 15151."""
    if not statement.kind:
        return "DATABASE", database.id
    name = ".".join(statement.on)
    if statement.kind == "DATABASE":
        if name.lower() != database.name.lower():
            raise error(15151, "find", "database", name)
        return "DATABASE", database.id
    if statement.kind == "SCHEMA":
        found = database.schemas.get(name.lower())
        if found is None:
            raise error(15151, "find", "schema", name)
        return "SCHEMA", found[0]
    return _object(session, database, statement)


def _object(session: EngineSession, database: Database, statement: tree.Grant) -> Target:
    where, schema, name = session.engine.catalog.find(statement.on, database.name)
    table = where.table(schema, name) if where is database else None
    if table is not None:
        return "OBJECT", table.id
    shown = ".".join(statement.on)
    if session.engine.system.find(where, schema or "sys", name) is None:
        raise error(15151, "find", "object", shown)
    if set(statement.actions) <= _NOT_HEEDED:
        return "OBJECT", 0
    raise unsupported(f"{statement.verb} {statement.actions[0]} ON {shown}, which is no table")
