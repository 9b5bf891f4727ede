"""Security of a throwaway broker: TLS and SASL, as properties of the broker and as options of its clients.

    security = Security("SASL_SSL", mechanism="SCRAM-SHA-512", certificates=Certificates(folder))
    with KafkaBroker(security=security) as broker:
        Producer({"bootstrap.servers": broker.address, **security.client_options()})

Certificates are PEM files, issued by an authority that is made for the test; brokers accept PEM key stores.
"""

from __future__ import annotations

import base64
import datetime as dt
import ipaddress
import json
import time
from collections.abc import Mapping
from pathlib import Path

from attrs import field, frozen
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PROTOCOLS = ("SASL_PLAINTEXT", "SSL", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
TOKENS = "OAUTHBEARER"  # with `unsecured_token`: the broker does not verify tokens
VALID = dt.timedelta(days=7)


class Certificates:
    """A certificate authority, the broker's certificate, and others on request; PEM files in `folder`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tailrace throwaway authority")])
        self.ca = folder / "ca.pem"
        self.ca.write_bytes(_pem(self._self_signed()))
        self.broker = self.issue("localhost", addresses=("127.0.0.1",))
        self.client = self.issue("client")

    def issue(self, name: str, addresses: tuple[str, ...] = (), *, password: str | None = None) -> KeyPair:
        """Issue a key (PKCS 8, encrypted if there is a password) and its certificate; `name` is common name and host name."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        names = [x509.DNSName(name), *(x509.IPAddress(ipaddress.ip_address(address)) for address in addresses)]
        certificate = (
            _begun(subject, self._name, key.public_key())
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]), False
            )
            .sign(self._key, hashes.SHA256())
        )
        pair = KeyPair(key=self._folder / f"{name}.key", certificate=self._folder / f"{name}.pem")
        pair.key.write_bytes(_key_pem(key, password))
        pair.certificate.write_bytes(_pem(certificate))
        return pair

    def _self_signed(self) -> x509.Certificate:
        begun = _begun(self._name, self._name, self._key.public_key())
        return begun.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True).sign(
            self._key, hashes.SHA256()
        )


@frozen(kw_only=True)
class KeyPair:
    """The files of a private key and its certificate."""

    key: Path
    certificate: Path


@frozen
class Security:
    """The security of a listener.

    Attributes:
        protocol: one of `PROTOCOLS`.
        mechanism: with SASL, the one in `client_options`; the broker accepts all of `MECHANISMS`.
        certificates: required with TLS.
        client_certificate: whether clients must present a certificate.
        user, password: of a client, with SASL.
        more_users: further users with their passwords.

    """

    protocol: str = field()
    mechanism: str = "SCRAM-SHA-512"
    certificates: Certificates | None = None
    client_certificate: bool = False
    user: str = "alice"
    password: str = field(default="alice-secret", repr=False)
    more_users: Mapping[str, str] = field(factory=dict, repr=False)

    @protocol.validator
    def _known(self, _attribute: object, protocol: str) -> None:
        if protocol not in PROTOCOLS:
            raise ValueError(f"a broker has no protocol {protocol}; it has {', '.join(PROTOCOLS)}")

    def client_options(self) -> dict[str, str]:
        """The options of a client, by librdkafka's names."""
        options = {"security.protocol": self.protocol.lower()}
        if self._has_sasl():
            options |= {"sasl.mechanism": self.mechanism, "sasl.username": self.user, "sasl.password": self.password}
        if self._has_tls():
            options["ssl.ca.location"] = str(self._made().ca)
        if self.client_certificate:
            pair = self._made().client
            options |= {"ssl.key.location": str(pair.key), "ssl.certificate.location": str(pair.certificate)}
        return options

    def broker_properties(self, listener: str, folder: Path) -> dict[str, str]:
        """The broker's properties of the listener; writes the files that they name to `folder`."""
        properties: dict[str, str] = {}
        if self._has_sasl():
            properties |= self._sasl_properties(f"listener.name.{listener.lower()}.")
        if self._has_tls():
            properties |= self._tls_properties(f"listener.name.{listener.lower()}.", folder)
        return properties

    def format_arguments(self) -> list[str]:
        """Arguments for formatting the log directory: SCRAM users are records of the metadata log, written at that time."""
        if not self._has_sasl():
            return []
        users = [(mechanism, *user) for mechanism in MECHANISMS[1:] for user in self._users().items()]
        return [
            part
            for mechanism, name, password in users
            for part in ("--add-scram", f"{mechanism}=[name={name},password={password}]")
        ]

    def _users(self) -> dict[str, str]:
        return {self.user: self.password, **self.more_users}

    def _sasl_properties(self, prefix: str) -> dict[str, str]:
        users = " ".join(f'user_{name}="{password}"' for name, password in self._users().items())
        modules = "org.apache.kafka.common.security"
        return {
            f"{prefix}sasl.enabled.mechanisms": ",".join((*MECHANISMS, TOKENS)),
            f"{prefix}{TOKENS.lower()}.sasl.jaas.config": f"{modules}.oauthbearer.OAuthBearerLoginModule required "
            'unsecuredLoginStringClaim_sub="broker";',
            f"{prefix}plain.sasl.jaas.config": f"{modules}.plain.PlainLoginModule required {users};",
            **{
                f"{prefix}{mechanism.lower()}.sasl.jaas.config": f"{modules}.scram.ScramLoginModule required;"
                for mechanism in MECHANISMS[1:]
            },
        }

    def _tls_properties(self, prefix: str, folder: Path) -> dict[str, str]:
        made = self._made()
        store = folder / "broker-key-store.pem"
        store.write_bytes(made.broker.key.read_bytes() + made.broker.certificate.read_bytes())
        return {
            f"{prefix}ssl.keystore.type": "PEM",
            f"{prefix}ssl.keystore.location": str(store),
            f"{prefix}ssl.truststore.type": "PEM",
            f"{prefix}ssl.truststore.location": str(made.ca),
            f"{prefix}ssl.client.auth": "required" if self.client_certificate else "none",
        }

    def _made(self) -> Certificates:
        if self.certificates is None:
            raise ValueError(f"{self.protocol} needs certificates")
        return self.certificates

    def _has_sasl(self) -> bool:
        return self.protocol.startswith("SASL")

    def _has_tls(self) -> bool:
        return self.protocol.endswith("SSL")


def unsecured_token(user: str, seconds: float) -> tuple[str, int]:
    """An unsecured JWT (RFC 7519, section 6) for a user that expires after `seconds`; and its end in ms since the epoch."""
    now = time.time()
    parts = ({"alg": "none"}, {"sub": user, "iat": now, "exp": now + seconds})
    text = ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return f"{text}.", int((now + seconds) * 1000)


def _begun(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder(subject_name=subject, issuer_name=issuer, public_key=key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + VALID)
    )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey, password: str | None) -> bytes:
    encryption: serialization.KeySerializationEncryption = (
        serialization.BestAvailableEncryption(password.encode()) if password else serialization.NoEncryption()
    )
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
