"""Authentication that never shows the password to anybody but the server.

A server, or a man in the middle, chooses the authentication plugin. PyMySQL answers all of
them, and some get the password itself. Here these get it only with TLS:

- `mysql_clear_password` sends the password in clear text. So does MariaDB's `dialog`, and nearly so
  `mysql_old_password`: both are always refused.
- `caching_sha2_password` and `sha256_password` without TLS need the password encrypted with the server's public key,
  unless a digest is enough. Whoever supplies their own key can read it. So the key must come from a file
  (`driver.serverRSAPublicKeyFile`), or the configuration must allow the server to send it
  (`driver.allowPublicKeyRetrieval`), as with the JDBC driver that Debezium uses.

`mysql_native_password` sends a digest with the server's random numbers, and is left to PyMySQL.

Source: MySQL source documentation, "Caching_sha2_password information", "SHA-256 Authentication"; MySQL Connector/J
Developer Guide, "Security".
"""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol, cast

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.errors import ConfigError, SourceSetupError

ALLOWED: Final = "driver.allowPublicKeyRetrieval"
KEY_FILE: Final = "driver.serverRSAPublicKeyFile"
FAST_DONE, FULL_WANTED = 3, 4  # caching_sha2_password's answers to the digest
_NONCE: Final = 20
_PADDING: Final = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)  # noqa: S303 -- as the server wants it
_WITH_TLS: Final = "Set database.ssl.mode to required or stronger"


class _Plugin(Protocol):
    def authenticate(self, packet: Any) -> Any:
        """Answer the server; returns its last packet."""


def plugins(settings: MySqlSettings) -> Mapping[str, Callable[[Any], _Plugin]]:
    """The handlers by plugin, as PyMySQL's `auth_plugin_map`."""
    key = _Key(settings)
    return {
        "mysql_clear_password": _ClearPassword,
        "caching_sha2_password": lambda connection: _CachingSha2(connection, key),
        "sha256_password": lambda connection: _Sha256(connection, key),
        "mysql_old_password": lambda _: _Refused("mysql_old_password", "it can be computed back from what is sent"),
        "dialog": lambda _: _Refused("dialog", "it is sent as it is"),
    }


class _Key:
    """The server's public key, and where it may come from."""

    def __init__(self, settings: MySqlSettings) -> None:
        self._is_allowed = settings.driver_allowpublickeyretrieval
        self._file = settings.driver_serverrsapublickeyfile

    def encrypted(self, password: bytes, nonce: bytes, asked: Callable[[], bytes]) -> bytes:
        """The password, encrypted with the public key; `asked` requests that key from the server."""
        hidden = _xor(password + b"\0", nonce)
        given = self._read() if self._file else self._asked(asked)
        try:
            key = load_pem_public_key(given)
            return cast("RSAPublicKey", key).encrypt(hidden, _PADDING)
        except (ValueError, AttributeError, UnsupportedAlgorithm) as error:
            where = f"{KEY_FILE}: {self._file}" if self._file else "what the server sent"
            raise ConfigError(f"{where} is no public key by which the password could be encrypted: {error}") from error

    def _read(self) -> bytes:
        try:
            return Path(str(self._file)).read_bytes()
        except OSError as error:
            raise ConfigError(f"{KEY_FILE}: {self._file} can't be read: {error.strerror}") from error

    def _asked(self, asked: Callable[[], bytes]) -> bytes:
        if not self._is_allowed:
            raise ConfigError(
                "the connection has no TLS, and the password was not sent: the server wants it encrypted with a public key, "
                f"and without TLS that may be somebody else's. {_WITH_TLS}; or name the server's key in {KEY_FILE}; or take "
                f"any key with {ALLOWED}=true"
            )
        return asked()


