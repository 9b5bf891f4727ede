"""A trust store for Microsoft's ODBC driver, which has no option for one.

The driver has OpenSSL check the server's certificate by the authorities of the system, and OpenSSL finds those where two
variables of the environment say, each time a connection is opened. So they point to the trust store's certificates
while a session is opened, and to what they were before behind that: other clients of the process (Kafka's, a schema
registry's) trust whom they did. As with Java only the store's certificates count then, not the system's.

Behind that the driver itself can't open a connection anew; `connection_string.py` tells it not to try, and the run does it.
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

_ONE_AT_A_TIME: Final = threading.Lock()  # the environment is the process's


@contextlib.contextmanager
def trusted(settings: SqlServerSettings) -> Iterator[None]:
    """Within it, connections trust whom the configuration's trust store trusts; without one, whom the system does.

    Raises:
        ConfigError: the store can't be read or opened, or trusts nobody.

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
