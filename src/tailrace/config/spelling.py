"""Names as they are written by hand: invisible characters, wrong separators, a letter too many."""

from __future__ import annotations

import difflib
import functools
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

ALIKE: Final = 0.84  # as difflib counts: a letter too many or too few, a last word that is missing
SIMILAR: Final = 0.78  # what may be meant, and may not
_SLOTS: Final = 64
_OFTEN: Final = 32


def shown(text: str) -> str:
    r"""The text with its invisible characters written as `\u200b`; blanks stay as they are, but for those at the ends."""
    inner = text.strip(" ")
    before, after = len(text) - len(text.lstrip(" ")), len(text) - len(text.rstrip(" ")) if inner else 0
    return r"\u0020" * before + "".join(map(_shown, inner)) + r"\u0020" * after


def _shown(character: str) -> str:
    return f"\\u{ord(character):04x}" if is_invisible(character) else character


def is_invisible(character: str) -> bool:
    """Whether nobody sees it, or takes it for a common blank."""
    return character != " " and (character.isspace() or unicodedata.category(character) in {"Cf", "Cc", "Co", "Cn", "Cs"})


def is_disguised(character: str) -> bool:
    """Whether it is nothing to see, or a blank that is not the usual one; line feeds and tabs are what they seem."""
    return character != " " and unicodedata.category(character) in {"Cf", "Zs"}


def visible(text: str) -> str:
    """The text without invisible characters, and without blanks at its ends."""
    return "".join(each for each in text if not is_invisible(each)).strip()


def nearest(name: str, known: Iterable[str], cutoff: float) -> str | None:
    """The known name that is most like it; case, separators and invisible characters don't count."""
    plain, spelled = _plain(name), _spelled(tuple(known))
    near = [each for each in spelled if _at_most(each, plain) >= cutoff]
    found = difflib.get_close_matches(plain, near, n=1, cutoff=cutoff) if near else []
    return spelled[found[0]] if found else None


def ratio(name: str, other: str, at_least: float) -> float:
    """How alike two names are, from 0 to 1; 0 where it is less than `at_least`."""
    plain, other_plain = _plain(name), _plain(other)
    if _at_most(plain, other_plain) < at_least:
        return 0.0
    found = difflib.SequenceMatcher(None, plain, other_plain).ratio()
    return found if found >= at_least else 0.0


@functools.lru_cache(maxsize=16)
def _spelled(known: tuple[str, ...]) -> dict[str, str]:
    """Names by what counts of them; of those that are the same then, the first."""
    plain: dict[str, str] = {}
    for each in known:
        plain.setdefault(_plain(each), each)
    return plain


def _at_most(plain: str, other: str) -> float:
    """A bound for the ratio, by the letters that both have, in any order: thousands of names would take difflib a minute."""
    letters, others = _letters(plain), _letters(other)
    shared = min(len(plain), len(other)) if letters is None or others is None else (letters & others).bit_count()
    return 2.0 * shared / (len(plain) + len(other)) if plain or other else 1.0


@functools.lru_cache(maxsize=4096)
def _letters(plain: str) -> int | None:
    """A bit for each letter: the first `a`, the second `a`, …; None where it has one so often that there are not enough bits.

    Letters that stand in other alphabets may have the bits of another one, which makes a name more alike and not less.
    """
    counts: dict[int, int] = {}
    bits = 0
    for each in plain:
        slot = ord(each) % _SLOTS
        count = counts[slot] = counts.get(slot, -1) + 1
        if count == _OFTEN:
            return None
        bits |= 1 << (slot * _OFTEN + count)
    return bits


@functools.lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()
