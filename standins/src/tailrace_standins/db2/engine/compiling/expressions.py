"""Compiles expressions and conditions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Final

from tailrace_standins.db2.engine import functions, tree, types
from tailrace_standins.db2.engine.catalog import Database, Table
from tailrace_standins.db2.engine.compiling import calls
from tailrace_standins.db2.engine.compiling.scope import Scope, Typed, collation
from tailrace_standins.db2.engine.convert import encoded
from tailrace_standins.db2.engine.durations import DATE_DURATION, TIME_DURATION
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import SqlType
from tailrace_standins.storage.real_literals import real_literal

_REGISTERS: Final = {
    "DATE": types.DATE, "TIME": types.TIME, "TIMESTAMP": types.TIMESTAMP, "SERVER": types.varchar(18),
    "SCHEMA": types.varchar(128),
    "SQLID": types.varchar(128), "USER": types.varchar(128), "ISOLATION": SqlType("char", length=2),
    "PATH": types.varchar(2048),
    "TIMEZONE": SqlType("decimal", precision=6), "LOCK TIMEOUT": types.INTEGER,
}  # fmt: skip


class Expressions(ABC):
    """Compiles expressions in scopes.

    Args:
        database: whose tables are meant.
        schema: of names without one.
        functions_of: the stand-in's own functions by name, such as those that control capturing.

    """

    def __init__(self, database: Database, schema: str, functions_of: dict[tuple[str, str], Any]) -> None:
        self.database = database
        self.schema = schema
        self.functions_of = functions_of
        self.parameters: dict[int, SqlType] = {}
        self.tables: list[Table] = []
        self.views: list[str] = []
        self.registers: list[str] = []

    @abstractmethod
    def subquery(self, query: tree.Query, scope: Scope) -> tuple[str, list[Typed]]:
        """A query within an expression: SQLite's text and the columns."""

    def value(self, node: tree.Expression, scope: Scope, wanted: SqlType | None = None) -> Typed:
        """An expression; `wanted` is the type for a parameter marker that has no other."""
        compiled = getattr(self, f"_{type(node).__name__.lower()}")(node, scope)
        assert isinstance(compiled, Typed)  # noqa: S101  # what the methods return
        return self.typed(compiled, wanted) if wanted is not None else compiled

    def typed(self, value: Typed, wanted: SqlType) -> Typed:
        """A parameter marker gets the type, unless it has one."""
        if value.parameter is None:
            return value
        self.parameters.setdefault(value.parameter, wanted)
        return replace(value, type=self.parameters[value.parameter], parameter=None)

    def cast(self, value: Typed, target: SqlType) -> Typed:
        """A value as another type."""
        value = self.typed(value, target)
        if value.type == target or (value.type is not None and value.type.name in types.WHOLE and target.name in types.WHOLE
                                    and types.WHOLE.index(value.type.name) <= types.WHOLE.index(target.name)):  # fmt: skip
            return replace(value, type=target)
        return Typed(self._converted(value, target), target, value.nullable, value.name)

    def _converted(self, value: Typed, target: SqlType) -> str:
        """The text of a conversion: of texts that need none but other types, SQLite makes it by itself, and fast."""
        source = value.type
        is_text = source is not None and source.name in {"char", "varchar"} and target.name == "varchar"
        if source is not None and is_text and source.length <= target.length and (target.bit_data or not source.bit_data):
            return value.sql if target.bit_data == source.bit_data else f"CAST({value.sql} AS BLOB)"
        return f"converted({value.sql}, '{functions.key(source)}', '{functions.key(target)}')"

    def _literal(self, node: tree.Literal, _: Scope) -> Typed:
        if node.value is None or node.type is None:
            return Typed(
                "NULL" if node.value is None else str(node.value), None if node.value is None else types.INTEGER
            )
        value = encoded(node.value, node.type)
        if isinstance(value, bytes):
            return Typed(f"x'{value.hex()}'", node.type, nullable=False)
        if isinstance(value, str):
            return Typed("'" + value.replace("'", "''") + "'", node.type, nullable=False)
        text = real_literal(value) if isinstance(value, float) else repr(value)
        return Typed(text, node.type, nullable=False)

    def _parameter(self, node: tree.Parameter, _: Scope) -> Typed:
        return Typed(f":p{node.number}", self.parameters.get(node.number), parameter=node.number)

    def _column(self, node: tree.Column, scope: Scope) -> Typed:
        return replace(scope.find(node.names), name=node.names[-1])

    def _special(self, node: tree.Special, scope: Scope) -> Typed:
        name, _, scale = node.name.partition(" ") if node.name.startswith("TIMESTAMP ") else (node.name, "", "")
        if name == "DEFAULT":
            return self._column(tree.Column((name,)), scope)  # SYSCAT.COLUMNS has a column of this name
        if name not in self.registers:
            self.registers.append(name)
        found = Typed(f":r_{name.replace(' ', '_').lower()}", _REGISTERS[name], nullable=False)
        return self.cast(found, SqlType("timestamp", scale=int(scale))) if scale else found

    def _unary(self, node: tree.Unary, scope: Scope) -> Typed:
        value = self.value(node.operand, scope)
        if node.operator == "NOT":
            return Typed(f"(NOT {value.sql})", types.BOOLEAN, value.nullable)
        value = self.typed(value, types.DOUBLE)
        if not types.is_number(value.type):
            raise SqlError(-402, "42819", node.operator)
        if node.operator == "+" or value.type is None:
            return value
        if types.is_exact(value.type):
            return Typed(
                f"calculated('-', '0', {value.sql}, '{functions.key(value.type)}')", value.type, value.nullable
            )
        return Typed(f"(-{value.sql})", value.type, value.nullable)

    def _binary(self, node: tree.Binary, scope: Scope) -> Typed:
        operator = node.operator
        if operator in {"AND", "OR"}:
            left, right = self.value(node.left, scope), self.value(node.right, scope)
            return Typed(f"({left.sql} {operator} {right.sql})", types.BOOLEAN)
        if isinstance(node.right, tree.Duration):
            return self._moved(operator, self.value(node.left, scope, types.TIMESTAMP), node.right, scope)
        if isinstance(node.left, tree.RowValue) and isinstance(node.right, tree.RowValue):
            return self._rows_compared(operator, node.left.values, node.right.values, scope)
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if operator == "||":
            return self.concatenated(left, right)
        if operator in {"+", "-", "*", "/"}:
            return self._calculated(operator, left, right)
        return self.compared(operator, left, right)

    def _rows_compared(
        self, operator: str, left: tuple[tree.Expression, ...], right: tuple[tree.Expression, ...], scope: Scope
    ) -> Typed:
        if len(left) != len(right):
            raise SqlError(-216, "428C4")
        a, b = self.value(left[0], scope), self.value(right[0], scope)
        first = self.compared(operator, a, b)
        if len(left) == 1:
            return first
        rest = self._rows_compared(operator, left[1:], right[1:], scope)
        same = self.compared("=", a, b)
        if operator in {"=", "<>"}:
            return Typed(f"({first.sql} {'AND' if operator == '=' else 'OR'} {rest.sql})", types.BOOLEAN)
        strict = self.compared(operator[0], a, b)
        return Typed(f"({strict.sql} OR ({same.sql} AND {rest.sql}))", types.BOOLEAN)

    def _moved(self, operator: str, value: Typed, by: tree.Duration, scope: Scope) -> Typed:
        """A date, time or timestamp and a labelled duration."""
        if value.type is None or not types.is_temporal(value.type):
            raise SqlError(-182, "42816")
        amount = self.value(by.amount, scope, types.INTEGER)
        sign = "" if operator == "+" else "-"
        return Typed(
            f"moved({value.sql}, '{by.unit}', {sign}({amount.sql}), '{functions.key(value.type)}')", value.type
        )

    def concatenated(self, left: Typed, right: Typed) -> Typed:
        """Text or bytes, one behind the other."""
        text = types.varchar(254)
        left, right = self.typed(left, text), self.typed(right, text)
        of = types.common(left.type, right.type) or text
        if not (types.is_text(of) or types.is_binary(of)):
            raise SqlError(-440, "42884", "||", "FUNCTION")
        size = (left.type.length if left.type else 0) + (right.type.length if right.type else 0)
        name = {"char": "varchar", "graphic": "vargraphic", "binary": "varbinary"}.get(of.name, of.name)
        joined = f"joined({left.sql}, {right.sql})" if types.is_binary(of) else f"({left.sql} || {right.sql})"
        return Typed(joined, replace(of, name=name, length=size), left.nullable or right.nullable)

    def _calculated(self, operator: str, left: Typed, right: Typed) -> Typed:
        left, right = self.typed(left, right.type or types.DOUBLE), self.typed(right, left.type or types.DOUBLE)
        if left.type is None or right.type is None:
            return Typed("NULL", left.type or right.type)
        if types.is_temporal(left.type) or types.is_temporal(right.type):
            return self._durations(operator, left, right)
        left = self.cast(left, types.DECFLOAT) if types.is_text(left.type) else left
        right = self.cast(right, types.DECFLOAT) if types.is_text(right.type) else right
        if not (types.is_number(left.type) and types.is_number(right.type)) or left.type is None or right.type is None:
            raise SqlError(-402, "42819", operator)
        of = types.arithmetic(operator, left.type, right.type)
        nullable = left.nullable or right.nullable
        if types.is_exact(of):
            return Typed(f"calculated('{operator}', {left.sql}, {right.sql}, '{functions.key(of)}')", of, nullable)
        if of.name in types.FLOATS:
            a, b = (f"CAST({each.sql} AS REAL)" for each in (left, right))
            return Typed(f"(divided({a}, {b}))" if operator == "/" else f"({a} {operator} {b})", of, nullable)
        sql = f"divided({left.sql}, {right.sql})" if operator == "/" else f"({left.sql} {operator} {right.sql})"
        return Typed(sql, of, nullable)

    def _durations(self, operator: str, left: Typed, right: Typed) -> Typed:
        """A date, time or timestamp and a duration, or the duration between two; raises `SqlError` -182."""
        if operator == "+" and not types.is_temporal(left.type):
            left, right = right, left
        a, b, nullable = left.type, right.type, left.nullable or right.nullable
        if operator not in {"+", "-"} or a is None or b is None or not types.is_temporal(a):
            raise SqlError(-182, "42816")
        if b.name == "decimal":
            sign, digits = (1 if operator == "+" else -1), b.precision - b.scale
            return Typed(f"by_duration({left.sql}, {sign}, {right.sql}, '{functions.key(a)}', {digits})", a, nullable)
        if operator == "+" or not (types.is_temporal(b) or types.is_text(b)):
            raise SqlError(-182, "42816")
        of = SqlType("timestamp", scale=6) if "timestamp" in {a.name, b.name} else a
        x, y = self.cast(left, of).sql, self.cast(right, of).sql
        result = {"date": DATE_DURATION, "time": TIME_DURATION}.get(of.name, SqlType("decimal", precision=20, scale=6))
        return Typed(f"duration({x}, {y}, '{functions.key(of)}')", result, nullable)

    def compared(self, operator: str, left: Typed, right: Typed) -> Typed:
        """A comparison, by the rules of the operands' types; raises `SqlError` -401, -418."""
        if left.parameter is not None and right.parameter is not None:
            raise SqlError(-418, "42610")
        left = self.typed(left, right.type) if right.type is not None else left
        right = self.typed(right, left.type) if left.type is not None else right
        a, b = left.type, right.type
        nullable = (left.nullable or right.nullable) and operator not in {"IS", "IS NOT"}
        if a is None or b is None or a == b:
            return Typed(f"({left.sql} {operator} {right.sql}{collation(a or b)})", types.BOOLEAN, nullable)
        if types.is_number(a) or types.is_number(b):
            return self._numbers(operator, left, right)
        if types.is_binary(a) or types.is_binary(b):
            if types.is_temporal(a) or types.is_temporal(b):
                raise SqlError(-401, "42818", operator)
            x, y = (each.sql if types.is_binary(each.type) else f"CAST({each.sql} AS BLOB)" for each in (left, right))
            return Typed(f"({x} {operator} {y})", types.BOOLEAN, nullable)
        if types.is_text(a) and types.is_text(b):
            return Typed(f"({left.sql} {operator} {right.sql} COLLATE RTRIM)", types.BOOLEAN, nullable)
        if "boolean" in {a.name, b.name}:
            left, right = self.cast(left, types.BOOLEAN), self.cast(right, types.BOOLEAN)
            return Typed(f"({left.sql} {operator} {right.sql})", types.BOOLEAN, nullable)
        of = types.common(a, b)
        assert of is not None  # noqa: S101  # both have a type
        return Typed(f"({self.cast(left, of).sql} {operator} {self.cast(right, of).sql})", types.BOOLEAN, nullable)

    def _numbers(self, operator: str, left: Typed, right: Typed) -> Typed:
        if (
            types.is_temporal(left.type)
            or types.is_temporal(right.type)
            or types.is_binary(left.type)
            or types.is_binary(right.type)
        ):
            raise SqlError(-401, "42818", operator)
        if not (types.is_number(left.type) and types.is_number(right.type)):
            left, right = self.cast(left, types.DECFLOAT), self.cast(right, types.DECFLOAT)
        assert left.type is not None  # noqa: S101  # numbers
        assert right.type is not None  # noqa: S101
        exact = types.is_exact(left.type) or types.is_exact(right.type)
        if exact and not {left.type.name, right.type.name} & set(types.FLOATS):
            return Typed(
                f"(CAST({left.sql} AS TEXT) {operator} CAST({right.sql} AS TEXT) COLLATE EXACT)", types.BOOLEAN
            )
        if exact:
            return Typed(f"(CAST({left.sql} AS REAL) {operator} CAST({right.sql} AS REAL))", types.BOOLEAN)
        return Typed(f"({left.sql} {operator} {right.sql})", types.BOOLEAN)

    def _cast(self, node: tree.Cast, scope: Scope) -> Typed:
        value = self.value(node.operand, scope, node.type)
        return replace(self.cast(value, node.type), name="")

    def _case(self, node: tree.Case, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope) if node.operand is not None else None
        tests = []
        for when, _ in node.whens:
            test = self.value(when, scope)
            tests.append(self.compared("=", operand, test).sql if operand is not None else test.sql)
        branches = [self.value(then, scope) for _, then in node.whens]
        if node.otherwise is not None:
            branches.append(self.value(node.otherwise, scope))
        branches = self.unified(branches)
        parts = [f" WHEN {test} THEN {then.sql}" for test, then in zip(tests, branches, strict=False)]
        otherwise = f" ELSE {branches[-1].sql}" if node.otherwise is not None else ""
        nullable = node.otherwise is None or any(branch.nullable for branch in branches)
        return Typed(f"(CASE{''.join(parts)}{otherwise} END)", branches[0].type, nullable)

    def unified(self, values: list[Typed]) -> list[Typed]:
        """Values as their common type."""
        of: SqlType | None = None
        for value in values:
            of = types.common(of, value.type)
        if of is None:
            return values
        return [value if value.type is None and value.parameter is None else self.cast(value, of) for value in values] \
            if any(value.type != of for value in values) else values  # fmt: skip

    def _in(self, node: tree.In, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope)
        word = "NOT IN" if node.negated else "IN"
        if isinstance(node.values, tree.Query):
            sql, columns = self.subquery(node.values, scope)
            if len(columns) != 1:
                raise SqlError(-412, "42823")
            return Typed(f"({operand.sql} {word} ({sql}))", types.BOOLEAN)
        tests = [self.compared("=", operand, self.value(each, scope)).sql for each in node.values]
        return Typed(f"({'NOT ' if node.negated else ''}({' OR '.join(tests)}))", types.BOOLEAN)

    def _between(self, node: tree.Between, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope)
        low = self.compared(">=", operand, self.value(node.low, scope))
        high = self.compared("<=", operand, self.value(node.high, scope))
        return Typed(f"({'NOT ' if node.negated else ''}({low.sql} AND {high.sql}))", types.BOOLEAN)

    def _like(self, node: tree.Like, scope: Scope) -> Typed:
        text = types.varchar(4000)
        operand, pattern = self.value(node.operand, scope, text), self.value(node.pattern, scope, text)
        escape = f" ESCAPE {self.value(node.escape, scope, text).sql}" if node.escape is not None else ""
        return Typed(f"({operand.sql} {'NOT ' if node.negated else ''}LIKE {pattern.sql}{escape})", types.BOOLEAN)

    def _isnull(self, node: tree.IsNull, scope: Scope) -> Typed:
        operand = self.value(node.operand, scope)
        return Typed(f"({operand.sql} IS {'NOT ' if node.negated else ''}NULL)", types.BOOLEAN, nullable=False)

    def _exists(self, node: tree.Exists, scope: Scope) -> Typed:
        return Typed(f"EXISTS ({self.subquery(node.query, scope)[0]})", types.BOOLEAN, nullable=False)

    def _scalar(self, node: tree.Scalar, scope: Scope) -> Typed:
        sql, columns = self.subquery(node.query, scope)
        if len(columns) != 1:
            raise SqlError(-412, "42823")
        return Typed(f"({sql})", columns[0].type)

    def _call(self, node: tree.Call, scope: Scope) -> Typed:
        if len(node.names) == 2 and node.names in self.functions_of:
            arguments = ", ".join(self.value(each, scope, types.varchar(4000)).sql for each in node.arguments)
            return Typed(
                f"own('{'.'.join(node.names)}'{', ' if arguments else ''}{arguments})", SqlType("clob", length=1 << 20)
            )
        return calls.called(self, node, scope)
