"""TLS to the database: Debezium's `database.ssl.*` properties as an `ssl.SSLContext`.

Debezium names Java key stores; PEM files work as well.
"""

from __future__ import annotations

import secrets
import ssl
import tempfile

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption

from tailrace.errors import ConfigError
from tailrace.key_stores import Identity, StoreFile, identity, is_pem, read_store, trusted_certificates

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
    # the certificates that mysqld creates do not pass the strict checks of newer Pythons
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
    made.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # as in Java: also of a server the very certificate, or the next above
    try:
        made.load_verify_locations(cadata=trusted_certificates(_store("database.ssl.truststore", path, password)))
    except ssl.SSLError as error:
        raise ConfigError(f"database.ssl.truststore: {path} holds no usable certificate: {error}") from error


def _identify(made: ssl.SSLContext, path: str, password: str | None) -> None:
    """Load the client's certificate and key."""
    store = _store("database.ssl.keystore", path, password)
    content = read_store(store.name, path)
    try:
        if is_pem(content):
            made.load_cert_chain(path, password=password or _no_password)
        else:
            _load_chain(made, identity(store, content))
    except (ssl.SSLError, ValueError) as error:
        raise ConfigError(
            f"database.ssl.keystore: {path} holds no usable certificate with its key, or "
            f"database.ssl.keystore.password does not open it: {error}"
        ) from error


def _no_password() -> str:
    """Return no password; without this callback OpenSSL prompts on the terminal."""
    raise ValueError("the key has a password, and none is given")


def _load_chain(made: ssl.SSLContext, shown: Identity) -> None:
    """Load the key through a short-lived file with a random password: Python's ssl reads keys only from files."""
    password = secrets.token_bytes(24).hex()
    key = shown.key_pem(BestAvailableEncryption(password.encode()))
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(key + shown.chain_pem())
        file.flush()
        made.load_cert_chain(file.name, password=password)


def _store(name: str, path: str, password: str | None) -> StoreFile:
    return StoreFile(name=name, path=path, password=password, password_name=f"{name}.password")
