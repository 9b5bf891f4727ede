"""Compiles operators: arithmetic, comparisons, AND and OR.

Source: "Operators (Transact-SQL)", https://learn.microsoft.com/sql/t-sql/language-elements/operators-transact-sql
"""

# the texts are built of names of our own
from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.engine import collations, tree, types
from tailrace_standins.sqlserver.engine.compiling.values import ValueCompiler
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.scope import Scope, Typed
from tailrace_standins.sqlserver.engine.type_rules import arithmetic, as_decimal, common, concatenated
from tailrace_standins.sqlserver.engine.types import BOOLEAN, NULL, family
from tailrace_standins.sqlserver.values import SqlType

_COMPARISONS: Final = frozenset(("=", "<>", "<", "<=", ">", ">="))


class OperatorCompiler(ValueCompiler):
    """Compiles operators."""

    def _unary(self, node: tree.Unary, scope: Scope) -> Typed:
        if node.operator == "NOT":
            return Typed(f"(NOT {self.condition(node.operand, scope)})", BOOLEAN)
        operand = self.value(node.operand, scope)
        if node.operator == "~":
            return Typed(
                f"(~{operand.sql})" if operand.type.name != "bit" else f"(1-{operand.sql})",
                operand.type,
                operand.nullable,
            )
        if family(operand.type) == "decimal":
            return Typed(
                f"dec('-','p00',{operand.sql},{operand.type.precision},{operand.type.scale})",
                operand.type,
                operand.nullable,
            )
        return Typed(f"(-{operand.sql})", operand.type, operand.nullable)

    def _binary(self, node: tree.Binary, scope: Scope) -> Typed:
        if node.operator in {"AND", "OR"}:
            return Typed(
                f"({self.condition(node.left, scope)} {node.operator} {self.condition(node.right, scope)})", BOOLEAN
            )
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if node.operator in _COMPARISONS:
            return Typed(self.compared(node.operator, left, right), BOOLEAN)
        return self._computed(node.operator, left, right)

    def aligned(self, left: Typed, right: Typed) -> tuple[Typed, Typed]:
        """Both as values of the type that wins."""
        if left.type.name == "sql_variant" and right.type.name not in {"sql_variant", "null"}:
            return self.converted(left, right.type), right
        if right.type.name == "sql_variant" and left.type.name not in {"sql_variant", "null"}:
            return left, self.converted(right, left.type)
        of = common(left.type, right.type)
        if family(left.type) == family(right.type) == "binary":
            return self._padded(left, right)
        if family(of) == "text" and family(left.type) == family(right.type):
            return left, right
        return self._widened(left, of), self._widened(right, of)

    def _padded(self, left: Typed, right: Typed) -> tuple[Typed, Typed]:
        """Bytes compare as if the shorter ended in zeros: a literal is filled up, or both lose theirs."""
        for value, other in ((left, right), (right, left)):
            if not value.sql.startswith("x'"):
                continue
            if other.type.name == "binary" and value.type.length < other.type.length:
                filled = self.converted(value, other.type)
                return (filled, other) if value is left else (other, filled)
            if value.sql.endswith("00'"):
                stripped = [Typed(f"without_zeros({side.sql})", side.type, side.nullable) for side in (left, right)]
                return stripped[0], stripped[1]
        return left, right

    def _widened(self, value: Typed, of: SqlType) -> Typed:
        kind = family(value.type)
        if kind == family(of) and kind in {"int", "float", "decimal", "datetime", "offset", "time", "date", "guid"}:
            return value  # one form for all of the family
        return self.converted(value, of)

    def compared(self, operator: str, left: Typed, right: Typed) -> str:
        """A comparison under the collation of its operands."""
        a, b = self.aligned(left, right)
        return f"({a.sql}{self.collation(a, b)} {operator} {b.sql})"

    @staticmethod
    def collation(a: Typed, b: Typed) -> str:
        """` COLLATE …` for two values: a column's wins over a constant's."""
        chosen = b if a.is_constant and not b.is_constant else a
        return collations.suffix(chosen.type if chosen.type.name != "null" else (a if chosen is b else b).type)

    def _computed(self, operator: str, left: Typed, right: Typed) -> Typed:
        nullable = left.nullable or right.nullable
        kinds = {family(left.type), family(right.type)}
        if operator in {"&", "|", "^"}:
            of = common(left.type, right.type)
            a, b = self.converted(left, of), self.converted(right, of)
            sql = f"({a.sql} {operator} {b.sql})" if operator != "^" else f"(({a.sql} | {b.sql}) - ({a.sql} & {b.sql}))"
            return Typed(sql, of, nullable)
        if operator == "+" and kinds <= {"text", "null"}:
            return Typed(f"({left.sql} || {right.sql})", concatenated(left.type, right.type), nullable)
        if operator == "+" and kinds <= {"binary", "null"}:
            return Typed(
                f"CAST({left.sql} || {right.sql} AS BLOB)", concatenated(left.type, right.type), nullable
            )
        if kinds & {"datetime", "date", "offset", "time"}:
            return self._moved(operator, left, right, nullable=nullable)
        return self._number(operator, left, right, nullable=nullable)

    def _moved(self, operator: str, left: Typed, right: Typed, *, nullable: bool) -> Typed:
        if (
            left.type.name in {"datetime", "smalldatetime"}
            and right.type.name in {"int", "smallint", "tinyint", "bigint"}
            and operator in "+-"
        ):
            return Typed(
                f"dateadd('day',{'-' if operator == '-' else ''}{right.sql},{left.sql},'{left.type.name}')",
                left.type,
                nullable,
            )
        raise error(402, left.type.name, right.type.name, {"+": "add", "-": "subtract"}.get(operator, operator))

    def _number(self, operator: str, left: Typed, right: Typed, *, nullable: bool) -> Typed:
        of = common(left.type, right.type)
        if of.name == "null":
            of = types.INT
        if not types.is_number(of):
            raise error(
                402,
                left.type.name,
                right.type.name,
                {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}.get(operator, operator),
            )
        for side in (left, right):
            if side.type.name != "null" and not types.is_number(side.type) and not types.is_text(side.type):
                raise error(402, left.type.name, right.type.name, operator)
        left, right = (self.converted(side, of) if types.is_text(side.type) else side for side in (left, right))
        of = arithmetic(
            operator, left.type if left.type != NULL else of, right.type if right.type != NULL else of
        )
        if family(of) == "decimal":
            a, b = (
                side if family(side.type) in {"decimal", "null"} else self.converted(side, as_decimal(side.type))
                for side in (left, right)
            )
            return Typed(f"dec('{operator}',{a.sql},{b.sql},{of.precision},{of.scale})", of, nullable)
        if family(of) == "float":
            a, b = self.converted(left, of), self.converted(right, of)
            return Typed(
                f"flo('{operator}',{a.sql},{b.sql})" if operator in "/%" else f"({a.sql} {operator} {b.sql})",
                of,
                nullable,
            )
        return Typed(f"num('{operator}',{left.sql},{right.sql},'{of.name}')", of, nullable)
