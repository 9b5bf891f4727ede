"""The addresses of vectors for compiled loops, which then have no references to count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Bytes, Vector
from tailrace.kernels.addresses import address_of


def address_table(vectors: Sequence[Vector]) -> tuple[npt.NDArray[np.int64], list[object]]:
    """The addresses of each vector's data, bitmap (0: no nulls) and buffers; shape (vectors, 3).

    The second result are objects that the caller must keep alive while the addresses are used.
    """
    entries: list[tuple[int, int, int]] = []
    kept: list[object] = []
    last: tuple[Bytes, ...] = ()  # the text columns of a batch mostly share their buffers: one table of them is enough
    buffers = 0
    for vector in vectors:
        data = vector.data
        if not data.flags.c_contiguous:
            data = np.ascontiguousarray(data)
            kept.append(data)
        if vector.buffers and vector.buffers is not last:
            last = vector.buffers
            addresses = np.array([address_of(buffer) for buffer in last], np.int64)
            kept.append(addresses)
            buffers = address_of(addresses)
        valid = 0 if vector.valid is None else address_of(vector.valid)
        entries.append((address_of(data), valid, buffers))
    return np.array(entries or [(0, 0, 0)], np.int64), kept
