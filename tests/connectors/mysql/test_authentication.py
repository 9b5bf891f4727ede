"""The password never arrives in clear where there is no TLS, whatever a server asks for."""

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from support.mysql_settings import settings_for
from support.scripted_mysql import NONCE, OK, TLS_REQUEST, WITH_TLS, ScriptedMySql, extra, framed, switch_to
from tailrace.connectors.mysql.action_connection import MySqlActionConnection
from tailrace.connectors.mysql.connection import connect, rows
from tailrace.connectors.mysql.stream import BinlogStream, DumpPosition
from tailrace.errors import ConfigError, RetriableError, SourceSetupError, TailraceError

PASSWORD = "pässwörd-hunter2"
FULL_WANTED = extra(b"\x04")
ENCRYPTED = 256  # bytes, by a key of 2048 bits
OURS, THEIRS = (rsa.generate_private_key(65537, 2048) for _ in range(2))

WAYS = {
    "by another plugin": ("mysql_native_password", [switch_to("mysql_clear_password", b"")]),
    "by the greeting": ("mysql_clear_password", [extra(b"")]),
    "by the digest's plugin first": ("caching_sha2_password", [switch_to("mysql_clear_password", b"")]),
    "after a full login was wanted": (
        "caching_sha2_password",
        [FULL_WANTED, switch_to("mysql_clear_password", b"")],
    ),
    "by a dialog": ("mysql_native_password", [switch_to("dialog", b"\x04Password: "), OK]),
    "by the old plugin": ("mysql_native_password", [switch_to("mysql_old_password")]),
    "with a key of their own": ("caching_sha2_password", [FULL_WANTED, lambda _: extra(pem(THEIRS))]),
    "with a key, by another plugin": (
        "mysql_native_password",
        [switch_to("caching_sha2_password"), FULL_WANTED, lambda _: extra(pem(THEIRS))],
    ),
    "with a key at once": ("sha256_password", [lambda _: extra(pem(THEIRS))]),
    "with a key at once, by another plugin": (
        "mysql_native_password",
        [switch_to("sha256_password"), lambda _: extra(pem(THEIRS))],
    ),
}


def pem(key):
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def opened(kind, settings):
    """A session as the connector opens it."""
    if kind == "log":
        BinlogStream(settings, DumpPosition())
    elif kind == "heartbeat":
        MySqlActionConnection(settings)
    else:
        connect(settings)


def assert_not_told(server):
    said = b"".join(server.heard)
    assert server.heard, "it has come as far as the handshake"
    assert PASSWORD.encode() not in said
    assert PASSWORD.encode("latin1") not in said
    assert not [packet for packet in server.heard if len(packet) == ENCRYPTED], "encrypted for whoever has the key"


def read_by(key, packet):
    """What one who has the key reads."""
    hidden = key.decrypt(packet, padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None))  # noqa: S303
    return bytes(byte ^ NONCE[i % len(NONCE)] for i, byte in enumerate(hidden)).rstrip(b"\0").decode()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["disabled", "preferred"])
@pytest.mark.parametrize("kind", ["catalog", "log", "heartbeat"])
def test_a_server_without_tls_does_not_learn_the_password(kind, mode, way):
    plugin, answers = WAYS[way]
    with ScriptedMySql(PASSWORD, *answers, OK, plugin=plugin) as server:
        with pytest.raises((ConfigError, SourceSetupError), match="was not sent") as caught:
            opened(kind, settings_for(server, database_ssl_mode=mode))
        assert_not_told(server)
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["required", "verify_ca", "verify_identity"])
def test_a_server_without_tls_is_told_nothing_where_tls_is_required(mode, way):
    plugin, answers = WAYS[way]
    with ScriptedMySql(PASSWORD, *answers, OK, plugin=plugin) as server:
        with pytest.raises(TailraceError):
            connect(settings_for(server, database_ssl_mode=mode))
        assert server.heard == []


@pytest.mark.parametrize("mode", ["preferred", "required"])
def test_a_server_that_offers_tls_and_goes_on_without_it_is_told_nothing(mode):
    answers = [switch_to("mysql_clear_password", b""), OK]
    with ScriptedMySql(PASSWORD, *answers, capabilities=WITH_TLS) as server:
        with pytest.raises(TailraceError):
            connect(settings_for(server, database_ssl_mode=mode))
        assert len(server.heard[0]) == TLS_REQUEST, "it asks for TLS before it says who it is"
        assert PASSWORD.encode() not in b"".join(server.heard)
        assert b"cdc" not in b"".join(server.heard)


