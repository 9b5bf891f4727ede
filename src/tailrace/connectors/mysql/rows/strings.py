# mypy: disable-error-code="no-any-return, assignment"
"""Strings: views of the log's own bytes where they can stay as they are, made text where they can't.

UTF-8, ASCII and binary values are not copied. Text in a single-byte character set is copied only where it
holds something else than ASCII; each byte is then looked up in a table of UTF-8. UTF-16 and UTF-32 are
computed. The multi-byte sets of East Asia are left to `fallbacks.decode_text`, value by value, where a value
is not ASCII.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.connectors.mysql.rows.raw import little, mark, offset_of
from tailrace.connectors.mysql.rows.scan import NEED
from tailrace.kernels.arrays import (
    copy_bytes,
    load16,
    load32,
    load64,
    put_null_view,
    put_view,
    store32,
    swap16,
    swap32,
)
from tailrace.kernels.compiling import Int, compiled

_HIGH_BITS: Final = np.uint64(0x8080808080808080)
_BASE64: Final = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8
).copy()
_BASE64_URL: Final = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", np.uint8
).copy()
_HEX: Final = np.frombuffer(b"0123456789abcdef", np.uint8).copy()

UTF16_BIG, UTF16_LITTLE, UTF32 = range(3)
BASE64, BASE64_URL, HEX = range(3)


@compiled
def views(data: Any, offsets: Any, c: Int, k: Int, mem: Any, at: Int, prefix: Int) -> None:
    """Each value as it stands in the log."""
    if prefix == 1:
        for j in range(k):
            o = offset_of(offsets, c, j)
            if o < 0:
                put_null_view(mem, at + 16 * j)
            else:
                put_view(mem, at + 16 * j, data, 0, o + 1, np.int64(data[o]))
        return
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            put_null_view(mem, at + 16 * j)
        else:
            put_view(mem, at + 16 * j, data, 0, o + prefix, little(data, o, prefix))


@compiled
def padded_views(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Int,
    prefix: Int,
    pad: Int,
    aux: Any,
    ao: Int,
    state: Any,
) -> Int:
    """BINARY(n): the trailing zero bytes that the log leaves out are put back."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            put_null_view(mem, at + 16 * j)
            continue
        n = little(data, o, prefix)
        if n >= pad:
            put_view(mem, at + 16 * j, data, 0, o + prefix, n)
            continue
        if ao + pad > len(aux):
            state[NEED] = pad
            return -1
        copy_bytes(aux, ao, data, o + prefix, n)
        aux[ao + n : ao + pad] = 0
        put_view(mem, at + 16 * j, aux, 1, ao, pad)
        if pad > 12:
            ao += pad
    return ao


@compiled
def is_ascii(data: Any, o: Int, n: Int) -> Any:
    """Whether no byte of `data[o : o + n]` has its highest bit set."""
    stop = o + n
    while o + 8 <= stop:
        if load64(data, o) & _HIGH_BITS:
            return False
        o += 8
    seen = np.uint8(0)
    for i in range(o, stop):
        seen |= data[i]
    return seen < 128


@compiled
def table_texts(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Int,
    prefix: Int,
    tables: Any,
    table: Int,
    same: bool,
    aux: Any,
    ao: Int,
    state: Any,
) -> Int:
    """Text of a single-byte character set.

    Four bytes a character at `tables[table]`: the length of its UTF-8 and up to three bytes. `same`: the
    first half of the set is ASCII.
    """
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            put_null_view(mem, at + 16 * j)
            continue
        n = little(data, o, prefix)
        o += prefix
        if same and is_ascii(data, o, n):
            put_view(mem, at + 16 * j, data, 0, o, n)
            continue
        if ao + 3 * n + 4 > len(aux):
            state[NEED] = 3 * n + 4
            return -1
        p = ao
        for i in range(o, o + n):
            entry = load32(tables, table + 4 * np.int64(data[i]))
            store32(aux, p, entry >> np.uint32(8))
            p += np.int64(entry & np.uint32(0xFF))
        put_view(mem, at + 16 * j, aux, 1, ao, p - ao)
        if p - ao > 12:
            ao = p
    return ao


