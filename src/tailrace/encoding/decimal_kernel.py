# mypy: disable-error-code="no-any-return"
"""The compiled loop that writes decimals as text.

A decimal is the bytes of its unscaled value (two's complement, big-endian) and a scale. Values of up to eight bytes are
written; the loop leaves out wider ones, which have more than 18 digits.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.changes.addressed_kernel import bytes_at, is_null
from tailrace.encoding.text_kernel import count_digits, write_digits
from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.kernels.memory import load8, store8

WIDEST: Final = 8  # bytes
LONGEST: Final = 48  # characters of a text, with room for digits that are written twice
_MINUS, _PLUS, _POINT, _ZERO, _EXPONENT = (ord(each) for each in "-+.0E")
_SMALLEST_PLAIN: Final = -6  # a number whose first digit is further behind the point has an exponent


@inlined
def _unscaled(source: Int, length: Int) -> Int:
    value = np.int64(np.int8(load8(source)))
    for k in range(1, length):
        value = (value << np.int64(8)) | np.int64(load8(source + k))
    return value


@inlined
def _write_point(o: Int, digits: Int, scale: Int) -> Int:
    """Put the point into digits that stand at `o + 1`: those before it go one place to the front."""
    for k in range(digits - scale):
        store8(o + k, load8(o + k + 1))
    store8(o + digits - scale, np.uint8(_POINT))
    return o + digits + 1


@inlined
def _write_exponent(o: Int, exponent: Int) -> Int:
    store8(o, np.uint8(_EXPONENT))
    store8(o + 1, np.uint8(_MINUS if exponent < 0 else _PLUS))
    rest = np.uint64(abs(exponent))
    return write_digits(o + 2, rest, count_digits(rest))


@inlined
def _write_decimal(o: Int, value: Int, scale: Int) -> Int:
    rest = np.uint64(value)
    if value < 0:
        store8(o, np.uint8(_MINUS))
        o += 1
        rest = np.uint64(0) - rest
    digits = count_digits(rest)
    exponent = digits - 1 - scale
    if scale == 0:
        return write_digits(o, rest, digits)
    if scale < 0 or exponent < _SMALLEST_PLAIN:
        if digits == 1:
            o = write_digits(o, rest, digits)
        else:
            write_digits(o + 1, rest, digits)
            o = _write_point(o, digits, digits - 1)
        return _write_exponent(o, exponent)
    if digits > scale:
        write_digits(o + 1, rest, digits)
        return _write_point(o, digits, scale)
    store8(o, np.uint8(_ZERO))
    store8(o + 1, np.uint8(_POINT))
    o += 2
    for _ in range(scale - digits):
        store8(o, np.uint8(_ZERO))
        o += 1
    return write_digits(o, rest, digits)


@entry(arg.INT_TABLE, arg.INT, arg.INT, arg.INTS, arg.BYTES)
def write_decimals(table: Any, scale: Int, out: Int, offsets: Any, wide: Any) -> None:
    """Write each value of the vector in slot 0 as text.

    `out` is the address of `LONGEST` bytes for each; `offsets` says where each text begins, shape (n + 1,). A value that is
    null or too wide has an empty text; `wide` is 1 for the latter, shape (n,).
    """
    o = out
    for i in range(len(wide)):
        if not is_null(table, 0, i):
            source, length = bytes_at(table, 0, i)
            if length > WIDEST:
                wide[i] = 1
            elif length > 0:
                o = _write_decimal(o, _unscaled(source, length), scale)
        offsets[i + 1] = o - out
