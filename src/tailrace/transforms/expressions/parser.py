"""Expressions of Groovy and JavaScript as trees. What can't be evaluated over columns is refused with its place.

Sources: the tables of operators in Groovy 4's language documentation and in ECMAScript. What is in the subset follows from
expressions that people have.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from tailrace.transforms.expressions.chains import Chains
from tailrace.transforms.expressions.stream import Tokens
from tailrace.transforms.expressions.syntax import (
    Addition,
    Comparison,
    Conditional,
    Group,
    Literal,
    Logical,
    Matches,
    Name,
    Node,
    Not,
    Undefined,
    Within,
    WithinRange,
)
from tailrace.transforms.expressions.tokens import Token
from tailrace.transforms.expressions.words import VARIABLES, Words

_CONSTANTS: Final = {"true": True, "false": False, "null": None}
_RANGES: Final = {"..": 0, "..<": -1}
_COMPARISONS: Final = frozenset({"<", "<=", ">", ">=", "==", "!=", "===", "!=="})


class Parser:
    """Parses expressions from tokens."""

    def __init__(self, tokens: Tokens, words: Words) -> None:
        self._tokens = tokens
        self._words = words
        self._chains = Chains(tokens, words, self.expression)

    def expression(self) -> Node:
        """A whole expression.

        Raises:
            ExpressionError: it is none, or has something that is not supported.

        """
        test = self._binary(1)
        place = test.place
        if self._words.is_groovy and self._tokens.accepted("?:"):
            return Conditional(place, test, None, self.expression())
        if not self._tokens.accepted("?"):
            return test
        then = self.expression()
        self._tokens.expected(":", "behind what ? gives if the condition is true")
        return Conditional(place, test, then, self.expression())

    def _binary(self, least: int) -> Node:
        """Operands with binary operators between them that bind at least so strongly."""
        left = self._unary()
        while (power := self._power()) >= least:
            left = self._joined(left, self._tokens.taken(), power)
        return left

    def _power(self) -> int:
        """How strongly the operator that is next binds; 0: there is none."""
        token = self._tokens.next
        if token.kind not in {"op", "name"}:
            return 0
        power = self._words.binary.get(token.text, 0)
        if self._words.is_groovy and token.on_new_line and token.text in {"+", "-"}:
            return 0
        if not power and not token.on_new_line and token.text in self._words.advice:
            raise self._tokens.error(f"{token.text} can't be used: {self._words.advice[token.text]}")
        return power

    def _joined(self, left: Node, operator: Token, power: int) -> Node:
        text, place = operator.text, operator.place
        if text in {"in", "!in"}:
            return self._within(left, place, negated=text == "!in")
        if text in {"=~", "==~"}:
            pattern = self._chains.pattern()
            if self._power() > power:
                raise self._tokens.error(
                    "the regular expression must be a constant: write the comparison in parentheses"
                )
            return Matches(place, left, pattern, find=text == "=~")
        right = self._binary(power + 1)
        if text in _COMPARISONS:
            return Comparison(place, text, left, right)
        if text == "+":
            return self._sum(place, left, right)
        mixed = {"??"} if text != "??" else {"&&", "||"}
        if any(isinstance(side, Logical) and side.operator in mixed for side in (left, right)):
            raise self._tokens.error("?? beside && or || needs parentheses", place)
        return Logical(place, text, left, right)

    def _sum(self, place: int, left: Node, right: Node) -> Node:
        numbers = all(
            isinstance(side, Literal) and isinstance(side.value, int | float | Decimal) for side in (left, right)
        )
        if numbers:
            raise self._tokens.error("numbers can't be added here: write the sum", place)
        return Addition(place, left, right)

    def _unary(self) -> Node:
        token = self._tokens.next
        if self._tokens.accepted("!"):
            return Not(token.place, self._unary())
        if self._tokens.is_op("-", "+"):
            self._tokens.taken()
            number = self._tokens.next
            if number.kind != "number" or not isinstance(number.value, int | float | Decimal):
                raise self._tokens.error(f"{token.text} can't be used: calculating is not supported", token.place)
            self._tokens.taken()
            return Literal(token.place, -number.value if token.text == "-" else number.value, number.bits)
        return self._chains.chain(self._primary())

    def _primary(self) -> Node:
        token = self._tokens.taken()
        if token.kind == "number":
            return Literal(token.place, token.value, token.bits)
        if token.kind == "text":
            return Literal(token.place, token.text)
        if token.kind == "regex":
            return self._slashes(token)
        if token.kind == "name":
            return self._named(token)
        if token.kind == "op" and token.text == "(":
            inner = self.expression()
            self._tokens.expected(")", "behind the expression in parentheses")
            return Group(token.place, inner)
        if token.kind == "op" and token.text == "[":
            return self._asked_list(token)
        if token.text in self._words.advice:
            raise self._tokens.error(f"{token.text} can't be used: {self._words.advice[token.text]}", token.place)
        raise self._tokens.error("a value is missing" if token.kind == "end" else "a value was expected", token.place)

    def _named(self, token: Token) -> Node:
        if token.text in _CONSTANTS:
            return Literal(token.place, _CONSTANTS[token.text])
        if token.text == "undefined" and not self._words.is_groovy:
            return Undefined(token.place)
        if token.text in VARIABLES:
            return Name(token.place, token.text)
        advice = self._words.names.get(token.text, f"there are {', '.join(VARIABLES)}")
        raise self._tokens.error(f"{token.text} is unknown: {advice}", token.place)

    def _slashes(self, token: Token) -> Node:
        """An expression between slashes: a text in Groovy; in JavaScript only to be asked with test()."""
        if self._words.is_groovy:
            return Literal(token.place, token.text)
        if not (self._tokens.accepted(".") and self._tokens.is_name("test")):
            raise self._tokens.error(
                "a regular expression can only be used as /…/.test(text) or text.match(/…/)", token.place
            )
        self._tokens.taken()
        (text,) = self._chains.arguments("test", 1)
        return Matches(token.place, text, self._chains.compiled(token), find=True)

    def _asked_list(self, bracket: Token) -> Node:
        """A list that is asked whether it has an item, `['a', 'b'].contains(…)`."""
        items = self._items()
        method = "contains" if self._words.is_groovy else "includes"
        if not (self._tokens.accepted(".") and self._tokens.is_name(method)):
            other = "behind in, or as [… ].contains(…)" if self._words.is_groovy else "as […].includes(…)"
            raise self._tokens.error(f"a list can only stand {other}", bracket.place)
        self._tokens.taken()
        (item,) = self._chains.arguments(method, 1)
        return Within(bracket.place, item, items)

    def _items(self) -> tuple[Node, ...]:
        """The items of a list, behind its bracket."""
        found: list[Node] = []
        while not self._tokens.accepted("]"):
            if found:
                self._tokens.expected(",", "between items of a list")
            found.append(self.expression())
        return tuple(found)

    def _within(self, item: Node, place: int, *, negated: bool) -> Node:
        closing = self._tokens.accepted("(")
        if self._tokens.accepted("["):
            found: Node = Within(place, item, self._items(), negated)
        else:
            found = self._range(item, place, negated=negated)
        if closing:
            self._tokens.expected(")", "behind the list or range")
        return found

    def _range(self, item: Node, place: int, *, negated: bool) -> Node:
        first = self._end_of_range()
        operator = self._tokens.next
        if not self._tokens.is_op(*_RANGES):
            raise self._tokens.error("in takes a list or a range of whole numbers: ['a', 'b'] or 1..9")
        self._tokens.taken()
        last = self._end_of_range()
        lowest, highest = sorted((int(first.value or 0), int(last.value or 0)))
        if operator.text == "..<":
            if (first.value or 0) > (last.value or 0):
                raise self._tokens.error("..< takes the lower number first", operator.place)
            highest -= 1
        return WithinRange(place, item, lowest, highest, max(first.bits, last.bits), negated)

    def _end_of_range(self) -> Token:
        negative = self._tokens.accepted("-")
        token = self._tokens.taken()
        if token.kind != "number" or not isinstance(token.value, int):
            raise self._tokens.error("in takes a list or a range of whole numbers: ['a', 'b'] or 1..9", token.place)
        return Token("number", token.text, token.place, value=-token.value, bits=token.bits) if negative else token
