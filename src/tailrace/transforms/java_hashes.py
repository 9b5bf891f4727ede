"""Java's hash codes of columns of values, and Debezium's Murmur hash; 32 bits, as signed numbers.

Source: documentation of `hashCode` in `java.lang` and `java.math`; MurmurHash3 by A. Appleby (public domain), in the variant of
64 bits with other constants that Debezium has; comparison with the real PartitionRouting (tests/formats).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, entry, inlined

INT32 = npt.NDArray[np.int32]
_U64: Final = np.uint64
_TRUE, _FALSE = 1231, 1237


def of_ints(values: npt.NDArray[np.int64]) -> INT32:
    """Of bytes, shorts and ints: the value."""
    return values.astype(np.int32)


def of_longs(values: npt.NDArray[np.int64]) -> INT32:
    """Of longs and dates: the halves of the value."""
    bits = values.view(np.uint64)
    return (bits ^ (bits >> _U64(32))).astype(np.uint32).view(np.int32)


def of_booleans(values: npt.NDArray[np.int64]) -> INT32:
    """Of booleans."""
    return np.where(values != 0, _TRUE, _FALSE).astype(np.int32)


def of_doubles(values: npt.NDArray[np.float64]) -> INT32:
    """Of doubles: of their bits, with one NaN."""
    return of_longs(np.where(np.isnan(values), np.nan, values).view(np.int64))


def of_floats(values: npt.NDArray[np.float32]) -> INT32:
    """Of floats: their bits, with one NaN."""
    return np.where(np.isnan(values), np.float32(np.nan), values).astype(np.float32).view(np.int32)


def of_strings(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> INT32:
    """Of strings, in UTF-8."""
    found = np.empty(len(offsets) - 1, np.int32)
    _hash_strings(data, offsets, found)
    return found


def of_buffers(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> INT32:
    """Of byte buffers."""
    found = np.empty(len(offsets) - 1, np.int32)
    _hash_buffers(data, offsets, found)
    return found


def of_decimals(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64], scale: int) -> INT32:
    """Of BigDecimals, of which there are the unscaled numbers as Connect writes them."""
    found = np.empty(len(offsets) - 1, np.int32)
    _hash_decimals(data, offsets, np.int64(scale), found)
    return found


def murmur_of_strings(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> INT32:
    """Debezium's Murmur hash of strings, in UTF-8."""
    found = np.empty(len(offsets) - 1, np.int32)
    _murmur(data, offsets, found)
    return found


def murmur_of_hashes(hashes: INT32) -> INT32:
    """Debezium's Murmur hash of other values: of the four bytes of their hash code."""
    data = np.ascontiguousarray(hashes, "<i4").view(np.uint8)
    return murmur_of_strings(data, np.arange(0, 4 * len(hashes) + 1, 4, dtype=np.int64))


@entry(arg.READ_BYTES, arg.READ_INTS, arg.INT32S)
def _hash_strings(data: Any, offsets: Any, found: Any) -> None:
    """31 times the hash before, plus the next unit of UTF-16."""
    for i in range(len(found)):
        h = np.uint32(0)
        k = offsets[i]
        while k < offsets[i + 1]:
            lead = np.uint32(data[k])
            if lead < 0x80:
                length, point = 1, lead
            elif lead < 0xE0:
                length, point = 2, lead & np.uint32(0x1F)
            elif lead < 0xF0:
                length, point = 3, lead & np.uint32(0x0F)
            else:
                length, point = 4, lead & np.uint32(0x07)
            for j in range(1, length):
                point = (point << np.uint32(6)) | (np.uint32(data[k + j]) & np.uint32(0x3F))
            k += length
            if point >= 0x10000:
                point -= np.uint32(0x10000)
                h = np.uint32(np.uint32(31) * h + (np.uint32(0xD800) + (point >> np.uint32(10))))
                point = np.uint32(0xDC00) + (point & np.uint32(0x3FF))
            h = np.uint32(np.uint32(31) * h + point)
        found[i] = np.int32(h)


