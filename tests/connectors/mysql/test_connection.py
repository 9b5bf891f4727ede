"""Connections, TLS and what errors mean, against a real server with certificates of its own."""

import contextlib
import datetime as dt
import socket
import ssl
from pathlib import Path

import pymysql
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import NameOID

from support.jks import jks
from support.mysql_settings import settings_for
from tailrace.connectors.mysql import tls
from tailrace.connectors.mysql.action_connection import MySqlActionConnection
from tailrace.connectors.mysql.connection import (
    connect,
    execute,
    initial_statements,
    is_encrypted,
    mappings,
    of_driver,
    read_only,
    rows,
    several_statements,
)
from tailrace.errors import ConfigError, MachineRefusedError, RetriableError, SourceSetupError
from tailrace_standins.servers.mysql_server import MySqlServer

PASSWORD = "pässwörd-with-é"
NOW = dt.datetime.now(dt.UTC)


class Certificates:
    """An authority and what it signs, as PEM files and PKCS12 stores in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ca_key = ec.generate_private_key(ec.SECP256R1())
        self.ca = self._signed("authority", self.ca_key, authority=True)
        self.ca_pem = self._write("ca.pem", self.ca.public_bytes(Encoding.PEM))
        self.ca_p12 = self._write(
            "ca.p12",
            pkcs12.serialize_key_and_certificates(
                None, None, None, [self.ca], BestAvailableEncryption(b"stored")
            ),
        )

        self.ca_jks = self._write("ca.jks", jks("stored", trusted=[self.ca]))

    def pair(self, name: str, host: str | None = None) -> tuple[Path, Path]:
        key, certificate = self._pair(name, host)
        return (
            self._write(f"{name}.pem", certificate.public_bytes(Encoding.PEM)),
            self._write(
                f"{name}-key.pem", key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            ),
        )

    def store(self, name: str, password: bytes) -> Path:
        key, certificate = self._pair(name, None)
        content = pkcs12.serialize_key_and_certificates(
            None, key, certificate, [self.ca], BestAvailableEncryption(password)
        )
        return self._write(f"{name}.p12", content)

    def java_store(self, name: str, password: str) -> Path:
        key, certificate = self._pair(name, None)
        return self._write(f"{name}.jks", jks(password, keys=[(key, [certificate, self.ca])]))

    def _pair(self, name, host):
        key = ec.generate_private_key(ec.SECP256R1())
        return key, self._signed(name, key, host=host)

    def _signed(self, name, key, *, host=None, authority=False):
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        issuer = subject if authority else self.ca.subject
        made = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
        )
        made = made.serial_number(x509.random_serial_number())
        made = made.not_valid_before(NOW - dt.timedelta(days=1)).not_valid_after(NOW + dt.timedelta(days=1))
        made = made.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        if host:
            made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        return made.sign(self.ca_key, hashes.SHA256())

    def _write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def tls_server(certificates):
    """A server whose certificate is for `localhost`, with a user who must show one too."""
    certificate, key = certificates.pair("server", "localhost")
    flags = (f"--ssl-ca={certificates.ca_pem}", f"--ssl-cert={certificate}", f"--ssl-key={key}")
    with MySqlServer(flags=flags) as server:
        server.create_connector_user("strict", PASSWORD)
        server.sql("ALTER USER strict REQUIRE X509")
        yield server


@pytest.fixture(scope="module")
def plain_server():
    """A server without TLS."""
    with MySqlServer(flags=("--tls-version=",)) as server:
        server.create_connector_user("reader", PASSWORD)
        yield server


@contextlib.contextmanager
def connected(server, **changes):
    connection = connect(settings_for(server, **changes))
    try:
        yield connection
    finally:
        connection.close()


@pytest.mark.mysql
@pytest.mark.parametrize(
    ("mode", "encrypted"), [("disabled", False), ("preferred", True), ("required", True)]
)
def test_caching_sha2_passwords_work_with_and_without_tls(mysql_server, mode, encrypted):
    mysql_server.create_connector_user("reader", PASSWORD)  # new, so that the server's cache does not know it
    given = {"database_user": "reader", "database_password": PASSWORD, "database_ssl_mode": mode}
    with connected(mysql_server, **given, **{"driver.allowPublicKeyRetrieval": "true"}) as c:
        assert is_encrypted(c) == encrypted
        assert rows(c, "SELECT SUBSTRING_INDEX(USER(), '@', 1)") == [("reader",)]


@pytest.mark.mysql
@pytest.mark.parametrize("plugin", ["caching_sha2_password", "sha256_password"])
def test_without_tls_a_password_is_encrypted_with_the_key_of_a_file_or_not_sent(mysql_server, plugin, tmp_path, request):
    """The greeting names the server's own plugin; `sha256_password` it asks for afterwards."""
    user, prefix = f"u_{plugin}", plugin[0].upper() + plugin[1:]
    mysql_server.create_connector_user(user, PASSWORD)
    request.addfinalizer(lambda: mysql_server.sql(f"DROP USER {user}"))
    try:
        mysql_server.sql(f"ALTER USER {user} IDENTIFIED WITH {plugin} BY '{PASSWORD}'")
    except pymysql.err.Error as error:
        pytest.skip(f"this server has no {plugin}: {error}")
    given = {"database_user": user, "database_password": PASSWORD, "database_ssl_mode": "disabled"}
    with pytest.raises(ConfigError, match=r"not sent.*driver\.allowPublicKeyRetrieval"):
        connect(settings_for(mysql_server, **given))
    with mysql_server.connect() as session, session.cursor() as cursor:
        assert cursor.execute(f"SHOW STATUS LIKE '{prefix.replace('Sha256_password', 'Rsa')}%public_key'")
        (_, key) = cursor.fetchone()
    file = tmp_path / "public_key.pem"
    file.write_text(key)
    with connected(mysql_server, **given, **{"driver.serverRSAPublicKeyFile": str(file)}) as c:
        assert not is_encrypted(c)
    if plugin == "caching_sha2_password":
        connect(settings_for(mysql_server, **given)).close()  # now the server's cache knows it: a digest will do