class _Answers:
    """A plugin's exchange on a connection."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @property
    def _is_encrypted(self) -> bool:
        return isinstance(self._connection._sock, ssl.SSLSocket)  # noqa: SLF001 -- the driver has no public way to ask

    @property
    def _password(self) -> bytes:
        return bytes(self._connection.password)

    def _sent(self, data: bytes) -> Any:
        """The server's answer to these bytes."""
        self._connection.write_packet(data)
        packet = self._connection._read_packet()  # noqa: SLF001 -- as above
        packet.check_error()
        return packet

    def _nonce(self, packet: Any) -> bytes:
        """The server's random bytes: of its greeting, or of the packet that switches to another plugin."""
        given = packet.read_all() if packet.is_auth_switch_request() else self._connection.salt
        return bytes(given[:_NONCE])


class _ClearPassword(_Answers):
    """`mysql_clear_password`: for servers that pass the password on, to LDAP or PAM."""

    def authenticate(self, packet: Any) -> Any:  # noqa: ARG002 -- it tells nothing
        """Answer with the password."""
        if not self._is_encrypted:
            raise ConfigError(
                "the server asks for the password in clear (mysql_clear_password), the connection has no TLS, and the "
                f"password was not sent. {_WITH_TLS}, or give the user another authentication plugin"
            )
        return self._sent(self._password + b"\0")


class _CachingSha2(_Answers):
    """`caching_sha2_password`: a digest, and the password if the server's cache does not have it."""

    def __init__(self, connection: Any, key: _Key) -> None:
        super().__init__(connection)
        self._key = key

    def authenticate(self, packet: Any) -> Any:
        """Answer with the digest, unless the answer to the greeting had it; then with what else the server wants."""
        nonce = self._nonce(packet)
        if packet.is_auth_switch_request():
            packet = self._sent(_digest(self._password, nonce))
        if not packet.is_extra_auth_data():
            return packet
        wanted = _extra(packet)[:1]
        if wanted == bytes([FAST_DONE]):
            packet = self._connection._read_packet()  # noqa: SLF001 -- as above
            packet.check_error()
            return packet
        if wanted != bytes([FULL_WANTED]):
            raise SourceSetupError(f"the server answers {wanted!r} to caching_sha2_password, which is not known")
        if self._is_encrypted:
            return self._sent(self._password + b"\0")
        return self._sent(self._key.encrypted(self._password, nonce, lambda: _extra(self._sent(b"\2"))))


class _Sha256(_Answers):
    """`sha256_password`: the password each time; without TLS the answer to the greeting has asked for the key."""

    def __init__(self, connection: Any, key: _Key) -> None:
        super().__init__(connection)
        self._key = key

    def authenticate(self, packet: Any) -> Any:
        """Answer with the password."""
        if self._is_encrypted or not self._password:
            return self._sent(self._password + b"\0")
        nonce, given = self._nonce(packet), None if packet.is_auth_switch_request() else _extra(packet)
        asked = (lambda: _extra(self._sent(b"\1"))) if given is None else (lambda: given)
        return self._sent(self._key.encrypted(self._password, nonce, asked))


class _Refused:
    """A plugin that is refused."""

    def __init__(self, name: str, why: str) -> None:
        self._name = name
        self._why = why

    def authenticate(self, packet: Any) -> Any:  # noqa: ARG002 -- whatever it tells
        """Raise `SourceSetupError`."""
        raise SourceSetupError(
            f"the server asks for the password by the plugin {self._name}, and it was not sent: {self._why}. Give the user "
            "another authentication plugin, as caching_sha2_password"
        )


def _extra(packet: Any) -> bytes:
    """The packet's data for the plugin."""
    return bytes(packet.get_all_data()[1:])


def _digest(password: bytes, nonce: bytes) -> bytes:
    """The digest that proves the password to caching_sha2_password."""
    if not password:
        return b""
    first = hashlib.sha256(password).digest()
    return _xor(first, hashlib.sha256(hashlib.sha256(first).digest() + nonce).digest())


def _xor(data: bytes, over: bytes) -> bytes:
    return bytes(byte ^ over[i % len(over)] for i, byte in enumerate(data))
