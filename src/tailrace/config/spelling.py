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
    plain: dict[str, str] = {}
    for each in known:
        plain.setdefault(_plain(each), each)
    found = difflib.get_close_matches(_plain(name), list(plain), n=1, cutoff=cutoff)
    return plain[found[0]] if found else None


def ratio(name: str, other: str) -> float:
    """How alike two names are, from 0 to 1."""
    return difflib.SequenceMatcher(None, _plain(name), _plain(other)).ratio()


@functools.lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()
