"""Turns the definitions of CREATE TABLE and ALTER TABLE into those of the catalog.

That includes names that SQL Server generates, and the normal form of defaults.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import parsing, tree, types
from tailrace_standins.sqlserver.engine.catalog import Check, Column, Default, ForeignKey, Index, Table
from tailrace_standins.sqlserver.engine.collations import suffix
from tailrace_standins.sqlserver.engine.compiling.queries import QueryCompiler
from tailrace_standins.sqlserver.engine.definition_nodes import ColumnDefinition, ConstraintDefinition
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.scope import Bound, Scope, Typed, Visible
from tailrace_standins.sqlserver.engine.system import SystemView
from tailrace_standins.sqlserver.values import DEFAULT_COLLATION, SqlType
from tailrace_standins.storage.visibility import COLUMNS

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def given_name(prefix: str, table: str, number: int, column: str = "") -> str:
    """The name of a constraint without one: `PK__orders__3213E83F…`."""
    middle = f"{table[:9]}__{column[:5]}__" if column else f"{table[:8]}__"
    return f"{prefix}__{middle}{number:08X}"


def default_text(text: str) -> str:
    """A default as sys.default_constraints shows it: `((5))`, `('x')`, `(getdate())`."""
    node = parsing.expression(text)
    while text.startswith("(") and text.endswith(")") and _balanced(text[1:-1]):
        text = text[1:-1].strip()
    if isinstance(node, tree.Literal) and isinstance(node.value, int | float | Decimal):
        return f"(({text}))"
    if isinstance(node, tree.Call):
        text = (
            text[: text.index("(")].lower() + text[text.index("(") :]
            if "(" in text
            else {"CURRENT_TIMESTAMP": "getdate()"}.get(text.upper(), text.lower())
        )
    return f"({text})"


def _balanced(text: str) -> bool:
    depth = 0
    quoted = False
    for c in text:
        quoted ^= c == "'"
        if not quoted:
            depth += {"(": 1, ")": -1}.get(c, 0)
        if depth < 0:
            return False
    return depth == 0


def with_column(session: EngineSession, table: Table, definition: ColumnDefinition) -> Table:
    """The table with one more column, without its constraints; raises 2705, 2744."""
    if definition.name.lower() in table.by_name:
        raise error(2705, definition.name, table.name)
    number = table.next_column
    of = definition.type or types.INT
    if definition.computed:
        of, nullable = computed_type(session, table, definition.computed)
        nullable = nullable and not (definition.persisted and definition.nullable is False)
    else:
        keyed = any(c.kind == "PRIMARY KEY" for c in definition.constraints)
        nullable = (
            definition.nullable
            if definition.nullable is not None
            else not (keyed or definition.identity or of.name == "timestamp" or definition.alias)
        )
    if definition.identity and table.identity is not None:
        raise error(2744, table.name)
    default = None
    if definition.default:
        object_id = session.engine.catalog.new_id()
        default = Default(
            definition.default_name or given_name("DF", table.name, object_id, definition.name),
            default_text(definition.default),
            object_id,
        )
    column = Column(
        definition.name,
        collated(session, of),
        nullable,
        number,
        f"c{number}",
        definition.identity,
        default,
        definition.computed,
        definition.persisted,
        definition.alias,
        definition.masked,
    )
    return replace(table, columns=(*table.columns, column), next_column=number + 1)


def collated(session: EngineSession, of: SqlType) -> SqlType:
    """A column's type: with a collation, its own or the database's."""
    if types.is_text(of) and of.collation in {None, DEFAULT_COLLATION}:
        return SqlType(of.name, of.length, collation=session.current.collation)
    return of


def computed_type(session: EngineSession, table: Table, text: str) -> tuple[SqlType, bool]:
    """The type of a computed column, and whether it is nullable; raises 207 for an unknown column.

    It may be NULL whatever its columns are, as an overflow could make it so, unless ISNULL with a constant is around all of it.

    Source: "CREATE TABLE", computed_column_expression, https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql
    """
    scope = Scope(None, [Bound(("",), [Visible(c.name, Typed(c.slot, c.type, c.nullable)) for c in table.stored], "")])
    compiler, expression = QueryCompiler(session), parsing.expression(text)
    match expression:
        case tree.Call(names=(name,), arguments=[_, instead]) if name.upper() == "ISNULL":
            constant = compiler.value(instead, scope)
            nullable = constant.nullable or not constant.is_constant
        case _:
            nullable = True
    return compiler.value(expression, scope).type, nullable


def with_constraint(session: EngineSession, table: Table, definition: ConstraintDefinition) -> Table:
    """The table with one more constraint; raises 1779, 1911, 8111, 2714."""
    number = session.engine.catalog.new_id()
    if definition.kind in {"PRIMARY KEY", "UNIQUE"}:
        return _with_key(table, definition, number)
    if definition.kind == "CHECK":
        check = Check(definition.name or given_name("CK", table.name, number), number, f"({definition.text})")
        computed_condition(session, table, check.text)
        return replace(table, checks=(*table.checks, check))
    if definition.kind == "DEFAULT":
        column = table.column(definition.columns[0][0])
        default = Default(
            definition.name or given_name("DF", table.name, number, column.name), default_text(definition.text), number
        )
        return changed(table, replace(column, default=default))
    return _with_foreign_key(session, table, definition, number)


def computed_condition(session: EngineSession, table: Table, text: str) -> str:
    """A CHECK's condition over slots."""
    scope = Scope(None, [Bound(("",), [Visible(c.name, Typed(c.slot, c.type, c.nullable)) for c in table.stored], "")])
    return QueryCompiler(session).condition(parsing.expression(text), scope)


