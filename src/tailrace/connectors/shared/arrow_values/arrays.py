"""Reads Arrow arrays: their validity, and their numbers as int64."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.vectors import Bytes


def validity(array: pa.Array) -> npt.NDArray[np.bool_]:
    """True for each value that is not null, shape (n,)."""
    if array.null_count == 0:
        return np.ones(len(array), np.bool_)
    return np.asarray(array.is_valid())


def bitmap(array: pa.Array) -> Bytes | None:
    """The validity as a vector's bitmap; None if no value is null."""
    return packed(validity(array)) if array.null_count else None


def packed(valid: npt.NDArray[np.bool_]) -> Bytes:
    """A bitmap, lowest bit first."""
    return np.packbits(valid, bitorder="little")


def numbers(array: pa.Array, width: int) -> npt.NDArray[np.int64]:
    """The values of an array of `width` bytes each as int64, without conversion; arbitrary where one is null."""
    if not len(array):
        return np.empty(0, np.int64)
    values = np.frombuffer(array.buffers()[1], np.int64 if width == 8 else np.int32)
    return values[array.offset : array.offset + len(array)].astype(np.int64, copy=False)
