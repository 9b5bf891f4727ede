"""JKS files as Java's keytool writes them, for certificates that a test makes."""

import hashlib

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

PROTECTOR = bytes.fromhex("300e060a2b060104012a021101010500")
SALT = bytes(range(20))


def jks(password, *, trusted=(), keys=()):
    """A store with certificates, and with pairs of a key and its chain; one password for all."""
    entries = [number(2) + about(f"c{i}") + certificate(each) for i, each in enumerate(trusted)]
    for i, (key, chain) in enumerate(keys):
        hidden = protected(key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()), utf16(password))
        certificates = b"".join(map(certificate, chain))
        entries.append(number(1) + about(f"k{i}") + number(len(hidden)) + hidden + number(len(chain)) + certificates)
    body = b"\xfe\xed\xfe\xed" + number(2) + number(len(entries)) + b"".join(entries)
    return body + _sha1(utf16(password) + b"Mighty Aphrodite" + body)


def protected(key, password):
    stream, link = b"", SALT
    while len(stream) < len(key):
        link = _sha1(password + link)
        stream += link
    data = SALT + bytes(a ^ b for a, b in zip(key, stream, strict=False)) + _sha1(password + key)
    octets = b"\x04\x82" + number(len(data), 2) + data
    return b"\x30\x82" + number(len(PROTECTOR + octets), 2) + PROTECTOR + octets


def certificate(of):
    der = of.public_bytes(Encoding.DER)
    return number(5, 2) + b"X.509" + number(len(der)) + der


def about(alias):
    return number(len(alias), 2) + alias.encode() + number(1_700_000_000_000, 8)


def number(value, width=4):
    return value.to_bytes(width, "big")


def utf16(password):
    return password.encode("utf-16-be")


def _sha1(data):
    return hashlib.sha1(data, usedforsecurity=False).digest()
