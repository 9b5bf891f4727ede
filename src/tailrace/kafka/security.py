"""Security of Kafka's clients: translates Java's properties into librdkafka's.

Properties that only have another name are in the table of `tailrace.config.java_names`. This module handles the others: the
login in a JAAS text, key stores (their contents decide the format), and what librdkafka does not support. Messages name
properties and files, never a value that may be secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tailrace.errors import ConfigError
from tailrace.kafka.jaas import JaasLogin, read_jaas
from tailrace.kafka.msk import MODULE, iam_options, is_iam
from tailrace.key_stores import Identity, StoreFile, identity, is_pem, read_store, trusted_certificates

GUIDE = "see the guide on Kafka's security"
_PASSWORD_MODULES = ("PlainLoginModule", "ScramLoginModule")
_KERBEROS_MODULE = "Krb5LoginModule"
_KERBEROS_NAMES = {"principal": "principal", "keyTab": "keytab", "serviceName": "service.name"}
_TOKEN_MODULE = "OAuthBearerLoginModule"  # noqa: S105 - a class's name
_TOKEN_HANDLERS = (
    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
    "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler",
)
_ONE_LINE = re.compile(r"(-----BEGIN [A-Z0-9 ]+-----)\s+([^-]+?)\s+(-----END [A-Z0-9 ]+-----)")
_STORE_TYPES = ("JKS", "PKCS12", "PEM")
_RENAMED = {
    "sasl.oauthbearer.token.endpoint.url": "sasl.oauthbearer.token.endpoint.url",
    "sasl.oauthbearer.client.credentials.client.id": "sasl.oauthbearer.client.id",
    "sasl.oauthbearer.client.credentials.client.secret": "sasl.oauthbearer.client.secret",
    "sasl.oauthbearer.scope": "sasl.oauthbearer.scope",
}


def security_options(given: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Librdkafka's options for Java's security properties; messages put `prefix` before their names.

    Raises:
        ConfigError: one can't be translated; the message names it.

    """
    options = {new: given[old] for old, new in _RENAMED.items() if old in given}
    options |= _protocol(given)
    options |= _login(given, prefix)
    options |= _trust(given, prefix)
    options |= _identity(given, prefix)
    return options


def _protocol(given: Mapping[str, str]) -> dict[str, str]:
    options: dict[str, str] = {}
    if "security.protocol" in given:
        options["security.protocol"] = given["security.protocol"].lower()
    mechanism = given.get("sasl.mechanism", given.get("sasl.mechanisms"))
    if mechanism is not None:
        options["sasl.mechanism"] = mechanism.upper()
    return options


def _login(given: Mapping[str, str], prefix: str) -> dict[str, str]:
    login = _jaas(given["sasl.jaas.config"], f"{prefix}sasl.jaas.config") if "sasl.jaas.config" in given else None
    if is_iam(given, login):
        return iam_options(given, login, prefix)
    handler = given.get("sasl.login.callback.handler.class", "")
    if given.get("sasl.client.callback.handler.class"):
        raise ConfigError(f"{prefix}sasl.client.callback.handler.class: Java classes can't be called; {GUIDE}")
    if handler and handler not in _TOKEN_HANDLERS:
        raise ConfigError(f"{prefix}sasl.login.callback.handler.class: Java classes can't be called; {GUIDE}")
    by_token = "sasl.oauthbearer.token.endpoint.url" in given
    options = {"sasl.oauthbearer.method": "oidc"} if handler or by_token else {}
    return options | (_of_module(login, f"{prefix}sasl.jaas.config") if login else {})


def _jaas(text: str, name: str) -> JaasLogin:
    try:
        return read_jaas(text)
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from None


def _of_module(login: JaasLogin, name: str) -> dict[str, str]:
    if login.module in _PASSWORD_MODULES:
        return _password_login(login, name)
    if login.module == _TOKEN_MODULE:
        return _token_login(login)
    if login.module == _KERBEROS_MODULE:
        return {f"sasl.kerberos.{new}": login.options[old] for old, new in _KERBEROS_NAMES.items() if old in login.options}
    known = ", ".join((*_PASSWORD_MODULES, _TOKEN_MODULE, MODULE))
    raise ConfigError(f"{name}: the login module must be one of {known}")


