"""Suggestions for an expression of a list that matches nothing.

People write names as another database, another product or another list would have them: with too few or too many parts, in
brackets or backticks, as a glob. The expression is tried in such other forms; a form that matches something is suggested.
If none does, the most similar names are.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from attrs import frozen

from tailrace.java_patterns import PatternError, compile_java

SHOWN: Final = 3
_ALIKE: Final = 0.6  # difflib's ratio from which names count as similar
_LESS: Final = 0.05  # names this close to the nearest one are suggested as well
_COMPARED: Final = 10_000  # names at most: comparing so many takes a second
_SPECIAL: Final = re.compile(r"[\\^$*+?()\[\]{}|]")  # without the dot, which also matches itself


@frozen
class Candidate:
    """An existing table, column or database: its name in the list, and other names that people may write."""

    name: str
    others: tuple[str, ...] = ()


def near_miss(expression: str, things: Sequence[Candidate]) -> str:
    """What to write instead, and why; "" if nothing is similar."""
    for form, shown, why in _forms(expression):
        matches = _matcher(form)
        if why and any(matches(thing.name) for thing in things):
            return f"{why}: write {shown}"
        if meant := [thing.name for thing in things if any(map(matches, thing.others))]:
            return f"the list wants {_either(meant)}"
    literal = [thing.name for thing in things if expression in {thing.name, *thing.others}]
    if literal:
        return f"characters with a meaning in regular expressions need a backslash: write {_either(map(escaped, literal))}"
    alike = _alike(expression, things)
    return f"is {_either(alike)} meant?" if alike else ""


def escaped(name: str) -> str:
    """An expression for a name, with as few backslashes as possible."""
    return _in_a_list(_SPECIAL.sub(r"\\\g<0>", name))


def _in_a_list(expression: str) -> str:
    return expression.replace(",", "\\,")


def _forms(expression: str) -> Iterator[tuple[str, str, str]]:
    """The expression and its other forms: each as it is tried, as the user should write it, and why."""
    plain = re.sub(r"[`\"\[\]]", "", expression)
    yield expression, "", ""
    for form, why in (
        (plain, "names stand without brackets and quotes"),
        (_visible(plain), "it has a blank or an invisible character in it"),
        (plain.replace("\\\\", "\\"), "one backslash is enough"),
        (re.sub(r"(?<![.)\]}\\])\*|%", ".*", plain), "these are regular expressions, where .* stands for any text"),
    ):
        if form != expression:
            yield form, _in_a_list(form), why
    if ";" in plain:
        yield plain.replace(";", "|"), plain.replace(";", ","), "lists are cut at commas"


def _visible(text: str) -> str:
    return "".join(each for each in text if not (each.isspace() or unicodedata.category(each) == "Cf"))


def _matcher(form: str) -> Callable[[str], bool]:
    try:
        pattern = compile_java(form)
    except PatternError:
        return lambda _: False
    return lambda name: pattern.fullmatch(name) is not None


def _alike(expression: str, things: Sequence[Candidate]) -> list[str]:
    """The most similar names. Case is ignored for all letters here; expressions ignore it for ASCII letters only."""
    spelled = {each.casefold(): thing.name for thing in things for each in (*thing.others, thing.name)}
    if len(spelled) > _COMPARED:
        return []
    text = re.sub(r"\\(.)", r"\1", expression).casefold()
    found = difflib.get_close_matches(text, list(spelled), n=SHOWN, cutoff=_ALIKE)
    ratios = [difflib.SequenceMatcher(None, each, text).ratio() for each in found]
    near = [each for each, ratio in zip(found, ratios, strict=True) if ratio > ratios[0] - _LESS]
    return list(dict.fromkeys(spelled[each] for each in near))


def _either(names: Iterable[str]) -> str:
    found = list(names)
    shown = " or ".join(found[:SHOWN])
    return shown + (f" (or {len(found) - SHOWN} more)" if len(found) > SHOWN else "")
