"""Compiled loops that write whole columns into rows.

Each function writes one column: value `i` at offset `at[i]`, which it advances. Texts are UTF-8 with offsets, as in Arrow;
`valid` has a byte for each row, 0 for NULL. A number says how values of variable length are framed: `SHORT`, `CHUNKS` or
`POINTER`; `WHOLE` is for bytes that contain their framing.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tailrace.kernels.compiling import entry

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]

SHORT: Final = 0
CHUNKS: Final = 1
POINTER: Final = 2
WHOLE: Final = 3
EMPTY_SIZES: Final = (2, 12, 29, 0)
"""Bytes of the framing of a value, by kind of framing; an empty value in chunks has no chunk."""
NULL_SIZES: Final = (2, 8, 1, 0)
_POINTER_SIZE: Final = 25


@entry()
def put_fixed(out: Bytes, at: Places, values: Bytes, valid: Bytes) -> None:
    """Write values of equal width, each a row of `values`, after a byte with the width."""
    width = values.shape[1]
    for i in range(len(at)):
        p = at[i]
        if valid[i]:
            out[p] = width
            for k in range(width):
                out[p + 1 + k] = values[i, k]
            at[i] = p + 1 + width
        else:
            out[p] = 0
            at[i] = p + 1


@entry()
def _store(out: Bytes, p: int, value: int, count: int) -> int:
    for _ in range(count):
        out[p] = value & 0xFF
        value >>= 8
        p += 1
    return p


@entry()
def _begin(out: Bytes, p: int, size: int, frame: int) -> int:
    if frame == WHOLE:
        return p
    if frame == SHORT:
        return _store(out, p, size, 2)
    if frame == CHUNKS:
        p = _store(out, p, size, 8)
        return _store(out, p, size, 4)
    out[p] = 16
    for k in range(1, _POINTER_SIZE):
        out[p + k] = 0 if k > 16 else 112
    return _store(out, p + _POINTER_SIZE, size, 4)


@entry()
def _end(out: Bytes, p: int, size: int, frame: int) -> int:
    return _store(out, p, 0, 4) if frame == CHUNKS and size else p


@entry()
def _null(out: Bytes, p: int, frame: int) -> int:
    if frame == POINTER:
        return _store(out, p, 0, 1)
    return _store(out, p, -1, 2 if frame == SHORT else 8)


@entry()
def put_bytes(out: Bytes, at: Places, offsets: Places, data: Bytes, valid: Bytes, frame: int) -> None:
    """Write bytes unchanged."""
    for i in range(len(at)):
        p = at[i]
        if valid[i]:
            start, end = offsets[i], offsets[i + 1]
            p = _begin(out, p, end - start, frame)
            for k in range(start, end):
                out[p] = data[k]
                p += 1
            at[i] = _end(out, p, end - start, frame)
        else:
            at[i] = _null(out, p, frame)


@entry()
def utf16_sizes(offsets: Places, data: Bytes, sizes: Places) -> None:
    """Compute the length of each text in bytes of UTF-16."""
    for i in range(len(sizes)):
        units = 0
        for k in range(offsets[i], offsets[i + 1]):
            byte = data[k]
            units += (byte & 0xC0) != 0x80
            units += byte >= 0xF0
        sizes[i] = 2 * units


@entry()
def characters(offsets: Places, data: Bytes, sizes: Places) -> None:
    """Compute the number of characters of each text."""
    for i in range(len(sizes)):
        count = 0
        for k in range(offsets[i], offsets[i + 1]):
            count += (data[k] & 0xC0) != 0x80
        sizes[i] = count


@entry()
def _character(data: Bytes, k: int) -> tuple[Any, int]:
    """The character at an offset of UTF-8, and the offset after it."""
    byte = np.int64(data[k])
    if byte < 0x80:
        return byte, k + 1
    if byte < 0xE0:
        return (byte & 0x1F) << 6 | (data[k + 1] & 0x3F), k + 2
    if byte < 0xF0:
        return (byte & 0x0F) << 12 | np.int64(data[k + 1] & 0x3F) << 6 | (data[k + 2] & 0x3F), k + 3
    high = (byte & 0x07) << 18 | np.int64(data[k + 1] & 0x3F) << 12
    return high | np.int64(data[k + 2] & 0x3F) << 6 | (data[k + 3] & 0x3F), k + 4


@entry()
def put_utf16(out: Bytes, at: Places, offsets: Places, data: Bytes, valid: Bytes, sizes: Places, frame: int) -> None:
    """Write texts in UTF-16; `sizes` are those of `utf16_sizes`."""
    for i in range(len(at)):
        p = at[i]
        if not valid[i]:
            at[i] = _null(out, p, frame)
            continue
        p = _begin(out, p, sizes[i], frame)
        k, end = offsets[i], offsets[i + 1]
        while k < end:
            if data[k] < 0x80:
                out[p] = data[k]
                out[p + 1] = 0
                p += 2
                k += 1
                continue
            code, k = _character(data, k)
            if code > 0xFFFF:
                p = _store(out, p, 0xD7C0 + (code >> 10), 2)
                code = 0xDC00 | (code & 0x3FF)
            p = _store(out, p, code, 2)
        at[i] = _end(out, p, sizes[i], frame)


@entry()
def put_single_bytes(
    out: Bytes, at: Places, offsets: Places, data: Bytes, valid: Bytes, sizes: Places, table: Bytes, frame: int
) -> None:
    """Write texts in a single-byte code page; `table` has the byte of each of the first 65,536 characters."""
    for i in range(len(at)):
        p = at[i]
        if not valid[i]:
            at[i] = _null(out, p, frame)
            continue
        p = _begin(out, p, sizes[i], frame)
        k, end = offsets[i], offsets[i + 1]
        while k < end:
            code, k = _character(data, k)
            out[p] = table[code] if code < 0x10000 else 63
            p += 1
        at[i] = _end(out, p, sizes[i], frame)
