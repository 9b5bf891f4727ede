"""Nodes of the syntax tree: statements about logins, users, roles and permissions."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailrace_standins.sqlserver.engine.nodes import Names
from tailrace_standins.sqlserver.engine.statement_base import Statement


@dataclass(slots=True, eq=False)
class CreateLogin(Statement):
    """CREATE LOGIN."""

    name: str
    password: str
    database: str = "master"


@dataclass(slots=True, eq=False)
class AlterLogin(Statement):
    """ALTER LOGIN: another password or default database, ENABLE, DISABLE."""

    name: str
    password: str | None = None
    database: str | None = None
    is_disabled: bool | None = None


@dataclass(slots=True, eq=False)
class CreateUser(Statement):
    """CREATE USER; `login` is empty WITHOUT LOGIN."""

    name: str
    login: str
    schema: str = "dbo"


@dataclass(slots=True, eq=False)
class CreateRole(Statement):
    """CREATE ROLE."""

    name: str


@dataclass(slots=True, eq=False)
class AlterRole(Statement):
    """ALTER ROLE and ALTER SERVER ROLE … ADD MEMBER, DROP MEMBER."""

    name: str
    member: str
    is_added: bool
    is_server: bool = False


@dataclass(slots=True, eq=False)
class DropPrincipal(Statement):
    """DROP LOGIN, DROP USER, DROP ROLE."""

    kind: str
    name: str
    if_exists: bool = False


@dataclass(slots=True, eq=False)
class Grant(Statement):
    """GRANT, DENY and REVOKE; `kind` is the class of the securable after ON, empty without ON."""

    verb: str
    actions: Names
    kind: str = ""
    on: Names = ()
    principals: list[str] = field(default_factory=list)
