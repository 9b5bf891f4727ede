"""The authorities that may vouch for the server's certificate, as the driver takes them: a PEM file."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tailrace.connectors.db2.settings import Db2Settings
from tailrace.key_stores import StoreFile, trusted_certificates


@contextlib.contextmanager
def authorities(settings: Db2Settings) -> Iterator[str | None]:
    """Within the block, the file with the configured authorities; None: the system's count.

    Raises:
        ConfigError: the trust store can't be read or decrypted, or has no certificates.

    """
    store = _store(settings)
    if store is None:
        yield None
        return
    certificates = trusted_certificates(store)
    with tempfile.TemporaryDirectory(prefix="tailrace-trust-") as folder:
        file = Path(folder) / "trusted.pem"
        file.write_text(certificates)
        yield str(file)


def _store(settings: Db2Settings) -> StoreFile | None:
    password = settings.driver_ssltruststorepassword
    name, path = "driver.sslTrustStoreLocation", settings.driver_ssltruststorelocation
    if path is None:
        name, path = "driver.sslCertLocation", settings.driver_sslcertlocation
    if path is None or not settings.driver_sslconnection:
        return None
    return StoreFile(
        name=name,
        path=path,
        password=password.reveal() if password else None,
        password_name="driver.sslTrustStorePassword",  # noqa: S106 -- a property's name
    )
