"""System procedures: those that drivers call for metadata, sp_rename, sp_describe_first_result_set, locks and settings.

Source: "System stored procedures",
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/system-stored-procedures-transact-sql
"""

# ruff: noqa: E501  # texts of SQL Server and lists of columns are not wrapped
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import alter, altered_tables, calls, raising, types
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.metadata import object_functions, view_types
from tailrace_standins.sqlserver.engine.metadata.arguments import procedure, result, text_of
from tailrace_standins.sqlserver.engine.metadata.odbc import ODBC_PROCEDURES
from tailrace_standins.sqlserver.engine.parsing.reader import Reader
from tailrace_standins.sqlserver.engine.system import SystemObjects
from tailrace_standins.sqlserver.session import Outcome, Parameter

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def _sp_describe(session: EngineSession, _database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    """Source: .../system-stored-procedures/sp-describe-first-result-set-transact-sql."""
    declared = calls.declarations(text_of(p, "@params") or "")
    parameters = [Parameter(name, of, None) for name, of, _ in declared]
    rows = []
    for place, c in enumerate(session.describe(text_of(p, "@tsql") or "", parameters), 1):
        of = c.type
        system, user = view_types.type_ids(of)
        rows.append(
            (
                0,
                place,
                c.name or None,
                int(c.nullable),
                system,
                types.displayed(of),
                view_types.max_length(of),
                view_types.precision(of),
                of.scale,
                of.collation,
                user,
                int(c.identity),
                int(c.computed),
                int(not c.computed and not c.identity),
            )
        )
    yield result(
        "is_hidden:b column_ordinal:i name:n is_nullable:b system_type_id:i system_type_name:n max_length:s precision:t scale:t collation_name:n user_type_id:i is_identity_column:b is_computed_column:b is_updateable:b",
        rows,
    )


def _sp_rename(session: EngineSession, database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    """Source: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-rename-transact-sql."""
    name, new, kind = (
        text_of(p, "@objname") or "",
        text_of(p, "@newname") or "",
        (text_of(p, "@objtype") or "OBJECT").upper(),
    )
    if kind == "COLUMN":
        *owner, column = Reader(name).names()
        where, table = alter.found_table(session, tuple(owner), 15248)
        found = table.by_name.get(column.lower())
        if found is None:
            raise error(15248, kind)
        if new.lower() in table.by_name and new.lower() != column.lower():
            raise error(15335, new, kind)
        if altered_tables.computed_from(table, column) or any(
            altered_tables.mentions(check.text, column) for check in table.checks
        ):
            raise error(15336, name)
        columns_now = tuple(replace(c, name=new) if c.id == found.id else c for c in table.columns)
        alter.rename(session, where, table, replace(table, columns=columns_now))
    elif kind == "INDEX":
        *owner, index = Reader(name).names()
        where, table = alter.found_table(session, tuple(owner), 15248)
        if all(i.name.lower() != index.lower() for i in table.indexes):
            raise error(15248, kind)
        alter.rename(
            session,
            where,
            table,
            replace(
                table,
                indexes=tuple(replace(i, name=new) if i.name.lower() == index.lower() else i for i in table.indexes),
            ),
        )
    elif kind == "OBJECT":
        there = object_functions.table_named(session, database, name)
        if there is None:
            raise error(15225, name, database.name, "(null)")
        if there[0].table(there[1].schema, new) is not None:
            raise error(15335, new, "object")
        alter.rename(session, there[0], there[1], replace(there[1], name=new))
    else:
        raise unsupported(f"sp_rename of {kind}")
    yield raising.notice(
        15477, "Caution: Changing any part of an object name could break scripts and stored procedures."
    )


def _sp_server_info(_session: EngineSession, _database: Database, _p: dict[str, Parameter]) -> Iterator[Outcome]:
    rows = [
        (1, "DBMS_NAME", "Microsoft SQL Server"),
        (2, "DBMS_VER", "Microsoft SQL Server 2022 - 16.0.1000.6"),
        (10, "OWNER_TERM", "owner"),
        (18, "IDENTIFIER_CASE", "MIXED"),
    ]
    yield result("attribute_id:i attribute_name:n attribute_value:x", rows)


def _sp_who(session: EngineSession, _database: Database, _p: dict[str, Parameter]) -> Iterator[Outcome]:
    rows = [
        (s.id, 0, "sleeping", s.login.user, s.login.host, "0", s.database, "AWAITING COMMAND", 0)
        for s in session.engine.sessions.values()
    ]
    yield result("spid:s ecid:s status:n loginame:n hostname:n blk:n dbname:n cmd:n request_id:i", rows)


_PROCEDURES: Final = (
    *ODBC_PROCEDURES,
    procedure("sp_describe_first_result_set", "tsql params browse_information_mode", _sp_describe, 1),
    procedure("sp_rename", "objname newname objtype", _sp_rename, 2),
    procedure("sp_server_info", "attribute_id", _sp_server_info),
    procedure("sp_who", "loginame", _sp_who),
    procedure("sp_who2", "loginame", _sp_who),
)


def register(system: SystemObjects) -> None:
    """Make the procedures known."""
    system.add("sys", *_PROCEDURES)
