"""SQL in signals (`additional-conditions`), checked before it becomes part of a statement.

Whoever may send signals can choose rows by it, and must not be able to do anything else: the connector's user may have
more privileges than the sender. So a filter must be one expression that stays within the parentheses around it, and the
statement of a blocking snapshot must be one SELECT. Neither may contain a comment, which could hide what follows,
either from us or from the server. The text is split into tokens as the server splits it, in a session whose SQL dialect
we have set.

This does not check that the text is correct; the server does. It checks that the server reads the text as we do: as one
expression or statement, without anything that writes, locks or reaches outside the database. The transaction around it,
which is read-only or rolled back, is the second line of defence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tailrace.config.settings import Settings
from tailrace.errors import UnsupportedError

ALLOWED: Final = "tailrace.signal.conditions"
LONGEST: Final = 500_000  # characters; what exceeds the server's limit would end the session, again and again
_BEGINS: Final = (["SELECT"], ["WITH"])
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")  # some parsers end a text at NUL; SQL needs none of these
_WITHIN: Final = 20


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a database splits SQL into tokens.

    Attributes:
        pieces: matches one token, by the groups `blank`, `quoted` (literals and quoted names), `word` (also numbers),
            `open`, `close`, `end` (of a statement) and `sign`. A text that it does not match, or not by such a group,
            is refused.
        refused: sequences of words, in upper case, that write, lock, or reach outside the database.

    """

    pieces: re.Pattern[str]
    refused: Sequence[tuple[str, ...]]

    def condition(self, text: str) -> str:
        """A filter, if it is one expression that stays within parentheses around it.

        Raises:
            UnsupportedError: it is not.

        """
        return _condition(self, text)

    def statement(self, text: str) -> str:
        """The SELECT of a blocking snapshot, without a semicolon at its end.

        Raises:
            UnsupportedError: it is not one SELECT.

        """
        text = text.strip().removesuffix(";")
        words = list(filter(None, self.read(text)))
        if words[:1] not in _BEGINS or "SELECT" not in words:
            raise _refused("it is no SELECT")
        return text

    def read(self, text: str) -> Iterator[str]:
        """The words of a text in upper case, and "" for other tokens, without blanks.

        Raises:
            UnsupportedError: the text contains something that is refused.

        """
        if len(text) > LONGEST:
            raise _refused(f"it has more than {LONGEST} characters")
        if found := _CONTROLS.search(text):
            raise _refused(f"the character {found[0]!r} is in it")
        at, depth, before = 0, 0, [""] * max(map(len, self.refused))
        while at < len(text):
            found, at = self._piece(text, at)
            kind = found.lastgroup
            if kind == "blank":
                continue
            depth += (kind == "open") - (kind == "close")
            # It would close the parenthesis that is put around the condition.
            if depth < 0:
                raise _refused(f"a parenthesis is closed that was not opened, at {_shown(text, found)}")
            word = found[0].upper() if kind == "word" else ""
            # The last words, as many as the longest refused sequence has.
            before = [*before[1:], word]
            self._require_reading(before)
            yield word
        if depth:
            raise _refused("a parenthesis is not closed")

    def _piece(self, text: str, at: int) -> tuple[re.Match[str], int]:
        found = self.pieces.match(text, at)
        if found is None or found.lastgroup is None:
            raise _refused(
                f"a comment, a quote that is not closed, or a sign that is no SQL, at {text[at : at + _WITHIN]!r}"
            )
        if found.lastgroup == "end":
            raise _refused(f"a semicolon, at {_shown(text, found)}")
        return found, found.end()

    def _require_reading(self, words: Sequence[str]) -> None:
        for refused in self.refused:
            if all(map(_is, words[-len(refused) :], refused)):
                raise _refused(f"{' '.join(refused)} is in it; a column of that name has to be in quotes")


def require_allowed(settings: Settings, condition: str | None) -> None:
    """Raise `UnsupportedError` if a signal has a condition and the configuration allows none."""
    if condition is not None and not settings.tailrace_signal_conditions:
        raise UnsupportedError(f"the signal's additional-conditions are refused: {ALLOWED} is false")


@lru_cache(maxsize=16)
def _condition(dialect: Dialect, text: str) -> str:
    """Check a filter; cached, as every chunk of a table has the same one."""
    for _ in dialect.read(text):
        pass
    return text


def _is(word: str, refused: str) -> bool:
    """Whether a word is a refused one; servers end a number where a keyword begins, so `1.5INTO` counts."""
    return word == refused or (word[:1].isdigit() and word.endswith(refused))


def _refused(why: str) -> UnsupportedError:
    return UnsupportedError(f"the signal's additional-conditions are refused: {why}")


def _shown(text: str, found: re.Match[str]) -> str:
    return repr(text[found.start() : found.start() + _WITHIN])
