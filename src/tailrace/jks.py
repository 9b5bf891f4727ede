"""JKS, Java's key store format before version 9: bytes in, entries out.

All numbers are big-endian. A file has a magic number, a version, the number of entries, the entries, and a SHA-1 digest
of the password and everything before. A trusted certificate is in clear; a private key is PKCS 8, encrypted with a
stream of SHA-1 digests that begins with the key's password. Java's own documentation calls that weak:
the file's permissions protect it, not the password.

We use no library for it: pyjks has had no release since 2020 and brings five more libraries, two of
which contain their own cryptography. Sources: the comments of OpenJDK's `sun.security.provider.JavaKeyStore` and
`KeyProtector`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAGIC: Final = b"\xfe\xed\xfe\xed"
_VERSIONS: Final = (1, 2)  # the second names the kind of each certificate
_KEY: Final = 1
_TRUSTED: Final = 2
_DIGEST: Final = hashlib.sha1().digest_size  # noqa: S324 - the format's
_WHITENER: Final = b"Mighty Aphrodite"
_PROTECTOR: Final = bytes.fromhex("060a2b060104012a02110101")  # the OID 1.3.6.1.4.1.42.2.17.1.1, in DER
_SEQUENCE: Final = 0x30
_OCTETS: Final = 0x04


class JksError(ValueError):
    """The bytes are not a JKS store, or a password does not open it; the message begins in lower case."""


@dataclass(frozen=True, slots=True)
class EncryptedKey:
    """An encrypted private key, and its certificate with the issuing authorities (DER), the nearest first."""

    encrypted: bytes
    chain: tuple[bytes, ...]

    def opened(self, password: str) -> bytes:
        """The key, PKCS 8 in DER. Raises `JksError`."""
        data = _protected(self.encrypted)
        salt, body, digest = data[:_DIGEST], data[_DIGEST:-_DIGEST], data[-_DIGEST:]
        key = bytes(a ^ b for a, b in zip(body, _key_stream(_utf16(password), salt), strict=False))
        # the only check of the password: a wrong one gives a wrong key, and no other error
        if not hmac.compare_digest(_sha1(_utf16(password) + key), digest):
            raise JksError("the password does not open the private key")
        return key


@dataclass(frozen=True, slots=True)
class JavaKeyStore:
    """A store's entries, in order: trusted certificates (DER), and private keys."""

    trusted: tuple[bytes, ...]
    keys: tuple[EncryptedKey, ...]


def read_jks(content: bytes, password: str | None) -> JavaKeyStore:
    """A store's entries; without a password the digest is not checked, as in Java.

    Raises:
        JksError: it is damaged, or not a JKS store, or the password is wrong.

    """
    body, digest = content[:-_DIGEST], content[-_DIGEST:]
    if password is not None and not hmac.compare_digest(_sha1(_utf16(password) + _WHITENER + body), digest):
        raise JksError("the password is another one, or the file is damaged")
    reader = _Reader(body)
    if reader.take(len(MAGIC)) != MAGIC or (version := reader.number(4)) not in _VERSIONS:
        raise JksError("no key store of a known version")
    trusted: list[bytes] = []
    keys: list[EncryptedKey] = []
    for _ in range(reader.number(4)):
        _read_entry(reader, version, trusted, keys)
    return JavaKeyStore(tuple(trusted), tuple(keys))


def _read_entry(reader: _Reader, version: int, trusted: list[bytes], keys: list[EncryptedKey]) -> None:
    tag = reader.number(4)
    reader.sized(2)  # the alias
    reader.take(8)  # when it was made
    if tag == _TRUSTED:
        trusted.append(_certificate(reader, version))
    elif tag == _KEY:
        hidden = reader.sized(4)
        keys.append(EncryptedKey(hidden, tuple(_certificate(reader, version) for _ in range(reader.number(4)))))
    else:
        raise JksError(f"an entry of the unknown kind {tag}")


def _certificate(reader: _Reader, version: int) -> bytes:
    if version > 1:
        reader.sized(2)  # "X.509"
    return reader.sized(4)


def _protected(hidden: bytes) -> bytes:
    """The encrypted octets of PKCS 8's EncryptedPrivateKeyInfo, which follow its algorithm."""
    whole = _Reader(_Reader(hidden).element(_SEQUENCE))
    if not whole.element(_SEQUENCE).startswith(_PROTECTOR):
        raise JksError("the private key is hidden in a way that is not known here")
    data = whole.element(_OCTETS)
    if len(data) < 2 * _DIGEST:
        raise JksError("the private key ends too early")
    return data


def _key_stream(password: bytes, salt: bytes) -> Iterator[int]:
    link = salt
    while True:
        link = _sha1(password + link)
        yield from link


def _sha1(data: bytes) -> bytes:
    return hashlib.sha1(data).digest()  # noqa: S324 - the format's


def _utf16(password: str) -> bytes:
    return password.encode("utf-16-be", "surrogatepass")


class _Reader:
    """A cursor over bytes; reading past the end is an error, because a damaged file may have any length in it."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, count: int) -> bytes:
        begin, self._at = self._at, self._at + count
        if self._at > len(self._data):
            raise JksError("it ends too early")
        return self._data[begin : self._at]

    def number(self, width: int) -> int:
        return int.from_bytes(self.take(width), "big")

    def sized(self, width: int) -> bytes:
        """Length-prefixed bytes."""
        return self.take(self.number(width))

    def element(self, tag: int) -> bytes:
        """The contents of a DER element, which must have this tag."""
        if self.number(1) != tag:
            raise JksError("the private key is not in DER")
        length = self.number(1)
        return self.take(length if length < 0x80 else self.number(length & 0x7F))
