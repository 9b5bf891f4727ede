"""SQL string literals in Debezium's records: with doubled single quotes and backslash escapes, as in MySQL."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(.)|''|\"\"", re.DOTALL)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def unescaped_literal(inner: str) -> str:
    """The value of a literal; `inner` is the text between its single quotes."""
    return _ESCAPE.sub(_escaped, inner)


def _escaped(match: re.Match[str]) -> str:
    letter = match.group(1)
    if letter is None:
        return "'" if match.group() == "''" else match.group()
    return _ESCAPED.get(letter, letter)
