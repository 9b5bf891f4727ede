"""Compiles INSERT, UPDATE, DELETE and OUTPUT to SQLite queries that return the rows to write.

Sources: "INSERT", https://learn.microsoft.com/sql/t-sql/statements/insert-transact-sql;
"UPDATE", https://learn.microsoft.com/sql/t-sql/queries/update-transact-sql
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import parsing, tree
from tailrace_standins.sqlserver.engine.alter import found_table
from tailrace_standins.sqlserver.engine.catalog import Column, Database, Table
from tailrace_standins.sqlserver.engine.compiling.queries import QueryCompiler, cluster_names
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.scope import Bound, Plan, Scope

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


@dataclass(slots=True)
class InsertPlan:
    """Rows in the order of `table.stored`; the value at `generated` is NULL, for an identity value to be generated.

    The value at `version` is NULL too, for a rowversion to be generated.

    """

    database: Database
    table: Table
    plan: Plan | None
    generated: int | None
    version: int | None
    explicit: int | None
    targets: list[Column]


@dataclass(slots=True)
class ChangePlan:
    """Rows as (rid, row, e, old values…, new values of `assigned`, values of `variables`)."""

    database: Database
    table: Table
    plan: Plan
    assigned: list[int]
    variables: list[str]


def targets(session: EngineSession, table: Table, names: tuple[str, ...], *, has_values: bool) -> list[Column]:
    """The target columns of an INSERT; raises 207, 264, 271, 544, 8101."""
    can_identity = session.identity_insert is not None and session.identity_insert.id == table.id
    if not names:
        if not has_values:
            return []
        if can_identity and table.identity is not None:
            raise error(8101, table.name)
        return [c for c in table.stored if not c.identity and c.type.name != "timestamp"]
    found = []
    for name in names:
        column = table.column(name)
        if column.computed:
            raise error(271, column.name)
        if column.type.name == "timestamp":
            raise error(273)
        if column.identity and not can_identity:
            raise error(544, table.name)
        if column in found:
            raise error(264, column.name)
        found.append(column)
    if can_identity and table.identity is not None and table.identity not in found:
        raise error(545, table.name)
    return found


def insert_plan(session: EngineSession, statement: tree.Insert) -> InsertPlan:
    """The plan of an INSERT (without a query for INSERT … EXEC)."""
    compiler = QueryCompiler(session)
    database, table = found_table(session, statement.target.names, 208)
    has_values = statement.source is not None
    columns = targets(session, table, statement.columns, has_values=has_values)
    places = {column.id: place for place, column in enumerate(table.stored)}
    generated = places[table.identity.id] if table.identity is not None and table.identity not in columns else None
    explicit = places[table.identity.id] if table.identity is not None and table.identity in columns else None
    version = next((places[c.id] for c in table.stored if c.type.name == "timestamp"), None)
    plan = None
    if not isinstance(statement.source, tree.Execute):
        prefix = ""
        if statement.common:
            prefix = compiler.with_tables(statement.common, Scope())
        sql = prefix + _source_sql(compiler, database, table, columns, statement.source)
        plan = Plan(sql, (), compiler.variables, compiler.reads, compiler.views, compiler.checks)
    return InsertPlan(database, table, plan, generated, version, explicit, columns)


def _source_sql(
    compiler: QueryCompiler, database: Database, table: Table, columns: list[Column], source: tree.Query | None
) -> str:
    if source is None:
        return "SELECT " + ", ".join(_laid_out(compiler, database, table, {}))
    if isinstance(source, tree.Values):
        return " UNION ALL ".join(_values_sql(compiler, database, table, columns, row) for row in source.rows)
    sql, given = compiler.query(source, Scope())
    if len(given) != len(columns):
        raise error(121 if len(given) > len(columns) else 120)
    values = {
        column.id: compiler.converted(value, column.type, column=_context(database, table, column)).sql
        for column, value in zip(columns, given, strict=True)
    }
    return f"SELECT {', '.join(_laid_out(compiler, database, table, values))} FROM ({sql})"


def _values_sql(
    compiler: QueryCompiler, database: Database, table: Table, columns: list[Column], row: list[tree.Expression]
) -> str:
    if len(row) != len(columns):
        raise error(110 if len(row) > len(columns) else 109)
    values: dict[int, str] = {}
    for column, node in zip(columns, row, strict=True):
        if not _is_default(node):
            values[column.id] = compiler.converted(
                compiler.value(node, Scope()), column.type, column=_context(database, table, column)
            ).sql
    return "SELECT " + ", ".join(_laid_out(compiler, database, table, values))


def _is_default(node: tree.Expression) -> bool:
    return isinstance(node, tree.Call) and node.names == ("DEFAULT",)


def _context(database: Database, table: Table, column: Column) -> tuple[str, str]:
    return f"{database.name}.{table.schema}.{table.name}", column.name


def _laid_out(compiler: QueryCompiler, database: Database, table: Table, values: dict[int, str]) -> list[str]:
    """Values for all columns in order: those given, defaults, NULL."""
    return [values.get(column.id) or default_sql(compiler, database, table, column) for column in table.stored]


def default_sql(compiler: QueryCompiler, database: Database, table: Table, column: Column) -> str:
    """A column's default as SQLite computes it."""
    if column.default is None:
        return "NULL"
    value = compiler.value(parsing.expression(column.default.text), Scope())
    return compiler.converted(value, column.type, column=_context(database, table, column)).sql


