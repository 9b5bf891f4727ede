"""Parses expressions and conditions.

Source: IBM Db2 documentation, "Expressions", "Predicates", "Search conditions" (SQL reference)
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from tailrace_standins.db2.engine import tree, types
from tailrace_standins.db2.engine.parsing.lexer import Kind
from tailrace_standins.db2.engine.parsing.reader import Reader
from tailrace_standins.db2.values import SqlType

if TYPE_CHECKING:
    from collections.abc import Callable

_COMPARISONS: Final = {
    "=": "=",
    "<>": "<>",
    "!=": "<>",
    "^=": "<>",
    "¬=": "<>",
    "<": "<",
    ">": ">",
    "<=": "<=",
    ">=": ">=",
}
_REGISTERS: Final = frozenset(
    {"DATE", "TIME", "TIMESTAMP", "SERVER", "SCHEMA", "SQLID", "USER", "ISOLATION", "TIMEZONE", "PATH"}
)
_JOINED: Final = {"CURRENT_DATE": "DATE", "CURRENT_TIME": "TIME", "CURRENT_TIMESTAMP": "TIMESTAMP", "CURRENT_SCHEMA": "SCHEMA",
                  "CURRENT_SERVER": "SERVER", "CURRENT_USER": "USER", "CURRENT_TIMEZONE": "TIMEZONE", "SESSION_USER": "USER",
                  "SYSTEM_USER": "USER"}  # fmt: skip
UNITS: Final = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND")
_PLURAL: Final = {**{unit: unit for unit in UNITS}, **{unit + "S": unit for unit in UNITS}}
_RESERVED: Final = frozenset(
    {"FROM", "WHERE", "GROUP", "ORDER", "HAVING", "UNION", "SELECT", "SET", "ON", "AND", "OR", "THEN", "WHEN"}
)


class Expressions(Reader):
    """Reads expressions; `query` is of the part that reads queries."""

    query: Callable[[], tree.Query]

    def condition(self) -> tree.Expression:
        """A search condition, or any expression."""
        left = self._conjunction()
        while self.word("OR"):
            left = tree.Binary("OR", left, self._conjunction())
        return left

    def expression(self) -> tree.Expression:
        """An expression without a condition's operators."""
        return self._sum()

    def expressions(self) -> tuple[tree.Expression, ...]:
        """Expressions with commas."""
        found = [self.condition()]
        while self.sign(","):
            found.append(self.condition())
        return tuple(found)

    def _conjunction(self) -> tree.Expression:
        left = self._negation()
        while self.word("AND"):
            left = tree.Binary("AND", left, self._negation())
        return left

    def _negation(self) -> tree.Expression:
        if self.word("NOT"):
            return tree.Unary("NOT", self._negation())
        return self._predicate()

    def _predicate(self) -> tree.Expression:
        left = self._sum()
        while True:
            if self.token.kind is Kind.SIGN and self.token.text in _COMPARISONS:
                operator = _COMPARISONS[self.take().text]
                left = tree.Binary(operator, left, self._sum())
                continue
            if self.token.kind is not Kind.WORD:
                return left
            if self.at_word("IS"):
                self.take()
                negated = self.word("NOT")
                if self.word("NULL"):
                    left = tree.IsNull(left, negated)
                    continue
                if self.word("DISTINCT", "FROM"):
                    left = tree.Binary("IS" if negated else "IS NOT", left, self._sum())
                    continue
                truth = self.any_word("TRUE", "FALSE")
                if not truth:
                    raise self.wrong("NULL")
                wanted = tree.Binary("IS", left, tree.Literal(truth == "TRUE", types.BOOLEAN))
                left = tree.Unary("NOT", wanted) if negated else wanted
                continue
            negated = self.at_word("NOT") and self.ahead().text in {"IN", "BETWEEN", "LIKE"} and self.word("NOT")
            if self.word("IN"):
                left = self._in(left, negated=negated)
            elif self.word("BETWEEN"):
                low = self._sum()
                self.expect("AND")
                left = tree.Between(left, low, self._sum(), negated)
            elif self.word("LIKE"):
                pattern = self._sum()
                left = tree.Like(left, pattern, self._sum() if self.word("ESCAPE") else None, negated)
            else:
                return left

    def _in(self, left: tree.Expression, *, negated: bool) -> tree.In:
        if not self.at_sign("("):
            return tree.In(left, (self._sum(),), negated)
        if self._at_query():
            self.take()
            query = self.query()
            self.expect_sign(")")
            return tree.In(left, query, negated)
        self.take()
        found = self.expressions()
        self.expect_sign(")")
        return tree.In(left, found, negated)

    def _at_query(self) -> bool:
        """Whether a parenthesis with a query comes next."""
        place = 0
        while self.ahead(place).kind is Kind.SIGN and self.ahead(place).text == "(":
            place += 1
        inner = self.ahead(place)
        return place > 0 and inner.kind is Kind.WORD and inner.text in {"SELECT", "VALUES", "WITH"}

    def _sum(self) -> tree.Expression:
        left = self._product()
        while True:
            if self.token.kind is Kind.SIGN and self.token.text in {"+", "-", "||"}:
                left = tree.Binary(self.take().text, left, self._product())
            elif self.word("CONCAT"):
                left = tree.Binary("||", left, self._product())
            else:
                return left

    def _product(self) -> tree.Expression:
        left = self._signed()
        while self.token.kind is Kind.SIGN and self.token.text in {"*", "/"}:
            left = tree.Binary(self.take().text, left, self._signed())
        return left

    def _signed(self) -> tree.Expression:
        if self.token.kind is Kind.SIGN and self.token.text in {"+", "-"}:
            return tree.Unary(self.take().text, self._signed())
        found = self._operand()
        if self.token.kind is Kind.WORD and self.token.text in _PLURAL:
            return tree.Duration(found, _PLURAL[self.take().text])
        return found

    def _operand(self) -> tree.Expression:
        token = self.token
        if token.kind is Kind.PARAMETER:
            self.take()
            self.markers += 1
            return tree.Parameter(self.markers - 1)
        if (literal := self._literal()) is not None:
            return literal
        if self.at_sign("("):
            return self._parenthesis()
        if token.kind is Kind.WORD and (found := self._keyword()) is not None:
            return found
        if not self.at_name or (token.kind is Kind.WORD and token.text in _RESERVED):
            raise self.wrong("<expression>")
        names = [self.take().text]
        while self.sign("."):
            if self.sign("*"):
                return tree.Star(tuple(names))
            names.append(self.name())
        return self._function(tuple(names)) if self.at_sign("(") else tree.Column(tuple(names))

    def _literal(self) -> tree.Literal | None:
        kind, text = self.token.kind, self.token.text
        if kind is Kind.STRING:
            self.take()
            return tree.Literal(text, types.varchar(max(len(text.encode()), 1)))
        if kind is Kind.GRAPHIC:
            self.take()
            return tree.Literal(text, SqlType("vargraphic", length=max(len(text), 1)))
        if kind is Kind.HEX:
            self.take()
            data = bytes.fromhex(text)
            return tree.Literal(data, SqlType("varchar", length=max(len(data), 1), bit_data=True))
        if kind is Kind.INTEGER:
            self.take()
            value = int(text)
            if abs(value) < 1 << 31:
                return tree.Literal(value, types.INTEGER)
            return tree.Literal(value, types.BIGINT) if abs(value) < 1 << 63 else _decimal(text)
        if kind is Kind.DECIMAL:
            self.take()
            return _decimal(text)
        if kind is Kind.FLOAT:
            self.take()
            return tree.Literal(float(text), types.DOUBLE)
        return None

    def _parenthesis(self) -> tree.Expression:
        if self._at_query():
            self.take()
            query = self.query()
            self.expect_sign(")")
            return tree.Scalar(query)
        self.take()
        found = self.expressions()
        self.expect_sign(")")
        return found[0] if len(found) == 1 else tree.RowValue(found)

    def _keyword(self) -> tree.Expression | None:
        """What begins with a word that is no name here."""
        text = self.token.text
        if text in _JOINED:
            self.take()
            return self._register(_JOINED[text])
        following = self.ahead()
        if (
            text == "CURRENT"
            and following.kind is Kind.WORD
            and (following.text in _REGISTERS or following.text == "LOCK")
        ):
            self.take()
            name = self.take().text
            return tree.Special(
                "LOCK TIMEOUT" if name == "LOCK" and self.word("TIMEOUT") else self._register(name).name
            )
        if text in {"NULL", "DEFAULT", "USER"} and not (following.kind is Kind.SIGN and following.text in {".", "("}):
            self.take()
            return tree.Literal(None, None) if text == "NULL" else tree.Special(text)
        if text in {"TRUE", "FALSE"}:
            self.take()
            return tree.Literal(text == "TRUE", types.BOOLEAN)
        if text == "CASE":
            self.take()
            return self._case()
        if text == "EXISTS" and following.text == "(":
            self.take()
            self.take()
            query = self.query()
            self.expect_sign(")")
            return tree.Exists(query)
        if text in {"CAST", "XMLCAST", "XMLSERIALIZE"} and following.text == "(":
            self.take()
            self.take()
            self.word("CONTENT")
            operand = self.condition()
            self.expect("AS")
            wanted = self.type()
            while not self.at_sign(")"):  # EXCLUDING XMLDECLARATION
                self.take()
            self.expect_sign(")")
            return tree.Cast(operand, wanted)
        if text == "XMLPARSE" and following.text == "(":
            self.take()
            self.take()
            self.expect("DOCUMENT")
            operand = self.condition()
            if self.any_word("STRIP", "PRESERVE"):
                self.expect("WHITESPACE")
            self.expect_sign(")")
            return tree.Cast(operand, SqlType("xml"))
        return None

    def _register(self, name: str) -> tree.Special:
        if name == "TIMESTAMP" and self.sign("("):
            scale = self.number()
            self.expect_sign(")")
            return tree.Special(f"TIMESTAMP {scale}")
        return tree.Special(name)

    def _case(self) -> tree.Case:
        operand = None if self.at_word("WHEN") else self.condition()
        whens = []
        while self.word("WHEN"):
            condition = self.condition()
            self.expect("THEN")
            whens.append((condition, self.condition()))
        otherwise = self.condition() if self.word("ELSE") else None
        self.expect("END")
        return tree.Case(operand, tuple(whens), otherwise)

    def _function(self, names: tuple[str, ...]) -> tree.Call:
        self.expect_sign("(")
        distinct = self.word("DISTINCT")
        star = self.sign("*")
        arguments: tuple[tree.Expression, ...] = ()
        if not star and not self.at_sign(")"):
            arguments = self.expressions()
        self.expect_sign(")")
        window = None
        if self.word("OVER"):
            self.expect_sign("(")
            window = self._window()
        return tree.Call(names, arguments, distinct, star, window)

    def _window(self) -> tree.Window:
        partition: tuple[tree.Expression, ...] = ()
        if self.word("PARTITION", "BY"):
            partition = self.expressions()
        order = self.order() if self.word("ORDER", "BY") else ()
        frame = []
        while not self.at_sign(")"):
            if self.token.kind not in {Kind.WORD, Kind.INTEGER}:
                raise self.wrong(")")
            frame.append(self.take().text)
        self.expect_sign(")")
        return tree.Window(partition, order, " ".join(frame))

    def order(self) -> tuple[tree.Order, ...]:
        """The items of ORDER BY."""
        found = []
        while True:
            expression = self.condition()
            descending = self.any_word("ASC", "DESC") == "DESC"
            nulls = self.any_word("FIRST", "LAST") if self.word("NULLS") else ""
            found.append(tree.Order(expression, descending, nulls))
            if not self.sign(","):
                return tuple(found)


def _decimal(text: str) -> tree.Literal:
    value = Decimal(text)
    digits = text.replace(".", "").lstrip("0") or "0"
    scale = len(text.partition(".")[2])
    return tree.Literal(value, SqlType("decimal", precision=max(len(digits), scale, 1), scale=scale))
