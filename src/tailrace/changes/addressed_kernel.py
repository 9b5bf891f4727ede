# mypy: disable-error-code="no-any-return, arg-type, return-value"
"""Reads values of vectors by their addresses (`address_table.py`), within compiled loops."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.kernels.compiling import Int, inlined
from tailrace.kernels.memory import load8, load32, load64

_INLINE_VIEW: Final = 12  # Arrow: a view of up to 12 bytes contains the value itself


@inlined
def is_null(table: Any, slot: Int, row: Int) -> bool:
    """Whether the row does not exist (-1) or its value is null; slot -1 means that only the row counts."""
    if row < 0:
        return True
    if slot < 0 or table[slot, 1] == 0:
        return False
    return bool((load8(table[slot, 1] + (row >> 3)) >> np.uint8(row & 7)) & np.uint8(1) == 0)


@inlined
def number_at(table: Any, slot: Int, row: Int) -> Int:
    """A value of a vector of integers or booleans."""
    return np.int64(load64(table[slot, 0] + 8 * row))


@inlined
def bytes_at(table: Any, slot: Int, row: Int) -> Any:
    """Address and length of a view's bytes."""
    view = table[slot, 0] + 16 * row
    length = np.int64(load32(view))
    if length <= _INLINE_VIEW:
        return view + 4, length
    buffer = np.int64(load64(table[slot, 2] + 8 * np.int64(load32(view + 8))))
    return buffer + np.int64(load32(view + 12)), length
