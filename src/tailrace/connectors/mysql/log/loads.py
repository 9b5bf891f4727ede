"""Little-endian integers at any offset of an array of bytes, for compiled code: one machine instruction each.

Assembled byte by byte in numba, with a sign check of each index, a 64-bit integer costs ten times as
much. Bounds are not checked.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

if not np.little_endian:
    raise ImportError("tailrace needs a little-endian machine")  # loads use the machine's byte order

_INT64: Final = ir.IntType(64)


def _load(bits: int) -> Any:
    """An intrinsic f(array of uint8, int64 offset) -> int64, zero-extended from `bits`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = cgutils.pointer_add(builder, array.data, arguments[1], ir.IntType(bits).as_pointer())
        value = builder.load(place, align=1)
        return value if bits == 64 else builder.zext(value, _INT64)

    @intrinsic  # type: ignore[untyped-decorator]
    def load(typing_context: Any, array: Any, offset: Any) -> Any:
        del typing_context, offset
        return types.int64(array, types.int64), generate

    return load


u16: Final = _load(16)
u32: Final = _load(32)
u64: Final = _load(64)
