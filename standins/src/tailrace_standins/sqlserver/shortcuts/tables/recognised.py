"""Recognises queries of one table that can be answered from its columns.

    SELECT columns FROM t WHERE conditions on integers ORDER BY the columns of its clustered index

with TOP, or OFFSET and FETCH. Without ORDER BY rows are in the order of the clustered index as well. Values are literals or
variables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.catalog import Column, Table
from tailrace_standins.sqlserver.engine.scope import Plan
from tailrace_standins.sqlserver.shortcuts import parts
from tailrace_standins.sqlserver.shortcuts.conditions import Test, UnreadableError, constant, test_of
from tailrace_standins.sqlserver.shortcuts.tables.blocks import Block, comparison

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_WHOLE: Final = frozenset(("bit", "tinyint", "smallint", "int", "bigint"))


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of the result, and the part of it that is selected (`parts`)."""

    column: Column
    part: str = ""


@dataclass(slots=True)
class Request:
    """A query that was recognised.

    Attributes:
        names: qualifiers of the table's columns, in lower case; "" for none.
        test: selects rows; None for all.
        skipped: the number of rows to skip (OFFSET).
        most: the maximum number of rows (TOP, FETCH).

    """

    table: Table
    names: frozenset[str]
    result_columns: list[ResultColumn] = field(default_factory=list)
    test: Test[Block] | None = None
    skipped: int = 0
    most: int | None = None

    def column(self, node: tree.Expression) -> Column:
        """The column that an expression names; raises `UnreadableError`."""
        if isinstance(node, tree.Column) and ".".join(node.names[:-1]).lower() in self.names:
            found = self.table.by_name.get(node.names[-1].lower())
            if found is not None and not found.computed:
                return found
        raise UnreadableError


def recognised(session: EngineSession, query: tree.Select, plan: Plan) -> Request:
    """The request that a query is; raises `UnreadableError`."""
    request = _from(query, plan)
    request.result_columns = [each for item in query.items for each in _result_column(item, request)]
    _check_order(query, request)
    if len(request.result_columns) != len(plan.columns):
        raise UnreadableError
    if query.where is not None:
        request.test = test_of(query.where, lambda node: _number(node, request), comparison, session.values)
    for node in (query.top, query.fetch):
        if node is not None:
            request.most = _count(node, session)
    request.skipped = 0 if query.offset is None else _count(query.offset, session)
    return request


def _from(query: tree.Select, plan: Plan) -> Request:
    if (
        query.distinct or query.group or query.having or query.into or query.common or len(query.sources) != 1
        or len(plan.reads) != 1 or plan.views or plan.checks
    ):  # fmt: skip
        raise UnreadableError
    (source,), (read,) = query.sources, plan.reads
    if not isinstance(source, tree.Table) or read.is_inside_function:
        raise UnreadableError
    whole = (read.database.name.lower(), read.table.schema.lower(), read.table.name.lower())
    named = (source.alias.lower(),) if source.alias else tuple(".".join(whole[at:]) for at in range(len(whole)))
    return Request(read.table, frozenset(("", *named)))


def _result_column(item: tree.Item, request: Request) -> list[ResultColumn]:
    node = item.expression
    if item.variable:
        raise UnreadableError
    if isinstance(node, tree.Star):
        if ".".join(node.names).lower() not in request.names or len(request.table.stored) != len(request.table.columns):
            raise UnreadableError
        return [ResultColumn(column) for column in request.table.stored]
    if isinstance(node, tree.Column):
        return [ResultColumn(request.column(node))]
    part, name = parts.requested_part(node)
    column = request.column(name)
    parts.check(part, column.type)
    return [ResultColumn(column, part)]


def _check_order(query: tree.Select, request: Request) -> None:
    """Raises `UnreadableError` if ORDER BY is not the order of the clustered index."""
    cluster = next((index.columns for index in request.table.indexes if index.clustered), ())
    aliases = {item.alias.lower() for item in query.items if item.alias}
    for item in query.order:
        if isinstance(item.expression, tree.Column) and item.expression.names[-1].lower() in aliases:
            raise UnreadableError
    order = tuple((request.column(item.expression).id, item.descending) for item in query.order)
    if not cluster or (order and order != cluster):
        raise UnreadableError


def _number(node: tree.Expression, request: Request) -> str | None:
    """The name of an integer column, in lower case; None if the expression is none."""
    if not isinstance(node, tree.Column):
        return None
    column = request.column(node)
    return column.name.lower() if column.type.name in _WHOLE else None


def _count(node: tree.Expression, session: EngineSession) -> int:
    value = constant(node, session.values)
    if type(value) is not int or value < 0:
        raise UnreadableError
    return value
