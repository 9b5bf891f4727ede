"""Bounds: positions in the order of a key, stored in the progress and written in statements.

A bound is a JSON list with one entry for each column: a number, or the exact text that the dialect selects. A bound
with fewer entries than the key has columns lies after all rows that begin with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tailrace.changes.vectors import Vector, from_arrow
from tailrace.connectors.shared.snapshots.keys import IndexKey, StoredColumn


def key_vectors(key: IndexKey[Any], arrays: Sequence[pa.Array]) -> list[Vector]:
    """The key's columns as they were selected, for digests and bounds."""
    return [_vector(column, array) for column, array in zip(key.columns, arrays, strict=True)]


def bound_at(key: IndexKey[Any], columns: Sequence[Vector], row: int) -> list[Any]:
    """The bound at one row; `columns` are from `key_vectors`."""
    return [_entry(column, vector, row) for column, vector in zip(key.columns, columns, strict=True)]


def bound_of_row(key: IndexKey[Any], row: Sequence[Any]) -> list[Any]:
    """The bound at a row of the key's columns, as they were selected."""
    return [int(value) if column.is_number else str(value) for column, value in zip(key.columns, row, strict=True)]


def _vector(column: StoredColumn, array: pa.Array) -> Vector:
    return from_arrow(array.cast(pa.int64() if column.is_number else pa.string_view()))


def _entry(column: StoredColumn, vector: Vector, row: int) -> Any:
    if column.is_number:
        return int(vector.data[row])
    view = vector.data[row]
    length = int(view[0])
    if length <= np.dtype(np.uint32).itemsize * 3:
        return view.tobytes()[4 : 4 + length].decode()
    start = int(view[3])
    return vector.buffers[int(view[2])][start : start + length].tobytes().decode()
