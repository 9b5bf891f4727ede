"""Digests: keys of any length as 128 bits each, so that millions of them can be remembered.

The digest is SipHash-2-4 with 128 bits. A collision would lose a row, and whoever writes to a table may
choose its keys, so a faster hash with computable collisions will not do. The hash key is fixed: the progress stores a
digest, which must be the same in the next process.

Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", and its reference implementation's 128-bit variant.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.records import Binary
from tailrace.kernels import argument_types as arg
from tailrace.kernels.addresses import address_of
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.kernels.memory import load8, load64

Digests = npt.NDArray[np.uint64]  # shape (n, 2)

HASH_KEY: Final = b"tailrace-key-set"  # never to be changed: see above

_V0: Final = np.uint64(0x736F6D6570736575)
_V1: Final = np.uint64(0x646F72616E646F6D)
_V2: Final = np.uint64(0x6C7967656E657261)
_V3: Final = np.uint64(0x7465646279746573)
_WIDE: Final = np.uint64(0xEE)  # distinguishes the 128-bit variant from the shorter one
_SECOND: Final = np.uint64(0xDD)


def digests_of(strings: Binary, hash_key: bytes = HASH_KEY) -> Digests:
    """The digest of each string, shape (n, 2); a null has the empty string's."""
    digests = np.empty((len(strings), 2), np.uint64)
    halves = np.frombuffer(hash_key, np.uint64)
    data = np.ascontiguousarray(strings.data)
    _fill(address_of(data), strings.offsets, halves[0], halves[1], digests)
    return digests


@inlined
def _rotated(value: Int, bits: Int) -> Int:
    return (value << np.uint64(bits)) | (value >> np.uint64(64 - bits))


@inlined
def _round(v0: Int, v1: Int, v2: Int, v3: Int) -> Any:
    v0 += v1
    v2 += v3
    v1 = _rotated(v1, 13) ^ v0
    v3 = _rotated(v3, 16) ^ v2
    v0 = _rotated(v0, 32) + v3
    v2 += v1
    v3 = _rotated(v3, 21) ^ v0
    v1 = _rotated(v1, 17) ^ v2
    return v0, v1, _rotated(v2, 32), v3


@inlined
def _last_word(address: Int, length: Int) -> Int:
    """What is left of a string after its whole words, and its length in the highest byte."""
    word = np.uint64(length & 255) << np.uint64(56)
    rest = length & 7
    for k in range(rest):
        word |= np.uint64(load8(address + length - rest + k)) << np.uint64(8 * k)
    return word


@entry(arg.INT, arg.READ_INTS, arg.UINT, arg.UINT, arg.UINT_TABLE)
def _fill(address: Int, offsets: Any, key0: Int, key1: Int, digests: Any) -> None:
    for i in range(len(digests)):
        start = address + offsets[i]
        length = offsets[i + 1] - offsets[i]
        v0 = _V0 ^ key0
        v1 = _V1 ^ key1 ^ _WIDE
        v2 = _V2 ^ key0
        v3 = _V3 ^ key1
        words = length >> 3
        for k in range(words + 1):
            word = load64(start + 8 * k) if k < words else _last_word(start, length)
            v3 ^= word
            v0, v1, v2, v3 = _round(v0, v1, v2, v3)
            v0, v1, v2, v3 = _round(v0, v1, v2, v3)
            v0 ^= word
        v2 ^= _WIDE
        for half in range(2):
            if half == 1:
                v1 ^= _SECOND
            for _ in range(4):
                v0, v1, v2, v3 = _round(v0, v1, v2, v3)
            digests[i, half] = v0 ^ v1 ^ v2 ^ v3
