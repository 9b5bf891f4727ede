"""Makes columns of views from other text, without a Python object for each value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tailrace.changes.records import Binary
from tailrace.changes.vectors import Bytes, Kind, Vector
from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import entry


def vector_of(strings: Sequence[bytes | None], kind: Kind = Kind.TEXT) -> Vector:
    """A few strings as a vector."""
    offsets = np.zeros(len(strings) + 1, np.int64)
    np.cumsum([len(s or b"") for s in strings], out=offsets[1:])
    data = np.frombuffer(b"".join(s or b"" for s in strings) or b" ", np.uint8)
    vector = vector_over(Binary(data, offsets), kind)
    if None in strings:
        vector.valid = np.packbits([s is not None for s in strings], bitorder="little")
    return vector


def vector_over(binary: Binary, kind: Kind = Kind.TEXT) -> Vector:
    """The strings of `binary` as views into its data, without a copy."""
    lengths = np.diff(binary.offsets)
    views = views_of(binary.data, binary.offsets[:-1], lengths)
    valid = None if binary.valid is None else np.packbits(binary.valid, bitorder="little")
    return Vector(kind, len(views), views, valid, (binary.data,))


def views_of(data: Bytes, starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """Views of parts of `data`, which is to be buffer 0 of the vector; shape (n, 4)."""
    views = np.zeros((len(starts), 4), np.uint32)
    _fill_views(data, starts, lengths, views, views.view(np.uint8))
    return views


def take(vector: Vector, rows: npt.NDArray[Any]) -> Vector:
    """The values at `rows` of a vector of integers or text."""
    valid = None
    if vector.valid is not None:
        valid = np.packbits(vector.is_valid()[rows], bitorder="little")
    return Vector(vector.kind, len(rows), vector.data[rows], valid, vector.buffers)


@entry(arg.READ_BYTES, arg.READ_INTS, arg.READ_INTS, arg.UINT32_TABLE, arg.BYTE_TABLE)
def _fill_views(data: Any, starts: Any, lengths: Any, views: Any, raw: Any) -> None:
    for i in range(len(starts)):
        length = lengths[i]
        views[i, 0] = length
        for k in range(min(length, 4 if length > 12 else 12)):
            raw[i, 4 + k] = data[starts[i] + k]
        if length > 12:
            views[i, 2] = 0
            views[i, 3] = starts[i]
