"""The settings of a connection to a schema registry."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailrace.config.passthrough import PassThrough
from tailrace.config.secret import Secret
from tailrace.key_stores import StoreFile


@dataclass(frozen=True, slots=True, kw_only=True)
class BasicLogin:
    """A user and a password."""

    user: str
    password: Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthLogin:
    """A client that gets its token from a server (OAuth 2, client credentials).

    Attributes:
        token_url: of the server.
        client_id: of the client.
        secret: of the client.
        scope: which is asked for; "": none.
        name: the property that names the server, for messages.
        early: seconds before the end of a token's life in which a new one is asked for.

    """

    token_url: str = field(repr=False)  # its query may have a key
    client_id: str
    secret: Secret
    scope: str = ""
    name: str = ""
    early: int = 60

    @property
    def shown_url(self) -> str:
        """The server's URL for messages: a query may have a key."""
        return self.token_url.partition("?")[0]


Login = BasicLogin | Secret | OAuthLogin
"""How a client logs in; a `Secret` is a bearer token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """TLS.

    Attributes:
        trusted: the store of the certificates that are trusted; None: those of the system.
        own: the store with the client's key and certificate, if it has one.
        check_host: whether the certificate must be that of the host.
        check: whether certificates are checked at all.

    """

    trusted: StoreFile | None = field(default=None, repr=False)  # stores have passwords
    own: StoreFile | None = field(default=None, repr=False)
    check_host: bool = True
    check: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryConnection:
    """How a registry is reached. It can be pickled, and its `repr` shows no secret.

    Attributes:
        urls: of the registry's servers, tried in this order; without user and password.
        name: the property that names them, for messages.
        login: how to log in; None: not at all.
        trust: TLS, where a URL has it.
        headers: further headers of each request.
        connect_timeout: seconds.
        read_timeout: seconds.
        retries: how often a request is repeated that may succeed later.
        wait: seconds before the first repetition; each further one waits twice as long.
        longest_wait: seconds.
        proxy: host and port of an HTTP proxy.

    """

    urls: tuple[str, ...]
    name: str
    login: Login | None = None
    trust: Trust = field(default_factory=Trust)
    headers: PassThrough = field(default_factory=PassThrough)
    connect_timeout: float = 60.0
    read_timeout: float = 60.0
    retries: int = 3
    wait: float = 1.0
    longest_wait: float = 20.0
    proxy: tuple[str, int] | None = None
