"""Ranges of keys: as conditions of a statement, and of whole numbers without asking the server.

For a key of several columns the comparison (a, b) > (x, y) is written out, (a > x) OR (a = x AND b > y), with a >= x before
it: that is what databases make one range of an index of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tailrace.snapshot.segments import Bound, Interval

Mask = npt.NDArray[np.bool_]
One = Callable[[int, str, str, str], str]
"""A comparison of one column: its number, its name, the operator and the value, as SQL."""


def plainly(_number: int, name: str, operator: str, value: str) -> str:
    """A column beside a value."""
    return f"{name} {operator} {value}"


def compared(names: Sequence[str], operator: str, values: Sequence[str], one: One = plainly) -> str:
    """A comparison (>, >=, < or <=) of as many columns as there are values, in a form that makes a range of an index."""
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
    """The condition that a bound lies behind another; one stands behind all rows that begin with it: [7] behind [7, 9]."""
    common = min(len(bound), len(other))
    operator = ">=" if len(bound) < len(other) else ">"
    return compared(bound[:common], operator, other[:common], one)


def ascending(
    points: Sequence[Bound], are_behind: Callable[[Sequence[tuple[Bound, Bound]]], Sequence[Any]]
) -> list[Bound]:
    """Those of these bounds that lie behind all kept before them; `are_behind` asks of pairs if the second is behind."""
    kept = list(points)
    while len(kept) > 1:
        answers = are_behind(list(pairwise(kept)))
        if all(answers):
            break
        del kept[[bool(answer) for answer in answers].index(False) + 1]
    return kept


def within_local(columns: Sequence[npt.NDArray[Any]], intervals: Sequence[Interval]) -> Mask:
    """Whether keys of whole numbers lie in any interval, shape (n,).

    Args:
        columns: the key's columns, int64[n] or uint64[n].
        intervals: of integers.

    """
    found = np.zeros(len(columns[0]), np.bool_)
    for after, upto in intervals:
        inside = np.ones(len(found), np.bool_) if after is None else _beyond(columns, after)
        found |= inside if upto is None else inside & ~_beyond(columns, upto)
    return found


def _beyond(columns: Sequence[npt.NDArray[Any]], bound: Bound) -> Mask:
    found = np.zeros(len(columns[0]), np.bool_)
    for column, value in reversed(list(zip(columns, bound, strict=False))):
        found = (column > value) | ((column == value) & found)
    return found
