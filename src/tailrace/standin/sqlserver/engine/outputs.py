"""OUTPUT and OUTPUT INTO.

Source: "OUTPUT clause", https://learn.microsoft.com/sql/t-sql/queries/output-clause-transact-sql
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tailrace.standin.sqlserver.engine import convert, dml_plans, reading, stored, tree
from tailrace.standin.sqlserver.engine.catalog import Table
from tailrace.standin.sqlserver.engine.dml_plans import OutputPlan
from tailrace.standin.sqlserver.engine.errors import error
from tailrace.standin.sqlserver.engine.stored import Stored
from tailrace.standin.sqlserver.engine.written_rows import Row, write_rows
from tailrace.standin.sqlserver.session import Outcome, ResultSet
from tailrace.standin.sqlserver.values import Value

if TYPE_CHECKING:
    from tailrace.standin.sqlserver.engine.session import EngineSession


def output_plan(session: EngineSession, statement: tree.Insert | tree.Update | tree.Delete, table: Table) -> OutputPlan:
    """The plan of OUTPUT, made once for each state of the catalog."""
    key = ("output", *session.plan_key(statement))
    found = statement.plans.get(key)
    if found is None:
        inserted, deleted = not isinstance(statement, tree.Delete), not isinstance(statement, tree.Insert)
        found = statement.plans[key] = dml_plans.output_plan(
            session, table, statement.output, inserted=inserted, deleted=deleted
        )
    assert isinstance(found, OutputPlan)  # noqa: S101  # put there under this key
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
