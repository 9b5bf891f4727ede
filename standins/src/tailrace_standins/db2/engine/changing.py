"""INSERT, UPDATE, DELETE, TRUNCATE.

Source: IBM Db2 documentation, "INSERT", "UPDATE", "DELETE", "TRUNCATE" (SQL reference)
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tailrace_standins.db2.engine import convert, parsing, system, tree, types
from tailrace_standins.db2.engine.catalog import SPACE, Column, Index, Table
from tailrace_standins.db2.engine.compiling.queries import Queries
from tailrace_standins.db2.engine.compiling.scope import Plan, Scope, Typed, collation
from tailrace_standins.db2.engine.locks import INTENT_EXCLUSIVE
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import SqlType
from tailrace_standins.storage import versions
from tailrace_standins.storage.locks import EXCLUSIVE
from tailrace_standins.storage.log import Operation
from tailrace_standins.storage.sessions import Stored
from tailrace_standins.storage.transactions import write
from tailrace_standins.storage.visibility import COLUMNS, LIVE
from tailrace_standins.storage.waiting import lock, row_blocker

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.log import Transaction
    from tailrace_standins.db2.engine.session import EngineSession


_DEFAULT: Final = tree.Special("DEFAULT")


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """A compiled change: the rows to be written or changed, and which columns they assign."""

    kind: str
    table: Table
    plan: Plan
    targets: tuple[Column, ...] = ()
    types_of: tuple[SqlType | None, ...] = ()
    defaulted: tuple[tuple[int, int], ...] = ()


def insert_plan(compiler: Queries, statement: tree.Insert) -> ChangePlan:
    """Compile an INSERT; parameter markers of VALUES get the types of their columns."""
    table = compiler.database.find(*compiler.named(statement.names))
    targets = tuple(table.column(name) for name in statement.columns) or table.columns
    body = statement.query.body
    defaulted: list[tuple[int, int]] = []
    if isinstance(body, tree.Values):
        rows = []
        for number, row in enumerate(body.rows):
            if len(row) != len(targets):
                raise SqlError(-117, "42802")
            defaulted += [(number, place) for place, each in enumerate(row) if each == _DEFAULT]
            rows.append([_given(compiler, each, column) for each, column in zip(row, targets, strict=True)])
        text = "VALUES " + ", ".join(f"({', '.join(value.sql for value in row)})" for row in rows)
        plan = compiler.planned(text, rows[0])
        kinds: tuple[SqlType | None, ...] = tuple(None for _ in targets)
        return ChangePlan("insert", table, plan, targets, kinds, tuple(defaulted))
    plan = compiler.plan(statement.query)
    if len(plan.columns) != len(targets):
        raise SqlError(-117, "42802")
    return ChangePlan("insert", table, plan, targets, tuple(each.type for each in plan.columns))


def _given(compiler: Queries, node: tree.Expression, column: Column) -> Typed:
    """A value of VALUES for its column."""
    if node == _DEFAULT:
        return Typed("NULL", None)
    value = compiler.value(node, Scope(), column.type)
    return compiler.cast(value, column.type) if value.type is not None and _shifts(value.type, column.type) else value


def _shifts(source: SqlType, target: SqlType) -> bool:
    """Whether a value has another form as the target's type that its stored value alone does not tell."""
    return source.name in {"time", "timestamp", "boolean"} and types.is_text(target)


def change_plan(compiler: Queries, statement: tree.Update | tree.Delete) -> ChangePlan:
    """Compile an UPDATE or DELETE."""
    scope = Scope()
    source = compiler.source(statement.table, scope)
    table = compiler.tables[-1]
    name = source.rpartition(" AS ")[2]
    where = f" WHERE {compiler.value(statement.where, scope).sql}" if statement.where is not None else ""
    targets: list[Column] = []
    values: list[Typed] = []
    defaulted: list[tuple[int, int]] = []
    if isinstance(statement, tree.Update):
        for place, (column_name, expression) in enumerate(statement.assignments):
            column = table.column(column_name)
            targets.append(column)
            if expression == _DEFAULT:
                defaulted.append((0, place))
                values.append(Typed("NULL", None))
            else:
                values.append(compiler.value(expression, scope, column.type))
    listed = "".join(f", {name}.c{place}" for place in range(len(table.columns))) + "".join(
        f", {each.sql}" for each in values
    )
    plan = compiler.planned(f"SELECT {name}.rid, {name}.r, {name}.e{listed} FROM {source}{where}", [])
    kind = "update" if isinstance(statement, tree.Update) else "delete"
    return ChangePlan(kind, table, plan, tuple(targets), tuple(each.type for each in values), tuple(defaulted))


