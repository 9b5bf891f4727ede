"""TLS to the database: Debezium's `database.ssl.*` properties as an `ssl.SSLContext`.

Debezium names Java key stores; PEM files are taken in their place.
"""

from __future__ import annotations

import secrets
import ssl
import tempfile

from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    pkcs12,
)

from tailrace.errors import ConfigError
from tailrace.key_stores import certificates_of, is_pem, open_pkcs12, read_store

VERIFYING = ("verify_ca", "verify_identity")
MODES = ("disabled", "preferred", "required", *VERIFYING)


def context(
    mode: str,
    truststore: str | None = None,
    truststore_password: str | None = None,
    keystore: str | None = None,
    keystore_password: str | None = None,
) -> ssl.SSLContext | None:
    """The context for an `ssl.mode`; None for `disabled`."""
    if mode not in MODES:
        raise ConfigError(f"database.ssl.mode is {mode!r}: it must be one of {', '.join(MODES)}")
    if mode == "disabled":
        return None
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = mode == "verify_identity"
    made.verify_mode = ssl.CERT_REQUIRED if mode in VERIFYING else ssl.CERT_NONE
    # the certificates that mysqld makes for itself do not pass the strict checks of newer Pythons
    made.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if mode in VERIFYING:
        _trust(made, truststore, truststore_password)
    if keystore:
        _identify(made, keystore, keystore_password)
    return made


def _trust(made: ssl.SSLContext, path: str | None, password: str | None) -> None:
    if not path:
        made.load_default_certs()
        return
    try:
        made.load_verify_locations(cadata=_certificates(path, password))
    except ssl.SSLError as error:
        raise ConfigError(f"database.ssl.truststore: {path} holds no usable certificate: {error}") from error


def _certificates(path: str, password: str | None) -> str:
    """All certificates of a store as PEM."""
    content = read_store("database.ssl.truststore", path)
    if is_pem(content):
        return content.decode("ascii", "replace")
    return certificates_of(_pkcs12("database.ssl.truststore", path, content, password))


def _identify(made: ssl.SSLContext, path: str, password: str | None) -> None:
    """The certificate and key that tell the server who we are."""
    content = read_store("database.ssl.keystore", path)
    try:
        if is_pem(content):
            made.load_cert_chain(path, password=password)
        else:
            _load_chain(made, path, _pkcs12("database.ssl.keystore", path, content, password))
    except (ssl.SSLError, ValueError) as error:
        raise ConfigError(
            f"database.ssl.keystore: {path} holds no usable certificate with its key, or "
            f"database.ssl.keystore.password does not open it: {error}"
        ) from error


def _load_chain(made: ssl.SSLContext, path: str, store: pkcs12.PKCS12KeyAndCertificates) -> None:
    """Python's ssl reads keys from files only: here one with a password of the moment, and soon gone."""
    if store.key is None or store.cert is None:
        raise ConfigError(f"database.ssl.keystore: {path} holds no private key with its certificate")
    password = secrets.token_bytes(24).hex()
    encryption = BestAvailableEncryption(password.encode())
    key = store.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)
    chain = [c.certificate.public_bytes(Encoding.PEM) for c in (store.cert, *store.additional_certs)]
    with tempfile.NamedTemporaryFile(suffix=".pem") as file:
        file.write(key + b"".join(chain))
        file.flush()
        made.load_cert_chain(file.name, password=password)


def _pkcs12(name: str, path: str, content: bytes, password: str | None) -> pkcs12.PKCS12KeyAndCertificates:
    return open_pkcs12(name, path, content, password, f"{name}.password")
