"""How a registry is reached, from the properties of a converter: URLs, logins, TLS, requests."""

from __future__ import annotations

import random
import re
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from tailrace.config.passthrough import PassThrough
from tailrace.config.secret import Secret
from tailrace.encoding.converter_properties import ConverterProperties
from tailrace.encoding.registered import apicurio_properties, confluent_properties
from tailrace.errors import ConfigError
from tailrace.key_stores import StoreFile
from tailrace.registry.connection import BasicLogin, Login, OAuthLogin, RegistryConnection, Trust
from tailrace.registry.secrets import fits_in_header

_TLS: Final = confluent_properties.TLS
_P: Final = apicurio_properties.P
_TLS_OF_APICURIO: Final = apicurio_properties.TLS
_NO_TIME_OUT: Final = 3600.0  # seconds: 0 is none in Java, and no wait at all in Python
_CLOUD: Final = {
    "bearer.auth.logical.cluster": "target-sr-cluster",
    "bearer.auth.identity.pool.id": "Confluent-Identity-Pool-Id",
}
"""Headers by which Confluent Cloud knows a registry and an identity pool, by the properties that have their values."""


def confluent_connection(read: ConverterProperties) -> RegistryConnection:
    """Of Confluent's converter.

    Raises:
        ConfigError: URLs, logins or stores are not usable.

    """
    urls = [_registry_url(read, "schema.registry.url", each) for each in read.items("schema.registry.url")]
    if read.flag("schema.registry.url.randomize"):
        random.shuffle(urls)
    headers = dict(read.family("request.header."))
    for name, value in headers.items():
        _check_header(f"{read.prefix}request.header.{name}", value)
    login = _login_of_confluent(read, urls)
    if not isinstance(login, BasicLogin | None):
        headers |= {header: read.text(name) for name, header in _CLOUD.items() if read.text(name)}
    return RegistryConnection(
        urls=tuple(map(_without_user, urls)),
        name=f"{read.prefix}schema.registry.url",
        login=login,
        trust=Trust(
            trusted=_store(read, f"{_TLS}truststore"),
            own=_store(read, f"{_TLS}keystore", f"{_TLS}key.password"),
            check_host=bool(read.text(f"{_TLS}endpoint.identification.algorithm").strip()),
        ),
        headers=PassThrough(headers),
        connect_timeout=read.number("http.connect.timeout.ms") / 1000 or _NO_TIME_OUT,
        read_timeout=read.number("http.read.timeout.ms") / 1000 or _NO_TIME_OUT,
        retries=read.number("max.retries"),
        wait=read.number("retries.wait.ms") / 1000,
        longest_wait=read.number("retries.max.wait.ms") / 1000,
        proxy=_proxy(read, "proxy."),
    )


APICURIO_V3: Final = "/apis/registry/v3"
_OLDER: Final = re.compile("/apis/registry/v2|/api/?$")  # of Apicurio Registry 2 and 1


def apicurio_v3(url: str) -> str:
    """The URL of version 3 of Apicurio's API where that of an older version is given."""
    return _OLDER.sub(APICURIO_V3, url)


def apicurio_connection(read: ConverterProperties) -> RegistryConnection:
    """Of Apicurio's converter.

    Raises:
        ConfigError: URLs, logins or stores are not usable.

    """
    urls = [_registry_url(read, f"{_P}url", apicurio_v3(each)) for each in read.items(f"{_P}url")]
    for url in urls:
        if APICURIO_V3 not in url.path:
            raise ConfigError(
                f"{read.prefix}{_P}url={_without_user(url)}: that is no URL of Apicurio's API: "
                f"{url.scheme}://HOST:PORT/apis/registry/v3"
            )
    wait = read.number(f"{_P}retry-backoff-ms") / 1000
    return RegistryConnection(
        urls=tuple(map(_without_user, urls)),
        name=f"{read.prefix}{_P}url",
        login=_login_of_apicurio(read, urls),
        trust=Trust(
            trusted=_store(read, f"{_TLS_OF_APICURIO}truststore"),
            own=_store(read, f"{_TLS_OF_APICURIO}keystore"),
            check_host=read.flag(f"{_TLS_OF_APICURIO}verify-host"),
            check=not read.flag(f"{_TLS_OF_APICURIO}trust-all"),
        ),
        retries=read.number(f"{_P}retry-count"),
        wait=wait,
        longest_wait=wait,
        proxy=_proxy(read, f"{_P}proxy."),
    )


def _registry_url(read: ConverterProperties, name: str, text: str) -> SplitResult:
    """A registry's URL, behind which paths are put, so that nothing may stand behind its own path."""
    url = _url(read, name, text)
    if url.query or url.fragment:
        raise ConfigError(
            f"{read.prefix}{name}: an item has a query or a fragment (what stands behind ? or #), which can't be sent, as the "
            "path of each request is put behind the URL: leave it out. A key belongs into the properties of the login"
        )
    return url


