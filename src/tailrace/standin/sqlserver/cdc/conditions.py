"""Conditions on the keys of change tables, told of whole blocks of rows.

What can be told of a block by its first and last start_lsn is told so, for a change table is sorted by it: of a large
one only the blocks at a range's ends are looked at row by row.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tailrace.standin.sqlserver.cdc import lsn
from tailrace.standin.sqlserver.cdc.columns import KEYS, Block
from tailrace.standin.sqlserver.cdc.shapes import SEQVAL, START_LSN
from tailrace.standin.sqlserver.engine import tree
from tailrace.standin.sqlserver.engine.stored import Stored

Mask: TypeAlias = bool | NDArray[np.bool_]
Test: TypeAlias = Callable[[Block], Mask]
KeyOf: TypeAlias = Callable[[tree.Expression], str | None]

_COMPARED: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_BYTES: Final = frozenset((START_LSN, SEQVAL))


class UnreadableError(Exception):
    """A condition (or another part of a query) that is left to SQLite."""


def test_of(node: tree.Expression, key_of: KeyOf, values: Mapping[str, Stored]) -> Test:
    """A condition as a test of blocks; `key_of` tells which key a column is. Raises `UnreadableError`."""
    match node:
        case tree.Binary(operator="AND" | "OR" as word, left=left, right=right):
            return _both(word, test_of(left, key_of, values), test_of(right, key_of, values))
        case tree.Binary(operator=sign, left=left, right=right) if sign in _COMPARED:
            key, other = key_of(left), right
            if key is None:
                key, other, sign = key_of(right), left, _TURNED.get(sign, sign)
            return _comparison(_known(key), sign, constant(other, values))
        case tree.Between(operand=operand, low=low, high=high, negated=False):
            key = _known(key_of(operand))
            return _both(
                "AND",
                _comparison(key, ">=", constant(low, values)),
                _comparison(key, "<=", constant(high, values)),
            )
        case tree.In(operand=operand, among=list(among), negated=negated):
            word, sign = ("AND", "<>") if negated else ("OR", "=")
            key = _known(key_of(operand))
            tests = [_comparison(key, sign, constant(each, values)) for each in among]
            found = tests[0]
            for each in tests[1:]:
                found = _both(word, found, each)
            return found
    raise UnreadableError


def constant(node: tree.Expression, values: Mapping[str, Stored]) -> Stored:
    """The value of a literal or a variable, which is not NULL; raises `UnreadableError`."""
    value = node.value if isinstance(node, tree.Literal) else None
    if isinstance(node, tree.Variable):
        value = values.get(node.name)
    if value is None:
        raise UnreadableError
    return value


def key_name(name: str) -> str | None:
    """The key of that name, in any case."""
    return next((key for key in KEYS if key == name.lower()), None)


def _known(key: str | None) -> str:
    if key is None:
        raise UnreadableError
    return key


def _both(word: str, left: Test, right: Test) -> Test:
    decided = word == "OR"  # what one side must be for the other not to matter

    def test(block: Block) -> Mask:
        first = left(block)
        if isinstance(first, bool):
            return first if first is decided else right(block)
        second = right(block)
        if isinstance(second, bool):
            return second if second is decided else first
        return first | second if decided else first & second

    return test


def _comparison(key: str, sign: str, value: Stored) -> Test:
    if key in _BYTES:
        number = _binary(value)
        return _of_start(sign, number) if key == START_LSN else _of_rows(key, sign, np.bytes_(number))
    if type(value) is not int:
        raise UnreadableError
    return _of_rows(key, sign, value)


def _binary(value: Stored) -> bytes:
    """Bytes as they are compared with binary(10): zeros at the end do not count."""
    if not isinstance(value, bytes):
        raise UnreadableError
    cut = value.rstrip(b"\0")
    if len(cut) > lsn.SIZE:
        raise UnreadableError
    return cut.ljust(lsn.SIZE, b"\0")


def _of_rows(key: str, sign: str, value: Any) -> Test:
    compared = _COMPARED[sign]
    return lambda block: compared(block.keys[key], value)


def _of_start(sign: str, value: bytes) -> Test:
    compared, by_rows = _COMPARED[sign], _of_rows(START_LSN, sign, np.bytes_(value))

    def test(block: Block) -> Mask:
        if block.first == block.last or not block.first <= value <= block.last:
            return bool(compared(block.first, value))
        return by_rows(block)

    return test
