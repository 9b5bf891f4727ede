"""Parses operands: constants, names, calls, CASE, CAST, parentheses.

Source: "Expressions (Transact-SQL)", https://learn.microsoft.com/sql/t-sql/language-elements/expressions-transact-sql
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from tailrace_standins.sqlserver.engine import tree, types
from tailrace_standins.sqlserver.engine.errors import unsupported
from tailrace_standins.sqlserver.engine.parsing.literals import literal, negative
from tailrace_standins.sqlserver.engine.parsing.reader import RESERVED, Reader
from tailrace_standins.sqlserver.engine.tree import Expression

_NILADIC: Final = {"CURRENT_TIMESTAMP", "CURRENT_USER", "SESSION_USER", "SYSTEM_USER", "USER"}
_CALLED: Final = {"LEFT", "RIGHT", "COALESCE", "NULLIF", "CONVERT", "UPDATE", "IF", "INDEX_COL"}


class OperandReader(Reader):
    """Parses operands; its subclasses parse expressions and queries."""

    def query(self) -> tree.Query:
        """A query, given by the reader of queries."""
        raise NotImplementedError

    def expression(self) -> Expression:
        """A value or a condition, given by the reader of expressions."""
        raise NotImplementedError

    def _opens_query(self) -> bool:
        depth = 0
        while self.ahead(depth).key == "(":
            depth += 1
        return self.ahead(depth).key in {"SELECT", "WITH"}

    def expressions(self) -> list[Expression]:
        """`a, b, c`."""
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        return found

    def _unary(self) -> Expression:
        if self.token.kind == "operator" and self.token.key in {"-", "+", "~"}:
            operator = self.advance().key
            operand = self._unary()
            if (
                operator == "-"
                and isinstance(operand, tree.Literal)
                and isinstance(operand.value, int | float | Decimal)
            ):
                return negative(operand)
            return operand if operator == "+" else tree.Unary(operator, operand)
        return self._postfix(self._primary())

    def _postfix(self, left: Expression) -> Expression:
        while True:
            if self.accept("COLLATE"):
                left = tree.Collate(left, self.any_name())
            elif self.accept("AT", "TIME", "ZONE"):
                left = tree.AtTimeZone(left, self._unary())
            else:
                return left

    def _primary(self) -> Expression:
        token = self.token
        if token.kind in {"number", "string", "nstring", "binary", "money"}:
            return literal(self.advance().kind, token.text)
        if token.kind == "variable":
            return tree.Variable(self.advance().text.lower())
        if token.key == "(":
            return self._parenthesised()
        if token.key == "{":
            return self._escaped()
        if token.key == "*":
            self.advance()
            return tree.Star()
        if token.kind == "word":
            return self._word()
        if token.kind == "quoted":
            return self._named()
        raise self.wrong()

    def _parenthesised(self) -> Expression:
        if self._opens_query() and self.ahead().key in {"SELECT", "WITH"}:
            self.expect("(")
            query = self.query()
            self.expect(")")
            return tree.Scalar(query)
        self.expect("(")
        inner = self.expression()
        self.expect(")")
        return inner

    def _escaped(self) -> Expression:
        """ODBC's escapes: {fn f(…)}, {d '…'}, {t '…'}, {ts '…'}, {guid '…'}."""
        self.expect("{")
        kind = self.any_name().lower()
        inner = self.expression()
        self.expect("}")
        of = {"d": types.DATETIME, "t": types.DATETIME, "ts": types.DATETIME, "guid": types.GUID}.get(kind)
        if kind == "fn":
            return inner
        if of is None:
            raise self.wrong()
        return tree.Cast(inner, of)

    def _word(self) -> Expression:
        key = self.token.key
        if key == "NULL":
            self.advance()
            return tree.Literal(None, types.NULL)
        if key == "CASE":
            return self._case()
        if self.ahead().key == "(" and (key not in RESERVED or key in _CALLED):
            if key in {"CAST", "TRY_CAST", "PARSE", "TRY_PARSE"}:
                return self._cast()
            if key in {"CONVERT", "TRY_CONVERT"}:
                return self._convert()
        if key in _NILADIC and self.ahead().key not in {".", "("}:
            return tree.Call((self.advance().key,), [])
        return self._named()

    def _case(self) -> Expression:
        self.expect("CASE")
        operand = None if self.at("WHEN") else self.expression()
        branches = []
        while self.accept("WHEN"):
            condition = self.expression()
            self.expect("THEN")
            branches.append((condition, self.expression()))
        otherwise = self.expression() if self.accept("ELSE") else None
        self.expect("END")
        return tree.Case(operand, branches, otherwise)

    def _cast(self) -> Expression:
        is_try = self.advance().key.startswith("TRY_")
        self.expect("(")
        operand = self.expression()
        self.expect("AS")
        of = self.type_name(is_cast=True)
        if self.at("USING"):
            raise unsupported("PARSE … USING")
        self.expect(")")
        return tree.Cast(operand, of, None, is_try)

    def _convert(self) -> Expression:
        is_try = self.advance().key.startswith("TRY_")
        self.expect("(")
        of = self.type_name(is_cast=True)
        self.expect(",")
        operand = self.expression()
        style = self.expression() if self.accept(",") else None
        self.expect(")")
        return tree.Cast(operand, of, style, is_try)

    def _named(self) -> Expression:
        names = [self.advance().text] if self.token.key in _CALLED else [self.name()]
        while self.accept("."):
            if self.accept("*"):
                return tree.Star(tuple(names))
            names.append("" if self.at(".") else self.any_name())
        if not self.at("("):
            return tree.Column(tuple(names))
        return self._call(tuple(names))

    def _call(self, names: tuple[str, ...]) -> tree.Call:
        self.expect("(")
        distinct = self.accept("DISTINCT")
        self.accept("ALL")
        arguments = [] if self.at(")") else self._arguments()
        self.expect(")")
        call = tree.Call(names, arguments, distinct)
        if self.at("WITHIN", "GROUP"):
            self.expect("WITHIN", "GROUP", "(", "ORDER", "BY")
            call.within = self.order_items()
            self.expect(")")
        if self.accept("OVER"):
            call.window = self._window()
        return call

    def _arguments(self) -> list[Expression]:
        found: list[Expression] = []
        while True:
            found.append(tree.Literal(None, types.NULL) if self.accept("DEFAULT") else self.expression())
            if not self.accept(","):
                return found

    def order_items(self) -> list[tree.Order]:
        """The terms after ORDER BY."""
        found = []
        while True:
            expression = self.expression()
            descending = self.accept("DESC")
            if not descending:
                self.accept("ASC")
            found.append(tree.Order(expression, descending))
            if not self.accept(","):
                return found

    def _window(self) -> tree.Window:
        self.expect("(")
        partition = self.expressions() if self.accept("PARTITION", "BY") else []
        order = self.order_items() if self.accept("ORDER", "BY") else []
        start = self.token.start
        if self.at_any("ROWS", "RANGE"):
            while not self.at(")"):
                if self.token.kind not in {"word", "number"}:
                    raise self.wrong()
                self.advance()
        frame = self.text_between(start, self.token.start)
        self.expect(")")
        return tree.Window(partition, order, frame)
