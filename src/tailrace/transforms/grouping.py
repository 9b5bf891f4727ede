"""Records in groups: those that go to one topic and partition, with one schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int64]
"""A number for each record: those with the same belong together; shape (n,)."""


def groups(codes: Sequence[Codes]) -> Iterator[npt.NDArray[np.int64]]:
    """The records that have the same codes: their indices, ascending; groups in the order of their first records."""
    if not len(codes[0]):
        return
    distinct, inverse = np.unique(np.stack(codes), axis=1, return_inverse=True)
    inverse = inverse.reshape(-1)
    if distinct.shape[1] == 1:
        yield np.arange(len(inverse))
        return
    order = np.argsort(inverse, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(inverse[order])) + 1)
    yield from sorted(parts, key=lambda part: int(part[0]))
