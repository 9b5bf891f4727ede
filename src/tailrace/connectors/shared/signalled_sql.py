"""SQL that comes with signals (`additional-conditions`), looked at before it becomes part of a statement.

Whoever may signal can choose rows with it, and do nothing else: the connector's user may have more rights than he. So a
filter has to be one expression that stays within the parentheses that are put around it, and what a blocking snapshot reads
has to be one SELECT. Neither has a comment, which would hide what follows from us or from the server. A text is cut into
words, quotes and signs as the server does it, in a session of which we have set the dialect.

This does not say that the text is right; the server says that. It says that the server reads it as we do: as one piece, in
which what writes, locks or leaves the database is not there. The transaction around it, which is for reading only or rolled
back, is the second hedge.
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
LONGEST: Final = 500_000  # characters: what is longer than the server takes would end the session, again and again
_BEGINS: Final = (["SELECT"], ["WITH"])
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")  # NUL ends a text for some; none of them is SQL
_WITHIN: Final = 20


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a database cuts SQL into pieces.

    Attributes:
        pieces: matches one piece of a text, by the groups `blank`, `quoted` (literals and names in quotes), `word` (with
            numbers), `open`, `close`, `end` (of a statement) and `sign`; what it does not match, or has no such group, is
            refused.
        refused: words, in upper case, that write, lock, or reach beyond the database, where they follow each other.

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
        """The SELECT of a blocking snapshot without the semicolon at its end, if it is one statement. Raises likewise."""
        text = text.strip().removesuffix(";")
        words = list(filter(None, self.read(text)))
        if words[:1] not in _BEGINS or "SELECT" not in words:
            raise _refused("it is no SELECT")
        return text

    def read(self, text: str) -> Iterator[str]:
        """Its words in upper case, and "" for other pieces than blanks. Raises as the others."""
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
            if depth < 0:
                raise _refused(f"a parenthesis is closed that was not opened, at {_shown(text, found)}")
            word = found[0].upper() if kind == "word" else ""
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
    """Raise `UnsupportedError` where a signal has a condition and the configuration allows none."""
    if condition is not None and not settings.tailrace_signal_conditions:
        raise UnsupportedError(f"the signal's additional-conditions are refused: {ALLOWED} is false")


@lru_cache(maxsize=16)
def _condition(dialect: Dialect, text: str) -> str:
    """Each chunk has the same one."""
    for _ in dialect.read(text):
        pass
    return text


def _is(word: str, refused: str) -> bool:
    """A number may run into the word behind it: `1.5INTO`."""
    return word == refused or (word[:1].isdigit() and word.endswith(refused))


def _refused(why: str) -> UnsupportedError:
    return UnsupportedError(f"the signal's additional-conditions are refused: {why}")


def _shown(text: str, found: re.Match[str]) -> str:
    return repr(text[found.start() : found.start() + _WITHIN])
