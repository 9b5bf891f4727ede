"""Expressions of Groovy and JavaScript as trees. What can't be evaluated over columns is refused with its place.

Sources: the operator precedence tables of Groovy 4's language documentation and of ECMAScript; what else is in the subset follows
from expressions that people have.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from tailrace.java_patterns import PatternError, compile_java
from tailrace.transforms.expressions.stream import Tokens
from tailrace.transforms.expressions.syntax import (
    Addition,
    Call,
    Comparison,
    Conditional,
    Group,
    Literal,
    Logical,
    Matches,
    Member,
    Name,
    Node,
    Not,
    Undefined,
    Within,
    WithinRange,
)
from tailrace.transforms.expressions.tokens import Token
from tailrace.transforms.expressions.words import OF_STRUCTS, VARIABLES, Words

_CONSTANTS: Final = {"true": True, "false": False, "null": None}
_RANGES: Final = {"..": 0, "..<": -1}
_COMPARISONS: Final = frozenset({"<", "<=", ">", ">=", "==", "!=", "===", "!=="})


class Parser:
    """Parses expressions from tokens."""

    def __init__(self, tokens: Tokens, words: Words) -> None:
        self._tokens = tokens
        self._words = words

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
            return Matches(place, left, self._pattern(), find=text == "=~")
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
        return self._chain(self._primary())

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
        (text,) = self._arguments("test", 1)
        return Matches(token.place, text, self._compiled(token), find=True)

    def _chain(self, node: Node) -> Node:
        """Fields and methods behind a value."""
        while True:
            safe = self._tokens.is_op("?.", "?.[")
            if self._tokens.is_op("[", "?.[") and not (self._words.is_groovy and self._tokens.next.on_new_line):
                node = self._index(node, safe=safe)
            elif self._tokens.is_op(".", "?."):
                self._tokens.taken()
                node = self._behind_dot(node, safe=safe)
            elif self._tokens.is_op("("):
                raise self._tokens.error("functions can't be called: only methods of values")
            else:
                return node

    def _index(self, node: Node, *, safe: bool) -> Node:
        self._tokens.taken()
        name = self._tokens.taken()
        if name.kind != "text":
            raise self._tokens.error("only a field's name in quotes can stand between brackets", name.place)
        self._tokens.expected("]", "behind the field's name")
        return self._member(node, name, safe=safe)

    def _behind_dot(self, node: Node, *, safe: bool) -> Node:
        name = self._tokens.taken()
        if name.kind != "name" and not (name.kind == "text" and self._words.is_groovy):
            raise self._tokens.error("a field's name is missing", name.place)
        if not self._tokens.is_op("("):
            return self._member(node, name, safe=safe)
        if name.text not in self._words.methods:
            advice = self._words.advice.get(name.text, f"methods are {', '.join(self._words.methods)}")
            raise self._tokens.error(f"{self._words.name} can't call {name.text}() here: {advice}", name.place)
        if name.text in {"matches", "match"}:
            return self._asked_pattern(node, name, safe=safe)
        arguments = self._arguments(name.text, self._words.methods[name.text])
        if name.text in {"get", "field", "containsKey"}:
            return self._by_name(node, name, arguments[0], safe=safe)
        return Call(name.place, node, name.text, arguments, safe)

    def _member(self, node: Node, name: Token, *, safe: bool) -> Node:
        if self._words.is_groovy and name.text in OF_STRUCTS and _is_struct(node):
            raise self._tokens.error(
                f"in Groovy .{name.text} is not the field but a property of the Struct: write .get('{name.text}')",
                name.place,
            )
        return Member(name.place, node, name.text, safe)

    def _by_name(self, node: Node, name: Token, argument: Node, *, safe: bool) -> Node:
        if not (isinstance(argument, Literal) and isinstance(argument.value, str)):
            raise self._tokens.error(f"{name.text}() takes a field's name in quotes", argument.place)
        if name.text == "get":
            return Member(name.place, node, argument.value, safe)
        return Call(name.place, node, name.text, (argument,), safe)

    def _asked_pattern(self, node: Node, name: Token, *, safe: bool) -> Node:
        self._tokens.expected("(", f"behind {name.text}")
        pattern = self._pattern()
        self._tokens.expected(")", "behind the regular expression")
        return Call(name.place, node, name.text, (), safe, pattern)

    def _pattern(self) -> re.Pattern[str]:
        """A regular expression, which must be a constant."""
        token = self._tokens.taken()
        if token.kind not in ({"text", "regex"} if self._words.is_groovy else {"regex"}):
            raise self._tokens.error("the regular expression must be a constant, as in /a.*/", token.place)
        return self._compiled(token)

    def _compiled(self, token: Token) -> re.Pattern[str]:
        try:
            return compile_java(token.text if self._words.is_groovy else _ends_exactly(token.text), ignore_case=False)
        except PatternError as error:
            raise self._tokens.error(str(error), token.place) from error

    def _arguments(self, method: str, count: int) -> tuple[Node, ...]:
        place = self._tokens.next.place
        self._tokens.expected("(", f"behind {method}")
        found: list[Node] = []
        while not self._tokens.accepted(")"):
            if found:
                self._tokens.expected(",", f"between arguments of {method}()")
            found.append(self.expression())
        if len(found) != count:
            raise self._tokens.error(
                f"{method}() takes {count or 'no'} argument{'s' if count != 1 else ''} here", place
            )
        return tuple(found)

    def _asked_list(self, bracket: Token) -> Node:
        """A list that is asked whether it has an item, `['a', 'b'].contains(…)`."""
        items = self._items()
        method = "contains" if self._words.is_groovy else "includes"
        if not (self._tokens.accepted(".") and self._tokens.is_name(method)):
            other = "behind in, or as [… ].contains(…)" if self._words.is_groovy else "as […].includes(…)"
            raise self._tokens.error(f"a list can only stand {other}", bracket.place)
        self._tokens.taken()
        (item,) = self._arguments(method, 1)
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


def _is_struct(node: Node) -> bool:
    """Whether a node is a part of the value or the key."""
    while isinstance(node, Member | Group):
        node = node.of if isinstance(node, Member) else node.inner
    return isinstance(node, Name) and node.name in {"value", "key"}


def _ends_exactly(expression: str) -> str:
    r"""In JavaScript `$` is the end of the text; in Java and Python it is also before a last line break."""
    outside = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
    return outside.sub(lambda found: r"\z" if found.group() == "$" else found.group(), expression)
