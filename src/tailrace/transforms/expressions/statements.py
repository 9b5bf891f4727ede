"""Programs: expressions, `if`, `else` and `return`, one after the other."""

from __future__ import annotations

from tailrace.transforms.expressions.parser import Parser
from tailrace.transforms.expressions.stream import Tokens
from tailrace.transforms.expressions.syntax import Evaluate, If, Literal, Program, Return, Statement
from tailrace.transforms.expressions.tokens import ExpressionError
from tailrace.transforms.expressions.words import Words


def program(text: str, words: Words) -> Program:
    """A text as a program.

    Raises:
        ExpressionError: it is none, or has something that can't be evaluated over columns.

    """
    tokens = Tokens(text, groovy=words.is_groovy)
    found = _Statements(tokens, words).until_end()
    if not found:
        raise tokens.error("the expression is empty")
    return found


class _Statements:
    def __init__(self, tokens: Tokens, words: Words) -> None:
        self._tokens = tokens
        self._words = words
        self._parser = Parser(tokens, words)

    def until_end(self) -> Program:
        found = self._until_brace()
        if self._tokens.next.kind != "end":
            raise self._unexpected()
        return found

    def _until_brace(self) -> Program:
        found: list[Statement] = []
        while True:
            while self._tokens.accepted(";"):
                pass
            if self._tokens.next.kind == "end" or self._tokens.is_op("}"):
                return tuple(found)
            found.append(self._statement())
            self._end_statement(found[-1])

    def _end_statement(self, statement: Statement) -> None:
        """A statement ends with a semicolon or its line; in JavaScript an `if` needs neither."""
        token = self._tokens.next
        ended = token.on_new_line or token.kind == "end" or self._tokens.is_op(";", "}")
        if not ended and (self._words.is_groovy or not isinstance(statement, If)):
            raise self._unexpected()

    def _unexpected(self) -> ExpressionError:
        token = self._tokens.next
        advice = self._words.names.get(token.text) or self._words.advice.get(token.text)
        if advice:
            return self._tokens.error(f"{token.text} can't be used: {advice}")
        return self._tokens.error("the expression should end here, or an operator is missing")

    def _statement(self) -> Statement:
        token = self._tokens.next
        if self._tokens.is_name("if"):
            return self._if()
        if self._words.is_groovy and self._tokens.is_name("return"):
            self._tokens.taken()
            if self._tokens.next.kind == "end" or self._tokens.next.on_new_line or self._tokens.is_op(";", "}"):
                return Return(token.place, Literal(token.place, None))
            return Return(token.place, self._parser.expression())
        return Evaluate(token.place, self._parser.expression())

    def _if(self) -> Statement:
        place = self._tokens.taken().place
        self._tokens.expected("(", "behind if")
        test = self._parser.expression()
        self._tokens.expected(")", "behind the condition")
        then = self._branch()
        return If(place, test, then, self._else())

    def _else(self) -> Program:
        back = self._tokens.mark()
        self._tokens.accepted(";")
        if not self._tokens.is_name("else"):
            self._tokens.go_back(back)
            return ()
        self._tokens.taken()
        return self._branch()

    def _branch(self) -> Program:
        """A block, or one statement."""
        if not self._tokens.accepted("{"):
            return (self._statement(),)
        found = self._until_brace()
        self._tokens.expected("}", "at the end of the block")
        return found
