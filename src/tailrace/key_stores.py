"""Java's key stores, for libraries that read PEM; a file's contents decide its type.

PEM, PKCS 12 (which Java writes since version 9) and JKS. As in Java any certificate of a trust store is trusted, and a
key store's private key is used with its chain. `name` is the property that names the file, and `name` with
`.password` or the like the one with its password: messages begin with the former and name the latter, and show no
password. Keys stay in memory; only certificates, which are public, may be written to a file.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from tailrace.errors import ConfigError
from tailrace.jks import MAGIC, JavaKeyStore, read_jks

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import KeySerializationEncryption
    from cryptography.hazmat.primitives.serialization.pkcs12 import (
        PKCS12KeyAndCertificates,
        PKCS12PrivateKeyTypes,
    )

PEM_MARK: Final = b"-----BEGIN "
PEM_CERTIFICATE: Final = b"CERTIFICATE-----"
_OTHER_FORMATS: Final = {b"\xce\xce\xce\xce": "JCEKS"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFile:
    """A store that a configuration names.

    Attributes:
        name: the property that names the file.
        path: of the file.
        password: of the store, if one is given.
        password_name: the property that has it.
        key_password: of the private key, if it has its own (JKS).

    """

    name: str
    path: str
    password: str | None
    password_name: str
    key_password: str | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """A private key, and its certificate with those above it."""

    key: PKCS12PrivateKeyTypes
    chain: tuple[x509.Certificate, ...]

    def key_pem(self, encryption: KeySerializationEncryption) -> str:
        """The key, PKCS 8."""
        from cryptography.hazmat.primitives.serialization import Encoding, PrivateFormat

        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption).decode()

    def chain_pem(self) -> str:
        """The certificates, its own first."""
        return _pem(self.chain)


def read_store(name: str, path: str) -> bytes:
    """The file's contents. Raises `ConfigError`."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"{name}: {path} can't be read: {error.strerror}") from error
    if not content:
        raise ConfigError(f"{name}: {path} is empty")
    if kind := _OTHER_FORMATS.get(content[:4]):
        raise ConfigError(
            f"{name}: {path} is a Java key store of the format {kind}; convert it with: keytool -importkeystore "
            f"-srcstoretype {kind} -srckeystore {path} -destkeystore {path}.p12 -deststoretype PKCS12, and name the new file"
        )
    return content


def is_pem(content: bytes) -> bool:
    """Whether it is PEM."""
    return PEM_MARK in content


def trusted_certificates(file: StoreFile) -> str:
    """All certificates that a store trusts, as PEM.

    Raises:
        ConfigError: it can't be read or opened, or has no certificate, or none that is still valid.

    """
    content = read_store(file.name, file.path)
    is_text = is_pem(content)
    if is_text and PEM_CERTIFICATE in content:
        return content.decode("ascii", "replace")
    found: Sequence[x509.Certificate] = ()
    if not is_text:
        found = _trusted_in_jks(file, content) if content.startswith(MAGIC) else _trusted_in_pkcs12(file, content)
    if not found:
        raise ConfigError(f"{file.name}: {file.path} holds no certificate")
    _refuse_expired(file, found)
    return _pem(found)


def identity(file: StoreFile, content: bytes) -> Identity:
    """The private key of a store that is not PEM; of several the first whose certificate is valid.

    Raises:
        ConfigError: it can't be opened, or has no key with a certificate, or that has expired.

    """
    found = _keys_in_jks(file, content) if content.startswith(MAGIC) else _key_in_pkcs12(file, content)
    if not found:
        raise ConfigError(f"{file.name}: {file.path} holds no private key with its certificate")
    _refuse_expired(file, [each.chain[0] for each in found])
    return next(each for each in found if _expiry(each.chain[0]) > _now())


def _trusted_in_jks(file: StoreFile, content: bytes) -> Sequence[x509.Certificate]:
    """As in Java: the certificate entries, and the certificate of each key, without its chain."""
    store = _jks(file, content)
    return [_certificate(file, der) for der in (*store.trusted, *(key.chain[0] for key in store.keys if key.chain))]


def _keys_in_jks(file: StoreFile, content: bytes) -> list[Identity]:
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    password = file.key_password if file.key_password is not None else file.password
    keys = [key for key in _jks(file, content).keys if key.chain]
    try:
        opened = [load_der_private_key(key.opened(password or ""), None) for key in keys]
    except _unusable() as error:
        raise ConfigError(f"{file.name}: the private key in {file.path} can't be opened: {error}") from None
    chains = [tuple(_certificate(file, der) for der in key.chain) for key in keys]
    return [Identity(cast("PKCS12PrivateKeyTypes", key), chain) for key, chain in zip(opened, chains, strict=True)]


def _jks(file: StoreFile, content: bytes) -> JavaKeyStore:
    try:
        return read_jks(content, file.password)
    except ValueError as error:
        raise ConfigError(
            f"{file.name}: {file.path} is a Java key store (JKS) that can't be opened: {error}; see {file.password_name}"
        ) from None


def _certificate(file: StoreFile, der: bytes) -> x509.Certificate:
    from cryptography.x509 import load_der_x509_certificate

    try:
        return load_der_x509_certificate(der)
    except _unusable() as error:
        raise ConfigError(f"{file.name}: {file.path} holds a certificate that can't be read: {error}") from error


def _trusted_in_pkcs12(file: StoreFile, content: bytes) -> list[x509.Certificate]:
    found = _pkcs12(file, content)
    return [each.certificate for each in (*([found.cert] if found.cert else []), *found.additional_certs)]


def _key_in_pkcs12(file: StoreFile, content: bytes) -> list[Identity]:
    found = _pkcs12(file, content)
    if found.key is None or found.cert is None:
        return []
    chain = _chain(found.cert.certificate, [each.certificate for each in found.additional_certs])
    return [Identity(cast("PKCS12PrivateKeyTypes", found.key), chain)]


def _chain(own: x509.Certificate, others: Sequence[x509.Certificate]) -> tuple[x509.Certificate, ...]:
    """A certificate and its issuers: a PKCS 12 store may hold others as well, in any order."""
    chain = [own]
    while above := [each for each in others if each.subject == chain[-1].issuer and each not in chain]:
        chain.append(above[0])
    return tuple(chain)


def _pkcs12(file: StoreFile, content: bytes) -> PKCS12KeyAndCertificates:
    from cryptography.hazmat.primitives.serialization import pkcs12  # imported late: only stores need its memory

    try:
        return pkcs12.load_pkcs12(content, file.password.encode() if file.password else None)
    except _unusable() as error:
        raise ConfigError(
            f"{file.name}: {file.path} is neither PEM nor JKS nor PKCS12, or {file.password_name} does not open it: {error}"
        ) from error


def _unusable() -> tuple[type[Exception], ...]:
    """The library's exceptions for damaged or unsupported stores."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.x509 import InvalidVersion

    return ValueError, UnsupportedAlgorithm, InvalidVersion


def _refuse_expired(file: StoreFile, certificates: Sequence[x509.Certificate]) -> None:
    """Refuse a store with only expired certificates, since later errors would be less clear."""
    if (last := max(map(_expiry, certificates))) <= _now():
        what = "every certificate" if len(certificates) > 1 else "the certificate"
        raise ConfigError(f"{file.name}: {what} in {file.path} has expired, on {last:%Y-%m-%d} at the latest")


def _expiry(certificate: x509.Certificate) -> dt.datetime:
    return certificate.not_valid_after_utc


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _pem(certificates: Sequence[x509.Certificate]) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding

    return "".join(each.public_bytes(Encoding.PEM).decode() for each in certificates)