@entry(arg.READ_BYTES, arg.READ_INTS, arg.INT32S)
def _hash_buffers(data: Any, offsets: Any, found: Any) -> None:
    """From the last byte to the first."""
    for i in range(len(found)):
        h = np.uint32(1)
        for k in range(offsets[i + 1] - 1, offsets[i] - 1, -1):
            h = np.uint32(np.uint32(31) * h + np.uint32(np.int8(data[k])))
        found[i] = np.int32(h)


@entry(arg.READ_BYTES, arg.READ_INTS, arg.INT, arg.INT32S)
def _hash_decimals(data: Any, offsets: Any, scale: Int, found: Any) -> None:
    """31 times the hash of the unscaled number (its magnitude's words of 32 bits, with the sign), plus the scale."""
    for i in range(len(found)):
        start, end = offsets[i], offsets[i + 1]
        negative = end > start and data[start] >= 0x80
        words = (end - start + 3) // 4
        h = np.uint32(0)
        for w in range(words):
            word = np.uint32(0)
            for b in range(4):
                place = end - 4 * (words - w) + b  # words are aligned to the end
                byte = np.uint32(0)
                if place >= start:
                    byte = np.uint32(_magnitude(data, place, end, negative))
                word = (word << np.uint32(8)) | byte
            h = np.uint32(np.uint32(31) * h + word)
        if negative:
            h = np.uint32(0) - h
        found[i] = np.int32(np.uint32(np.uint32(31) * h + np.uint32(scale)))


@inlined
def _magnitude(data: Any, place: Int, end: Int, negative: bool) -> Int:
    """One byte of a number's magnitude."""
    byte = np.int64(data[place])
    if not negative:
        return byte
    borrow = np.int64(1)
    for k in range(place + 1, end):
        if data[k] != 0:
            borrow = np.int64(0)
    return (255 - byte + borrow) & 255


@inlined
def _rotated(value: Int, by: Int) -> Int:
    return (value << np.uint64(by)) | (value >> np.uint64(64 - by))


@inlined
def _finished(k: Int) -> Int:
    k ^= k >> np.uint64(33)
    k *= np.uint64(0xFF51AFD7ED558CCD)
    k ^= k >> np.uint64(33)
    k *= np.uint64(0xC4CEB9FE1A85EC53)
    return k ^ (k >> np.uint64(33))


@entry(arg.READ_BYTES, arg.READ_INTS, arg.INT32S)
def _murmur(data: Any, offsets: Any, found: Any) -> None:
    for i in range(len(found)):
        start, length = offsets[i], offsets[i + 1] - offsets[i]
        h1 = np.uint64(0x9368E53C2F6AF274 ^ 9001)
        h2 = np.uint64(0x586DCD208F7CD3FD ^ 9001)
        c1 = np.uint64(0x87C37B91114253D5)
        c2 = np.uint64(0x4CF5AD432745937F)
        for block in range((length + 15) // 16):
            k1 = np.uint64(0)
            k2 = np.uint64(0)
            size = min(16, length - 16 * block)
            for b in range(size):
                byte = np.uint64(data[start + 16 * block + b])
                if size < 16:  # the rest of a value is of signed bytes
                    byte = np.uint64(np.int64(np.int8(data[start + 16 * block + b])))
                if b < 8:
                    k1 ^= byte << np.uint64(8 * b)
                else:
                    k2 ^= byte << np.uint64(8 * (b - 8))
            k1 *= c1
            k1 = _rotated(k1, 23)
            k1 *= c2
            h1 ^= k1
            h1 += h2
            h2 = _rotated(h2, 41)
            k2 *= c2
            k2 = _rotated(k2, 23)
            k2 *= c1
            h2 ^= k2
            h2 += h1
            h1 = h1 * np.uint64(3) + np.uint64(0x52DCE729)
            h2 = h2 * np.uint64(3) + np.uint64(0x38495AB5)
            c1 = c1 * np.uint64(5) + np.uint64(0x7B7D159C)
            c2 = c2 * np.uint64(5) + np.uint64(0x6BCE6396)
        h2 ^= np.uint64(length)
        h1 += h2
        h2 += h1
        h1 = _finished(h1)
        h2 = _finished(h2)
        h1 += h2
        found[i] = np.int32(np.uint32(h1 >> np.uint64(32)))
