"""Hashes of texts as Debezium's hash masks compute them, with any algorithm of Java's `MessageDigest`.

Source: Debezium's documentation, `column.mask.hash`; Java Object Serialization Specification, chapter 6; RFC
1319 (MD2).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

Digest = Callable[[bytes], bytes]

_NAMES: Final = {
    "MD5": "md5", "SHA-1": "sha1", "SHA-224": "sha224", "SHA-256": "sha256", "SHA-384": "sha384",
    "SHA-512": "sha512",
    "SHA-512/224": "sha512_224", "SHA-512/256": "sha512_256", "SHA3-224": "sha3_224", "SHA3-256": "sha3_256",
    "SHA3-384": "sha3_384", "SHA3-512": "sha3_512",
}  # fmt: skip
_HEADER: Final = b"\xac\xed\x00\x05"
_SHORT_STRING, _LONG_STRING = b"\x74", b"\x7c"
_LONGEST_SHORT: Final = 0xFFFF


def digest_of(algorithm: str) -> Digest:
    """The hash function of that name in Java's `MessageDigest`, in capitals."""
    if algorithm == "MD2":
        return md2
    name = _NAMES[algorithm]
    return lambda data: hashlib.new(name, data, usedforsecurity=False).digest()


def serialized(text: str) -> bytes:
    """A text as Java serializes a String; version 1 of the masks hashes that instead of the text's bytes."""
    data = modified_utf8(text)
    if len(data) > _LONGEST_SHORT:
        return _HEADER + _LONG_STRING + len(data).to_bytes(8, "big") + data
    return _HEADER + _SHORT_STRING + len(data).to_bytes(2, "big") + data


def modified_utf8(text: str) -> bytes:
    """Java's modified UTF-8: NUL has two bytes, a character beyond the basic plane two surrogates of three bytes each."""
    plain = text.encode()
    if b"\0" not in plain and max(plain, default=0) < 0xF0:
        return plain
    return b"".join(_modified(character) for character in text)


def _modified(character: str) -> bytes:
    if character == "\0":
        return b"\xc0\x80"
    if ord(character) < 0x10000:
        return character.encode()
    rest = ord(character) - 0x10000
    halves = chr(0xD800 + (rest >> 10)) + chr(0xDC00 + (rest & 0x3FF))
    return halves.encode("utf-8", "surrogatepass")


# RFC 1319: a permutation of 0 to 255 that is derived from the digits of pi
_PI: Final = bytes.fromhex(
    "292e43c9a2d87c013d3654a1ecf0061362a705f3c0c7738c98932bd9bc4c82ca"
    "1e9b573cfdd4e01667426f188a17e512be4ec4d6da9ede49a0fbf58ebb2fee7a"
    "a968799115b2073f94c210890b225f21807f5d9a5a903227353ecce7bff79703"
    "ff1930b348a5b5d1d75e922aac56aac64fb838d296a47db676fc6be29c7404f1"
    "459d705964718720865bcf65e62da8021b6025adaeb0b9f61c46616934407e0f"
    "5547a323dd51af3ac35cf9cebac5ea262c530d6e85288409d3dfcdf441814d52"
    "6adc37c86cc1abfa24e17b080cbdb14a7888958be363e86de9cbd5fe3b001d39"
    "f2efb70e6658d0e4a67772f8eb754b0a314450b48fed1f1adb998d339f118314"
)


def md2(data: bytes) -> bytes:
    """MD2 (RFC 1319), which libraries have removed; Debezium still accepts it, because Java has it."""
    padding = 16 - len(data) % 16
    data += bytes([padding]) * padding
    state = bytearray(48)
    for block in (*_blocks(data), _md2_checksum(data)):
        state[16:32] = block
        state[32:48] = bytes(a ^ b for a, b in zip(state[:16], block, strict=True))
        t = 0
        for turn in range(18):
            for i in range(48):
                state[i] ^= _PI[t]
                t = state[i]
            t = (t + turn) % 256
    return bytes(state[:16])


def _blocks(data: bytes) -> list[bytes]:
    return [data[at : at + 16] for at in range(0, len(data), 16)]


def _md2_checksum(data: bytes) -> bytes:
    checksum, last = bytearray(16), 0
    for block in _blocks(data):
        for i, byte in enumerate(block):
            checksum[i] ^= _PI[byte ^ last]
            last = checksum[i]
    return bytes(checksum)