def run(session: EngineSession, plan: ChangePlan, values: dict[str, Stored]) -> int:
    """Run a change; the number of rows."""
    lock(session, ("table", plan.table.id), INTENT_EXCLUSIVE, keep=True)
    current = session.database.find(plan.table.schema, plan.table.name)
    if current.id != plan.table.id:
        raise SqlError(-204, "42704", plan.table.name)
    work = {"insert": _insert, "update": _update, "delete": _delete}[plan.kind]
    return write(session, lambda transaction: work(session, plan, values, transaction))


def _insert(session: EngineSession, plan: ChangePlan, values: dict[str, Stored], transaction: Transaction) -> int:
    found = session.visible_rows(plan.plan, values)
    if not found:
        return 0
    given = dict(zip((column.id for column in plan.targets), zip(*found, strict=True), strict=True))
    kinds = {column.id: of for column, of in zip(plan.targets, plan.types_of, strict=True)}
    defaulted: dict[int, set[int]] = {}
    for number, place in plan.defaulted:
        defaulted.setdefault(plan.targets[place].id, set()).add(number)
    columns = []
    for column in plan.table.columns:
        by_default = defaulted.get(column.id, set())
        columns.append(
            _column(session, plan.table, column, given.get(column.id), kinds.get(column.id), by_default, len(found))
        )
    insert_rows(session, transaction, plan.table, list(zip(*columns, strict=True)))
    return len(found)


def _column(
    session: EngineSession,
    table: Table,
    column: Column,
    given: Sequence[Stored] | None,
    of: SqlType | None,
    defaulted: set[int],
    count: int,
) -> Sequence[Stored]:
    """A column of new rows; the rows of `defaulted` say DEFAULT."""
    if given is None:
        return _defaults(session, table, column, count)
    if column.identity is not None and column.identity.always and len(defaulted) < count:
        raise SqlError(-798, "428C9", column.name)
    convert_one = convert.assigner(of, column.type)
    made = list(given) if convert_one is None else list(map(convert_one, given))
    for number, value in zip(sorted(defaulted), _defaults(session, table, column, len(defaulted)), strict=True):
        made[number] = value
    return made


def _defaults(session: EngineSession, table: Table, column: Column, count: int) -> Sequence[Stored]:
    """Values for rows that do not give one: of an identity column a new one each."""
    if column.identity is not None:
        return [default_value(session, table, column) for _ in range(count)]
    return [default_value(session, table, column)] * count if count else []


def insert_rows(
    session: EngineSession, transaction: Transaction, table: Table, rows: Sequence[Sequence[Stored]]
) -> None:
    """Write rows that are complete: the checks, the versions, the log."""
    rows = _generated(session, table, rows)
    _check_not_null(table, rows)
    rids = versions.make(session, transaction, table, rows)
    _check_unique(session, transaction, table, rids)
    versions.log(transaction, session.database, table, Operation.INSERT, (), rows)


def _update(session: EngineSession, plan: ChangePlan, values: dict[str, Stored], transaction: Transaction) -> int:
    table, width = plan.table, len(plan.table.columns)
    found = session.visible_rows(plan.plan, values)
    before = [list(row[3 : 3 + width]) for row in found]
    after = [list(row) for row in before]
    places = {column.id: place for place, column in enumerate(table.columns)}
    defaulted = {place for _, place in plan.defaulted}
    for row, new in zip(found, after, strict=True):
        for place, (column, of) in enumerate(zip(plan.targets, plan.types_of, strict=True)):
            if place in defaulted:
                new[places[column.id]] = default_value(session, table, column)
            else:
                new[places[column.id]] = convert.converted(row[3 + width + place], of, column.type, assigned=True)
    after = [list(row) for row in _generated(session, table, after)]
    _check_not_null(table, after)
    versions.end(session, transaction, session.database, table, [(row[0], row[1], row[2]) for row in found])
    rids = versions.make(session, transaction, table, after, [row[1] for row in found])
    _check_unique(session, transaction, table, rids)
    versions.log(transaction, session.database, table, Operation.UPDATE, before, after)
    return len(after)


