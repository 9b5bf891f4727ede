"""Groovy's ranges of whole numbers."""

from __future__ import annotations

import numpy as np

from tailrace.changes.source_records import Mask
from tailrace.transforms.expressions.decimals import Decimals
from tailrace.transforms.expressions.numbers import as_floats
from tailrace.transforms.expressions.syntax import WithinRange
from tailrace.transforms.expressions.texts import as_mask
from tailrace.transforms.expressions.values import Floats, Integers, Value


def in_range(value: Value, node: WithinRange, n: int) -> Mask:
    """Whether a range has a value, shape (n,).

    `1..9` has only numbers of Java's Integer, so that a BIGINT is never in it; `1L..9L` has whatever equals one of its numbers.
    """
    if isinstance(value, Integers) and (node.bits == 64 or value.bits == 32):
        return (value.data >= node.first) & (value.data <= node.last)
    if node.bits == 64 and isinstance(value, Floats | Decimals):
        number = as_floats(value)
        return as_mask((number >= node.first) & (number <= node.last) & (number == np.floor(number)))
    return np.zeros(n, np.bool_)
