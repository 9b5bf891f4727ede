"""Evaluates a query's conditions for whole blocks of rows.

The table evaluates comparisons, whose result is often the same for all rows of a block; this module combines them. There is no
NOT, so a comparison with NULL, which is neither true nor false, can be treated as false.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.engine.types import INTEGER_RANGE

Block = TypeVar("Block")
Mask: TypeAlias = bool | NDArray[np.bool_]
Test: TypeAlias = Callable[[Block], Mask]
KeyOf: TypeAlias = Callable[[tree.Expression], str | None]
Comparison: TypeAlias = Callable[[str, str, Stored], Test[Block]]

COMPARED: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_WHOLE_RANGE: Final = {name: limits for name, limits in INTEGER_RANGE.items() if name != "bit"}
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class UnreadableError(Exception):
    """A condition, or another part of a query, that only SQLite can evaluate."""


def test_of(
    node: tree.Expression, key_of: KeyOf, comparison: Comparison[Block], values: Mapping[str, Stored]
) -> Test[Block]:
    """A condition as a test of blocks; raises `UnreadableError`.

    Args:
        node: the condition.
        key_of: the key for a column.
        comparison: makes the test of a key, an operator and a value.
        values: of variables.

    """

    def of(each: tree.Expression) -> Test[Block]:
        return test_of(each, key_of, comparison, values)

    match node:
        case tree.Binary(operator="AND" | "OR" as word, left=left, right=right):
            return _both(word, of(left), of(right))
        case tree.Binary(operator=sign, left=left, right=right) if sign in COMPARED:
            key, other = key_of(left), right
            if key is None:
                key, other, sign = key_of(right), left, _TURNED.get(sign, sign)
            return comparison(_known(key), sign, constant(other, values))
        case tree.Between(operand=operand, low=low, high=high, negated=False):
            key = _known(key_of(operand))
            return _both(
                "AND",
                comparison(key, ">=", constant(low, values)),
                comparison(key, "<=", constant(high, values)),
            )
        case tree.In(operand=operand, among=list(among), negated=negated):
            word, sign = ("AND", "<>") if negated else ("OR", "=")
            key = _known(key_of(operand))
            tests = [comparison(key, sign, constant(each, values)) for each in among]
            found = tests[0]
            for each in tests[1:]:
                found = _both(word, found, each)
            return found
    raise UnreadableError


def constant(node: tree.Expression, values: Mapping[str, Stored]) -> Stored:
    """The value of a literal, of a CAST that does not change one, or of a variable; raises `UnreadableError`, also for NULL."""
    value: Stored = None
    match node:
        case tree.Literal():
            value = node.value
        case tree.Variable():
            value = values.get(node.name)
        case tree.Cast(operand=tree.Literal(value=int() as number), type=of, style=None) if of.name in _WHOLE_RANGE:
            low, high = _WHOLE_RANGE[of.name]
            value = number if low <= number <= high else None
    if value is None:
        raise UnreadableError
    return value


def _known(key: str | None) -> str:
    if key is None:
        raise UnreadableError
    return key


def _both(word: str, left: Test[Block], right: Test[Block]) -> Test[Block]:
    decided = word == "OR"  # the value of one side with which the other does not matter

    def test(block: Block) -> Mask:
        first = left(block)
        if isinstance(first, bool):
            return first if first is decided else right(block)
        second = right(block)
        if isinstance(second, bool):
            return second if second is decided else first
        return first | second if decided else first & second

    return test