def _password_login(login: JaasLogin, name: str) -> dict[str, str]:
    for option in ("username", "password"):
        if option not in login.options:
            raise ConfigError(f"{name}: {login.module} needs the option {option}")
    if login.options.get("tokenauth", "false").lower() == "true":
        raise ConfigError(f"{name}: delegation tokens (tokenauth) are not supported")
    return {"sasl.username": login.options["username"], "sasl.password": login.options["password"]}


def _token_login(login: JaasLogin) -> dict[str, str]:
    """The client's id and secret for the token endpoint, if the JAAS text has them."""
    names = {"clientId": "client.id", "clientSecret": "client.secret", "scope": "scope"}
    options = {f"sasl.oauthbearer.{new}": login.options[old] for old, new in names.items() if old in login.options}
    mark = "extension_"
    extensions = [f"{name.removeprefix(mark)}={text}" for name, text in login.options.items() if name.startswith(mark)]
    return options | ({"sasl.oauthbearer.extensions": ",".join(extensions)} if extensions else {})


def _trust(given: Mapping[str, str], prefix: str) -> dict[str, str]:
    options: dict[str, str] = {}
    _check_type(given, prefix, "truststore")
    if "ssl.endpoint.identification.algorithm" in given:
        options["ssl.endpoint.identification.algorithm"] = given["ssl.endpoint.identification.algorithm"] or "none"
    if given.get("ssl.truststore.certificates"):
        options["ssl.ca.pem"] = _with_lines(given["ssl.truststore.certificates"])
    path = given.get("ssl.truststore.location")
    if not path:
        return options
    store = _store(given, prefix, "truststore", path)
    if is_pem(read_store(store.name, path)):
        return options | {"ssl.ca.location": path}
    return options | {"ssl.ca.pem": trusted_certificates(store)}


def _identity(given: Mapping[str, str], prefix: str) -> dict[str, str]:
    """The client's private key and certificate."""
    options = {name: given[name] for name in ("ssl.key.password",) if name in given}
    _check_type(given, prefix, "keystore")
    if given.get("ssl.keystore.key"):
        options["ssl.key.pem"] = _with_lines(given["ssl.keystore.key"])
    if given.get("ssl.keystore.certificate.chain"):
        options["ssl.certificate.pem"] = _with_lines(given["ssl.keystore.certificate.chain"])
    path = given.get("ssl.keystore.location")
    if not path:
        return options
    store = _store(given, prefix, "keystore", path)
    content = read_store(store.name, path)
    if is_pem(content):
        return options | {"ssl.key.location": path, "ssl.certificate.location": path}
    return _shown(identity(store, content))


def _shown(found: Identity) -> dict[str, str]:
    """A key and its chain as PEM: librdkafka has trouble with stores with older encryption, or with several keys."""
    from cryptography.hazmat.primitives.serialization import NoEncryption  # imported late: only stores need its memory

    return {"ssl.key.pem": found.key_pem(NoEncryption()), "ssl.certificate.pem": found.chain_pem()}


def _store(given: Mapping[str, str], prefix: str, kind: str, path: str) -> StoreFile:
    return StoreFile(
        name=f"{prefix}ssl.{kind}.location",
        path=path,
        password=given.get(f"ssl.{kind}.password"),
        password_name=f"{prefix}ssl.{kind}.password",
        key_password=given.get("ssl.key.password"),
    )


def _with_lines(pem: str) -> str:
    """Restore the line ends of PEM that a properties file has lost."""
    return _ONE_LINE.sub(lambda m: "\n".join((m[1], *m[2].split(), m[3])) + "\n", pem.replace("\\n", "\n"))


def _check_type(given: Mapping[str, str], prefix: str, store: str) -> None:
    kind = given.get(f"ssl.{store}.type", "") or "JKS"
    if kind.upper() not in _STORE_TYPES:
        raise ConfigError(f"{prefix}ssl.{store}.type is {kind!r}: it must be PEM, PKCS12 or JKS; {GUIDE}")
