"""SYSCAT: what users may do.

Source: IBM Db2 documentation, "SYSCAT.DBAUTH", "SYSCAT.TABAUTH", "SYSCAT.SCHEMAAUTH"
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.db2.engine.catalog import OWNER, Database
from tailrace_standins.db2.engine.rights import OF_DATABASES, OF_SCHEMAS, OF_TABLES, PUBLIC, Grant
from tailrace_standins.db2.engine.system.view import Rows, View, view

_ALL_OF_TABLES: Final = frozenset(OF_TABLES) - {"CONTROL"}
_PUBLIC_OF_DATABASES: Final = frozenset({"CONNECT", "CREATETAB", "BINDADD", "IMPLICIT_SCHEMA"})


def _grantee_type(name: str) -> str:
    return "G" if name == PUBLIC else "U"


def _flags(privileges: frozenset[str], known: dict[str, str]) -> list[str]:
    return ["Y" if name in privileges else "N" for name in known]


def _of_database(database: Database) -> Rows:
    given = {user: frozenset(OF_DATABASES) for user in sorted(database.administrators)}
    given[PUBLIC] = _PUBLIC_OF_DATABASES
    for grant, privileges in database.grants.items():
        if grant.kind == "DATABASE":
            given[grant.grantee] = given.get(grant.grantee, frozenset()) | privileges
    for grantee, privileges in given.items():
        yield "SYSIBM", "S", grantee, _grantee_type(grantee), *_flags(privileges, OF_DATABASES)


def _of_tables(database: Database) -> Rows:
    for table in list(database.tables.values()):
        if table.owner:
            marks = ["Y" if name == "CONTROL" else "G" for name in OF_TABLES]
            yield "SYSIBM", "S", table.owner, "U", table.schema, table.name, *marks
    yield from _granted(database, "TABLE", OF_TABLES)


def _granted(database: Database, kind: str, known: dict[str, str]) -> Rows:
    for grant, privileges in database.grants.items():
        if grant.kind == kind:
            yield OWNER, "U", grant.grantee, _grantee_type(grant.grantee), *_named(grant), *_flags(privileges, known)


def _named(grant: Grant) -> tuple[str, ...]:
    return (grant.schema, grant.name) if grant.kind == "TABLE" else (grant.schema,)


def _of_schemas(database: Database) -> Rows:
    yield from _granted(database, "SCHEMA", OF_SCHEMAS)


def _view(storage: str, named: str, known: dict[str, str], rows: object) -> View:
    flags = " ".join(f"f:{column}" for column in known.values())
    assert callable(rows)  # noqa: S101  # one of those above
    return view(storage, f"n:GRANTOR f:GRANTORTYPE n:GRANTEE f:GRANTEETYPE {named} {flags}", rows)


VIEWS: Final[dict[tuple[str, str], View]] = {
    ("SYSCAT", "DBAUTH"): _view("v_dbauth", "", OF_DATABASES, _of_database),
    ("SYSCAT", "TABAUTH"): _view("v_tabauth", "n:TABSCHEMA n:TABNAME", OF_TABLES, _of_tables),
    ("SYSCAT", "SCHEMAAUTH"): _view("v_schemaauth", "n:SCHEMANAME", OF_SCHEMAS, _of_schemas),
    ("SYSCAT", "ROLEAUTH"): view(
        "v_roleauth", "n:GRANTOR f:GRANTORTYPE n:GRANTEE f:GRANTEETYPE n:ROLENAME f:ADMIN", lambda _: iter(())
    ),
}
"""By schema and name; there are no roles."""
