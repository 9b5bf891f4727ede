"""Splits T-SQL into tokens.

Source: "Transact-SQL syntax conventions"; "Database identifiers",
https://learn.microsoft.com/sql/relational-databases/databases/database-identifiers; and of constants over several lines
"Backslash (Line Continuation)",
https://learn.microsoft.com/sql/t-sql/language-elements/sql-server-utilities-statements-backslash
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from tailrace_standins.sqlserver.engine.errors import error


class Token(NamedTuple):
    """A token.

    Attributes:
        kind: word, quoted, string, nstring, number, binary, money, variable, operator or end.
        text: as written; of quoted names and strings what is inside; of constants without the backslashes and line breaks
            that continue them.
        key: words in upper case and operators as they are; empty for the rest, so that a quoted name is never a
            keyword.
        line: from 1.
        start, end: its position in the batch.

    """

    kind: str
    text: str
    key: str
    line: int
    start: int
    end: int


_TOKEN: Final = re.compile(
    r"""
    (?P<space>\s+|--[^\n]*)
  | (?P<comment>/\*)
  | (?P<nstring>[Nn]'(?:[^']|'')*')
  | (?P<string>'(?:[^']|'')*')
  | (?P<binary>0[xX](?:[0-9A-Fa-f]|\\\r?\n)*)
  | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<money>[$£€]-?(?:\d+\.?\d*|\.\d+))
  | (?P<bracket>\[(?:[^\]]|\]\])*\])
  | (?P<double>"(?:[^"]|"")*")
  | (?P<variable>@@?[\w@#$]+)
  | (?P<word>[^\W\d][\w@#$]*|\#{1,2}[\w@#$]+)
  | (?P<operator><>|!=|<=|>=|!<|!>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|::|[-+*/%&|^~=<>(),.;{}:$])
    """,
    re.VERBOSE,
)
_COMMENT: Final = re.compile(r"/\*|\*/")
_CONTINUED: Final = re.compile(r"\\\r?\n")


def tokens(sql: str) -> list[Token]:
    """The batch as tokens, the last of kind `end`; raises 102 and 105."""
    found: list[Token] = []
    position, line = 0, 1
    while position < len(sql):
        match = _TOKEN.match(sql, position)
        if match is None:
            if sql[position] in "'\"[nN":
                raise error(105, sql[position + 1 :], line=line)
            raise error(102, sql[position], line=line)
        kind = match.lastgroup or ""
        end = _comment_end(sql, position, line) if kind == "comment" else match.end()
        if kind not in {"space", "comment"}:
            found.append(_token(kind, match.group(), line, position, end))
        line += sql.count("\n", position, end)
        position = end
    found.append(Token("end", "", "", line, len(sql), len(sql)))
    return found


def _token(kind: str, text: str, line: int, start: int, end: int) -> Token:
    if kind == "word":
        return Token("word", text, text.upper(), line, start, end)
    if kind == "bracket":
        return Token("quoted", text[1:-1].replace("]]", "]"), "", line, start, end)
    if kind == "double":
        return Token("quoted", text[1:-1].replace('""', '"'), "", line, start, end)
    if kind in {"string", "nstring"}:
        inside = text[text.index("'") + 1 : -1]
        return Token(kind, _CONTINUED.sub("", inside).replace("''", "'"), "", line, start, end)
    if kind == "binary":
        return Token("binary", _CONTINUED.sub("", text), "", line, start, end)
    return Token(kind, text, text if kind == "operator" else "", line, start, end)


def _comment_end(sql: str, start: int, line: int) -> int:
    """Comments nest in T-SQL."""
    depth = 0
    for match in _COMMENT.finditer(sql, start):
        depth += 1 if match.group() == "/*" else -1
        if not depth:
            return match.end()
    raise error(102, "/*", line=line)