@pytest.mark.mysql
@pytest.mark.parametrize("for_log", [True, False])
def test_a_session_takes_one_statement_at_a_time(mysql_server, for_log):
    connection = connect(settings_for(mysql_server), for_log=for_log)
    with contextlib.closing(connection):
        with pytest.raises(SourceSetupError, match="1064"):
            rows(connection, "SELECT 1; SELECT 2")
        with several_statements(connection):
            assert rows(connection, "SELECT 1; SELECT 2") == [(1,)]
        with pytest.raises(SourceSetupError, match="1064"):
            rows(connection, "SELECT 1; SELECT 2")


@pytest.mark.mysql
def test_a_heartbeats_statement_and_initial_statements_are_one_each(mysql_server, database):
    mysql_server.sql("CREATE TABLE t (id INT)", database)
    with contextlib.closing(MySqlActionConnection(settings_for(mysql_server))) as action:
        with pytest.raises(SourceSetupError, match="1064"):
            action.run(f"INSERT INTO {database}.t VALUES (1); DROP TABLE {database}.t")
        action.run(f"INSERT INTO {database}.t VALUES (2)")
    with connected(mysql_server) as c:
        assert rows(c, f"SELECT id FROM {database}.t") == [(2,)]
    with pytest.raises(SourceSetupError, match="1064"):
        connect(settings_for(mysql_server, database_initial_statements=f"SET @a = 1;; DROP TABLE {database}.t"))


