"""What the driver makes of FOR BIT DATA: text that need not be UTF-8, of the bytes that the server sent."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailrace.changes.vectors import Bytes


def as_bytes(array: pa.Array) -> pa.Array:
    """The bytes of such an array, without a copy; another array as it is."""
    return array.view(pa.binary()) if pa.types.is_string(array.type) else array


def of_width(array: pa.Array, size: int) -> Bytes | None:
    """The bytes of such an array, shape (n, size), without a copy; None if a value is NULL or has another number of bytes."""
    array = as_bytes(array).cast(pa.binary())
    if not len(array):
        return np.empty((0, size), np.uint8)
    offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]
    if array.null_count or (np.diff(offsets) != size).any():
        return None
    return np.frombuffer(array.buffers()[2], np.uint8)[offsets[0] : offsets[-1]].reshape(-1, size)


def without_first_byte(array: pa.Array) -> pa.Array:
    """The values of a binary array, each without its first byte; Arrow's `binary_slice` fails where nothing is left."""
    offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]
    data = np.frombuffer(array.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]]
    has_any = np.diff(offsets) > 0
    starts = offsets - offsets[0]
    rest = np.delete(data, starts[:-1][has_any])
    starts = starts - np.concatenate(([0], np.cumsum(has_any)))
    buffers = [None, pa.py_buffer(starts.astype(np.int32)), pa.py_buffer(rest)]
    return pc.if_else(array.is_valid(), pa.Array.from_buffers(pa.binary(), len(array), buffers), None)
