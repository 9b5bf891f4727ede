"""Reads tokens one after the other: what all parts of the parser need."""

from __future__ import annotations

from typing import Final

from tailrace_standins.db2.engine import types
from tailrace_standins.db2.engine.parsing.lexer import Kind, Token, tokens
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import SqlType

_UNITS: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Reader:
    """A place in a statement's tokens.

    Attributes:
        sql: the statement.
        markers: how many parameter markers were read.

    """

    def __init__(self, sql: str) -> None:
        self.sql = sql
        self.markers = 0
        self._tokens = tokens(sql)
        self._at = 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self._tokens[self._at]

    def ahead(self, count: int = 1) -> Token:
        """A token behind the next one."""
        return self._tokens[min(self._at + count, len(self._tokens) - 1)]

    def take(self) -> Token:
        """Read a token."""
        taken = self._tokens[self._at]
        if taken.kind is not Kind.END:
            self._at += 1
        return taken

    def wrong(self, wanted: str = "<space>") -> SqlError:
        """The error for a token that can't stand here."""
        before = self._tokens[self._at - 1].text if self._at else "BEGIN-OF-STATEMENT"
        return SqlError(-104, "42601", self.token.text, before, wanted)

    def at_word(self, *words: str) -> bool:
        """Whether these words come next."""
        for place, word in enumerate(words):
            token = self._tokens[min(self._at + place, len(self._tokens) - 1)]
            if token.text != word or token.kind is not Kind.WORD:
                return False
        return True

    def word(self, *words: str) -> bool:
        """Read these words if they come next."""
        if not self.at_word(*words):
            return False
        for _ in words:
            self.take()
        return True

    def any_word(self, *words: str) -> str:
        """Read one of these words if one comes next."""
        if self.token.kind is Kind.WORD and self.token.text in words:
            return self.take().text
        return ""

    def expect(self, *words: str) -> None:
        """Read these words; raises `SqlError` -104."""
        for word in words:
            if not self.word(word):
                raise self.wrong(word)

    def at_sign(self, sign: str) -> bool:
        """Whether this sign comes next."""
        return self.token.kind is Kind.SIGN and self.token.text == sign

    def sign(self, sign: str) -> bool:
        """Read a sign if it comes next."""
        if self.at_sign(sign):
            self.take()
            return True
        return False

    def expect_sign(self, sign: str) -> None:
        """Read a sign; raises `SqlError` -104."""
        if not self.sign(sign):
            raise self.wrong(sign)

    @property
    def at_name(self) -> bool:
        """Whether an identifier comes next."""
        return self.token.kind in {Kind.WORD, Kind.NAME}

    def name(self) -> str:
        """Read an identifier; raises `SqlError` -104."""
        if not self.at_name:
            raise self.wrong("<identifier>")
        return self.take().text

    def names(self) -> tuple[str, ...]:
        """Read a qualified name."""
        found = [self.name()]
        while self.sign("."):
            found.append(self.name())
        return tuple(found)

    def listed_names(self) -> tuple[str, ...]:
        """Read `(a, b)`."""
        self.expect_sign("(")
        found = [self.name()]
        while self.sign(","):
            found.append(self.name())
        self.expect_sign(")")
        return tuple(found)

    def number(self) -> int:
        """Read a whole number with its sign."""
        negative = self.sign("-")
        if not negative:
            self.sign("+")
        if self.token.kind is not Kind.INTEGER:
            raise self.wrong("<integer>")
        value = int(self.take().text)
        return -value if negative else value

    def end(self) -> None:
        """The statement ends here; raises `SqlError` -104."""
        if self.token.kind is not Kind.END:
            raise self.wrong("END-OF-STATEMENT")

    def skip(self) -> None:
        """Read to the end."""
        while self.token.kind is not Kind.END:
            self.take()

    def type(self) -> SqlType:
        """Read a type; raises `SqlError` -204 for a name that is none."""
        name = self.name()
        if name == "DOUBLE":
            self.word("PRECISION")
        elif name == "LONG":
            name += " " + self.name()
        elif name in {"CHAR", "CHARACTER", "GRAPHIC", "BINARY", "NCHAR"}:
            if self.word("VARYING"):
                name += " VARYING"
            elif self.word("LARGE"):
                self.expect("OBJECT")
                name += " LARGE OBJECT"
        sizes = self._sizes()
        bit_data = False
        if self.word("FOR"):
            bit_data = self.any_word("BIT", "SBCS", "MIXED") == "BIT"
            self.expect("DATA")
        self.any_word("CCSID") and self.take()
        if name == "TIMESTAMP" and self.word("WITHOUT"):
            self.expect("TIME", "ZONE")
        return types.named(name, sizes, bit_data=bit_data)

    def _sizes(self) -> list[int]:
        sizes: list[int] = []
        if self.sign("("):
            while not self.sign(")"):
                size = self.number()
                if unit := self.any_word(*_UNITS):
                    size *= _UNITS[unit]
                self.any_word("OCTETS", "CODEUNITS16", "CODEUNITS32")
                sizes.append(size)
                self.sign(",")
        return sizes
