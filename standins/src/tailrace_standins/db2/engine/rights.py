"""Rights: what GRANT gives and REVOKE takes, and who may do what.

Administrators may do all, a table's owner all with it. DATAACCESS of the database or of a schema is for all that is done with
data, CONTROL for all that is done with a table; DBADM alone reads no data.

Source: IBM Db2 documentation, "Authorization, privileges, and object ownership", "GRANT (table, view, or nickname privileges)",
"GRANT (database authorities)", "GRANT (schema privileges and authorities)"
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tailrace_standins.db2.session import SqlError

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.catalog import Database, Table

PUBLIC: Final = "PUBLIC"
OF_DATABASES: Final = {
    "BINDADD": "BINDADDAUTH", "CONNECT": "CONNECTAUTH", "CREATETAB": "CREATETABAUTH", "DBADM": "DBADMAUTH",
    "IMPLICIT_SCHEMA": "IMPLSCHEMAAUTH", "LOAD": "LOADAUTH", "SECADM": "SECURITYADMAUTH", "SQLADM": "SQLADMAUTH",
    "WLMADM": "WLMADMAUTH", "EXPLAIN": "EXPLAINAUTH", "DATAACCESS": "DATAACCESSAUTH", "ACCESSCTRL": "ACCESSCTRLAUTH",
}  # fmt: skip
"""Privileges with their columns in SYSCAT.DBAUTH."""
OF_TABLES: Final = {
    "CONTROL": "CONTROLAUTH", "ALTER": "ALTERAUTH", "DELETE": "DELETEAUTH", "INDEX": "INDEXAUTH", "INSERT": "INSERTAUTH",
    "REFERENCES": "REFAUTH", "SELECT": "SELECTAUTH", "UPDATE": "UPDATEAUTH",
}  # fmt: skip
"""Privileges with their columns in SYSCAT.TABAUTH."""
OF_SCHEMAS: Final = {
    "ALTERIN": "ALTERINAUTH", "CREATEIN": "CREATEINAUTH", "DROPIN": "DROPINAUTH", "SELECTIN": "SELECTINAUTH",
    "INSERTIN": "INSERTINAUTH", "UPDATEIN": "UPDATEINAUTH", "DELETEIN": "DELETEINAUTH", "EXECUTEIN": "EXECUTEINAUTH",
    "SCHEMAADM": "SCHEMAADMAUTH", "DATAACCESS": "DATAACCESSAUTH",
}  # fmt: skip
"""Privileges with their columns in SYSCAT.SCHEMAAUTH."""
KNOWN: Final = {"DATABASE": OF_DATABASES, "TABLE": OF_TABLES, "SCHEMA": OF_SCHEMAS}
_OF_DATA: Final = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE"})


@dataclass(frozen=True, slots=True)
class Grant:
    """Whose privileges on what; `kind` is TABLE, SCHEMA or DATABASE."""

    grantee: str
    kind: str
    schema: str = ""
    name: str = ""


def check(database: Database, user: str, privilege: str, table: Table) -> None:
    """Raises `SqlError` -551 if a user may not do this with a table."""
    if not allowed(database, user, privilege, table):
        raise SqlError(-551, "42501", user, privilege, f"{table.schema}.{table.name}")


def allowed(database: Database, user: str, privilege: str, table: Table) -> bool:
    """Whether a user may do this (SELECT, INSERT, UPDATE, DELETE, ALTER, CONTROL) with a table."""
    if user in database.administrators or user == table.owner:
        return True
    wide = {"DATAACCESS"} if privilege in _OF_DATA else {"DBADM"}
    wanted = (
        ("DATABASE", "", "", wide),
        ("SCHEMA", table.schema, "", {f"{privilege}IN", *wide}),
        ("TABLE", table.schema, table.name, {privilege, "CONTROL"}),
    )
    return any(
        not wish.isdisjoint(database.grants.get(Grant(grantee, kind, schema, name), ()))
        for kind, schema, name, wish in wanted
        for grantee in (user, PUBLIC)
    )


def granted(database: Database, grants: Iterable[Grant], privileges: frozenset[str]) -> dict[Grant, frozenset[str]]:
    """The grants of a database with more."""
    made = dict(database.grants)
    for grant in grants:
        made[grant] = made.get(grant, frozenset()) | privileges
    return made


def revoked(database: Database, grants: Iterable[Grant], privileges: frozenset[str]) -> dict[Grant, frozenset[str]]:
    """The grants of a database with fewer."""
    made = dict(database.grants)
    for grant in grants:
        made[grant] = made.get(grant, frozenset()) - privileges
        if not made[grant]:
            del made[grant]
    return made
