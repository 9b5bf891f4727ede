"""What somebody may have meant by an expression of a list that matches nothing.

A name can be written as another database, another product or another list would have it: with too few parts or too many, in
brackets or backticks, as a glob. Such an expression is tried in other forms, and the form that matches something is what to
write. Where none does, the names that look most alike are shown.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from attrs import frozen

from tailrace.config.patterns import PatternError, compile_java

SHOWN: Final = 3
_ALIKE: Final = 0.6  # as difflib counts, and how much less than the nearest
_LESS: Final = 0.05
_COMPARED: Final = 10_000  # names at most: so many take a second
_SPECIAL: Final = re.compile(r"[\\^$*+?()\[\]{}|]")  # a dot matches itself


@frozen
class Thing:
    """Something that exists: what the list calls it, and what else it might be called."""

    name: str
    others: tuple[str, ...] = ()


def near_miss(expression: str, things: Sequence[Thing]) -> str:
    """What to write instead, and why; "" where nothing is alike."""
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
    """An expression that matches a name, and is as easy to read as it can be."""
    return _in_a_list(_SPECIAL.sub(r"\\\g<0>", name))


def _in_a_list(expression: str) -> str:
    return expression.replace(",", "\\,")


def _forms(expression: str) -> Iterator[tuple[str, str, str]]:
    """The expression, and others that it may stand for, each with what to write and with what is wrong then."""
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


def _alike(expression: str, things: Sequence[Thing]) -> list[str]:
    """The names nearest to it, also those that differ in the case of letters that expressions do not know."""
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
