"""Which rows a condition on a key means: ranges of the rows' places in the order of the key.

Comparisons change their truth only at their constants. Between two neighbouring constants a condition on the key's first column
is the same for all rows; where it depends on a later column, the rows of one value of the first are looked at by themselves.
"""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, TypeAlias

COMPARED: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


class UnreadableError(Exception):
    """A condition, or another part of a query, that only SQLite can evaluate."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison of a key's column, by its place in the key, with a constant."""

    place: int
    sign: str
    value: Any


@dataclass(frozen=True, slots=True)
class Joined:
    """AND, OR, or NOT of one."""

    word: str
    parts: tuple[Condition, ...]


Condition: TypeAlias = Compared | Joined


def ranges(condition: Condition | None, keys: Sequence[list[Any]], count: int) -> list[tuple[int, int]]:
    """The ranges of rows for which a condition is true.

    Args:
        condition: None is true for all.
        keys: the values of each column of the key, in the order of the key.
        count: of rows.

    Raises:
        UnreadableError: the rows are not told by ranges of the key.

    """
    found: list[tuple[int, int]] = []
    for begin, end in _ranges(condition, keys, (0, count), ()) if condition is not None else [(0, count)]:
        if found and found[-1][1] == begin:
            found[-1] = (found[-1][0], end)
        elif begin < end:
            found.append((begin, end))
    return found


def _ranges(
    condition: Condition, keys: Sequence[list[Any]], rows: tuple[int, int], known: tuple[Any, ...]
) -> Iterator[tuple[int, int]]:
    place, (first, last) = len(known), rows
    if first == last:
        return
    if place == len(keys):
        raise UnreadableError
    column = keys[place]
    cuts = {first, last}
    for value in _constants(condition, place):
        cuts |= {bisect_left(column, value, first, last), bisect_right(column, value, first, last)}
    borders = sorted(cuts)
    for begin, end in pairwise(borders):
        given = (*known, column[begin])
        told = _truth(condition, given)
        if told is not None:
            if told:
                yield begin, end
        elif column[begin] == column[end - 1]:
            yield from _ranges(condition, keys, (begin, end), given)
        else:
            raise UnreadableError


def _constants(condition: Condition, place: int) -> Iterator[Any]:
    if isinstance(condition, Compared):
        if condition.place == place:
            yield condition.value
    else:
        for part in condition.parts:
            yield from _constants(part, place)


def _truth(condition: Condition, known: tuple[Any, ...]) -> bool | None:
    """Whether it is true where the key's first columns are known; None: that depends on the others."""
    if isinstance(condition, Compared):
        return COMPARED[condition.sign](known[condition.place], condition.value) if condition.place < len(known) else None
    told = [_truth(part, known) for part in condition.parts]
    if condition.word == "NOT":
        return None if told[0] is None else not told[0]
    decided = condition.word == "OR"  # the value of one part with which the others do not matter
    if decided in told:
        return decided
    return None if None in told else not decided
