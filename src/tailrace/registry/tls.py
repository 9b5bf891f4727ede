"""TLS to a registry, with Java's stores."""

from __future__ import annotations

import secrets
import ssl
import tempfile
from pathlib import Path

from tailrace.errors import ConfigError
from tailrace.key_stores import StoreFile, identity, is_pem, read_store, trusted_certificates
from tailrace.registry.connection import Trust


def tls_context(trust: Trust) -> ssl.SSLContext:
    """What connections are opened with.

    Raises:
        ConfigError: a store can't be read or opened.

    """
    context = ssl.create_default_context(cadata=None if trust.trusted is None else trusted_certificates(trust.trusted))
    context.check_hostname = trust.check_host and trust.check
    if not trust.check:
        context.verify_mode = ssl.CERT_NONE
    if trust.own is not None:
        _load_own(context, trust.own)
    return context


def _load_own(context: ssl.SSLContext, file: StoreFile) -> None:
    """Load the client's key; Python reads it from a file only, which holds it encrypted for the moment."""
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption

    content = read_store(file.name, file.path)
    password = file.key_password or file.password or ""
    if is_pem(content):
        _load(context, file, Path(file.path), password)
        return
    found, password = identity(file, content), secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="tailrace-") as folder:  # readable by its owner alone
        path = Path(folder, "own.pem")
        path.write_text(found.key_pem(BestAvailableEncryption(password.encode())) + found.chain_pem())
        _load(context, file, path, password)


def _load(context: ssl.SSLContext, file: StoreFile, path: Path, password: str) -> None:
    try:
        context.load_cert_chain(path, password=lambda: password)
    except (ssl.SSLError, OSError) as error:
        raise ConfigError(
            f"{file.name}: the key and certificate in {file.path} can't be used: {error}; see {file.password_name}"
        ) from None
