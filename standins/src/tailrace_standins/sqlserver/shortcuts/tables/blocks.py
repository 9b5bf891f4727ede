"""Blocks of a table's rows as columns, and the comparison of their integer columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.shortcuts.conditions import COMPARED, Mask, Test, UnreadableError

BLOCK: Final = 16_384  # rows
_ORDERED: Final = frozenset(("<", "<=", ">", ">="))


@dataclass(frozen=True, slots=True)
class Numbers:
    """An integer column of a block.

    Attributes:
        values: with an arbitrary number for NULL.
        known: True for values that are not NULL; None without NULLs.
        low, high: the least and greatest value that is not NULL, if there is one.

    """

    values: NDArray[np.int64]
    known: NDArray[np.bool_] | None
    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of a table, in the order of its clustered index; columns are named in lower case."""

    columns: dict[str, pa.Array]
    _numbers: dict[str, Numbers] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values())))

    def numbers(self, name: str) -> Numbers:
        """An integer column."""
        found = self._numbers.get(name)
        if found is None:
            found = self._numbers[name] = _numbers_of(self.columns[name])
        return found


def block(batch: pa.RecordBatch) -> Block:
    """A block of these rows."""
    return Block({name.lower(): batch.column(place) for place, name in enumerate(batch.schema.names)})


def _numbers_of(array: Any) -> Numbers:
    known = np.asarray(array.is_valid()) if array.null_count else None
    values = array.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    some = values if known is None else values[known]
    return Numbers(values, known, int(some.min()) if len(some) else None, int(some.max()) if len(some) else None)


def comparison(key: str, sign: str, value: Stored) -> Test[Block]:
    """The test that compares an integer column with a value; raises `UnreadableError` if the value is no integer."""
    if type(value) is not int or not -(2**63) <= value < 2**63:
        raise UnreadableError
    compared = COMPARED[sign]

    def test(each: Block) -> Mask:
        numbers = each.numbers(key)
        if numbers.low is None or numbers.high is None:
            return False
        decided = _decided(sign, numbers.low, numbers.high, value)
        if decided is False:
            return False
        if decided:
            return True if numbers.known is None else numbers.known
        found: NDArray[np.bool_] = compared(numbers.values, value)
        return found if numbers.known is None else found & numbers.known

    return test


def _decided(sign: str, low: int, high: int, value: int) -> bool | None:
    """The comparison's result if it is the same for all numbers from `low` to `high`, else None."""
    of_low, of_high = bool(COMPARED[sign](low, value)), bool(COMPARED[sign](high, value))
    if sign in _ORDERED or low == high:
        return of_low if of_low == of_high else None
    return None if low <= value <= high else sign != "="