def change_plan(session: EngineSession, statement: tree.Update | tree.Delete) -> ChangePlan:
    """The plan of an UPDATE or DELETE."""
    compiler, scope = QueryCompiler(session), Scope()
    prefix = compiler.with_tables(statement.common, Scope()) if statement.common else ""
    sources, target = _sources(compiler, statement, scope)
    table = target.table
    if table is None:
        raise unsupported("UPDATE and DELETE of what is no table")
    where = ""
    if statement.where is not None:
        where = f" WHERE {compiler.condition(statement.where, scope)}"
        compiler.seeks(statement.where, scope)
    place = {column.id: i for i, column in enumerate(table.columns)}
    items = [f"{target.alias}.rid", f"{target.alias}.r", f"{target.alias}.e"]
    items += [f"{target.alias}.c{place[column.id]}" for column in table.stored]
    database = next((read.database for read in compiler.reads if read.table.id == table.id), compiler.database)
    assigned, variables, values = _assignments(compiler, statement, database, table, scope)
    keys = [(place[table.by_name[name.lower()].id], down) for name, down in cluster_names(table)]
    order = (
        " ORDER BY " + ", ".join(f"{target.alias}.c{key}{' DESC' if down else ''}" for key, down in keys)
        if keys
        else ""
    )
    limit = compiler.limit(statement.top, None, None, scope)
    sql = f"{prefix}SELECT {', '.join(items + values)} FROM {' JOIN '.join(sources)}{where}{order}{limit}"
    plan = Plan(sql, (), compiler.variables, compiler.reads, compiler.views, compiler.checks)
    return ChangePlan(database, table, plan, assigned, variables)


def _sources(compiler: QueryCompiler, statement: tree.Update | tree.Delete, scope: Scope) -> tuple[list[str], Bound]:
    """FROM's sources, and the one that is written.

    Without FROM, or where FROM does not name it, the target itself comes first.

    """
    names = tuple(name.lower() for name in statement.target.names)
    sources = [compiler.source(source, scope) for source in statement.sources]
    for bound in scope.sources:
        if bound.answers(names) and bound.table is not None:
            return sources, bound
    for bound in scope.sources:
        if bound.table is not None and len(names) == 1 and bound.table.name.lower() == names[0]:
            return sources, bound
    sources.insert(0, compiler.source(statement.target, scope))
    return sources, scope.sources[-1]


def _assignments(
    compiler: QueryCompiler, statement: tree.Update | tree.Delete, database: Database, table: Table, scope: Scope
) -> tuple[list[int], list[str], list[str]]:
    assigned: list[int] = []
    variables: list[str] = []
    values: list[str] = []
    extra: list[str] = []
    for name, variable, node in statement.assignments if isinstance(statement, tree.Update) else []:
        if name:
            column = table.column(name)
            _check_assignable(column)
            sql = (
                default_sql(compiler, database, table, column)
                if _is_default(node)
                else compiler.converted(
                    compiler.value(node, scope), column.type, column=_context(database, table, column)
                ).sql
            )
            if table.stored.index(column) in assigned:
                raise error(264, name)
            assigned.append(table.stored.index(column))
            values.append(sql)
        if variable:
            of = compiler.types.get(variable)
            if of is None:
                raise error(137, variable)
            variables.append(variable)
            extra.append(compiler.converted(compiler.value(node, scope), of).sql)
    return assigned, variables, values + extra


def _check_assignable(column: Column) -> None:
    if column.computed:
        raise error(271, column.name)
    if column.identity:
        raise error(8102, column.name)
    if column.type.name == "timestamp":
        raise error(272)