@pytest.mark.mysql
@pytest.mark.parametrize("name", ["driver.allowMultiQueries", "database.allowMultiQueries"])
def test_a_heartbeat_may_be_several_statements_where_that_is_allowed(mysql_server, database, name):
    mysql_server.sql("CREATE TABLE t (id INT)", database)
    settings = settings_for(mysql_server, **{name: "true"})
    with contextlib.closing(MySqlActionConnection(settings)) as action:
        for number in (1, 2):
            action.run(f"INSERT INTO {database}.t VALUES ({number}); SELECT 1; DELETE FROM {database}.t WHERE id < 2;")
        with pytest.raises(SourceSetupError, match="not_there"):
            action.run(f"SELECT 1; SELECT * FROM {database}.not_there")
        with pytest.raises(SourceSetupError, match="1064"):
            rows(action._connection, "SELECT 1; SELECT 2")
    with contextlib.closing(connect(settings)) as c:
        assert rows(c, f"SELECT id FROM {database}.t") == [(2,)]
        with pytest.raises(SourceSetupError, match="1064"):
            rows(c, "SELECT 1; SELECT 2")


@pytest.mark.mysql
def test_nothing_is_locked_where_the_servers_default_is_serializable(mysql_server, database):
    """GIVEN a row that somebody changes, THEN a condition's SELECT sees it as it was, and does not wait."""
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1)", database)
    set_up = "SET SESSION transaction_isolation = 'SERIALIZABLE', SESSION innodb_lock_wait_timeout = 1"
    with mysql_server.connect(database) as other, other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE t SET v = 2")
        with connected(mysql_server, database_initial_statements=set_up) as c, read_only(c):
            assert rows(c, f"SELECT v FROM {database}.t") == [(1,)]


@pytest.mark.mysql
def test_nothing_is_written_where_a_transaction_is_for_reading_only(mysql_server, database):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)", database)
    with connected(mysql_server) as c:
        for statement in (f"INSERT INTO {database}.t VALUES (2)", f"SELECT id FROM {database}.t FOR UPDATE"):
            with pytest.raises(SourceSetupError, match="READ ONLY"), read_only(c):
                rows(c, statement)
        with read_only(c):
            assert rows(c, "SELECT GET_LOCK('tailrace', 1)") == [(1,)]
        assert rows(c, "SELECT IS_FREE_LOCK('tailrace')") == [(1,)]
        execute(c, f"INSERT INTO {database}.t VALUES (2)")


@pytest.mark.mysql
def test_a_session_is_in_utc_and_in_mysqls_own_dialect(mysql_server):
    with connected(mysql_server) as c:
        assert mappings(c, "SELECT @@time_zone z, @@sql_mode m, @@character_set_client c") == [
            {"z": "+00:00", "m": "", "c": "utf8mb4"}
        ]


@pytest.mark.mysql
def test_initial_statements_run_on_every_catalog_connection(mysql_server):
    statements = "SET @a = 'x;;y'; SET @b = 2;"
    assert initial_statements(statements) == ["SET @a = 'x;y'", "SET @b = 2"]
    with connected(mysql_server, database_initial_statements=statements) as c:
        assert rows(c, "SELECT @a, @b") == [("x;y", 2)]


@pytest.mark.mysql
@pytest.mark.parametrize("store", ["ca_pem", "ca_p12", "ca_jks"])
def test_the_servers_certificate_is_checked_against_the_trust_store(tls_server, certificates, store):
    trust = {
        "database_ssl_truststore": str(getattr(certificates, store)),
        "database_ssl_truststore_password": "stored",
    }
    with connected(tls_server, database_ssl_mode="verify_ca", **trust) as c:
        assert is_encrypted(c)


@pytest.mark.mysql
def test_a_certificate_of_another_authority_is_refused(tls_server, tmp_path):
    other = Certificates(tmp_path)
    with pytest.raises(ConfigError, match=r"certificate is not accepted.*database\.ssl\.truststore"):
        connect(
            settings_for(tls_server, database_ssl_mode="verify_ca", database_ssl_truststore=str(other.ca_pem))
        )


