"""Running INSERT, UPDATE, DELETE and SELECT INTO.

Source: "Data manipulation language", https://learn.microsoft.com/sql/t-sql/queries/queries
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tailrace.standin.sqlserver.engine import (
    calls,
    convert,
    ddl,
    dml_plans,
    keys,
    reading,
    stored,
    tree,
    types,
    versions,
)
from tailrace.standin.sqlserver.engine.catalog import Table
from tailrace.standin.sqlserver.engine.compile_queries import QueryCompiler
from tailrace.standin.sqlserver.engine.dml_plans import ChangePlan, InsertPlan, OutputPlan
from tailrace.standin.sqlserver.engine.errors import error
from tailrace.standin.sqlserver.engine.log import Operation
from tailrace.standin.sqlserver.engine.scope import Plan
from tailrace.standin.sqlserver.engine.stored import Stored
from tailrace.standin.sqlserver.engine.transactions import Transaction, write
from tailrace.standin.sqlserver.session import Affected, Outcome, ResultColumn, ResultSet
from tailrace.standin.sqlserver.values import SqlType, Value

if TYPE_CHECKING:
    from tailrace.standin.sqlserver.engine.session import EngineSession

Row = list[Stored]


def insert(session: EngineSession, statement: tree.Insert) -> Iterator[Outcome]:
    """INSERT."""
    key = ("insert", session.identity_insert.id if session.identity_insert else 0, *session.plan_key(statement))
    found = statement.plans.get(key)
    if found is None:
        found = statement.plans[key] = dml_plans.insert_plan(session, statement)
    rows = [] if found.plan else _executed(session, statement, found)
    inserted = write_rows(session, found, rows)
    yield from _output(session, statement, found.table, inserted, None)
    yield Affected(len(inserted), "INSERT")


def write_rows(session: EngineSession, plan: InsertPlan, rows: list[Row]) -> list[Row]:
    """The rows of the plan's query, or those given, become versions."""
    values = reading.prepare(session, plan.plan) if plan.plan else {}
    versions.intend(session, plan.table)

    def work(transaction: Transaction) -> list[Row]:
        new = [list(row) for row in session.connection.rows(plan.plan.sql, values)] if plan.plan else rows
        _generate(session, plan, new)
        keys.check_not_null(plan.database, plan.table, new, "INSERT")
        rids = versions.make(session, transaction, plan.table, new)
        keys.check_unique(session, transaction, plan.table, rids, new)
        keys.check_constraints(session, plan.database, plan.table, rids, "INSERT")
        versions.log(transaction, plan.database, plan.table, Operation.INSERT, (), new)
        return new

    return write(session, work)


def _generate(session: EngineSession, plan: InsertPlan, rows: list[Row]) -> None:
    """Identity values and row versions. An identity value is used up also where the statement fails."""
    identities, column = session.engine.identities, plan.table.identity
    if column is not None and column.identity is not None:
        seed, step = column.identity
        if plan.generated is not None:
            for row in rows:
                last = identities.get(plan.table.id)
                row[plan.generated] = convert.converted(
                    seed if last is None else last + step, *_identity_types(column.type)
                )
                identities[plan.table.id] = seed if last is None else last + step
        elif plan.explicit is not None:
            for row in rows:
                given = _whole(row[plan.explicit])
                last = identities.get(plan.table.id)
                if last is None or (given > last if step > 0 else given < last):
                    identities[plan.table.id] = given
        if rows:
            place = plan.generated if plan.generated is not None else plan.explicit
            session.identity = _whole(rows[-1][place]) if place is not None else None
    if plan.version is not None:
        for row in rows:
            row[plan.version] = _next_version(session)


def _identity_types(of: SqlType) -> tuple[SqlType, SqlType]:
    return types.BIGINT, of


def _whole(value: Stored) -> int:
    return int(stored.exact(value)) if isinstance(value, str) else int(value)


