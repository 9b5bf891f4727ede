"""Principals and permissions: logins of the server, users and roles of a database, what they were granted.

A `Principals` is immutable. A statement replaces it by another one, so that a rollback can restore the old one. Names for
lookups are in lower case.

Source: "Principals", https://learn.microsoft.com/sql/relational-databases/security/authentication-access/principals-database-engine
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

SYSADMIN: Final = "sysadmin"
OWNER: Final = "db_owner"
PUBLIC: Final = "public"
DBO: Final = "dbo"
FIXED_ROLES: Final = {
    PUBLIC: 0,
    OWNER: 16384,
    "db_accessadmin": 16385,
    "db_securityadmin": 16386,
    "db_ddladmin": 16387,
    "db_backupoperator": 16389,
    "db_datareader": 16390,
    "db_datawriter": 16391,
    "db_denydatareader": 16392,
    "db_denydatawriter": 16393,
}
_FIRST_USER: Final = 5
_FIRST_LOGIN: Final = 257
_WRITES: Final = frozenset(("INSERT", "UPDATE", "DELETE"))
_BY_ROLE: Final = {
    "db_datareader": frozenset(("SELECT",)),
    "db_datawriter": _WRITES,
    "db_denydatareader": frozenset(("SELECT",)),
    "db_denydatawriter": _WRITES,
}
Target = tuple[str, int]
"""What a permission is on: OBJECT, SCHEMA, DATABASE or SERVER, and its number."""


@dataclass(frozen=True, slots=True)
class ServerLogin:
    """A login of the server's; `roles` are fixed server roles."""

    name: str
    id: int
    salt: str
    digest: str
    database: str = "master"
    is_disabled: bool = False
    roles: tuple[str, ...] = ()

    def accepts(self, password: str) -> bool:
        """Whether the password is right and the login is enabled."""
        return not self.is_disabled and secrets.compare_digest(_digest(self.salt, password), self.digest)

    def with_password(self, password: str) -> ServerLogin:
        """The same with another password."""
        salt = secrets.token_hex(8)
        return replace(self, salt=salt, digest=_digest(salt, password))


@dataclass(frozen=True, slots=True)
class User:
    """A user of a database; `login` in lower case, empty WITHOUT LOGIN."""

    name: str
    id: int
    login: str = ""
    schema: str = "dbo"


@dataclass(frozen=True, slots=True)
class Role:
    """A role of a database with its members' names."""

    name: str
    id: int
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Permission:
    """A GRANT or DENY: grantee, permission, securable."""

    grantee: str
    action: str
    target: Target
    is_denied: bool = False


@dataclass(frozen=True, slots=True)
class Principals:
    """Those of a database; logins are the server's, and master has them."""

    logins: dict[str, ServerLogin] = field(default_factory=dict)
    users: dict[str, User] = field(default_factory=dict)
    roles: dict[str, Role] = field(default_factory=lambda: {n: Role(n, i) for n, i in FIXED_ROLES.items()})
    permissions: tuple[Permission, ...] = ()

    def user_of(self, login: str) -> User | None:
        """The user of a login."""
        return next((user for user in self.users.values() if user.login == login.lower()), None)

    def knows(self, name: str) -> bool:
        """Whether a user or a role has that name."""
        return name.lower() in self.users or name.lower() in self.roles

    @property
    def numbers(self) -> dict[str, int]:
        """principal_id of users and roles, by name in lower case."""
        users = {key: user.id for key, user in self.users.items()}
        return users | {key: role.id for key, role in self.roles.items()}

    def roles_of(self, name: str) -> frozenset[str]:
        """The roles that a user or a role is a member of, directly or through others, and public."""
        found, new = {PUBLIC}, {name.lower()}
        while new:
            new = {role for role, each in self.roles.items() if new & set(each.members)} - found
            found |= new
        return frozenset(found)

    def allows(self, name: str, action: str, targets: Iterable[Target]) -> bool:
        """Whether a user may do something on one of the targets: a DENY counts more than a GRANT, db_owner more than none."""
        names = {name.lower(), *self.roles_of(name)}
        mine = [each for each in self.permissions if each.grantee in names and each.target in set(targets)]
        if any(each.is_denied and each.action == action for each in mine):
            return False
        if any(action in _BY_ROLE[role] for role in names & {"db_denydatareader", "db_denydatawriter"}):
            return False
        by_role = any(action in _BY_ROLE[role] for role in names & {"db_datareader", "db_datawriter"})
        granted = any(not each.is_denied and each.action in {action, "CONTROL"} for each in mine)
        return OWNER in names or by_role or granted

    def new_id(self) -> int:
        """The number of a new user or role."""
        taken = [user.id for user in self.users.values()] + [role.id for role in self.roles.values() if role.id < 16384]
        return max([_FIRST_USER - 1, *taken]) + 1

    def new_login(self, name: str, password: str, database: str) -> ServerLogin:
        """A new login."""
        number = max([_FIRST_LOGIN - 1, *(each.id for each in self.logins.values())]) + 1
        return ServerLogin(name, number, "", "", database).with_password(password)

    def with_login(self, login: ServerLogin) -> Principals:
        """With a login added or replaced."""
        return replace(self, logins={**self.logins, login.name.lower(): login})

    def with_user(self, user: User) -> Principals:
        """With a user added or replaced."""
        return replace(self, users={**self.users, user.name.lower(): user})

    def with_role(self, role: Role) -> Principals:
        """With a role added or replaced."""
        return replace(self, roles={**self.roles, role.name.lower(): role})

    def without(self, name: str) -> Principals:
        """Without a user or role, its memberships and its permissions."""
        key = name.lower()
        roles = {
            role: replace(each, members=tuple(member for member in each.members if member != key))
            for role, each in self.roles.items()
            if role != key
        }
        users = {user: each for user, each in self.users.items() if user != key}
        return replace(
            self, users=users, roles=roles, permissions=tuple(p for p in self.permissions if p.grantee != key)
        )

    def without_login(self, name: str) -> Principals:
        """Without a login."""
        return replace(self, logins={key: each for key, each in self.logins.items() if key != name.lower()})

    def with_permissions(self, given: Iterable[Permission], *, is_revoked: bool = False) -> Principals:
        """A copy with permissions granted or denied, which replaces earlier ones; or with these revoked."""
        new = list(given)
        said = {(each.grantee, each.action, each.target) for each in new}
        kept = [each for each in self.permissions if (each.grantee, each.action, each.target) not in said]
        return replace(self, permissions=(*kept, *([] if is_revoked else new)))


def _digest(salt: str, password: str) -> str:
    return hashlib.sha512(salt.encode() + password.encode("utf-16-le", "surrogatepass")).hexdigest()
