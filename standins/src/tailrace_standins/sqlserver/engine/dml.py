"""Executes INSERT, UPDATE, DELETE and SELECT INTO.

Source: "Data manipulation language", https://learn.microsoft.com/sql/t-sql/queries/queries
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import calls, convert, ddl, dml_plans, keys, reading, stored, tree
from tailrace_standins.sqlserver.engine.compiling.queries import QueryCompiler
from tailrace_standins.sqlserver.engine.dml_plans import ChangePlan, InsertPlan
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.sqlserver.engine.outputs import output_plan, output_rows
from tailrace_standins.sqlserver.engine.scope import Plan
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.engine.written_rows import Row, intend, next_version, write_rows
from tailrace_standins.sqlserver.session import Affected, Outcome, ResultColumn, ResultSet
from tailrace_standins.storage import versions
from tailrace_standins.storage.log import Operation
from tailrace_standins.storage.transactions import write

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def insert(session: EngineSession, statement: tree.Insert) -> Iterator[Outcome]:
    """INSERT."""
    key = ("insert", session.identity_insert.id if session.identity_insert else 0, *session.plan_key(statement))
    found = statement.plans.get(key)
    if found is None:
        found = statement.plans[key] = dml_plans.insert_plan(session, statement)
    rows = [] if found.plan else _executed(session, statement, found)
    inserted = write_rows(session, found, rows)
    yield from output_rows(session, statement, found.table, inserted, None)
    yield Affected(len(inserted), "INSERT")


def _executed(session: EngineSession, statement: tree.Insert, plan: InsertPlan) -> list[Row]:
    """INSERT … EXEC: the rows of all its results."""
    assert isinstance(statement.source, tree.Execute)  # noqa: S101  # the plan has a query otherwise
    places = {column.id: place for place, column in enumerate(plan.table.stored)}
    found: list[Row] = []
    session.wants_values = True
    try:
        for outcome in calls.execute(session, statement.source):
            if isinstance(outcome, ResultSet):
                found += _inserted(outcome, plan, places)
    finally:
        session.wants_values = False
    return found


def _inserted(result: ResultSet, plan: InsertPlan, places: dict[int, int]) -> Iterator[Row]:
    """The rows of a result as rows of the table."""
    if len(result.columns) != len(plan.targets):
        raise error(213)
    for piece in result.pieces:
        assert isinstance(piece, Sequence)  # noqa: S101  # `wants_values`
        for values in piece:
            row: Row = [None] * len(plan.table.stored)
            for value, source, target in zip(values, result.columns, plan.targets, strict=True):
                row[places[target.id]] = convert.converted(stored.encoded(value, source.type), source.type, target.type)
            yield row


def _changed_rows(session: EngineSession, plan: ChangePlan, values: dict[str, Stored]) -> list[tuple[Stored, ...]]:
    """Each row once, however often FROM joins it."""
    seen: set[int] = set()
    found = []
    for row in session.connection.rows(plan.plan.sql, values):
        if row[0] not in seen:
            seen.add(row[0])
            found.append(row)
    return found


def _change_plan(session: EngineSession, statement: tree.Update | tree.Delete) -> ChangePlan:
    key = ("change", *session.plan_key(statement))
    found = statement.plans.get(key)
    if found is None:
        found = statement.plans[key] = dml_plans.change_plan(session, statement)
    assert isinstance(found, ChangePlan)  # noqa: S101  # put there under this key
    return found


def update(session: EngineSession, statement: tree.Update) -> Iterator[Outcome]:
    """UPDATE."""
    plan = _change_plan(session, statement)
    table, width = plan.table, len(plan.table.stored)
    values = reading.prepare(session, plan.plan)
    intend(session, plan.database, table, "UPDATE")
    version = next((i for i, column in enumerate(table.stored) if column.type.name == "timestamp"), None)

    def work(transaction: Transaction) -> tuple[list[Row], list[Row], tuple[Stored, ...]]:
        found = _changed_rows(session, plan, values)
        before = [list(row[3 : 3 + width]) for row in found]
        after = [list(old) for old in before]
        for row, new in zip(found, after, strict=True):
            for place, value in zip(plan.assigned, row[3 + width :], strict=False):
                new[place] = value
            if version is not None:
                new[version] = next_version(session)
        keys.check_not_null(plan.database, table, after, "UPDATE")
        versions.end(session, transaction, plan.database, table, [(row[0], row[1], row[2]) for row in found])
        rids = versions.make(session, transaction, table, after, [row[1] for row in found])
        keys.check_unique(session, transaction, table, rids, after, before)
        keys.check_constraints(session, plan.database, table, rids, "UPDATE")
        keys.check_references(session, plan.database, table, before, "UPDATE")
        versions.log(transaction, plan.database, table, Operation.UPDATE, before, after)
        return before, after, found[-1] if found else ()

    before, after, last = write(session, work)
    for name, value in zip(plan.variables, last[3 + width + len(plan.assigned) :], strict=False):
        session.values[name] = value
    yield from output_rows(session, statement, table, after, before)
    yield Affected(len(after), "UPDATE")


def delete(session: EngineSession, statement: tree.Delete) -> Iterator[Outcome]:
    """DELETE."""
    plan = _change_plan(session, statement)
    table, width = plan.table, len(plan.table.stored)
    values = reading.prepare(session, plan.plan)
    intend(session, plan.database, table, "DELETE")

    def work(transaction: Transaction) -> list[Row]:
        found = _changed_rows(session, plan, values)
        before = [list(row[3 : 3 + width]) for row in found]
        versions.end(session, transaction, plan.database, table, [(row[0], row[1], row[2]) for row in found])
        keys.check_references(session, plan.database, table, before, "DELETE")
        versions.log(transaction, plan.database, table, Operation.DELETE, before, ())
        return before

    before = write(session, work)
    yield from output_rows(session, statement, table, None, before)
    yield Affected(len(before), "DELETE")


def output_columns(
    session: EngineSession, statement: tree.Insert | tree.Update | tree.Delete
) -> tuple[ResultColumn, ...]:
    """The columns of OUTPUT."""
    if isinstance(statement, tree.Insert):
        return output_plan(session, statement, dml_plans.insert_plan(session, statement).table).columns
    return output_plan(session, statement, _change_plan(session, statement).table).columns


def select_into(session: EngineSession, statement: tree.SelectStatement, query: tree.Select) -> Iterator[Outcome]:
    """SELECT … INTO: a new table with the result's columns; an identity column stays one."""
    into = query.into
    plan: Plan = QueryCompiler(session).plan(replace(query, into=()))
    rows = session.connection.rows(plan.sql, reading.prepare(session, plan))
    definitions = []
    for place, column in enumerate(plan.columns, 1):
        if not column.name:
            raise error(8155, place, into[-1])
        identity = (1, 1) if column.identity else None
        definitions.append(tree.ColumnDefinition(column.name, column.type, nullable=column.nullable, identity=identity))
    list(ddl.create_table(session, tree.CreateTable(into, definitions, [])))
    target = dml_plans.insert_plan(session, tree.Insert(tree.Table(into), (), tree.Execute(into, [])))
    if target.generated is not None:
        target.explicit, target.generated = target.generated, None
    written = write_rows(session, target, [list(row) for row in rows])
    del statement
    yield Affected(len(written), "SELECT INTO")
