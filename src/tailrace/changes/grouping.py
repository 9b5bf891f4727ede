"""Records in groups: those that go to one topic and partition, with one schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_LARGEST: Final = 1 << 62
_SMALL: Final = 1 << 16
Codes = npt.NDArray[np.int64]
"""A number for each record: those with the same belong together; shape (n,)."""


def groups(codes: Sequence[Codes]) -> Iterator[npt.NDArray[np.int64]]:
    """The records that have the same codes: their indices, ascending; groups in the order of their first records."""
    if not len(codes[0]):
        return
    joined = _joined(codes)
    if joined is None:
        yield np.arange(len(codes[0]))
        return
    order = np.argsort(joined, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(joined[order])) + 1)
    yield from sorted(parts, key=lambda part: int(part[0]))


def _joined(codes: Sequence[Codes]) -> npt.NDArray[Any] | None:
    """One number for each record in place of several; None: all have the same. Few numbers are small: they sort faster."""
    joined, count = np.zeros(len(codes[0]), np.int64), 1
    for each in codes:
        lowest, highest = int(each.min()), int(each.max())
        if lowest == highest:
            continue
        width = highest - lowest + 1
        if count * width > _LARGEST:
            distinct, joined = np.unique(joined, return_inverse=True)
            count = len(distinct)
        joined, count = joined * width + (each - lowest), count * width
    if count == 1:
        return None
    return joined.astype(np.uint16) if count <= _SMALL else joined
