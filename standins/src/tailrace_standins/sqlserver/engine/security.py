"""Executes CREATE, ALTER and DROP of logins, users and roles.

Sources: "CREATE LOGIN", https://learn.microsoft.com/sql/t-sql/statements/create-login-transact-sql;
"CREATE USER", https://learn.microsoft.com/sql/t-sql/statements/create-user-transact-sql;
"ALTER ROLE", https://learn.microsoft.com/sql/t-sql/statements/alter-role-transact-sql
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import access, tree
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.sqlserver.engine.principals import (
    DBO,
    FIXED_ROLES,
    PUBLIC,
    SYSADMIN,
    Principals,
    Role,
    ServerLogin,
    User,
)
from tailrace_standins.sqlserver.session import Affected, Outcome
from tailrace_standins.storage.transactions import Undo, write

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def changed(session: EngineSession, database: Database, change: Callable[[Principals], Principals]) -> None:
    """Replace the principals of a database; a rollback restores the old ones. Raises as `access.check_write`."""
    access.check_write(session, database)
    session.finish_reading()
    write(session, lambda transaction: put(session, transaction, database, change(database.principals)))


def put(session: EngineSession, transaction: Transaction, database: Database, new: Principals) -> None:
    """The same within a statement."""
    old, database.principals = database.principals, new
    session.engine.catalog.changed()
    transaction.undo.append(Undo(action=lambda _c: _back(session, database, old)))


def _back(session: EngineSession, database: Database, old: Principals) -> None:
    database.principals = old
    session.engine.catalog.changed()


def server_database(session: EngineSession) -> Database:
    """The database of the server's logins, master; raises 15247 unless the user is sysadmin."""
    if not access.is_sysadmin(session):
        raise error(15247)
    access.check_no_secondary(session, "changing logins")
    return session.engine.catalog.database("master")


def change_server(session: EngineSession, change: Callable[[Principals], Principals]) -> None:
    """Other logins, or permissions on the server; raises 15247."""
    master = server_database(session)
    session.finish_reading()
    write(session, lambda transaction: put(session, transaction, master, change(master.principals)))


def own_database(session: EngineSession) -> Database:
    """The current database; raises 15247 unless the user is its owner."""
    database = session.current
    if not access.is_owner(session, database):
        raise error(15247)
    return database


def create_login(session: EngineSession, statement: tree.CreateLogin) -> Iterator[Outcome]:
    """CREATE LOGIN; raises 15025."""

    def change(old: Principals) -> Principals:
        if statement.name.lower() in {*old.logins, "sa"}:
            raise error(15025, statement.name)
        return old.with_login(old.new_login(statement.name, statement.password, statement.database))

    change_server(session, change)
    yield Affected(None, "CREATE LOGIN")


def alter_login(session: EngineSession, statement: tree.AlterLogin) -> Iterator[Outcome]:
    """ALTER LOGIN; raises 15151."""

    def change(old: Principals) -> Principals:
        login = _login(old, "alter", statement.name)
        if statement.password is not None:
            login = login.with_password(statement.password)
        disabled = login.is_disabled if statement.is_disabled is None else statement.is_disabled
        return old.with_login(replace(login, database=statement.database or login.database, is_disabled=disabled))

    change_server(session, change)
    yield Affected(None, "ALTER LOGIN")


def _login(principals: Principals, verb: str, name: str) -> ServerLogin:
    found = principals.logins.get(name.lower())
    if found is None:
        raise error(15151, verb, "login", name)
    return found


def create_user(session: EngineSession, statement: tree.CreateUser) -> Iterator[Outcome]:
    """CREATE USER; raises 15007, 15023, 15063."""
    database = own_database(session)
    login = statement.login.lower()
    if login and login not in session.engine.catalog.database("master").principals.logins:
        raise error(15007, statement.login)

    def change(old: Principals) -> Principals:
        if old.knows(statement.name) or statement.name.lower() in {DBO, "guest", "sys", "information_schema"}:
            raise error(15023, statement.name)
        if login and old.user_of(login) is not None:
            raise error(15063)
        return old.with_user(User(statement.name, old.new_id(), login, statement.schema))

    changed(session, database, change)
    yield Affected(None, "CREATE USER")


def create_role(session: EngineSession, statement: tree.CreateRole) -> Iterator[Outcome]:
    """CREATE ROLE; raises 15023."""
    changed(session, own_database(session), lambda old: with_new_role(old, statement.name))
    yield Affected(None, "CREATE ROLE")


def with_new_role(old: Principals, name: str) -> Principals:
    """With one more role; raises 15023."""
    if old.knows(name):
        raise error(15023, name)
    return old.with_role(Role(name, old.new_id()))


def alter_role(session: EngineSession, statement: tree.AlterRole) -> Iterator[Outcome]:
    """ALTER ROLE and ALTER SERVER ROLE … ADD MEMBER, DROP MEMBER; raises 15151."""
    if statement.is_server:
        _alter_server_role(session, statement)
    else:
        set_member(session, statement.name, statement.member, is_added=statement.is_added)
    yield Affected(None, "ALTER ROLE")


def set_member(session: EngineSession, name: str, member: str, *, is_added: bool) -> None:
    """Add a member to a role of the current database, or remove it; raises 15151."""

    def change(old: Principals) -> Principals:
        role = old.roles.get(name.lower())
        if role is None or role.name == PUBLIC:
            raise error(15151, "alter", "role", name)
        if not old.knows(member):
            raise error(15151, "add" if is_added else "drop", "principal", member)
        others = tuple(each for each in role.members if each != member.lower())
        return old.with_role(replace(role, members=(*others, member.lower()) if is_added else others))

    changed(session, own_database(session), change)


def _alter_server_role(session: EngineSession, statement: tree.AlterRole) -> None:
    if statement.name.lower() != SYSADMIN:
        raise unsupported(f"the server role {statement.name}")

    def change(old: Principals) -> Principals:
        login = _login(old, "add" if statement.is_added else "drop", statement.member)
        return old.with_login(replace(login, roles=(SYSADMIN,) if statement.is_added else ()))

    change_server(session, change)


def drop_principal(session: EngineSession, statement: tree.DropPrincipal) -> Iterator[Outcome]:
    """DROP LOGIN, DROP USER, DROP ROLE; raises 15151, and 15144 for a role that has members."""
    kind, name = statement.kind, statement.name
    if kind == "LOGIN":
        if not statement.if_exists or name.lower() in server_database(session).principals.logins:
            change_server(session, lambda old: old.without_login(_login(old, "drop", name).name))
    else:
        database = own_database(session)
        held = database.principals.users if kind == "USER" else database.principals.roles
        if name.lower() not in held or name.lower() in FIXED_ROLES:
            if not statement.if_exists:
                raise error(15151, "drop", kind.lower(), name)
        elif kind == "ROLE" and database.principals.roles[name.lower()].members:
            raise error(15144)
        else:
            changed(session, database, lambda old: old.without(name))
    yield Affected(None, f"DROP {kind}")
