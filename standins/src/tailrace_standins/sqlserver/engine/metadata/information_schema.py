"""INFORMATION_SCHEMA views, made from the catalog.

Source: "System information schema views",
https://learn.microsoft.com/sql/relational-databases/system-information-schema-views/system-information-schema-views-transact-sql
"""

# ruff: noqa: E501  # lists of columns are not wrapped
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.metadata import view_types
from tailrace_standins.sqlserver.engine.metadata.views import ViewRows, no_rows, tables_of, view
from tailrace_standins.sqlserver.engine.system import SystemObjects
from tailrace_standins.sqlserver.values import MAX

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def _info_schemata(_session: EngineSession, database: Database) -> ViewRows:
    return [(database.name, name, "dbo") for _, name in database.schemas.values()]


def _info_tables(session: EngineSession, database: Database) -> ViewRows:
    return [(database.name, t.schema, t.name, "BASE TABLE") for t in tables_of(session, database)]


def _info_columns(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        for c in t.columns:
            of = c.type
            sized = types.family(of) in {"text", "binary"} and of.name != "timestamp"
            length = (MAX if of.length == MAX else of.length) if sized else None
            octets = view_types.max_length(of) if sized else None
            number = types.is_number(of) and of.name != "bit"
            moment = (
                of.scale
                if of.name in {"time", "datetime2", "datetimeoffset"}
                else {"datetime": 3, "date": 0, "smalldatetime": 0}.get(of.name)
            )
            yield (
                database.name, t.schema, t.name, c.name, c.id, c.default.text if c.default else None, "YES" if c.nullable else "NO", of.name, length,
                octets, view_types.precision(of) if number else None, (2 if types.family(of) == "float" else 10) if number else None,
                of.scale if number and types.family(of) != "float" else None, moment,
                ("UNICODE" if of.name[0] == "n" else "iso_1") if types.is_text(of) and of.name != "xml" else None, of.collation if types.is_text(of) else None,
            )  # fmt: skip


def _info_constraints(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        names = [(i.name, "PRIMARY KEY" if i.primary else "UNIQUE") for i in t.indexes if i.constraint_id]
        names += [(k.name, "FOREIGN KEY") for k in t.foreign_keys] + [(c.name, "CHECK") for c in t.checks]
        for name, kind in names:
            yield (database.name, t.schema, name, database.name, t.schema, t.name, kind, "NO", "NO")


def _info_key_columns(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        keys = [(i.name, [column for column, _ in i.columns]) for i in t.indexes if i.constraint_id]
        for name, ids in keys + [(k.name, list(k.columns)) for k in t.foreign_keys]:
            for place, column in enumerate(ids, 1):
                yield (database.name, t.schema, name, database.name, t.schema, t.name, t.by_id[column].name, place)


_INFORMATION: Final = (
    view("SCHEMATA", "CATALOG_NAME:n SCHEMA_NAME:n SCHEMA_OWNER:n", _info_schemata),
    view("TABLES", "TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n TABLE_TYPE:n", _info_tables),
    view("COLUMNS", "TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n COLUMN_NAME:n ORDINAL_POSITION:i COLUMN_DEFAULT:x IS_NULLABLE:n DATA_TYPE:n CHARACTER_MAXIMUM_LENGTH:i CHARACTER_OCTET_LENGTH:i NUMERIC_PRECISION:t NUMERIC_PRECISION_RADIX:s NUMERIC_SCALE:i DATETIME_PRECISION:s CHARACTER_SET_NAME:n COLLATION_NAME:n", _info_columns),
    view("TABLE_CONSTRAINTS", "CONSTRAINT_CATALOG:n CONSTRAINT_SCHEMA:n CONSTRAINT_NAME:n TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n CONSTRAINT_TYPE:n IS_DEFERRABLE:n INITIALLY_DEFERRED:n", _info_constraints),
    view("KEY_COLUMN_USAGE", "CONSTRAINT_CATALOG:n CONSTRAINT_SCHEMA:n CONSTRAINT_NAME:n TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n COLUMN_NAME:n ORDINAL_POSITION:i", _info_key_columns),
    view("VIEWS", "TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n VIEW_DEFINITION:x", no_rows),
    view("ROUTINES", "SPECIFIC_CATALOG:n SPECIFIC_SCHEMA:n SPECIFIC_NAME:n ROUTINE_TYPE:n", no_rows),
)  # fmt: skip


def register(system: SystemObjects) -> None:
    """Make the views known."""
    system.add("information_schema", *_INFORMATION)
