"""OUTPUT and OUTPUT INTO.

Source: "OUTPUT clause", https://learn.microsoft.com/sql/t-sql/queries/output-clause-transact-sql
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import convert, dml_plans, parsing, reading, stored, tree
from tailrace_standins.sqlserver.engine.catalog import Table
from tailrace_standins.sqlserver.engine.compiling.queries import QueryCompiler
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.scope import Bound, Plan, Scope, Typed, Visible, result_column
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.engine.written_rows import Row, write_rows
from tailrace_standins.sqlserver.session import Outcome, ResultColumn, ResultSet
from tailrace_standins.sqlserver.values import Value

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


@dataclass(slots=True)
class OutputPlan:
    """OUTPUT: evaluated for each row, with `:i…` for inserted and `:d…` for deleted."""

    plan: Plan
    columns: tuple[ResultColumn, ...]


def output_plan(session: EngineSession, statement: tree.Insert | tree.Update | tree.Delete, table: Table) -> OutputPlan:
    """The plan of OUTPUT, cached for each state of the catalog."""
    key = ("output", *session.plan_key(statement))
    found = statement.plans.get(key)
    if found is None:
        inserted, deleted = not isinstance(statement, tree.Delete), not isinstance(statement, tree.Insert)
        found = statement.plans[key] = _planned(session, table, statement.output, inserted=inserted, deleted=deleted)
    assert isinstance(found, OutputPlan)  # noqa: S101  # put there under this key
    return found


def _planned(
    session: EngineSession, table: Table, items: list[tree.Item], *, inserted: bool, deleted: bool
) -> OutputPlan:
    """OUTPUT's list over the images of a row."""
    compiler, scope = QueryCompiler(session), Scope()
    for name, wanted, letter in (("inserted", inserted, "i"), ("deleted", deleted, "d")):
        if wanted:
            scope.sources.append(Bound((name,), _image(compiler, table, letter), name))
    columns = compiler.items(items, scope)
    sql = "SELECT " + ", ".join(f"{column.sql} AS c{i}" for i, column in enumerate(columns))
    shown = tuple(result_column(column, column.name) for column in columns)
    return OutputPlan(Plan(sql, shown, compiler.variables, compiler.reads, compiler.views), shown)


def _image(compiler: QueryCompiler, table: Table, letter: str) -> list[Visible]:
    plain = {
        c.id: Typed(f":{letter}{i}", c.type, c.nullable, c.name, bool(c.identity)) for i, c in enumerate(table.stored)
    }
    slots = Scope(None, [Bound(("",), [Visible(c.name, plain[c.id]) for c in table.stored], "")])
    found = []
    for column in table.columns:
        value = plain.get(column.id)
        if value is None:
            value = compiler.converted(compiler.value(parsing.expression(column.computed), slots), column.type)
            value = Typed(value.sql, value.type, value.nullable, column.name, computed=True)
        found.append(Visible(column.name, value))
    return found


def output_rows(
    session: EngineSession,
    statement: tree.Insert | tree.Update | tree.Delete,
    table: Table,
    after: list[Row] | None,
    before: list[Row] | None,
) -> Iterator[Outcome]:
    """The rows of OUTPUT, for the client or for a table."""
    if not statement.output:
        return
    plan = output_plan(session, statement, table)
    variables = {parameter: session.values[name] for name, parameter in plan.plan.variables.items()}
    found: list[tuple[Stored, ...]] = []
    for place in range(len(after if after is not None else before or [])):
        images = {f"i{i}": value for i, value in enumerate(after[place])} if after is not None else {}
        if before is not None:
            images.update({f"d{i}": value for i, value in enumerate(before[place])})
        found.extend(session.connection.rows(plan.plan.sql, {**variables, **images}))
    if statement.output_into:
        _output_into(session, statement.output_into, plan, found)
        return
    decoders = [stored.decoder(column.type) for column in plan.columns]
    rows: list[tuple[Value, ...]] = reading.decoded_rows(found, decoders) if found else []
    yield ResultSet(plan.columns, iter([rows] if rows else []))


def _output_into(
    session: EngineSession, names: tuple[str, ...], plan: OutputPlan, rows: list[tuple[Stored, ...]]
) -> None:
    target = dml_plans.insert_plan(session, tree.Insert(tree.Table(names), (), tree.Execute(names, [])))
    if len(plan.columns) != len(target.targets):
        raise error(213)
    places = {column.id: place for place, column in enumerate(target.table.stored)}
    laid_out: list[Row] = []
    for values in rows:
        row: Row = [None] * len(target.table.stored)
        for value, source, column in zip(values, plan.columns, target.targets, strict=True):
            row[places[column.id]] = convert.converted(value, source.type, column.type)
        laid_out.append(row)
    write_rows(session, target, laid_out)
