# mypy: disable-error-code="no-any-return, assignment, untyped-decorator, attr-defined"
"""Loads and stores at byte offsets of `uint8` arrays, for compiled code.

Values in a server's packets are not aligned, and several Arrow columns share one block of memory, so compiled code works on
bytes and offsets. An unaligned load or store is one machine instruction, but numba has no function for it; hence the
intrinsics. (Assembling a 64-bit integer byte by byte, with numba's check for negative indices, takes ten times as long.)
None of them checks bounds: callers must.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from tailrace.kernels.compiling import Int, inlined

if not np.little_endian:
    raise ImportError("tailrace needs a little-endian machine")  # loads are in the machine's byte order


def _loader(bits: int, result: Any) -> Any:
    """An intrinsic `load(array, offset)`; the value is zero-extended to the result's width."""

    def load(_context: Any, array: Any, offset: Any) -> Any:  # noqa: ARG001 -- numba types it by its name
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = builder.load(_pointer(context, builder, signature, args, bits))
            value.align = 1  # without it LLVM assumes natural alignment and may emit instructions that fault
            return builder.zext(value, ir.IntType(result.bitwidth)) if bits < result.bitwidth else value

        return result(array, types.int64), emit

    return intrinsic(load)


def _storer(bits: int, type_: Any) -> Any:
    def store(_context: Any, array: Any, offset: Any, value: Any) -> Any:  # noqa: ARG001 -- as above
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            done = builder.store(args[2], _pointer(context, builder, signature, args, bits))
            done.align = 1
            return context.get_dummy_value()

        return types.void(array, types.int64, type_), emit

    return intrinsic(store)


def _pointer(context: Any, builder: Any, signature: Any, args: Any, bits: int) -> Any:
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    return builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(bits).as_pointer())


load8: Final = _loader(8, types.uint8)
load16: Final = _loader(16, types.uint16)
load32: Final = _loader(32, types.uint32)
load64: Final = _loader(64, types.uint64)
u16: Final = _loader(16, types.int64)
u32: Final = _loader(32, types.int64)
u64: Final = _loader(64, types.int64)
store8: Final = _storer(8, types.uint8)
store32: Final = _storer(32, types.uint32)
store64: Final = _storer(64, types.uint64)


def _swapper(type_: Any) -> Any:
    def swap(_context: Any, value: Any) -> Any:  # noqa: ARG001 -- as above
        def emit(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.bswap(args[0])

        return type_(type_), emit

    return intrinsic(swap)


swap16: Final = _swapper(types.uint16)
swap32: Final = _swapper(types.uint32)
swap64: Final = _swapper(types.uint64)


@intrinsic
def copy_bytes(
    _context: Any,
    target: Any,
    to: Any,  # noqa: ARG001
    source: Any,
    start: Any,  # noqa: ARG001
    count: Any,  # noqa: ARG001
) -> Any:
    """`target[to : to + count] = source[start : start + count]`; the two must not overlap."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        into = context.make_array(signature.args[0])(context, builder, args[0]).data
        out_of = context.make_array(signature.args[2])(context, builder, args[2]).data
        cgutils.raw_memcpy(builder, builder.gep(into, [args[1]]), builder.gep(out_of, [args[3]]), args[4], 1)
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64, types.int64), emit


@intrinsic
def pointer_to(_context: Any, address: Any) -> Any:  # noqa: ARG001
    """A pointer from an address. A read-only array would be a different numba type, and be compiled for once more."""

    def emit(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.IntType(8).as_pointer())

    return types.CPointer(types.uint8)(types.int64), emit


def _bits_as(result: Any, argument: Any) -> Any:
    def convert(_context: Any, value: Any) -> Any:  # noqa: ARG001
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(signature.return_type))

        return result(argument), emit

    return intrinsic(convert)


float64_bits: Final = _bits_as(types.uint64, types.float64)
bits_float64: Final = _bits_as(types.float64, types.uint64)
bits_float32: Final = _bits_as(types.float32, types.uint32)


@inlined
def put_view(mem: Any, at: Int, data: Any, buffer: Int, o: Int, n: Int) -> None:
    """Write an Arrow string view of `data[o : o + n]` at byte `at` of `mem`.

    A view has 16 bytes: the length, then the value itself (up to 12 bytes), or its first four bytes, the index of
    its buffer and the offset in it. Source: Arrow's columnar format, "Variable-size Binary View Layout".
    """
    store32(mem, at, np.uint32(n))
    if n > 12:
        store32(mem, at + 4, load32(data, o))
        store32(mem, at + 8, np.uint32(buffer))
        store32(mem, at + 12, np.uint32(o))
        return
    low = np.uint64(0)
    high = np.uint32(0)
    if o + 12 <= len(
        data
    ):  # two wide loads, with the bytes after the value masked: only possible before the data's end
        low = load64(data, o)
        if n < 8:
            low &= (np.uint64(1) << np.uint64(8 * n)) - np.uint64(1)
        else:
            high = np.uint32(np.uint64(load32(data, o + 8)) & ((np.uint64(1) << np.uint64(8 * (n - 8))) - np.uint64(1)))
    else:
        for k in range(min(n, 8)):
            low |= np.uint64(data[o + k]) << np.uint64(8 * k)
        for k in range(8, n):
            high |= np.uint32(data[o + k]) << np.uint32(8 * (k - 8))
    store64(mem, at + 4, low)
    store32(mem, at + 12, high)


@inlined
def put_null_view(mem: Any, at: Int) -> None:
    """Write an empty view, the content of a null's slot."""
    store64(mem, at, np.uint64(0))
    store64(mem, at + 8, np.uint64(0))
