"""Types of the arguments of compiled functions that Python calls, by which they are compiled before they are called.

Arrays are contiguous. Where `READ_…` stands an array may be given that can't be written, and any other one as well.
"""

from __future__ import annotations

from typing import Any, Final

from numba.core import types


def _array(item: Any, dimensions: int = 1, *, readonly: bool = False) -> Any:
    return types.Array(item, dimensions, "C", readonly=readonly)


INT: Final = types.int64
UINT: Final = types.uint64
FLAG: Final = types.boolean

BYTES: Final = _array(types.uint8)
INTS: Final = _array(types.int64)
INT32S: Final = _array(types.int32)
UINTS: Final = _array(types.uint64)
FLAGS: Final = _array(types.boolean)
READ_BYTES: Final = _array(types.uint8, readonly=True)
READ_INTS: Final = _array(types.int64, readonly=True)
READ_INT32S: Final = _array(types.int32, readonly=True)
READ_FLAGS: Final = _array(types.boolean, readonly=True)

BYTE_TABLE: Final = _array(types.uint8, 2)
INT_TABLE: Final = _array(types.int64, 2)
INT32_TABLE: Final = _array(types.int32, 2)
UINT32_TABLE: Final = _array(types.uint32, 2)
UINT_TABLE: Final = _array(types.uint64, 2)
READ_BYTE_TABLE: Final = _array(types.uint8, 2, readonly=True)
READ_INT_TABLE: Final = _array(types.int64, 2, readonly=True)
READ_UINT_TABLE: Final = _array(types.uint64, 2, readonly=True)
