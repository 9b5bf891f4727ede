# mypy: disable-error-code="untyped-decorator"
"""Loads and stores by address, for compiled code.

Templates run over vectors of many types and lengths, so the compiled loop takes addresses instead of arrays: one type for all,
and no references to count. An unaligned load or store is one machine instruction, but numba has no function for it; hence the
intrinsics. None of them checks bounds: callers reserve room first.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def _loader(bits: int, result: Any) -> Any:
    def load(_typing: Any, address: Any) -> Any:  # noqa: ARG001 -- numba types it by its name
        def emit(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            pointer = builder.inttoptr(args[0], ir.IntType(bits).as_pointer())
            return builder.load(pointer, typ=ir.IntType(bits), align=1)

        return result(types.int64), emit

    return intrinsic(load)


def _storer(bits: int, type_: Any) -> Any:
    def store(_typing: Any, address: Any, value: Any) -> Any:  # noqa: ARG001 -- as above
        def emit(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            pointer = builder.inttoptr(args[0], ir.IntType(bits).as_pointer())
            builder.store(args[1], pointer, align=1)
            return context.get_dummy_value()

        return types.void(types.int64, type_), emit

    return intrinsic(store)


load8: Final = _loader(8, types.uint8)
load32: Final = _loader(32, types.uint32)
load64: Final = _loader(64, types.uint64)
store8: Final = _storer(8, types.uint8)
store16: Final = _storer(16, types.uint16)
store32: Final = _storer(32, types.uint32)
store64: Final = _storer(64, types.uint64)


@intrinsic
def copy_bytes(_typing: Any, to: Any, source: Any, length: Any) -> Any:  # noqa: ARG001 -- as above
    """Copy `length` bytes between addresses."""

    def emit(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        pointers = [builder.inttoptr(address, ir.IntType(8).as_pointer()) for address in args[:2]]
        cgutils.raw_memcpy(builder, *pointers, args[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), emit


@intrinsic
def copy16(_typing: Any, to: Any, source: Any) -> Any:  # noqa: ARG001 -- as above
    """Copy 16 bytes between addresses."""

    def emit(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        wide = ir.VectorType(ir.IntType(8), 16)
        target, origin = (builder.inttoptr(address, wide.as_pointer()) for address in args)
        builder.store(builder.load(origin, typ=wide, align=1), target, align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), emit


@intrinsic
def bit_length(_typing: Any, value: Any) -> Any:  # noqa: ARG001 -- as above
    """The number of bits of an unsigned number without leading zeros; 0 for 0."""

    def emit(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 64), zeros)

    return types.int64(types.uint64), emit