def _url(read: ConverterProperties, name: str, text: str) -> SplitResult:
    """A URL; its text is not in messages, as it may have a password."""
    if text.startswith("mock:"):
        raise ConfigError(
            f"{read.prefix}{name}: mock:// is a registry within Confluent's client, for tests; name a server"
        )
    try:
        url = urlsplit(text.strip())
        is_usable = url.scheme in {"http", "https"} and bool(url.hostname) and (url.port is None or url.port > 0)
    except ValueError:
        is_usable = False
    if not is_usable:
        raise ConfigError(
            f"{read.prefix}{name}: each of its items must be a URL: http://HOST:PORT or https://HOST:PORT"
        )
    return url


def _check_header(name: str, value: str) -> None:
    """Raises `ConfigError` if HTTP can't send it, which http.client would say with the value."""
    if not fits_in_header(value):
        raise ConfigError(
            f"{name} can't be sent as a header of HTTP: it has a line end or another character that headers can't have. "
            "A file that it was read from may end with one"
        )


def _without_user(url: SplitResult) -> str:
    return url._replace(netloc=url.netloc.rpartition("@")[2]).geturl().rstrip("/")


def _user_of(urls: list[SplitResult]) -> BasicLogin | None:
    """User and password of the first URL that has them."""
    found = next((url for url in urls if url.username is not None), None)
    if found is None:
        return None
    return BasicLogin(user=unquote(found.username or ""), password=Secret(unquote(found.password or "")))


def _login_of_confluent(read: ConverterProperties, urls: list[SplitResult]) -> Login | None:
    source = read.text("bearer.auth.credentials.source")
    if source == "OAUTHBEARER":
        early = read.number("bearer.auth.cache.expiry.buffer.seconds")
        return _oauth(read, "bearer.auth.issuer.endpoint.url", "bearer.auth.", early)
    token = read.secret("bearer.auth.token")
    if source == "STATIC_TOKEN" and not token:
        raise ConfigError(
            f"{read.prefix}bearer.auth.token is missing: bearer.auth.credentials.source=STATIC_TOKEN needs it"
        )
    if token:
        _check_header(f"{read.prefix}bearer.auth.token", token.reveal())
        return token
    if read.text("basic.auth.credentials.source") == "URL":
        return _user_of(urls)
    info = read.secret("basic.auth.user.info")
    user, colon, password = (info.reveal() if info else "").partition(":")
    if not colon:
        raise ConfigError(
            f"{read.prefix}basic.auth.user.info must be user:password, as basic.auth.credentials.source=USER_INFO needs it"
        )
    return BasicLogin(user=user, password=Secret(password))


def _login_of_apicurio(read: ConverterProperties, urls: list[SplitResult]) -> Login | None:
    if read.text(f"{_P}auth.service.token.endpoint"):
        return _oauth(read, f"{_P}auth.service.token.endpoint", f"{_P}auth.")
    user, password = read.text(f"{_P}auth.username"), read.secret(f"{_P}auth.password")
    if user:
        return BasicLogin(user=user, password=password or Secret(""))
    return _user_of(urls)


def _oauth(read: ConverterProperties, endpoint: str, prefix: str, early: int = 60) -> OAuthLogin:
    secret = read.secret(f"{prefix}client.secret")
    scope = "scope" if prefix == "bearer.auth." else "client.scope"
    for name in (endpoint, f"{prefix}client.id"):
        if not read.text(name):
            raise ConfigError(f"{read.prefix}{name} is missing: the login by OAuth needs it")
    if not secret:
        raise ConfigError(f"{read.prefix}{prefix}client.secret is missing: the login by OAuth needs it")
    return OAuthLogin(
        token_url=_without_user(_url(read, endpoint, read.text(endpoint))),
        client_id=read.text(f"{prefix}client.id"),
        secret=secret,
        scope=read.text(f"{prefix}{scope}"),
        name=f"{read.prefix}{endpoint}",
        early=early,
    )


def _store(read: ConverterProperties, name: str, key_password: str | None = None) -> StoreFile | None:
    path = read.text(f"{name}.location")
    if not path:
        return None
    password = read.secret(f"{name}.password")
    own = read.secret(key_password) if key_password else None
    return StoreFile(
        name=f"{read.prefix}{name}.location",
        path=path,
        password=password.reveal() if password else None,
        password_name=f"{read.prefix}{name}.password",
        key_password=own.reveal() if own else None,
    )


def _proxy(read: ConverterProperties, prefix: str) -> tuple[str, int] | None:
    host, port = read.text(f"{prefix}host"), read.values[f"{prefix}port"]
    if not host:
        return None
    if not isinstance(port, int):
        raise ConfigError(f"{read.prefix}{prefix}port is missing: {prefix}host needs it")
    return host, port
