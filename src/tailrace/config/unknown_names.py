"""Judges names that are no property of the connector: what they are, and what was probably meant.

Kafka Connect passes a connector its whole configuration, and a connector ignores what it does not know. An unknown name is
therefore a warning. Its text depends on the kind of name: a comment, a worker's property, another connector's property, a
misspelt property. Only one kind is an error: a misspelt name of a property that changes records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from attrs import frozen

from tailrace.config.name_kinds import EVERYWHERE, NAME_KINDS
from tailrace.config.property import Family, PropertyTables
from tailrace.config.spelling import ALIKE, SIMILAR, nearest, ratio, visible

SERVER_PREFIX: Final = "debezium.source."
Others = Callable[[], Collection[str]]


@frozen
class Verdict:
    """The judgement on an unknown name: the message after the name, and whether it is an error."""

    words: str
    is_wrong: bool = False


def judge(name: str, tables: PropertyTables, others: Others, database: str, given: Collection[str]) -> Verdict:
    """The verdict on a name that is no property of the connector for `database`.

    `others` returns the names of other connectors' properties. `given` are the current names of the configuration's properties.
    """
    plain = visible(name)
    if plain != name and (near := _known(plain, tables)):
        return _near(near, tables, database, given, because="it has an invisible character or a blank in it; ")
    if (stripped := plain.removeprefix(SERVER_PREFIX)) != plain:
        return _near(stripped, tables, database, given, because="Debezium Server's prefix goes; ")
    if plain.startswith("tailrace."):
        return _own(plain, tables)
    if words := _meant(plain, tables):
        wrong = any(_is_missing(each, tables, given) for each in words.split())
        return Verdict(f"is not a property of the {database} connector, and has no effect: {words}", is_wrong=wrong)
    if match := _kind_of(plain):
        return Verdict(match)
    if plain in others():
        return Verdict(f"is a property of another connector, without effect with {database}")
    near = _family_like(plain, tables) or nearest(plain, (*tables.by_name, *tables.aliases), ALIKE)
    if near:
        return _near(near, tables, database, given, because="")
    similar = nearest(plain, (*tables.by_name, *tables.aliases), SIMILAR)
    hint = f"; is {similar} meant?" if similar else ""
    return Verdict(f"is not a property of the {database} connector, and has no effect{hint}")


def hidden_in(name: str, family: Family, tables: PropertyTables) -> str | None:
    """The property that was probably meant by a member of an open family; None if its name resembles none.

    An open family accepts every name with its prefix, so that without this a misspelt property would go unnoticed in it.
    """
    if not family.is_open:
        return None
    # a higher cutoff than elsewhere: the name is valid as it is, so that only an obvious misspelling may be reported
    near = nearest(name, (*tables.by_name, *tables.aliases), cutoff=0.93)
    if near is None or name.startswith(f"{near}."):  # a family's own property, and a member of it
        return None
    prefix = family.name.removesuffix("*")
    tail = "." + near.removeprefix(prefix)
    between = name.removeprefix(prefix).removesuffix(tail)  # of a converter inside another one
    is_inner = near.startswith(prefix) and name == f"{prefix}{between}{tail}" and bool(between)
    return None if is_inner else near


def verdict_on(near: str, tables: PropertyTables, database: str, given: Collection[str]) -> Verdict:
    """The verdict on a name that resembles `near`."""
    return _near(near, tables, database, given, because="")


def _near(near: str, tables: PropertyTables, database: str, given: Collection[str], *, because: str) -> Verdict:
    current = tables.current_name(near)
    words = f"is not a property of the {database} connector; {because}did you mean {near}?"
    if current in given:
        return Verdict(f"{words} That one is set as well, and counts")
    known = tables.by_name.get(current) or tables.family_of(current)
    wrong = tables.changes_records(known.name if known else current) or _is_missing(current, tables, given)
    return Verdict(words if wrong else f"{words} It has no effect", is_wrong=wrong)


def _is_missing(name: str, tables: PropertyTables, given: Collection[str]) -> bool:
    """Whether a required property is absent, so that the configuration is refused anyway."""
    prop = tables.by_name.get(name)
    return prop is not None and prop.required and name not in given


def _own(name: str, tables: PropertyTables) -> Verdict:
    """The verdict on a name with tailrace's prefix: an error, because no other product has such names."""
    near = nearest(name, tables.by_name, SIMILAR)
    return Verdict("is no property of tailrace's own" + (f"; did you mean {near}?" if near else ""), is_wrong=True)


def _known(name: str, tables: PropertyTables) -> str | None:
    current = tables.current_name(name)
    return name if current in tables.by_name or tables.family_of(current) else None


def _meant(name: str, tables: PropertyTables) -> str:
    by_meaning = {**tables.meant, **EVERYWHERE}
    return next((words for pattern, words in by_meaning.items() if re.fullmatch(pattern, name)), "")


def _kind_of(name: str) -> str:
    return next(filter(None, (sort.verdict(name) for sort in NAME_KINDS)), "")


def _family_like(name: str, tables: PropertyTables) -> str | None:
    """The family that changes records and whose fixed prefix is most similar to the name's beginning."""
    words = name.split(".")
    heads = ((family.name, head) for family, head in _heads(tables) if tables.changes_records(family.name))
    likes = ((ratio(".".join(words[: head.count(".") + 1]), head, ALIKE), family) for family, head in heads)
    best = max(likes, default=(0.0, ""))
    return best[1] if best[0] else None


def _heads(tables: PropertyTables) -> Iterator[tuple[Family, str]]:
    for family in tables.families:
        head = re.split(r"[<*]", family.name)[0].rstrip(".")
        if head.count(".") >= 1 and head != family.name:
            yield family, head