def _next_version(session: EngineSession) -> bytes:
    session.engine.rowversion += 1
    return session.engine.rowversion.to_bytes(8, "big")


def _executed(session: EngineSession, statement: tree.Insert, plan: InsertPlan) -> list[Row]:
    """INSERT … EXEC: the rows of all its results."""
    assert isinstance(statement.source, tree.Execute)  # noqa: S101  # the plan has a query otherwise
    places = {column.id: place for place, column in enumerate(plan.table.stored)}
    found: list[Row] = []
    for outcome in calls.execute(session, statement.source):
        if not isinstance(outcome, ResultSet):
            continue
        if len(outcome.columns) != len(plan.targets):
            raise error(213)
        for piece in outcome.pieces:
            assert isinstance(piece, Sequence)  # noqa: S101  # the engine gives values
            for values in piece:
                row: Row = [None] * len(plan.table.stored)
                for value, source, target in zip(values, outcome.columns, plan.targets, strict=True):
                    row[places[target.id]] = convert.converted(
                        stored.encoded(value, source.type), source.type, target.type
                    )
                found.append(row)
    return found


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
    versions.intend(session, table)
    version = next((i for i, column in enumerate(table.stored) if column.type.name == "timestamp"), None)

    def work(transaction: Transaction) -> tuple[list[Row], list[Row], tuple[Stored, ...]]:
        found = _changed_rows(session, plan, values)
        before = [list(row[3 : 3 + width]) for row in found]
        after = [list(old) for old in before]
        for row, new in zip(found, after, strict=True):
            for place, value in zip(plan.assigned, row[3 + width :], strict=False):
                new[place] = value
            if version is not None:
                new[version] = _next_version(session)
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
    yield from _output(session, statement, table, after, before)
    yield Affected(len(after), "UPDATE")


def delete(session: EngineSession, statement: tree.Delete) -> Iterator[Outcome]:
    """DELETE."""
    plan = _change_plan(session, statement)
    table, width = plan.table, len(plan.table.stored)
    values = reading.prepare(session, plan.plan)
    versions.intend(session, table)

    def work(transaction: Transaction) -> list[Row]:
        found = _changed_rows(session, plan, values)
        before = [list(row[3 : 3 + width]) for row in found]
        versions.end(session, transaction, plan.database, table, [(row[0], row[1], row[2]) for row in found])
        keys.check_references(session, plan.database, table, before, "DELETE")
        versions.log(transaction, plan.database, table, Operation.DELETE, before, ())
        return before

    before = write(session, work)
    yield from _output(session, statement, table, None, before)
    yield Affected(len(before), "DELETE")


def _output_plan(
    session: EngineSession, statement: tree.Insert | tree.Update | tree.Delete, table: Table
) -> OutputPlan:
    key = ("output", *session.plan_key(statement))
    found = statement.plans.get(key)
    if found is None:
        inserted, deleted = not isinstance(statement, tree.Delete), not isinstance(statement, tree.Insert)
        found = statement.plans[key] = dml_plans.output_plan(
            session, table, statement.output, inserted=inserted, deleted=deleted
        )
    assert isinstance(found, OutputPlan)  # noqa: S101  # put there under this key
    return found


def output_columns(
    session: EngineSession, statement: tree.Insert | tree.Update | tree.Delete
) -> tuple[ResultColumn, ...]:
    """The columns of OUTPUT."""
    if isinstance(statement, tree.Insert):
        return _output_plan(session, statement, dml_plans.insert_plan(session, statement).table).columns
    return _output_plan(session, statement, _change_plan(session, statement).table).columns


def _output(
    session: EngineSession,
    statement: tree.Insert | tree.Update | tree.Delete,
    table: Table,
    after: list[Row] | None,
    before: list[Row] | None,
) -> Iterator[Outcome]:
    if not statement.output:
        return
    plan = _output_plan(session, statement, table)
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
