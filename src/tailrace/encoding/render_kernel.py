"""The compiled loop that runs a template (see `render.py`), and the buffers it writes into.

Everything here works on addresses of Arrow buffers. The loop never writes past the end of its buffer: before each
value it asks for the most that the value can take, and stops before the row that does not fit.
"""

from __future__ import annotations

import sys
from typing import Any, Final

import numba as nb
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

CONST: Final = 0
INT: Final = 1
BOOL: Final = 2
TEXT: Final = 3
RAW: Final = 4
BASE64: Final = 5
PADDED: Final = 6
BLOCK: Final = 7

_INLINE_VIEW: Final = 12  # Arrow: a view of up to 12 bytes holds them itself


@intrinsic  # type: ignore[misc]
def load8(_typing: Any, base: Any, index: Any) -> Any:
    """The byte at base + index."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        pointer = builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        return builder.load(builder.gep(pointer, [args[1]], source_etype=ir.IntType(8)), typ=ir.IntType(8))

    return types.uint8(base, index), generate


@intrinsic  # type: ignore[misc]
def load32(_typing: Any, address: Any) -> Any:
    """The four bytes at an address, little-endian."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        pointer = builder.inttoptr(args[0], ir.IntType(32).as_pointer())
        return builder.load(pointer, typ=ir.IntType(32), align=1)

    return types.uint32(address), generate


@intrinsic  # type: ignore[misc]
def load64(_typing: Any, address: Any) -> Any:
    """The eight bytes at an address, little-endian."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        pointer = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.load(pointer, typ=ir.IntType(64), align=1)

    return types.int64(address), generate


@intrinsic  # type: ignore[misc]
def copy_bytes(_typing: Any, out: Any, offset: Any, address: Any, length: Any) -> Any:
    """Copy `length` bytes from an address to `out[offset:]`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        source = builder.inttoptr(args[2], ir.IntType(8).as_pointer())
        cgutils.raw_memcpy(builder, builder.gep(data, [args[1]]), source, args[3], 1)
        return context.get_dummy_value()

    return types.void(out, types.int64, types.int64, types.int64), generate


_DIGITS: Final = np.frombuffer(b"".join(b"%02d" % i for i in range(100)), np.uint8)
_HEX: Final = np.frombuffer(b"0123456789ABCDEF", np.uint8)
_BASE64: Final = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8)
_LETTER_ESCAPES: Final = np.zeros(128, np.uint8)
for _plain, _letter in ((8, "b"), (9, "t"), (10, "n"), (12, "f"), (13, "r"), (34, '"'), (92, "\\")):
    _LETTER_ESCAPES[_plain] = ord(_letter)


@nb.njit(nogil=True, cache=True, boundscheck=False, _nrt=False)
def _count_digits(value: int) -> int:
    digits = 1
    limit = np.uint64(10)
    while digits < 20 and value >= limit:
        digits += 1
        if digits == 20:
            break
        limit *= np.uint64(10)
    return digits


@nb.njit(nogil=True, cache=True, boundscheck=False, _nrt=False)
def write_int(out: Any, o: int, value: int) -> int:
    """Write an integer in decimal; returns the offset behind it."""
    if value < 0:
        out[o] = 45
        o += 1
        rest = np.uint64(-value)
    else:
        rest = np.uint64(value)
    end = o + _count_digits(rest)
    p = end
    while rest >= np.uint64(100):
        quotient = rest // np.uint64(100)
        pair = np.int64(rest - quotient * np.uint64(100))
        p -= 2
        out[p] = _DIGITS[2 * pair]
        out[p + 1] = _DIGITS[2 * pair + 1]
        rest = quotient
    pair = np.int64(rest)
    if rest >= np.uint64(10):
        out[p - 2] = _DIGITS[2 * pair]
        out[p - 1] = _DIGITS[2 * pair + 1]
    else:
        out[p - 1] = np.uint8(48) + np.uint8(pair)
    return end


@nb.njit(nogil=True, cache=True, boundscheck=False, _nrt=False)
def _write_text(out: Any, o: int, source: int, length: int) -> int:
    """Write UTF-8 as a JSON string, escaped as Jackson does."""
    out[o] = 34
    o += 1
    special = False
    for k in range(length):
        byte = load8(source, k)
        special |= (byte < 32) | (byte == 34) | (byte == 92)
    if not special:
        copy_bytes(out, o, source, length)
        out[o + length] = 34
        return o + length + 1
    for k in range(length):
        byte = load8(source, k)
        if byte >= 32 and byte != 34 and byte != 92:
            out[o] = byte
            o += 1
            continue
        out[o] = 92
        letter = _LETTER_ESCAPES[byte]
        if letter:
            out[o + 1] = letter
            o += 2
        else:
            out[o + 1] = 117
            out[o + 2] = 48
            out[o + 3] = 48
            out[o + 4] = _HEX[byte >> 4]
            out[o + 5] = _HEX[byte & 15]
            o += 6
    out[o] = 34
    return o + 1


