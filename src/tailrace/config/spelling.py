"""Compares names as people write them: with invisible characters, wrong separators, a letter too many."""

from __future__ import annotations

import difflib
import functools
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

ALIKE: Final = 0.84  # difflib's ratio for a misspelt name: a letter too many or too few, a last word that is missing
SIMILAR: Final = 0.78  # similar enough for a question, not for an error
_SLOTS: Final = 64  # into which letters are hashed by their code points
_OFTEN: Final = 32  # occurrences of one letter that are counted


def printable(text: str) -> str:
    r"""The text with invisible characters, and spaces at the ends, as escapes like `\u200b`."""
    inner = text.strip(" ")
    before, after = len(text) - len(text.lstrip(" ")), len(text) - len(text.rstrip(" ")) if inner else 0
    return r"\u0020" * before + "".join(map(_shown, inner)) + r"\u0020" * after


def _shown(character: str) -> str:
    return f"\\u{ord(character):04x}" if is_invisible(character) else character


def is_invisible(character: str) -> bool:
    """Whether a character can't be seen, or looks like a space and is none."""
    return character != " " and (character.isspace() or unicodedata.category(character) in {"Cf", "Cc", "Co", "Cn", "Cs"})


def is_disguised(character: str) -> bool:
    """Whether a character is invisible or an unusual space. Line feeds and tabs are legitimate in values, such as SQL."""
    return character != " " and unicodedata.category(character) in {"Cf", "Zs"}


def visible(text: str) -> str:
    """The text without invisible characters, and without spaces at its ends."""
    return "".join(each for each in text if not is_invisible(each)).strip()


def nearest(name: str, known: Iterable[str], cutoff: float) -> str | None:
    """The known name that is most similar, if its ratio is at least `cutoff`; case and separators are ignored."""
    plain, spelled = _plain(name), _spelled(tuple(known))
    # the cheap bound first: difflib compares only names that can reach the cutoff
    near = [each for each in spelled if _at_most(each, plain) >= cutoff]
    found = difflib.get_close_matches(plain, near, n=1, cutoff=cutoff) if near else []
    return spelled[found[0]] if found else None


def ratio(name: str, other: str, at_least: float) -> float:
    """How similar two names are, from 0 to 1; 0 if less than `at_least`."""
    plain, other_plain = _plain(name), _plain(other)
    if _at_most(plain, other_plain) < at_least:
        return 0.0
    found = difflib.SequenceMatcher(None, plain, other_plain).ratio()
    return found if found >= at_least else 0.0


@functools.lru_cache(maxsize=16)
def _spelled(known: tuple[str, ...]) -> dict[str, str]:
    """Names by what is compared of them; of several that are equal then, the first."""
    plain: dict[str, str] = {}
    for each in known:
        plain.setdefault(_plain(each), each)
    return plain


def _at_most(plain: str, other: str) -> float:
    """An upper bound of difflib's ratio, by the letters that both have in any order.

    difflib alone would take a minute for thousands of unknown names.
    """
    letters, others = _letters(plain), _letters(other)
    shared = min(len(plain), len(other)) if letters is None or others is None else (letters & others).bit_count()
    return 2.0 * shared / (len(plain) + len(other)) if plain or other else 1.0


@functools.lru_cache(maxsize=4096)
def _letters(plain: str) -> int | None:
    """The multiset of letters as bits: one for the first `a`, one for the second `a`, and so on.

    None if a letter occurs more often than there are bits. Letters of other alphabets may share bits with others; that only
    raises the bound, so it stays an upper bound.
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
