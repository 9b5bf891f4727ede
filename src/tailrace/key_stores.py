"""Java's key stores for libraries that read PEM: what a file holds tells what it is.

PKCS 12, which Java writes since version 9, is read as it is. The old JKS format has no reader here, and the message says
how to convert it. `name` is the property that names the file; messages begin with it, and show no password.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tailrace.errors import ConfigError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.serialization import pkcs12

JKS_MAGIC = b"\xfe\xed\xfe\xed"
PEM_MARK = b"-----BEGIN "


def read_store(name: str, path: str) -> bytes:
    """What the file holds: PEM or, perhaps, PKCS 12."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"{name}: {path} can't be read: {error.strerror}") from error
    if content.startswith(JKS_MAGIC):
        raise ConfigError(
            f"{name}: {path} is a Java key store in the old JKS format; convert it with: keytool -importkeystore "
            f"-srckeystore {path} -destkeystore {path}.p12 -deststoretype PKCS12, and name the new file"
        )
    return content


def is_pem(content: bytes) -> bool:
    """Whether it is PEM."""
    return PEM_MARK in content


def open_pkcs12(
    name: str, path: str, content: bytes, password: str | None, password_name: str
) -> pkcs12.PKCS12KeyAndCertificates:
    """The keys and certificates of a PKCS 12 store."""
    from cryptography.hazmat.primitives.serialization import pkcs12  # memory, for those who have stores

    try:
        return pkcs12.load_pkcs12(content, password.encode() if password else None)
    except ValueError as error:
        raise ConfigError(
            f"{name}: {path} is neither PEM nor PKCS12, or {password_name} does not open it: {error}"
        ) from error


def certificates_of(store: pkcs12.PKCS12KeyAndCertificates) -> str:
    """All certificates of a store, as PEM."""
    from cryptography.hazmat.primitives.serialization import Encoding

    found = [*store.additional_certs, *([store.cert] if store.cert else [])]
    return "".join(each.certificate.public_bytes(Encoding.PEM).decode() for each in found)