@nb.njit(nogil=True, cache=True, boundscheck=False, _nrt=False)
def _write_base64(out: Any, o: int, source: int, length: int) -> int:
    """Write bytes as a JSON string in base64."""
    out[o] = 34
    o += 1
    k = 0
    while k + 3 <= length:
        bits = (np.int64(load8(source, k)) << 16) | (np.int64(load8(source, k + 1)) << 8) | np.int64(load8(source, k + 2))
        out[o] = _BASE64[bits >> 18]
        out[o + 1] = _BASE64[(bits >> 12) & 63]
        out[o + 2] = _BASE64[(bits >> 6) & 63]
        out[o + 3] = _BASE64[bits & 63]
        o += 4
        k += 3
    left = length - k
    if left:
        bits = np.int64(load8(source, k)) << 16
        if left == 2:
            bits |= np.int64(load8(source, k + 1)) << 8
        out[o] = _BASE64[bits >> 18]
        out[o + 1] = _BASE64[(bits >> 12) & 63]
        out[o + 2] = _BASE64[(bits >> 6) & 63] if left == 2 else 61
        out[o + 3] = 61
        o += 4
    out[o] = 34
    return o + 1


@nb.njit(nogil=True, cache=True, boundscheck=False, _nrt=False)
def render(steps: Any, text: Any, table: Any, roles: Any, live: Any, first: int, out: Any, offsets: Any) -> int:
    """Write rows from `first` on; returns the first row that did not fit, or the number of rows."""
    n = roles.shape[1]
    capacity = len(out)
    text_address = text.ctypes.data
    count = len(steps)
    o = offsets[first]
    for i in range(first, n):
        if live[i] == 0:
            offsets[i + 1] = o
            continue
        p = 0
        while p < count:
            op = steps[p, 0]
            if op == CONST:
                length = steps[p, 2]
                if o + length > capacity:
                    return i
                copy_bytes(out, o, text_address + steps[p, 1], length)
                o += length
                p += 1
                continue
            slot = steps[p, 1]
            row = np.int64(roles[steps[p, 2], i])
            null = row < 0
            if slot >= 0 and not null:
                valid = table[slot, 1]
                null = valid != 0 and (load8(valid, row >> 3) >> (row & 7)) & 1 == 0
            if o + 64 > capacity:
                return i
            if op == BLOCK:
                if null:
                    out[o] = 110
                    out[o + 1] = 117
                    out[o + 2] = 108
                    out[o + 3] = 108
                    o += 4
                    p = steps[p, 3]
                else:
                    p += 1
                continue
            if op == PADDED:
                value = np.uint64(load64(table[slot, 0] + 8 * row))
                digits = _count_digits(value)
                while digits < steps[p, 3]:
                    out[o] = 48
                    o += 1
                    digits += 1
                o = write_int(out, o, np.int64(value))
            elif null:
                length = steps[p, 4]
                if o + length > capacity:
                    return i
                copy_bytes(out, o, text_address + steps[p, 3], length)
                o += length
            elif op == INT:
                o = write_int(out, o, load64(table[slot, 0] + 8 * row))
            elif op == BOOL:
                if load64(table[slot, 0] + 8 * row):
                    out[o] = 116
                    out[o + 1] = 114
                    out[o + 2] = 117
                    o += 3
                else:
                    out[o] = 102
                    out[o + 1] = 97
                    out[o + 2] = 108
                    out[o + 3] = 115
                    o += 4
                out[o] = 101
                o += 1
            else:
                view = table[slot, 0] + 16 * row
                length = np.int64(load32(view))
                source = view + 4
                if length > _INLINE_VIEW:
                    source = load64(table[slot, 2] + 8 * np.int64(load32(view + 8))) + np.int64(load32(view + 12))
                need = 6 * length + 2 if op == TEXT else (length * 4) // 3 + 8
                if o + need > capacity:
                    return i
                if op == TEXT:
                    o = _write_text(out, o, source, length)
                elif op == RAW:
                    copy_bytes(out, o, source, length)
                    o += length
                else:
                    o = _write_base64(out, o, source, length)
            p += 1
        offsets[i + 1] = o
    return n


_POOL: list[npt.NDArray[np.uint8]] = []
_POOL_SIZE: Final = 8
_FREE: Final = 3  # references to a buffer that only the pool knows: the list, the loop variable, the call's argument


def take_buffer(size: int) -> npt.NDArray[np.uint8]:
    """A buffer of at least `size` bytes that nobody else holds: a used one again if there is one.

    Fresh memory costs a page fault every 4 KiB, which is more than writing the text takes.
    """
    for buffer in _POOL:
        if len(buffer) >= size and sys.getrefcount(buffer) <= _FREE:
            return buffer
    fresh = np.empty(max(1 << 20, size + size // 4), np.uint8)
    for k, buffer in enumerate(_POOL):
        if len(buffer) < len(fresh) and sys.getrefcount(buffer) <= _FREE:
            _POOL[k] = fresh
            return fresh
    if len(_POOL) < _POOL_SIZE:
        _POOL.append(fresh)
    return fresh


def grow_buffer(out: npt.NDArray[np.uint8], used: int, rows: int, done: int) -> npt.NDArray[np.uint8]:
    """A larger buffer with the first `used` bytes of `out`: sized by what the rows so far have taken."""
    expected = used * rows // max(done, 1)
    larger = take_buffer(max(len(out) * 2, expected + expected // 8))
    larger[:used] = out[:used]
    return larger
