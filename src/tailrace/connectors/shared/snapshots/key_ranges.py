"""Key ranges: as SQL conditions, and evaluated locally for integer keys.

For a key of several columns the comparison (a, b) > (x, y) is written as a >= x AND ((a > x) OR (a = x AND b > y)). The
redundant a >= x makes optimisers read one range of the index; for a row comparison or the OR alone many scan all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tailrace.snapshot.segments import Bound, Interval

Mask = npt.NDArray[np.bool_]
One = Callable[[int, str, str, str], str]
"""Formats a comparison of one column as SQL. Arguments: the column's number and name, the operator, the value."""


def plainly(_number: int, name: str, operator: str, value: str) -> str:
    """The plain comparison of a column with a value."""
    return f"{name} {operator} {value}"


def compared(names: Sequence[str], operator: str, values: Sequence[str], one: One = plainly) -> str:
    """A comparison (>, >=, < or <=) of as many columns as there are values, in a form that is one range of an index."""
    strict = operator[0]
    if len(values) == 1:
        return one(0, names[0], operator, values[0])
    cases = []
    for i, value in enumerate(values):
        equal = [f"{name} = {other}" for name, other in zip(names, values[:i], strict=False)]
        last = operator if i == len(values) - 1 else strict
        cases.append(f"({' AND '.join([*equal, one(i, names[i], last, value)])})")
    return f"{one(0, names[0], f'{strict}=', values[0])} AND ({' OR '.join(cases)})"


def behind(bound: Sequence[str], other: Sequence[str], one: One = plainly) -> str:
    """The condition that one bound lies after another.

    A bound that is a prefix of another lies after all rows that begin with it: [7] lies after [7, 9].
    """
    common = min(len(bound), len(other))
    operator = ">=" if len(bound) < len(other) else ">"
    return compared(bound[:common], operator, other[:common], one)


def ascending(
    points: Sequence[Bound], are_behind: Callable[[Sequence[tuple[Bound, Bound]]], Sequence[Any]]
) -> list[Bound]:
    """The bounds that lie after all kept ones before them.

    `are_behind` tells for pairs of bounds whether the second lies after the first; one call takes many pairs, because
    it may ask the server. Bounds that a collation orders otherwise than their finder assumed are dropped.
    """
    kept = list(points)
    while len(kept) > 1:
        answers = are_behind(list(pairwise(kept)))
        if all(answers):
            break
        # Drop the first bound that does not ascend, and ask again: its successor has another predecessor now.
        del kept[[bool(answer) for answer in answers].index(False) + 1]
    return kept


def inside(
    names: Sequence[str], interval: Interval, literals: Callable[[Bound], Sequence[str]], one: One = plainly
) -> str:
    """The condition that a key lies in an interval; "" for the whole range.

    Args:
        names: the key's columns as SQL.
        interval: of keys.
        literals: the values of a bound as SQL.
        one: formats a comparison.

    """
    after, upto = interval
    found = [] if after is None else [compared(names, ">", literals(after), one)]
    if upto is not None:
        found.append(compared(names, "<=", literals(upto), one))
    return " AND ".join(found)


def within(
    candidates: Sequence[Bound],
    intervals: Sequence[Interval],
    at_once: int,
    found_in: Callable[[Sequence[Bound]], Iterable[int]],
) -> Mask:
    """Which candidates lie in any of the intervals, shape (n,).

    `found_in` asks the server for the numbers of those, among at most `at_once` candidates.
    """
    found = np.zeros(len(candidates), np.bool_)
    for at in range(0, len(candidates), at_once) if intervals else ():
        for number in found_in(candidates[at : at + at_once]):
            found[at + number] = True
    return found


def within_local(columns: Sequence[npt.NDArray[Any]], intervals: Sequence[Interval]) -> Mask:
    """Whether integer keys lie in any of the intervals, shape (n,).

    Args:
        columns: the key's columns, int64[n] or uint64[n].
        intervals: with integer bounds.

    """
    found = np.zeros(len(columns[0]), np.bool_)
    for after, upto in intervals:
        inside = np.ones(len(found), np.bool_) if after is None else _beyond(columns, after)
        found |= inside if upto is None else inside & ~_beyond(columns, upto)
    return found


def _beyond(columns: Sequence[npt.NDArray[Any]], bound: Bound) -> Mask:
    found = np.zeros(len(columns[0]), np.bool_)
    # From the last column to the first, as an earlier column decides unless it is equal.
    for column, value in reversed(list(zip(columns, bound, strict=False))):
        found = (column > value) | ((column == value) & found)
    return found