@pytest.mark.mysql
def test_the_host_name_counts_with_verify_identity_only(tls_server, certificates):
    trust = {"database_ssl_truststore": str(certificates.ca_pem)}
    with connected(
        tls_server, database_ssl_mode="verify_identity", database_hostname="localhost", **trust
    ) as c:
        assert is_encrypted(c)
    with pytest.raises(ConfigError, match="certificate is not accepted"):
        connect(settings_for(tls_server, database_ssl_mode="verify_identity", **trust))


@pytest.mark.mysql
@pytest.mark.parametrize("mode", ["preferred", "required"])
def test_a_client_certificate_comes_from_a_store_or_a_pem_file(tls_server, certificates, mode):
    user = {"database_user": "strict", "database_password": PASSWORD, "database_ssl_mode": mode}
    with pytest.raises(SourceSetupError, match="Access denied"):
        connect(settings_for(tls_server, **user))
    store = {
        "database_ssl_keystore": str(certificates.store("client", b"opens")),
        "database_ssl_keystore_password": "opens",
    }
    with connected(tls_server, **user, **store) as c:
        assert is_encrypted(c)
    java = {"database_ssl_keystore": str(certificates.java_store("client", "opens")), "database_ssl_keystore_password": "opens"}
    with connected(tls_server, **user, **java) as c:
        assert is_encrypted(c)
    certificate, key = certificates.pair("client")
    both = certificates.folder / "both.pem"
    both.write_bytes(certificate.read_bytes() + key.read_bytes())
    with connected(tls_server, **user, database_ssl_keystore=str(both)) as c:
        assert is_encrypted(c)


@pytest.mark.mysql
def test_preferred_goes_without_tls_where_the_server_has_none(plain_server):
    user = {"database_user": "reader", "database_password": PASSWORD}
    with connected(plain_server, **user, database_ssl_mode="preferred", **{"driver.allowPublicKeyRetrieval": "true"}) as c:
        assert not is_encrypted(c)
    with pytest.raises(SourceSetupError, match=r"database\.ssl\.mode to preferred"):
        connect(settings_for(plain_server, **user, database_ssl_mode="required"))


@pytest.mark.mysql
def test_a_server_that_wants_tls_says_so():
    with MySqlServer() as server:
        server.create_connector_user("reader", "pw")
        server.sql("SET GLOBAL require_secure_transport = ON", None)
        with pytest.raises(ConfigError, match=r"set database\.ssl\.mode to required"):
            connect(
                settings_for(
                    server,
                    database_user="reader",
                    database_password="pw",
                    database_ssl_mode="disabled",
                    **{"driver.allowPublicKeyRetrieval": "true"},
                )
            )


@pytest.mark.mysql
def test_a_wrong_password_is_not_worth_another_attempt_and_is_not_shown(mysql_server):
    with pytest.raises(SourceSetupError, match="Access denied") as caught:
        connect(settings_for(mysql_server, database_user="nobody", database_password="hunter2"))
    assert "hunter2" not in str(caught.value)


@pytest.mark.mysql
def test_a_connection_that_was_killed_is_worth_another_attempt(mysql_server):
    with connected(mysql_server) as c:
        mysql_server.sql(f"KILL {c.thread_id()}")
        with pytest.raises(RetriableError, match="SELECT 1"):
            rows(c, "SELECT 1")
        with pytest.raises(RetriableError):
            execute(c, "SELECT 2")
        c.connect()


@pytest.mark.mysql
def test_a_wrong_statement_is_named_with_its_error(mysql_server):
    with connected(mysql_server) as c, pytest.raises(SourceSetupError, match=r"SELECT nonsense.*1054"):
        rows(c, "SELECT nonsense")


