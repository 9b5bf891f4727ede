"""Tokens one after the other, as parsers take them."""

from __future__ import annotations

from tailrace.transforms.expressions.tokens import ExpressionError, Lexer, Token


class Tokens:
    """The tokens of a text, and where the parser is."""

    def __init__(self, text: str, *, groovy: bool) -> None:
        """Raises `ExpressionError` if a part of the text is no token."""
        self._text = text
        self._tokens = Lexer(text, groovy=groovy).tokens()
        self._at = 0

    @property
    def next(self) -> Token:
        """The token that comes next."""
        return self._tokens[self._at]

    def taken(self) -> Token:
        """The next token, and go on behind it."""
        token = self.next
        if token.kind != "end":
            self._at += 1
        return token

    def is_op(self, *operators: str) -> bool:
        """Whether the next token is one of these operators."""
        return self.next.kind == "op" and self.next.text in operators

    def is_name(self, name: str) -> bool:
        """Whether the next token is that word."""
        return self.next.kind == "name" and self.next.text == name

    def accepted(self, operator: str) -> bool:
        """Go behind the operator if it is next; whether it was."""
        if not self.is_op(operator):
            return False
        self._at += 1
        return True

    def expected(self, operator: str, why: str) -> None:
        """Go behind the operator. Raises `ExpressionError` with `why` if it is not next."""
        if not self.accepted(operator):
            raise self.error(f"{operator} is missing {why}")

    def mark(self) -> int:
        """Where the parser is, for `go_back`."""
        return self._at

    def go_back(self, mark: int) -> None:
        """Take tokens again from a mark on."""
        self._at = mark

    def error(self, why: str, place: int | None = None) -> ExpressionError:
        """An error at a place; None: at the next token."""
        return ExpressionError(self._text, self.next.place if place is None else place, why)
