"""Functions that name databases, tables, columns, types and indexes.

Source: "Metadata functions", https://learn.microsoft.com/sql/t-sql/functions/metadata-functions-transact-sql
"""

# ruff: noqa: E501  # tables have long lines
from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from tailrace_standins.sqlserver.engine import access
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.parsing.reader import Reader
from tailrace_standins.sqlserver.engine.stored import Stored, packed
from tailrace_standins.sqlserver.session import SqlError

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def _db_id(session: EngineSession, database: Database, *values: Any) -> Stored:
    if not values:
        return database.id
    found = session.known(str(values[0] or ""))
    return found.id if found else None


def by_id(session: EngineSession, database: Database, number: int | None) -> Database | None:
    """The database of that number, the current one for None."""
    if number is None:
        return database
    return next((d for d in session.databases() if d.id == number), None)


def _db_name(session: EngineSession, database: Database, *values: Any) -> Stored:
    found = by_id(session, database, values[0] or None) if values else database
    return found.name if found else None


def table_named(session: EngineSession, database: Database, text: str | None) -> tuple[Database, Table] | None:
    """The table that a text names, as OBJECT_ID reads it."""
    if not text:
        return None
    try:
        names = Reader(text).names()
        if names[-1].startswith("#"):
            found = session.temporary.get(names[-1].lower())
            return (database, found) if found else None
        where, schema, name = session.engine.catalog.find(names, database.name)
    except SqlError:
        return None
    table = where.table(schema, name)
    return (where, table) if table and access.may_use(session, where) and access.sees(session, where, table) else None


def _object_id(session: EngineSession, database: Database, name: str | None, kind: str | None = None) -> Stored:
    found = table_named(session, database, name)
    if found is None:
        return _constraint_id(session, database, name, kind)
    return found[1].id if kind is None or kind.strip().upper() in {"U", ""} else None


def _constraint_id(session: EngineSession, database: Database, name: str | None, kind: str | None) -> Stored:
    from tailrace_standins.sqlserver.engine.metadata.catalog_views import objects

    key = (name or "").split(".")[-1].strip("[]").lower()
    for shown, number, _, _, code, *_ in objects(session, database):
        if (
            str(shown).lower() == key
            and str(code).strip() != "U"
            and (kind is None or kind.strip().upper() == str(code).strip())
        ):
            return number
    return None


def _object(session: EngineSession, database: Database, number: int | None, other: int | None) -> Table | None:
    where = by_id(session, database, other)
    table = where.by_id.get(number or 0) if where else None
    return table if where and table and access.sees(session, where, table) else None


def _object_name(session: EngineSession, database: Database, number: int | None, other: int | None = None) -> Stored:
    table = _object(session, database, number, other)
    return table.name if table else None


def _object_schema_name(
    session: EngineSession, database: Database, number: int | None, other: int | None = None
) -> Stored:
    table = _object(session, database, number, other)
    return table.schema if table else None


def _objectproperty(_session: EngineSession, database: Database, number: int | None, what: str | None) -> Stored:
    table = database.by_id.get(number or 0)
    if table is None:
        return None
    answers = {"isusertable": int(not table.is_shipped), "istable": 1, "ismsshipped": int(table.is_shipped), "tablehasprimarykey": int(table.primary_key is not None), "tablehasidentity": int(table.identity is not None)}  # fmt: skip
    return answers.get((what or "").lower(), 0)


def _schema_id(_session: EngineSession, database: Database, name: str | None = "dbo") -> Stored:
    found = database.schemas.get((name or "").lower())
    return found[0] if found else None


def _schema_name(_session: EngineSession, database: Database, number: int | None = 1) -> Stored:
    return next((name for n, name in database.schemas.values() if n == number), None)


def _column_property(
    session: EngineSession, database: Database, number: int | None, column: str | None, what: str | None
) -> Stored:
    table = database.by_id.get(number or 0) or next((t for t in session.temporary.values() if t.id == number), None)
    found = table.by_name.get((column or "").lower()) if table else None
    if found is None:
        return None
    answers: dict[str, Stored] = {"allowsnull": int(found.nullable), "columnid": found.id, "ordinal": found.id, "iscomputed": int(bool(found.computed)), "isidentity": int(bool(found.identity)), "ispersisted": int(found.persisted), "ishidden": 0, "issparse": 0, "isrowguidcol": 0, "precision": found.type.precision or None, "scale": found.type.scale}  # fmt: skip
    return answers.get((what or "").lower())


def _col_name(_session: EngineSession, database: Database, number: int | None, column: int | None) -> Stored:
    table = database.by_id.get(number or 0)
    found = table.by_id.get(column or 0) if table else None
    return found.name if found else None


def _col_length(session: EngineSession, database: Database, name: str | None, column: str | None) -> Stored:
    from tailrace_standins.sqlserver.engine.metadata.view_types import max_length

    found = table_named(session, database, name)
    each = found[1].by_name.get((column or "").lower()) if found else None
    return max_length(each.type) if each else None


def _type_name(_session: EngineSession, _database: Database, number: int | None) -> Stored:
    from tailrace_standins.sqlserver.engine.metadata.view_types import TYPE_IDS

    return next((name for name, (_, user) in TYPE_IDS.items() if user == number), None)


def _type_id(_session: EngineSession, _database: Database, name: str | None) -> Stored:
    from tailrace_standins.sqlserver.engine.metadata.view_types import TYPE_IDS

    found = TYPE_IDS.get((name or "").lower().rpartition(".")[2].strip("[]"))
    return found[1] if found else None


def _index_col(
    session: EngineSession, database: Database, name: str | None, index_id: int | None, key: int | None
) -> Stored:
    found = table_named(session, database, name)
    index = next((i for i in found[1].indexes if i.id == index_id), None) if found else None
    if found is None or index is None or not 0 < (key or 0) <= len(index.columns):
        return None
    return found[1].by_id[index.columns[(key or 1) - 1][0]].name


def _identity_of(session: EngineSession, database: Database, name: str | None, place: int) -> Stored:
    found = table_named(session, database, name)
    if found is None or found[1].identity is None or found[1].identity.identity is None:
        return None
    seed, step = found[1].identity.identity
    return packed(Decimal((session.engine.identities.get(found[1].id, seed), seed, step)[place]))


OBJECT_FUNCTIONS: Final[dict[str, Callable[..., Stored]]] = {
    "DB_ID": _db_id,
    "DB_NAME": _db_name,
    "OBJECT_ID": _object_id,
    "OBJECT_NAME": _object_name,
    "OBJECT_SCHEMA_NAME": _object_schema_name,
    "OBJECTPROPERTY": _objectproperty,
    "SCHEMA_ID": _schema_id,
    "SCHEMA_NAME": _schema_name,
    "COLUMNPROPERTY": _column_property,
    "COL_NAME": _col_name,
    "COL_LENGTH": _col_length,
    "TYPE_NAME": _type_name,
    "TYPE_ID": _type_id,
    "INDEX_COL": _index_col,
    "IDENT_CURRENT": lambda s, d, name: _identity_of(s, d, name, 0),
    "IDENT_SEED": lambda s, d, name: _identity_of(s, d, name, 1),
    "IDENT_INCR": lambda s, d, name: _identity_of(s, d, name, 2),
}