@pytest.mark.mysql
def test_a_query_that_takes_too_long_is_given_up(mysql_server):
    with pytest.raises(RetriableError, match="timed out"):
        rows(connect(settings_for(mysql_server, database_query_timeout_ms=100)), "SELECT SLEEP(20)")


class Nowhere:
    user, password, host = "root", "", "127.0.0.1"

    def __init__(self, host="127.0.0.1"):
        self.host = host
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]


def test_a_refused_connection_is_worth_another_attempt():
    with pytest.raises(RetriableError, match=r"connecting to MySQL at 127\.0\.0\.1.*refused"):
        connect(settings_for(Nowhere()))


@pytest.mark.parametrize("for_log", [False, True])
def test_a_server_that_accepts_and_says_nothing_is_worth_another_attempt(for_log):
    silent = Nowhere()
    with socket.create_server((silent.host, silent.port)), pytest.raises(RetriableError, match="timed out"):
        connect(settings_for(silent, connect_timeout_ms=200), for_log=for_log)


def test_a_server_that_refuses_this_machine_may_take_another():
    error = of_driver(pymysql.err.OperationalError(1130, "Host '10.0.0.7' is not allowed to connect"), "connecting")
    assert type(error) is MachineRefusedError


@pytest.mark.parametrize("kind", [ssl.SSLEOFError, ssl.SSLZeroReturnError])
def test_a_handshake_that_breaks_off_is_worth_another_attempt(kind):
    error = pymysql.err.OperationalError(2003, "Can't connect")
    error.original_exception = kind(8, "EOF occurred in violation of protocol")
    assert type(of_driver(error, "connecting")) is RetriableError


def test_an_address_that_is_none_is_a_matter_of_the_configuration(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "create_connection", unknown)
    with pytest.raises(ConfigError, match=r"no such host.*database\.hostname"):
        connect(settings_for(Nowhere("no-such-host")))


def test_an_error_without_a_number_is_a_lost_connection():
    assert isinstance(of_driver(pymysql.err.InterfaceError(0, ""), "asking"), RetriableError)


def test_a_jks_store_that_its_password_does_not_open_is_named_by_its_property(tmp_path):
    store = tmp_path / "trust.jks"
    store.write_bytes(jks("stored", trusted=[Certificates(tmp_path).ca]))
    given = {"database_ssl_truststore": str(store), "database_ssl_truststore_password": "wrong-one"}
    with pytest.raises(ConfigError, match=r"password is another one.*database\.ssl\.truststore\.password") as caught:
        connect(settings_for(Nowhere(), database_ssl_mode="verify_ca", **given))
    assert "wrong-one" not in str(caught.value)


def test_a_key_with_a_password_that_is_not_given_is_said_and_not_asked_for(tmp_path):
    key = ec.generate_private_key(ec.SECP256R1())
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    store = tmp_path / "client.pem"
    store.write_bytes(text + Certificates(tmp_path).ca_pem.read_bytes())
    with pytest.raises(ConfigError, match=r"database\.ssl\.keystore\.password does not open it.*none is given"):
        connect(settings_for(Nowhere(), database_ssl_keystore=str(store)))


def test_a_wrong_password_of_a_store_is_named_by_its_property(tmp_path):
    store = Certificates(tmp_path).store("client", b"right")
    with pytest.raises(ConfigError, match=r"database\.ssl\.keystore\.password does not open it") as caught:
        connect(
            settings_for(
                Nowhere(), database_ssl_keystore=str(store), database_ssl_keystore_password="wrong-one"
            )
        )
    assert "wrong-one" not in str(caught.value)


def test_a_store_that_is_not_there_is_named():
    with pytest.raises(ConfigError, match="/no/such/store can't be read"):
        connect(
            settings_for(Nowhere(), database_ssl_mode="verify_ca", database_ssl_truststore="/no/such/store")
        )


def test_an_unknown_ssl_mode_is_refused():
    with pytest.raises(ConfigError, match="must be one of disabled, preferred"):
        tls.context("maybe")
