"""Compiles T-SQL expressions to SQLite expressions over stored values, each with its T-SQL type.

Source: "Expressions (Transact-SQL)", https://learn.microsoft.com/sql/t-sql/language-elements/expressions-transact-sql
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from tailrace_standins.sqlserver.engine import collations, tree, types
from tailrace_standins.sqlserver.engine.compiling.operators import OperatorCompiler
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.scope import Scope, Typed
from tailrace_standins.sqlserver.engine.type_rules import common
from tailrace_standins.sqlserver.engine.types import BOOLEAN, NULL
from tailrace_standins.sqlserver.values import SqlType


class ExpressionCompiler(OperatorCompiler):
    """Compiles the expressions of one statement; collects the tables that it reads and the variables that it uses."""

    def _isnull(self, node: tree.IsNull, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope)
        return Typed(f"({operand.sql} IS {'NOT ' if node.negated else ''}NULL)", BOOLEAN, nullable=False)

    def _like(self, node: tree.Like, scope: Scope) -> Typed:
        operand, pattern = self.value(node.operand, scope), self.value(node.pattern, scope)
        exact = collations.name(operand.type.collation or "") in {"t_cs", "t_bin"}
        sides = [
            self.converted(side, types.text("nvarchar", -1)) if not types.is_text(side.type) else side
            for side in (operand, pattern)
        ]
        escape = self.value(node.escape, scope).sql if node.escape else "NULL"
        return Typed(
            f"({'NOT ' if node.negated else ''}lik({sides[0].sql},{sides[1].sql},{escape},{int(exact)}))", BOOLEAN
        )

    def _between(self, node: tree.Between, scope: Scope) -> Typed:
        operand, low, high = (self.value(side, scope) for side in (node.operand, node.low, node.high))
        sql = f"({self.compared('>=', operand, low)} AND {self.compared('<=', operand, high)})"
        return Typed(f"(NOT {sql})" if node.negated else sql, BOOLEAN)

    def _in(self, node: tree.In, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope)
        word = "NOT IN" if node.negated else "IN"
        if not isinstance(node.among, list):
            sql, columns = self.subquery(node.among, scope)
            if len(columns) != 1:
                raise error(116)
            a, b = self.aligned(operand, Typed("c0", columns[0].type))
            if b.sql != "c0":
                sql = f"SELECT {b.sql} FROM ({sql})"
            return Typed(f"({a.sql}{self.collation(a, b)} {word} ({sql}))", BOOLEAN)
        sides = [self.aligned(operand, self.value(each, scope)) for each in node.among]
        if len({a.sql for a, _ in sides}) == 1:
            a = sides[0][0]
            return Typed(
                f"({a.sql}{self.collation(a, sides[0][1])} {word} ({','.join(b.sql for _, b in sides)}))", BOOLEAN
            )
        any_of = " OR ".join(f"{a.sql}{self.collation(a, b)} = {b.sql}" for a, b in sides)
        return Typed(f"({'NOT ' if node.negated else ''}({any_of}))", BOOLEAN)

    def _exists(self, node: tree.Exists, scope: Scope) -> Typed:
        sql, _ = self.subquery(node.query, scope)
        return Typed(f"EXISTS ({sql})", BOOLEAN, nullable=False)

    def _scalar(self, node: tree.Scalar, scope: Scope) -> Typed:
        sql, columns = self.subquery(node.query, scope)
        if len(columns) != 1:
            raise error(116)
        if not _is_single(node.query):
            sql = f"SELECT CASE WHEN COUNT(*) > 1 THEN raise_error(512) ELSE MAX(c0) END FROM (SELECT c0 FROM ({sql}) LIMIT 2)"
        return Typed(f"({sql})", columns[0].type)

    def _case(self, node: tree.Case, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope) if node.operand else None
        results = [self.value(result, scope) for _, result in node.branches]
        results.append(self.value(node.otherwise, scope) if node.otherwise else Typed("NULL", NULL))
        of = self.united(results)
        parts = []
        for (condition, _), result in zip(node.branches, results, strict=False):
            when = (
                self.compared("=", operand, self.value(condition, scope))
                if operand
                else self.condition(condition, scope)
            )
            parts.append(f"WHEN {when} THEN {self.converted(result, of).sql}")
        nullable = any(result.nullable for result in results)
        return Typed(f"CASE {' '.join(parts)} ELSE {self.converted(results[-1], of).sql} END", of, nullable)

    @staticmethod
    def united(values: list[Typed]) -> SqlType:
        """The type over all of them."""
        of = NULL
        for value in values:
            of = common(of, value.type)
        return of

    def _cast(self, node: tree.Cast, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope)
        style = 0
        if node.style is not None:
            if not isinstance(node.style, tree.Literal) or not isinstance(node.style.value, int):
                raise unsupported("a style of CONVERT that is no constant")
            style = node.style.value
        return self.converted(operand, node.type, style=style, is_try=node.is_try)

    def _collate(self, node: tree.Collate, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope)
        collation = operand.type.collation if node.collation.lower() == "database_default" else node.collation
        return Typed(
            operand.sql,
            SqlType(operand.type.name, operand.type.length, collation=collation),
            operand.nullable,
            operand.name,
        )

    def _attimezone(self, node: tree.AtTimeZone, scope: Scope) -> Typed:
        operand, zone = self.value(node.operand, scope), self.value(node.zone, scope)
        return Typed(
            f"at_time_zone({operand.sql},{zone.sql})",
            SqlType("datetimeoffset", scale=operand.type.scale),
            operand.nullable,
        )


def _is_single(query: tree.Query) -> bool:
    """Whether the query returns one row at most, by its form."""
    if not isinstance(query, tree.Select):
        return False
    if not query.sources and query.where is None:
        return True
    if isinstance(query.top, tree.Literal) and query.top.value == 1:
        return True
    names = {"COUNT", "COUNT_BIG", "SUM", "AVG", "MIN", "MAX", "STRING_AGG"}
    return not query.group and any(
        isinstance(i.expression, tree.Call) and i.expression.names[-1].upper() in names and not i.expression.window
        for i in query.items
    )
