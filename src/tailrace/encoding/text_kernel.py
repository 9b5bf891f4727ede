# mypy: disable-error-code="no-any-return"
"""Compiled functions that write one value as text to an address and return the address after it.

They are inlined into the loop that runs templates. Callers make sure that there is room: 24 bytes for a number; for a text six
bytes for each byte, as an escape has, and two quotes; four bytes for each three in base64.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.kernels.compiling import Int, compiled, inlined
from tailrace.kernels.memory import bit_length, copy_bytes, load8, load32, load64, store8, store16, store32, store64

_QUOTE: Final = 34
_PAIRS: Final = np.frombuffer(b"".join(b"%02d" % i for i in range(100)), "<u2")
_POWERS: Final = np.array([10**i for i in range(20)], np.uint64)
_HEX: Final = np.frombuffer(b"0123456789ABCDEF", np.uint8)
_BASE64: Final = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8)
_LETTER_ESCAPES: Final = np.zeros(128, np.uint8)
for _plain, _letter in ((8, "b"), (9, "t"), (10, "n"), (12, "f"), (13, "r"), (34, '"'), (92, "\\")):
    _LETTER_ESCAPES[_plain] = ord(_letter)

_NULL, _TRUE, _FALSE = (int.from_bytes(text, "little") for text in (b"null", b"true", b"fals"))
_TEN_THOUSAND, _HUNDRED = np.uint64(10_000), np.uint64(100)


@inlined
def write_null(o: Int) -> Int:
    """Write `null`."""
    store32(o, np.uint32(_NULL))
    return o + 4


@inlined
def write_bool(o: Int, value: Int) -> Int:
    """Write `true` or `false`."""
    if value != 0:
        store32(o, np.uint32(_TRUE))
        return o + 4
    store32(o, np.uint32(_FALSE))
    store8(o + 4, np.uint8(101))
    return o + 5


@inlined
def count_digits(value: Any) -> Int:
    """The number of decimal digits of an unsigned number.

    1233/4096 approximates log10(2), so the bit length gives the number of digits or one more; a table of powers decides.
    """
    value |= np.uint64(1)  # zero has one digit; setting the lowest bit changes no other number's length
    guess = (bit_length(value) * 1233) >> 12
    return guess + 1 - int(value < _POWERS[np.uint64(guess)])


@inlined
def write_int(o: Int, value: Int) -> Int:
    """Write a signed integer in decimal."""
    rest = np.uint64(value)
    if value < 0:
        store8(o, np.uint8(45))
        o += 1
        rest = np.uint64(0) - rest
    return write_digits(o, rest, count_digits(rest))


@inlined
def write_digits(o: Int, rest: Any, digits: Int) -> Int:
    """Write an unsigned number of that many digits, from the last one backwards, four at a time."""
    p = o + digits
    while rest >= _TEN_THOUSAND:
        quotient = rest // _TEN_THOUSAND
        four = rest - quotient * _TEN_THOUSAND
        high = four // _HUNDRED
        p -= 4
        store16(p, _PAIRS[high])
        store16(p + 2, _PAIRS[four - high * _HUNDRED])
        rest = quotient
    if rest >= _HUNDRED:
        high = rest // _HUNDRED
        p -= 2
        store16(p, _PAIRS[rest - high * _HUNDRED])
        rest = high
    if rest >= np.uint64(10):
        store16(p - 2, _PAIRS[rest])
    else:
        store8(p - 1, np.uint8(rest + np.uint64(48)))
    return o + digits


@inlined
def _special(word: Any) -> Any:
    """Nonzero if one of eight bytes needs an escape: it is below 32, a quote, a backslash, or begins a character of four bytes.

    Subtracting n from a byte below n borrows, and sets its highest bit; `& ~` excludes bytes that had that bit before. A
    character of four bytes begins with four bits that are set, which the shifts bring together in the highest one.
    """
    ones = np.uint64(0x0101010101010101)
    quotes = word ^ np.uint64(0x2222222222222222)
    slashes = word ^ np.uint64(0x5C5C5C5C5C5C5C5C)
    found = (word - np.uint64(0x2020202020202020)) & ~word
    found |= (quotes - ones) & ~quotes
    found |= (slashes - ones) & ~slashes
    found |= word & (word << np.uint64(1)) & (word << np.uint64(2)) & (word << np.uint64(3))
    return found & np.uint64(0x8080808080808080)


@inlined
def write_text(o: Int, source: Int, length: Int) -> Int:
    """Write UTF-8 as a JSON string, with Jackson's escapes, of which a character outside the basic plane is two.

    The text is copied and checked in one pass, eight bytes at a time; the last eight bytes may overlap those before. A text
    that turns out to need escapes is written again, which is rare.
    """
    store8(o, np.uint8(_QUOTE))
    o += 1
    found = np.uint64(0)
    if length >= 8:
        k = 0
        while k < length - 8:
            word = load64(source + k)
            store64(o + k, word)
            found |= _special(word)
            k += 8
        word = load64(source + length - 8)
        store64(o + length - 8, word)
        found |= _special(word)
    elif length >= 4:
        first, last = load32(source), load32(source + length - 4)
        store32(o, first)
        store32(o + length - 4, last)
        found = _special(np.uint64(first) | np.uint64(last) << np.uint64(32))
    else:
        for k in range(length):
            byte = load8(source + k)
            store8(o + k, byte)
            found |= np.uint64((byte < 32) | (byte == _QUOTE) | (byte == 92))
    end = o + length if found == 0 else _write_escaped(o, source, length)
    store8(end, np.uint8(_QUOTE))
    return end + 1


@compiled
def _write_escaped(o: Int, source: Int, length: Int) -> Int:
    end = source + length
    while source < end:
        byte = load8(source)
        if byte >= 0xF0 and source + 4 <= end:
            o = _write_surrogates(o, source)
            source += 4
            continue
        source += 1
        if byte >= 32 and byte != _QUOTE and byte != 92:  # noqa: PLR1714 -- compiled
            store8(o, byte)
            o += 1
            continue
        letter = _LETTER_ESCAPES[byte]
        if letter:
            store8(o, np.uint8(92))
            store8(o + 1, letter)
            o += 2
        else:
            o = _write_unit(o, np.uint32(byte))
    return o


@inlined
def _write_surrogates(o: Int, source: Int) -> Int:
    """Write a character of four bytes as the two halves that UTF-16 has for it."""
    code = (np.uint32(load8(source)) & np.uint32(7)) << np.uint32(18)
    code |= (np.uint32(load8(source + 1)) & np.uint32(63)) << np.uint32(12)
    code |= (np.uint32(load8(source + 2)) & np.uint32(63)) << np.uint32(6)
    code |= np.uint32(load8(source + 3)) & np.uint32(63)
    code -= np.uint32(0x10000)
    o = _write_unit(o, np.uint32(0xD800) | (code >> np.uint32(10)) & np.uint32(0x3FF))
    return _write_unit(o, np.uint32(0xDC00) | code & np.uint32(0x3FF))


@inlined
def _write_unit(o: Int, unit: Any) -> Int:
    """Write a unit of UTF-16 as an escape of six characters."""
    store16(o, np.uint16(0x755C))
    for k in range(4):
        store8(o + 2 + k, _HEX[(unit >> np.uint32(12 - 4 * k)) & np.uint32(15)])
    return o + 6


@inlined
def _four_of_base64(bits: Any) -> Any:
    """The four base64 characters of 24 bits, in memory order (the first in the lowest byte)."""
    word = np.uint32(_BASE64[bits >> np.uint32(18)])
    word |= np.uint32(_BASE64[(bits >> np.uint32(12)) & np.uint32(63)]) << np.uint32(8)
    word |= np.uint32(_BASE64[(bits >> np.uint32(6)) & np.uint32(63)]) << np.uint32(16)
    return np.uint32(word | np.uint32(_BASE64[bits & np.uint32(63)]) << np.uint32(24))


@inlined
def write_base64(o: Int, source: Int, length: Int) -> Int:
    """Write bytes as a JSON string in base64."""
    store8(o, np.uint8(_QUOTE))
    o += 1
    end = source + length
    while source + 3 <= end:
        bits = np.uint32(load8(source)) << np.uint32(16)
        bits |= np.uint32(load8(source + 1)) << np.uint32(8)
        store32(o, _four_of_base64(np.uint32(bits | np.uint32(load8(source + 2)))))
        o += 4
        source += 3
    if source < end:
        two = source + 2 == end
        bits = np.uint32(load8(source)) << np.uint32(16)
        if two:
            bits |= np.uint32(load8(source + 1)) << np.uint32(8)
        store32(o, _four_of_base64(np.uint32(bits)))
        store8(o + 3, np.uint8(61))
        if not two:
            store8(o + 2, np.uint8(61))
        o += 4
    store8(o, np.uint8(_QUOTE))
    return o + 1


@inlined
def write_raw(o: Int, source: Int, length: Int) -> Int:
    """Copy bytes as they are."""
    copy_bytes(o, source, length)
    return o + length
