"""A cursor over the tokens of one statement, and what all statements share: names, lists, literals."""

from __future__ import annotations

from typing import NoReturn

from tailrace.connectors.mysql.ddl.tokens import Kind, SqlMode, Token, name_of, tokenize, unescaped, unquoted
from tailrace.errors import StructureError
from tailrace.schema.tables import TableId

_END = Token(Kind.MARK, "", -1, -1)


class Reader:
    """Reads a statement from left to right.

    `database` is the one that unqualified names are in, `charset` what a new database gets. `lower_names` makes the names of
    databases and tables lower case, as a server with `lower_case_table_names=1` keeps them.
    """

    def __init__(
        self, sql: str, database: str, mode: SqlMode, *, charset: str | None = None, lower_names: bool = False
    ) -> None:
        self.sql = sql
        self.mode = mode
        self.tokens = [t for t in tokenize(sql, mode) if t.raw != ";"]
        self.at = 0
        self.database = database
        self.charset = charset
        self._lower_names = lower_names

    @property
    def done(self) -> bool:
        """Whether all tokens have been read."""
        return self.at >= len(self.tokens)

    def go_to(self, place: int) -> None:
        """Step over the tokens that begin before a place in the text."""
        while not self.done and self.peek().start < place:
            self.at += 1

    def peek(self, ahead: int = 0) -> Token:
        """A token that is still to come; an empty mark behind the end."""
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else _END

    def next(self) -> Token:
        """The next token."""
        if self.done:
            self.fail("it ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def is_(self, *words: str) -> bool:
        """Whether these keywords or marks come next."""
        tokens, at = self.tokens, self.at
        if at + len(words) > len(tokens):
            return False
        for word in words:  # a loop: most of the time that a statement takes is spent here
            if not self._is(tokens[at], word):
                return False
            at += 1
        return True

    def accept(self, *words: str) -> bool:
        """Steps over these keywords or marks if they come next."""
        found = self.is_(*words)
        if found:
            self.at += len(words)
        return found

    def accept_any(self, *words: str) -> str | None:
        """Steps over the one of these keywords that comes next."""
        return next((word for word in words if self.accept(word)), None)

    def expect(self, *words: str) -> None:
        """Steps over these keywords or marks.

        Raises:
            StructureError: something else comes next.

        """
        if not self.accept(*words):
            self.fail(f"{' '.join(words)} is expected")

    def fail(self, why: str) -> NoReturn:
        """Refuses the statement, naming the place."""
        place = self.sql[self.peek().start :][:30] if not self.done else "the end"
        raise StructureError(f"{why} at: {place}")

    def name(self) -> str:
        """A name of a column, an index and so on."""
        token = self.next()
        if token.kind in {Kind.MARK, Kind.BITS} or (token.kind is Kind.STRING and token.raw[0] != '"'):
            self.at -= 1
            self.fail("a name is expected")
        return name_of(token)

    def is_name(self) -> bool:
        """Whether a name can come next."""
        return self.peek().kind in {Kind.WORD, Kind.NAME} and not self.done

    def column_name(self) -> str:
        """A column's name, which may be qualified."""
        name = self.name()
        while self.accept("."):
            name = self.name()
        return name

    def table_id(self) -> TableId:
        """A table's name, qualified or not (`.t` is allowed as well)."""
        self.accept(".")
        first = self.name()
        if not self.accept("."):
            return self.id_of(self.database, first)
        return self.id_of(first, self.name())

    def id_of(self, database: str, table: str) -> TableId:
        """The id of a table as the server keeps names."""
        return TableId(self.database_name(database), "", table.lower() if self._lower_names else table)

    def database_name(self, name: str) -> str:
        """A database's name as the server keeps it."""
        return name.lower() if self._lower_names else name

    def skip_parens(self) -> None:
        """Steps over a whole (…), with what is nested in it."""
        self.expect("(")
        depth = 1
        while depth:
            token = self.next()
            depth += (token.raw == "(") - (token.raw == ")")

    def skip_list(self) -> None:
        """Steps to the next comma or closing parenthesis on this level, or to the end."""
        while not self.done and self.peek().raw not in {",", ")"}:
            self.skip_one()

    def skip_one(self) -> None:
        """Steps over a token, or a whole (…)."""
        if self.is_("("):
            self.skip_parens()
        else:
            self.next()

    def number(self) -> int:
        """A whole number; 19.5 counts as 19, as Debezium reads it."""
        token = self.next()
        if token.kind is not Kind.NUMBER:
            self.at -= 1
            self.fail("a number is expected")
        return int(float(token.raw)) if not token.raw.isdigit() else int(token.raw)

    def string(self) -> str:
        """A string literal (neighbours count as one), without quotes and escapes."""
        return unescaped(self.raw_string(), self.mode)

    def raw_string(self) -> str:
        """A string literal without its quotes, escapes as they are written."""
        if self.peek().kind is not Kind.STRING:
            self.fail("a string is expected")
        pieces = []
        while self.peek().kind is Kind.STRING:
            raw = self.next().raw
            pieces.append(unquoted(raw[1:] if raw[0] in "nN" else raw, self.mode))
        return "".join(pieces)

    def text_or_name(self) -> str:
        """A character set's or collation's name, which may be written as a string."""
        return self.string() if self.peek().kind is Kind.STRING else self.name()

    def text(self, first: int = 0, last: int | None = None) -> str:
        """The text between two tokens (both included), double-quoted strings with single quotes."""
        tokens = self.tokens[first : None if last is None else last + 1]
        if not tokens:
            return ""
        pieces, at = [], tokens[0].start
        for token in tokens:
            if token.kind is Kind.STRING and token.raw.startswith('"'):
                pieces += [self.sql[at : token.start], f"'{unquoted(token.raw, self.mode)}'"]
                at = token.end
        return "".join([*pieces, self.sql[at : tokens[-1].end]])

    @staticmethod
    def _is(token: Token, word: str) -> bool:
        return token.upper == word or (token.kind is Kind.MARK and token.raw == word)
