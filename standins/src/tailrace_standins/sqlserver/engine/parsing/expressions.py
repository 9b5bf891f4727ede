"""Parses expressions.

Source: "Operator precedence (Transact-SQL)",
https://learn.microsoft.com/sql/t-sql/language-elements/operator-precedence-transact-sql
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.errors import unsupported
from tailrace_standins.sqlserver.engine.parsing.operands import OperandReader
from tailrace_standins.sqlserver.engine.tree import Expression

_COMPARISONS: Final = {
    "=": "=",
    "<>": "<>",
    "!=": "<>",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "!<": ">=",
    "!>": "<=",
}
_SUMS: Final = frozenset("+-&^|")
_PRODUCTS: Final = frozenset("*/%")


class ExpressionReader(OperandReader):
    """Reads expressions."""

    def expression(self) -> Expression:
        """A value or a condition."""
        left = self._and()
        while self.accept("OR"):
            left = tree.Binary("OR", left, self._and())
        return left

    def _and(self) -> Expression:
        left = self._not()
        while self.accept("AND"):
            left = tree.Binary("AND", left, self._not())
        return left

    def _not(self) -> Expression:
        if self.accept("NOT"):
            return tree.Unary("NOT", self._not())
        return self._predicate()

    def _predicate(self) -> Expression:
        if self.at("EXISTS", "("):
            self.expect("EXISTS", "(")
            query = self.query()
            self.expect(")")
            return tree.Exists(query)
        left = self._sum()
        while True:
            operator = _COMPARISONS.get(self.token.key)
            if operator:
                self.advance()
                if self.at_any("ALL", "ANY", "SOME"):
                    raise unsupported(f"{self.token.key} before a subquery")
                left = tree.Binary(operator, left, self._sum())
            elif self.accept("IS"):
                negated = self.accept("NOT")
                self.expect("NULL")
                left = tree.IsNull(left, negated)
            elif self.at_any("LIKE", "BETWEEN", "IN") or (
                self.at("NOT") and self.ahead().key in {"LIKE", "BETWEEN", "IN"}
            ):
                left = self._membership(left, negated=self.accept("NOT"))
            else:
                return left

    def _membership(self, left: Expression, *, negated: bool) -> Expression:
        if self.accept("LIKE"):
            pattern = self._sum()
            return tree.Like(left, pattern, self._sum() if self.accept("ESCAPE") else None, negated)
        if self.accept("BETWEEN"):
            low = self._sum()
            self.expect("AND")
            return tree.Between(left, low, self._sum(), negated)
        self.expect("IN", "(")
        among: list[Expression] | tree.Query
        among = self.query() if self.at_any("SELECT", "WITH") else self.expressions()
        self.expect(")")
        return tree.In(left, among, negated)

    def _sum(self) -> Expression:
        left = self._product()
        while self.token.kind == "operator" and self.token.key in _SUMS:
            left = tree.Binary(self.advance().key, left, self._product())
        return left

    def _product(self) -> Expression:
        left = self._unary()
        while self.token.kind == "operator" and self.token.key in _PRODUCTS:
            left = tree.Binary(self.advance().key, left, self._unary())
        return left
