"""Chains: a value with fields, methods and their arguments behind it."""

from __future__ import annotations

import re
from collections.abc import Callable

from tailrace.java_patterns import PatternError, compile_java
from tailrace.transforms.expressions.stream import Tokens
from tailrace.transforms.expressions.syntax import Call, Group, Literal, Member, Name, Node
from tailrace.transforms.expressions.tokens import Token
from tailrace.transforms.expressions.words import OF_STRUCTS, Words

_OF_SCHEMAS = frozenset({"name", "schema"})


class Chains:
    """Parses what stands behind values."""

    def __init__(self, tokens: Tokens, words: Words, expression: Callable[[], Node]) -> None:
        """`expression` parses an argument."""
        self._tokens = tokens
        self._words = words
        self._expression = expression

    def chain(self, node: Node) -> Node:
        """A value with the fields and methods that stand behind it. Raises `ExpressionError`."""
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
        arguments = self.arguments(name.text, self._words.methods[name.text])
        if name.text in {"get", "field", "containsKey"}:
            return self._by_name(node, name, arguments[0], safe=safe)
        return Call(name.place, node, name.text, arguments, safe)

    def _member(self, node: Node, name: Token, *, safe: bool) -> Node:
        if self._words.is_groovy and name.text in OF_STRUCTS and _is_struct(node):
            raise self._tokens.error(
                f"in Groovy .{name.text} is not the field but a property of the Struct: write .get('{name.text}')",
                name.place,
            )
        if _is_schema(node) and (not self._words.is_groovy or name.text not in _OF_SCHEMAS):
            allowed = "name and field('…')" if self._words.is_groovy else "name() and field('…')"
            raise self._tokens.error(f"a schema has only {allowed} here", name.place)
        return Member(name.place, node, name.text, safe)

    def _by_name(self, node: Node, name: Token, argument: Node, *, safe: bool) -> Node:
        if not (isinstance(argument, Literal) and isinstance(argument.value, str)):
            raise self._tokens.error(f"{name.text}() takes a field's name in quotes", argument.place)
        if name.text == "get":
            return Member(name.place, node, argument.value, safe)
        return Call(name.place, node, name.text, (argument,), safe)

    def _asked_pattern(self, node: Node, name: Token, *, safe: bool) -> Node:
        self._tokens.expected("(", f"behind {name.text}")
        pattern = self.pattern()
        self._tokens.expected(")", "behind the regular expression")
        return Call(name.place, node, name.text, (), safe, pattern)

    def pattern(self) -> re.Pattern[str]:
        """A regular expression, which must be a constant. Raises `ExpressionError`."""
        token = self._tokens.taken()
        if token.kind not in ({"text", "regex"} if self._words.is_groovy else {"regex"}):
            raise self._tokens.error("the regular expression must be a constant, as in /a.*/", token.place)
        return self.compiled(token)

    def compiled(self, token: Token) -> re.Pattern[str]:
        """The regular expression of a token. Raises `ExpressionError`."""
        try:
            return compile_java(token.text if self._words.is_groovy else _ends_exactly(token.text), ignore_case=False)
        except PatternError as error:
            raise self._tokens.error(str(error), token.place) from error

    def arguments(self, method: str, count: int) -> tuple[Node, ...]:
        """As many arguments in parentheses. Raises `ExpressionError`."""
        place = self._tokens.next.place
        self._tokens.expected("(", f"behind {method}")
        found: list[Node] = []
        while not self._tokens.accepted(")"):
            if found:
                self._tokens.expected(",", f"between arguments of {method}()")
            found.append(self._expression())
        if len(found) != count:
            raise self._tokens.error(
                f"{method}() takes {count or 'no'} argument{'s' if count != 1 else ''} here", place
            )
        return tuple(found)


def _is_struct(node: Node) -> bool:
    """Whether a node is a part of the value or the key."""
    return _variable(node) in {"value", "key"}


def _is_schema(node: Node) -> bool:
    """Whether a node is a schema itself."""
    return isinstance(node, Name) and node.name in {"valueSchema", "keySchema"}


def _variable(node: Node) -> str | None:
    """The variable that a chain of fields begins with."""
    while isinstance(node, Member | Group):
        node = node.of if isinstance(node, Member) else node.inner
    return node.name if isinstance(node, Name) else None


def _ends_exactly(expression: str) -> str:
    r"""In JavaScript `$` is the end of the text; in Java and Python it is also before a last line break."""
    outside = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
    return outside.sub(lambda found: r"\z" if found.group() == "$" else found.group(), expression)
