"""Cuts SQL into tokens.

Source: IBM Db2 documentation, "Tokens", "Identifiers", "Constants" (SQL reference)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from tailrace_standins.db2.session import SqlError


class Kind(Enum):
    """Kinds of tokens."""

    WORD = "word"  # an ordinary identifier or a keyword, in upper case
    NAME = "name"  # a delimited identifier, without its quotes
    STRING = "string"
    HEX = "hex"
    GRAPHIC = "graphic"
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    PARAMETER = "parameter"
    SIGN = "sign"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `at` is where it begins in the statement."""

    kind: Kind
    text: str
    at: int


_TOKENS: Final = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?\*/)
    |(?P<hex>[Bb]?[Xx]'[0-9A-Fa-f\s]*')
    |(?P<graphic>(?:[GgNn]|[Uu]&)'(?:[^']|'')*')
    |(?P<string>'(?:[^']|'')*')
    |(?P<name>"(?:[^"]|"")*")
    |(?P<float>(?:\d+\.?\d*|\.\d+)[Ee][+-]?\d+)
    |(?P<decimal>\d+\.\d*|\.\d+)
    |(?P<integer>\d+)
    |(?P<parameter>\?)
    |(?P<word>[^\W\d][\w$#@]*|[$#@][\w$#@]*)
    |(?P<sign>=>|<>|!=|\^=|¬=|<=|>=|\|\||[=<>+\-*/(),.;:])""",
    re.VERBOSE | re.DOTALL,
)


def tokens(sql: str) -> list[Token]:
    """The tokens, with an END; raises `SqlError` -7 for a character that begins none, -10 for a string without its end."""
    found: list[Token] = []
    at = 0
    while at < len(sql):
        match = _TOKENS.match(sql, at)
        if match is None:
            if sql[at] in "'\"":
                raise SqlError(-10, "42603", sql[at : at + 20])
            raise SqlError(-7, "42601", sql[at], sql[max(at - 20, 0) : at])
        kind = str(match.lastgroup)
        if kind != "space":
            found.append(Token(Kind(kind), _text(kind, match[0]), at))
        at = match.end()
    while found and found[-1].text == ";" and found[-1].kind is Kind.SIGN:
        found.pop()
    found.append(Token(Kind.END, "END-OF-STATEMENT", len(sql)))
    return found


def _text(kind: str, text: str) -> str:
    if kind == "word":
        return text.upper()
    if kind == "name":
        return text[1:-1].replace('""', '"')
    if kind == "string":
        return text[1:-1].replace("''", "'")
    if kind == "graphic":
        return text[text.index("'") + 1 : -1].replace("''", "'")
    if kind == "hex":
        return re.sub(r"\s", "", text[text.index("'") + 1 : -1])
    return text
