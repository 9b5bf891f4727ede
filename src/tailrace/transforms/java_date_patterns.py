"""Patterns of dates in Java's `SimpleDateFormat`: letters for fields, quotes around literal letters, all else for itself.

Source: documentation of `java.text.SimpleDateFormat`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from tailrace.config.values import NotYetError

T = TypeVar("T")
_KNOWN: Final = "GyYMLwWDdFEuaHkKhmsSzZX"
_NOT_YET: Final = {"Y": "the year of a week (yyyy is the year)", "w": "a week", "W": "a week"}
_TOKEN: Final = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|([^A-Za-z']+)", re.DOTALL)
_TEXT_FROM: Final = 3  # letters of a month from which on it is a name


@dataclass(frozen=True, slots=True)
class Token:
    """A field, with as many letters; or, without a letter, a literal text."""

    letter: str
    count: int
    text: str = ""

    @property
    def is_number(self) -> bool:
        """Whether the field is written in digits."""
        return self.letter in "yYwWDdFuHkKhmsS" or (self.letter in "ML" and self.count < _TEXT_FROM)


def of_property(name: str, make: Callable[[str], T], pattern: str) -> T:
    """What `make` makes of the pattern of a property; an error has the property's name."""
    try:
        return make(pattern)
    except ValueError as error:
        raise type(error)(f"{name}: {error}") from error


def tokens_of(pattern: str) -> tuple[Token, ...]:
    """The fields and literals of a pattern, in order.

    Raises:
        NotYetError: it has a field that is not supported yet.
        ValueError: it is no pattern.

    """
    tokens, place = [], 0
    while place < len(pattern):
        found = _TOKEN.match(pattern, place)
        if found is None:
            raise ValueError(f"{pattern!r} has a quote without another one")
        tokens.append(_token(found, pattern))
        place = found.end()
    return tuple(tokens)


def _token(found: re.Match[str], pattern: str) -> Token:
    letter = found[2]
    if letter is None:
        quoted = found[1]
        literal = found[3] if quoted is None else (quoted.replace("''", "'") or "'")
        return Token("", len(literal), literal)
    if letter not in _KNOWN:
        raise ValueError(f"{pattern!r} has the letter {letter}, which no date has: put it between quotes (')")
    if letter in _NOT_YET:
        raise NotYetError(f"{pattern!r} has {letter}, {_NOT_YET[letter]}, which is not supported yet")
    return Token(letter, len(found.group()))
