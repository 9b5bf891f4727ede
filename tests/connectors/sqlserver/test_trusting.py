"""Trust stores: which authorities the driver trusts when a connection is opened, and the rest of the process does."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12

from support.jks import jks
from tailrace.connectors.load import from_mapping
from tailrace.connectors.sqlserver.connection import connect
from tailrace.connectors.sqlserver.connection_string import connection_string
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.trusting import trusted
from tailrace.errors import ConfigError
from tailrace_standins.servers.sqlserver_server import Database, StandInServer

STORES = Path(__file__).parents[2] / "data" / "key_stores"
SECRET = "store-secret"
VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


def settings(**given: str) -> SqlServerSettings:
    """`driver_trustStore` is `driver.trustStore`."""
    found = from_mapping(
        {"connector.class": "sqlserver", "topic.prefix": "s", "database.hostname": "localhost", "database.names": "d"}
        | {"database.user": "sa", "database.password": "p"}
        | {name.replace("_", "."): text for name, text in given.items()}
    )
    assert isinstance(found, SqlServerSettings)
    return found


def of(database: Database, **given: str) -> SqlServerSettings:
    """A connector's whose host is the name in the stand-in's certificate."""
    properties = database.properties() | {"database.hostname": "localhost", "database.encrypt": "true"}
    found = from_mapping(properties | given)
    assert isinstance(found, SqlServerSettings)
    return found


@pytest.fixture
def certificate(sqlserver: Database) -> x509.Certificate:
    if not isinstance(sqlserver.server, StandInServer):
        pytest.skip("a server that a URL names does not show its certificate")
    return x509.load_pem_x509_certificate(sqlserver.server.command("certificate").encode())


def as_pem(certificate: x509.Certificate) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM)


def as_jks(certificate: x509.Certificate) -> bytes:
    return jks(SECRET, trusted=[certificate])


def as_pkcs12(certificate: x509.Certificate) -> bytes:
    return pkcs12.serialize_key_and_certificates(
        None, None, None, [certificate], BestAvailableEncryption(SECRET.encode())
    )


@pytest.mark.drivers
@pytest.mark.parametrize("form", [as_pem, as_jks, as_pkcs12])
@pytest.mark.parametrize("name", ["driver.trustStore", "database.trustStore", "database.ssl.truststore"])
def test_a_server_that_the_trust_store_trusts_is_connected_to(
    sqlserver: Database,
    certificate: x509.Certificate,
    tmp_path: Path,
    form: Callable[[x509.Certificate], bytes],
    name: str,
) -> None:
    store = tmp_path / "trust"
    store.write_bytes(form(certificate))
    password = f"{name}.password" if name.endswith("truststore") else f"{name}Password"
    with connect(of(sqlserver, **{name: str(store), password: SECRET})) as session:
        assert session.one("SELECT 1") == 1


@pytest.mark.drivers
def test_only_the_store_s_authorities_are_trusted_and_only_there(
    sqlserver: Database, certificate: x509.Certificate, tmp_path: Path
) -> None:
    store = tmp_path / "trust.jks"
    store.write_bytes(as_jks(certificate))
    right = of(sqlserver, **{"driver.trustStore": str(store), "driver.trustStorePassword": SECRET})
    other = of(sqlserver, **{"driver.trustStore": str(STORES / "trust.jks"), "driver.trustStorePassword": SECRET})
    connect(right).close()
    for refused in (other, of(sqlserver)):
        with pytest.raises(ConfigError, match=r"certificate.*driver\.trustStore"):
            connect(refused)
    connect(right).close()


def test_the_environment_is_what_it_was_and_nothing_stays_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/of/the/user.pem")
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    given = settings(driver_trustStore=str(STORES / "key.jks"), driver_trustStorePassword=SECRET)
    with trusted(given):
        file, folder = (Path(os.environ[name]) for name in VARIABLES)
        assert (folder.stat().st_mode & 0o777, file.parent) == (0o700, folder)
        assert file.read_text().count("BEGIN CERTIFICATE") == 2
        assert "PRIVATE" not in file.read_text()
    assert (os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")) == ("/of/the/user.pem", None)
    assert not folder.exists()


def test_without_a_trust_store_nothing_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/of/the/user.pem")
    with trusted(settings()):
        assert os.environ["SSL_CERT_FILE"] == "/of/the/user.pem"


def test_the_driver_does_not_connect_again_by_itself_where_it_would_trust_others() -> None:
    assert "ConnectRetryCount=1;" in connection_string(settings())
    assert "ConnectRetryCount=0;" in connection_string(settings(driver_trustStore="trust.jks"))


@pytest.mark.parametrize(
    ("store", "password", "says"),
    [
        ("trust.jks", "hunter2", r"^driver\.trustStore: .*trust\.jks.*see driver\.trustStorePassword$"),
        ("missing.jks", SECRET, r"^driver\.trustStore: .*missing\.jks can't be read: No such file"),
        ("empty.jks", SECRET, r"^driver\.trustStore: .*empty\.jks holds no certificate"),
        ("expired.jks", SECRET, r"^driver\.trustStore: .*has expired"),
    ],
)
def test_a_store_of_no_use_is_said_before_anything_connects(store: str, password: str, says: str) -> None:
    given = settings(driver_trustStore=str(STORES / store), driver_trustStorePassword=password)
    with pytest.raises(ConfigError, match=says) as caught, trusted(given):
        pass
    assert "hunter2" not in str(caught.value)
