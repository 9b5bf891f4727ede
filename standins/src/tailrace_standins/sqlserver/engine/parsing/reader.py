"""The common base of the parsers: a cursor over the tokens, names, types."""

from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.parsing.lexer import Token, tokens
from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.sqlserver.values import MAX, SqlType

RESERVED: Final = frozenset(
    [
        "ADD",
        "ALL",
        "ALTER",
        "AND",
        "ANY",
        "AS",
        "ASC",
        "BACKUP",
        "BEGIN",
        "BETWEEN",
        "BREAK",
        "BY",
        "CASE",
        "CHECK",
        "CLOSE",
        "COLLATE",
        "COMMIT",
        "CONSTRAINT",
        "CONTINUE",
        "CONVERT",
        "CREATE",
        "CROSS",
        "DBCC",
        "DEALLOCATE",
        "DECLARE",
        "DEFAULT",
        "DELETE",
        "DENY",
        "DESC",
        "DISTINCT",
        "DROP",
        "ELSE",
        "END",
        "ESCAPE",
        "EXCEPT",
        "EXEC",
        "EXECUTE",
        "EXISTS",
        "FETCH",
        "FOR",
        "FOREIGN",
        "FROM",
        "FULL",
        "GOTO",
        "GRANT",
        "GROUP",
        "HAVING",
        "IF",
        "IN",
        "INDEX",
        "INNER",
        "INSERT",
        "INTERSECT",
        "INTO",
        "IS",
        "JOIN",
        "KEY",
        "KILL",
        "LEFT",
        "LIKE",
        "MERGE",
        "NOT",
        "NULL",
        "OF",
        "OFF",
        "ON",
        "OPEN",
        "OPTION",
        "OR",
        "ORDER",
        "OUTER",
        "PRIMARY",
        "PRINT",
        "RAISERROR",
        "REFERENCES",
        "RESTORE",
        "RETURN",
        "REVOKE",
        "RIGHT",
        "ROLLBACK",
        "SAVE",
        "SELECT",
        "SET",
        "TABLE",
        "THEN",
        "TO",
        "TOP",
        "TRAN",
        "TRANSACTION",
        "TRIGGER",
        "TRUNCATE",
        "UNION",
        "UNIQUE",
        "UPDATE",
        "USE",
        "VALUES",
        "VIEW",
        "WAITFOR",
        "WHEN",
        "WHERE",
        "WHILE",
        "WITH",
    ]
)
_NO_ALIAS: Final = RESERVED | {"OUTPUT", "OFFSET", "THROW", "APPLY", "USING"}
_TWO_WORDS: Final = {"DOUBLE", "NATIONAL", "CHARACTER", "CHAR", "BINARY", "NCHAR"}


class Reader:
    """Tokens and a position in them."""

    def __init__(self, sql: str) -> None:
        """Read `sql` as tokens; raises 102, 105."""
        self._sql = sql
        self._tokens = tokens(sql)
        self._place = 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self._tokens[self._place]

    def ahead(self, count: int = 1) -> Token:
        """The token `count` further on."""
        return self._tokens[min(self._place + count, len(self._tokens) - 1)]

    def at(self, *keys: str) -> bool:
        """Whether these words or operators are next, in this order."""
        return all(self.ahead(i).key == key for i, key in enumerate(keys))

    def at_any(self, *keys: str) -> bool:
        """Whether one of these is next."""
        return self.token.key in keys

    def advance(self) -> Token:
        """Take the next token."""
        token = self.token
        if token.kind != "end":
            self._place += 1
        return token

    def accept(self, *keys: str) -> bool:
        """Consume these if they are next; returns whether they were."""
        if not self.at(*keys):
            return False
        self._place += len(keys)
        return True

    def expect(self, *keys: str) -> None:
        """Consume these; raises 102 at another token."""
        for key in keys:
            if not self.accept(key):
                raise self.wrong()

    def wrong(self) -> SqlError:
        """102 at the next token."""
        token = self.token if self.token.kind != "end" else self._tokens[max(self._place - 1, 0)]
        return error(102, token.text, line=token.line)

    def text_between(self, start: int, end: int) -> str:
        """The batch's text between two positions, stripped."""
        return self._sql[start:end].strip()

    def name(self) -> str:
        """An identifier."""
        token = self.token
        if token.kind == "quoted" or (token.kind == "word" and token.key not in RESERVED):
            return self.advance().text
        raise self.wrong()

    def any_name(self) -> str:
        """An identifier, also one that is a keyword elsewhere (an option's name)."""
        if self.token.kind in {"word", "quoted"}:
            return self.advance().text
        raise self.wrong()

    def names(self) -> tuple[str, ...]:
        """`a.b.c`; an empty part where it was left out (`db..t`)."""
        if self.token.kind == "variable" and not self.token.text.startswith("@@"):
            return (self.advance().text.lower(),)
        parts = [self.name()]
        while self.accept("."):
            parts.append("" if self.at(".") else self.any_name())
        return tuple(parts)

    def is_name(self) -> bool:
        """Whether an identifier is next."""
        return self.token.kind == "quoted" or (self.token.kind == "word" and self.token.key not in RESERVED)

    def alias(self, *, strings: bool = False) -> str:
        """An alias with or without AS, or an empty text."""
        if self.accept("AS"):
            return self.advance().text if strings and self.token.kind in {"string", "nstring"} else self.any_name()
        if self.token.kind == "quoted" or (self.token.kind == "word" and self.token.key not in _NO_ALIAS):
            return self.advance().text
        return self.advance().text if strings and self.token.kind in {"string", "nstring"} else ""

    def name_list(self) -> tuple[str, ...]:
        """`(a, b)`."""
        self.expect("(")
        found = [self.name()]
        while self.accept(","):
            found.append(self.name())
        self.expect(")")
        return tuple(found)

    def integer(self) -> int:
        """A whole number, also a negative one."""
        sign = -1 if self.accept("-") else 1
        self.accept("+")
        if self.token.kind != "number" or not self.token.text.isdigit():
            raise self.wrong()
        return sign * int(self.advance().text)

    def type_name(self, *, is_cast: bool = False, number: int = 1) -> SqlType:
        """A type with its facets; raises 2715 and its like."""
        name = self.any_name()
        while self.accept("."):
            name = self.any_name()
        if name.upper() in _TWO_WORDS and self.token.key in {"PRECISION", "VARYING", "CHAR", "CHARACTER"}:
            name += " " + self.advance().text
            if self.accept("VARYING"):
                name += " varying"
        facets: list[int] = []
        if self.accept("("):
            facets.append(self._facet())
            while self.accept(","):
                facets.append(self.integer())
            self.expect(")")
        return types.named(name, tuple(facets), is_cast=is_cast, number=number)

    def _facet(self) -> int:
        return MAX if self.accept("MAX") else self.integer()