def changed(table: Table, column: Column) -> Table:
    """The table with the column of the same id replaced."""
    return replace(table, columns=tuple(column if c.id == column.id else c for c in table.columns))


def _with_key(table: Table, definition: ConstraintDefinition, number: int) -> Table:
    primary = definition.kind == "PRIMARY KEY"
    if primary and table.primary_key is not None:
        raise error(1779, table.name)
    columns = key_columns(table, definition.columns)
    if primary:
        for column_id, _ in columns:
            column = table.by_id[column_id]
            if column.nullable and column.type.name != "timestamp":
                raise error(8111, table.name)
    taken = any(index.clustered for index in table.indexes)
    clustered = definition.clustered if definition.clustered is not None else primary and not taken
    name = definition.name or given_name("PK" if primary else "UQ", table.name, number)
    return with_index(table, Index(name, 0, columns, True, primary, number, clustered, tree=number))


def key_columns(table: Table, names: list[tuple[str, bool]]) -> tuple[tuple[int, bool], ...]:
    """Columns of a key by id; raises 1911."""
    found = []
    for name, descending in names:
        column = table.by_name.get(name.lower())
        if column is None:
            raise error(1911, name)
        found.append((column.id, descending))
    return tuple(found)


def with_index(table: Table, index: Index) -> Table:
    """The table with one more index, numbered: 1 for the clustered one, from 2 for the others; raises 1902, 1913."""
    for other in table.indexes:
        if other.name.lower() == index.name.lower():
            raise error(1913, index.name, f"{table.schema}.{table.name}")
        if other.clustered and index.clustered:
            raise error(1902, f"{table.schema}.{table.name}", other.name)
    if index.unique and any(table.by_id[column].computed for column, _ in index.columns):
        raise unsupported("a unique index over a computed column")
    number = 1 if index.clustered else max([1, *(other.id for other in table.indexes)]) + 1
    indexes = (*table.indexes, replace(index, id=number))
    return replace(table, indexes=tuple(sorted(indexes, key=lambda i: i.id)))


def _with_foreign_key(session: EngineSession, table: Table, definition: ConstraintDefinition, number: int) -> Table:
    names = definition.references
    if names[-1].lower() == table.name.lower():
        other = table
    else:
        _, found = QueryCompiler(session).table(names)
        if isinstance(found, SystemView):
            raise error(208, ".".join(names))
        other = found
    columns = tuple(column for column, _ in key_columns(table, definition.columns))
    if definition.referenced_columns:
        referenced = tuple(other.column(name).id for name in definition.referenced_columns)
    elif other.primary_key is not None:
        referenced = tuple(column for column, _ in other.primary_key.columns)
    else:
        raise error(1750)
    key = ForeignKey(
        definition.name or given_name("FK", table.name, number, table.by_id[columns[0]].name),
        number,
        columns,
        other.id,
        referenced,
    )
    return replace(table, foreign_keys=(*table.foreign_keys, key))


def storage_statements(table: Table) -> list[str]:
    """SQLite's table with its indexes; two of them only over versions of open transactions.

    Tables of the server's own do without these two, as hardly anybody writes them inside of a transaction.
    """
    temp = "temp." if table.is_temporary else ""
    name = f"t{table.id}"
    columns = "".join(f", {column.slot}" for column in table.stored)
    found = [f"CREATE TABLE {temp}{name} ({COLUMNS}{columns})"]
    if not table.is_shipped:
        found.append(f"CREATE INDEX {temp}{name}_b ON {name} (b) WHERE b<0")
        found.append(f"CREATE INDEX {temp}{name}_e ON {name} (e) WHERE e<0")
    return found + [index_statement(table, index) for index in table.indexes]


def index_name(table: Table, index: Index) -> str:
    """An index's name in SQLite."""
    keys = "_".join(f"{table.by_id[column].slot}{'d' if descending else ''}" for column, descending in index.columns)
    return f"{'temp.' if table.is_temporary else ''}t{table.id}_i{keys}"


def index_statement(table: Table, index: Index) -> str:
    """CREATE INDEX for SQLite, where no equal one is there."""
    keys = []
    for column_id, descending in index.columns:
        column = table.by_id[column_id]
        if column.computed:
            return "SELECT 1"
        keys.append(f"{column.slot}{suffix(column.type)}{' DESC' if descending else ''}")
    return f"CREATE INDEX IF NOT EXISTS {index_name(table, index)} ON t{table.id} ({', '.join(keys)})"