@pytest.mark.parametrize("name", ["driver.allowPublicKeyRetrieval", "database.allowPublicKeyRetrieval"])
@pytest.mark.parametrize("way", [way for way in WAYS if "with a key" in way])
def test_a_key_of_the_servers_is_taken_where_that_is_allowed(way, name):
    plugin, answers = WAYS[way]
    with ScriptedMySql(PASSWORD, *answers, OK, plugin=plugin) as server:
        with pytest.raises(RetriableError):  # the script ends here
            connect(settings_for(server, database_ssl_mode="disabled", **{name: "true"}))
        assert [read_by(THEIRS, packet) for packet in server.heard if len(packet) == ENCRYPTED] == [PASSWORD]


@pytest.mark.parametrize("way", [way for way in WAYS if "with a key" in way])
def test_only_the_key_of_the_file_counts_where_there_is_one(way, tmp_path):
    plugin, answers = WAYS[way]
    file = tmp_path / "public_key.pem"
    file.write_bytes(pem(OURS))
    given = {"driver.serverRSAPublicKeyFile": str(file)}
    with ScriptedMySql(PASSWORD, *answers[:-1], OK if plugin != "sha256_password" else answers[-1], OK, plugin=plugin) as server:
        with pytest.raises(RetriableError):
            connect(settings_for(server, database_ssl_mode="disabled", **given))
        assert [read_by(OURS, packet) for packet in server.heard if len(packet) == ENCRYPTED] == [PASSWORD]


@pytest.mark.parametrize("content", [b"no key", None])
def test_a_file_without_a_key_is_named(tmp_path, content):
    file = tmp_path / "public_key.pem"
    if content is not None:
        file.write_bytes(content)
    with ScriptedMySql(PASSWORD, FULL_WANTED, plugin="caching_sha2_password") as server:
        with pytest.raises(ConfigError, match=r"driver\.serverRSAPublicKeyFile: .*public_key\.pem"):
            connect(settings_for(server, database_ssl_mode="disabled", **{"driver.serverRSAPublicKeyFile": str(file)}))
        assert_not_told(server)


ELLIPTIC = ec.generate_private_key(ec.SECP256R1())


@pytest.mark.parametrize("key", [b"nonsense", b"", pem(ELLIPTIC)])
def test_a_key_that_is_none_is_an_error_of_the_login(key):
    with (
        ScriptedMySql(PASSWORD, FULL_WANTED, extra(key), plugin="caching_sha2_password") as server,
        pytest.raises(ConfigError, match="what the server sent is no public key"),
    ):
        connect(settings_for(server, database_ssl_mode="disabled", **{"driver.allowPublicKeyRetrieval": "true"}))


def test_a_server_does_not_get_a_file_of_this_machine(tmp_path):
    """As an answer to any query it may ask for one, as if that had been LOAD DATA LOCAL."""
    file = tmp_path / "secret.txt"
    file.write_text("nobody else's")
    asks = b"\xfb" + str(file).encode()
    with ScriptedMySql(PASSWORD, OK, OK, OK, asks, OK) as server:
        connection = connect(settings_for(server, database_ssl_mode="disabled"))
        with pytest.raises(SourceSetupError, match="LOAD_LOCAL"):
            rows(connection, "SELECT 1")
        assert b"nobody else's" not in b"".join(server.heard)
        connection._force_close()


GREETINGS = {
    "X protocol": b"\x05\x00\x00\x00\x0b\x08\x05\x1a\x00",
    "cut off": b"\x0a\x00\x00\x00\x0a8.0.40\x00\x07\x00",
    "no version": framed(b"\x0anone\x00" + bytes(60), 0),
}


@pytest.mark.parametrize("greeting", GREETINGS)
def test_what_does_not_speak_the_protocol_is_said_to_be_so(monkeypatch, greeting):
    """As MySQL's own X protocol at port 33060."""
    with ScriptedMySql(PASSWORD) as server:
        monkeypatch.setattr(server, "_speak", lambda client: client.sendall(GREETINGS[greeting]))
        with pytest.raises(SourceSetupError, match=r"does not speak MySQL's protocol .*database\.port") as caught:
            connect(settings_for(server))
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize("asks", [switch_to("plügin"), switch_to("caching_sha2_password", b""), switch_to("sha256_password", b"")])
def test_a_garbled_request_is_an_error_of_the_login(asks):
    with ScriptedMySql(PASSWORD, asks, FULL_WANTED) as server:
        with pytest.raises(SourceSetupError, match="does not speak MySQL's protocol"):
            connect(settings_for(server, database_ssl_mode="disabled"))
        assert_not_told(server)
