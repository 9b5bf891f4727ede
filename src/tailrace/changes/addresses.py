"""Vectors as compiled code takes them: by the addresses of their buffers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Bytes, Vector
from tailrace.encoding.addresses import address_of


def address_table(vectors: Sequence[Vector]) -> tuple[npt.NDArray[np.int64], list[object]]:
    """Addresses of data, bitmap and buffers of each vector, and what must stay alive while they are used."""
    entries: list[int] = []
    kept: list[object] = []
    last: tuple[Bytes, ...] = ()  # the text columns of a batch mostly share their buffers
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
        entries += (address_of(data), valid, buffers)
    return np.array(entries or (0, 0, 0), np.int64).reshape(-1, 3), kept