@compiled
def wide_texts(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Int,
    prefix: Int,
    form: Int,
    aux: Any,
    ao: Int,
    state: Any,
) -> Int:
    """Text of UTF-16 (either byte order) and UTF-32; half a surrogate pair becomes U+FFFD."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            put_null_view(mem, at + 16 * j)
            continue
        n = little(data, o, prefix)
        o += prefix
        if ao + 2 * n + 4 > len(aux):
            state[NEED] = 2 * n + 4
            return -1
        p = ao
        stop = o + n
        while o + (4 if form == UTF32 else 2) <= stop:
            code, width = _code_point(data, o, stop, form)
            o += width
            p = put_utf8(aux, p, code)
        put_view(mem, at + 16 * j, aux, 1, ao, p - ao)
        if p - ao > 12:
            ao = p
    return ao


@compiled
def _code_point(data: Any, o: Int, stop: Int, form: Int) -> Any:
    """(code point, bytes it takes)."""
    if form == UTF32:
        return np.int64(swap32(load32(data, o))), 4
    first = _unit(data, o, form)
    if first < 0xD800 or first > 0xDFFF:
        return first, 2
    if first < 0xDC00 and o + 4 <= stop:
        second = _unit(data, o + 2, form)
        if 0xDC00 <= second <= 0xDFFF:
            return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00), 4
    return np.int64(0xFFFD), 2


@compiled
def _unit(data: Any, o: Int, form: Int) -> Int:
    unit = load16(data, o)
    return np.int64(unit) if form == UTF16_LITTLE else np.int64(swap16(unit))


@compiled
def put_utf8(aux: Any, p: Int, code: Int) -> Int:
    """Writes a code point as UTF-8; the place after."""
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        code = 0xFFFD
    if code < 0x80:
        aux[p] = code
        return p + 1
    if code < 0x800:
        aux[p] = 0xC0 | code >> 6
        aux[p + 1] = 0x80 | (code & 63)
        return p + 2
    if code < 0x10000:
        aux[p] = 0xE0 | code >> 12
        aux[p + 1] = 0x80 | (code >> 6 & 63)
        aux[p + 2] = 0x80 | (code & 63)
        return p + 3
    aux[p] = 0xF0 | code >> 18
    aux[p + 1] = 0x80 | (code >> 12 & 63)
    aux[p + 2] = 0x80 | (code >> 6 & 63)
    aux[p + 3] = 0x80 | (code & 63)
    return p + 4


@compiled
def codec_texts(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Int,
    prefix: Int,
    bitmap: Int,
    marks: Any,
    which: Int,
    first: Int,
    size: Int,
) -> None:
    """Text of a multi-byte set: a view of the log's bytes, and a bit of `bitmap` where that is not ASCII."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            put_null_view(mem, at + 16 * j)
            continue
        n = little(data, o, prefix)
        put_view(mem, at + 16 * j, data, 0, o + prefix, n)
        if not is_ascii(data, o + prefix, n):
            mark(mem, bitmap, marks, which, first + j, size, 1)


@compiled
def encoded_texts(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Int,
    prefix: Int,
    pad: Int,
    form: Int,
    aux: Any,
    ao: Int,
    state: Any,
) -> Int:
    """Bytes as base64 or hexadecimal text, after zero bytes have been put back up to `pad`."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            put_null_view(mem, at + 16 * j)
            continue
        n = little(data, o, prefix)
        full = max(n, pad)
        need = 2 * full if form == HEX else (full + 2) // 3 * 4
        if ao + need > len(aux):
            state[NEED] = need
            return -1
        if form == HEX:
            _put_hex(aux, ao, data, o + prefix, n, full)
        else:
            put_base64(aux, ao, data, o + prefix, n, full, form == BASE64_URL)
        put_view(mem, at + 16 * j, aux, 1, ao, need)
        if need > 12:
            ao += need
    return ao


@compiled
def _put_hex(aux: Any, p: Int, data: Any, o: Int, n: Int, full: Int) -> None:
    for i in range(full):
        byte = np.int64(data[o + i]) if i < n else 0
        aux[p + 2 * i] = _HEX[byte >> 4]
        aux[p + 2 * i + 1] = _HEX[byte & 15]


@compiled
def put_base64(aux: Any, p: Int, data: Any, o: Int, n: Int, full: Int, url: bool) -> Int:
    """Writes `data[o : o + n]`, and zero bytes up to `full`, as base64; the place after."""
    alphabet = _BASE64_URL if url else _BASE64
    for i in range(0, full, 3):
        word = np.int64(0)
        for b in range(3):
            word = word << 8 | (np.int64(data[o + i + b]) if i + b < n else 0)
        aux[p] = alphabet[word >> 18]
        aux[p + 1] = alphabet[word >> 12 & 63]
        aux[p + 2] = alphabet[word >> 6 & 63] if i + 1 < full else 61
        aux[p + 3] = alphabet[word & 63] if i + 2 < full else 61
        p += 4
    return p