def _delete(session: EngineSession, plan: ChangePlan, values: dict[str, Stored], transaction: Transaction) -> int:
    found = session.visible_rows(plan.plan, values)
    before = [list(row[3 : 3 + len(plan.table.columns)]) for row in found]
    versions.end(session, transaction, session.database, plan.table, [(row[0], row[1], row[2]) for row in found])
    versions.log(transaction, session.database, plan.table, Operation.DELETE, before, ())
    return len(before)


def truncate(session: EngineSession, table: Table) -> None:
    """TRUNCATE: no rows are logged; raises `SqlError` -668 where changes are captured, as they would be missed."""
    if table.captured:
        raise SqlError(-668, "57007", "10", f"{table.schema}.{table.name}")
    lock(session, ("table", table.id), EXCLUSIVE, keep=True)
    write(session, lambda transaction: versions.end_all(session, transaction, table))


def default_value(session: EngineSession, table: Table, column: Column) -> Stored:
    """The value of a column that a row does not give."""
    if column.identity is not None:
        key = (table.id, column.id)
        last = session.database.identities.get(key)
        number = column.identity.start if last is None else last + column.identity.step
        session.database.identities[key] = number
        return convert.converted(number, types.BIGINT, column.type)
    if column.generated or (text := system.default_text(column)) is None:
        return None
    return session.evaluated(parsing.expression(text), column.type)


def _generated(session: EngineSession, table: Table, rows: Sequence[Sequence[Stored]]) -> Sequence[Sequence[Stored]]:
    """Compute the columns GENERATED ALWAYS AS (expression)."""
    computed = [(place, column) for place, column in enumerate(table.columns) if column.generated]
    if not computed:
        return rows
    known = [
        (column.name, Typed(f":c{place}", column.type, column.nullable, column.name))
        for place, column in enumerate(table.columns)
    ]
    found = []
    for row in rows:
        new = list(row)
        for place, column in computed:
            given = {f"c{number}": value for number, value in enumerate(row)}
            new[place] = session.evaluated(parsing.expression(column.generated), column.type, known, given)
        found.append(new)
    return found


def _check_not_null(table: Table, rows: Sequence[Sequence[Stored]]) -> None:
    for place, column in enumerate(table.columns):
        if not column.nullable and any(row[place] is None for row in rows):
            raise null_refused(table, place)


def null_refused(table: Table, place: int) -> SqlError:
    """The error for NULL in a column, by its place, that is NOT NULL."""
    return SqlError(-407, "23502", f"TBSPACEID={SPACE}, TABLEID={table.id}, COLNO={place}")


def _check_unique(session: EngineSession, transaction: Transaction, table: Table, rids: Sequence[int]) -> None:
    for index in table.indexes:
        if index.kind != "D" and rids:
            check_unique(session, transaction, table, index, (rids[0], rids[-1]))


def check_unique(
    session: EngineSession, transaction: Transaction, table: Table, index: Index, rids: tuple[int, int]
) -> None:
    """Raises `SqlError` -803 if one of the versions has a key that another live row has; waits for open ones."""
    same = " AND ".join(
        f"o.c{column} IS n.c{column}{collation(table.by_id(column).type)}" for column, _ in index.columns
    )
    sql = (
        f"SELECT o.b, o.e FROM {table.storage} n CROSS JOIN {table.storage} o ON {same} WHERE n.rid BETWEEN :a AND :z "
        f"AND n.e={LIVE} AND o.rid<>n.rid AND (o.e={LIVE} OR (o.e<0 AND o.e<>:m)) LIMIT 1"
    )
    for b, e in session.connection.rows(sql, {"a": rids[0], "z": rids[1], "m": transaction.mark}):
        if b < 0 and b != transaction.mark:
            raise row_blocker(b)
        if e < 0 and e != transaction.mark:
            raise row_blocker(e)
        raise SqlError(-803, "23505", str(index.id), f"{table.schema}.{table.name}")


def storage_statements(table: Table) -> list[str]:
    """SQLite's statements that make a table."""
    slots = "".join(f", {column.slot}" for column in table.columns)
    return [
        f"CREATE TABLE {table.storage} ({COLUMNS}{slots})",
        *(index_statement(table, index) for index in table.indexes),
    ]


def index_statement(table: Table, index: Index) -> str:
    """SQLite's statement that makes an index. One that is made anew on the same columns finds that of before, which stays."""
    listed = ", ".join(f"c{column}{collation(table.by_id(column).type)}" for column, _ in index.columns)
    name = "_".join(map(str, [table.id, *(column for column, _ in index.columns)]))
    return f"CREATE INDEX IF NOT EXISTS i{name} ON {table.storage} ({listed})"
