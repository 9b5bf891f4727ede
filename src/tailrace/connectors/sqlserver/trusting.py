"""A trust store for Microsoft's ODBC driver, which has no option for one.

The driver lets OpenSSL verify the server's certificate by the system's authorities. OpenSSL finds them through two
environment variables, each time a connection is opened. So these point to the trust store's certificates while a
session is opened, and are restored afterwards: other clients in the process (Kafka's, a schema registry's) keep their
own trust. As in Java, only the store's certificates count then, not the system's.

Afterwards the driver itself can't reconnect. `connection_string.py` disables its reconnects, and the run retries.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.key_stores import StoreFile, trusted_certificates

_ONE_AT_A_TIME: Final = threading.Lock()  # the environment belongs to the whole process


@contextlib.contextmanager
def trusted(settings: SqlServerSettings) -> Iterator[None]:
    """Within the block, connections trust the configured trust store; without one, the system's authorities.

    Raises:
        ConfigError: the store can't be read or decrypted, or has no certificates.

    """
    if settings.driver_truststore is None:
        yield
        return
    certificates = trusted_certificates(_store(settings, settings.driver_truststore))
    with _ONE_AT_A_TIME, tempfile.TemporaryDirectory(prefix="tailrace-trust-") as folder:
        file = Path(folder) / "trusted.pem"
        file.write_text(certificates)
        with _environment({"SSL_CERT_FILE": str(file), "SSL_CERT_DIR": folder}):  # no file there has a name that is looked for
            yield


def _store(settings: SqlServerSettings, path: str) -> StoreFile:
    password = settings.driver_truststorepassword
    return StoreFile(
        name="driver.trustStore",
        path=path,
        password=password.reveal() if password else None,
        password_name="driver.trustStorePassword",  # noqa: S106 - a property's name
    )


@contextlib.contextmanager
def _environment(wanted: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, text in before.items():
            if text is None:
                del os.environ[name]
            else:
                os.environ[name] = text
