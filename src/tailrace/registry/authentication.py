"""How a client tells a registry who it is: a user and a password, a token, or a token that a server gives (OAuth 2)."""

from __future__ import annotations

import base64
import http.client
from collections.abc import Callable
from time import monotonic
from urllib.parse import quote_plus, urlencode

from tailrace.config.secret import Secret
from tailrace.errors import RegistryError, RegistryUnavailableError
from tailrace.registry.answers import parsed_answer, understood
from tailrace.registry.bounded_answers import UnusableAnswerError
from tailrace.registry.connection import BasicLogin, Login, OAuthLogin
from tailrace.registry.secrets import fits_in_header, without_secrets

Post = Callable[[str, bytes, dict[str, str]], tuple[int, bytes]]
"""Posts a body with headers to a URL; gives status and answer."""

_BASIC = "Basic "
_CUT = 2000  # characters of what a server says
_NO_END = 300  # seconds that a token is kept whose server does not say how long it lives


class Authentication:
    """The header `Authorization` of requests; a token of a server is kept until shortly before its end."""

    def __init__(self, login: Login | None, post: Post) -> None:
        self._login = login
        self._post = post
        self._token = ""
        self._until = 0.0

    def header(self) -> dict[str, str]:
        """The header; nothing without a login.

        Raises:
            RegistryError: the server gives no token.
            RegistryUnavailableError: the server does not answer.

        """
        if self._login is None:
            return {}
        if isinstance(self._login, BasicLogin):
            return {"Authorization": _basic(f"{self._login.user}:{self._login.password.reveal()}")}
        if isinstance(self._login, Secret):
            return {"Authorization": f"Bearer {self._login.reveal()}"}
        if monotonic() >= self._until:
            self._fetch(self._login)
        return {"Authorization": f"Bearer {self._token}"}

    def secrets(self) -> tuple[str, ...]:
        """What no message may have: passwords and tokens, also as they are sent."""
        login = self._login
        if isinstance(login, BasicLogin):
            password = login.password.reveal()
            return password, _basic(f"{login.user}:{password}").removeprefix(_BASIC)
        if isinstance(login, OAuthLogin):
            return self._token, login.secret.reveal(), _login_of(login).removeprefix(_BASIC)
        return () if login is None else (login.reveal(),)

    def is_renewed(self) -> bool:
        """Whether another try has another token, as one may have been revoked before its end."""
        had = bool(self._token)
        self._token, self._until = "", 0.0
        return had

    def _fetch(self, login: OAuthLogin) -> None:
        form = {"grant_type": "client_credentials"} | ({"scope": login.scope} if login.scope else {})
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json",
            "Authorization": _login_of(login),
        }
        try:
            status, content = self._post(login.token_url, urlencode(form).encode(), headers)
        except (OSError, http.client.HTTPException) as error:
            raise RegistryUnavailableError(f"{login.name}: {login.shown_url} does not answer: {error}") from error
        except UnusableAnswerError as error:
            raise RegistryError(f"{login.name}: the answer of {login.shown_url} can't be used: {error}") from None
        if status >= 500:
            raise RegistryUnavailableError(f"{login.name}: {login.shown_url} answers with the HTTP status {status}")
        found = parsed_answer(content)
        answer = found if isinstance(found, dict) else {}
        token = answer.get("access_token")
        if status != 200 or not isinstance(token, str) or not fits_in_header(token):
            said = ": ".join(str(answer[each]) for each in ("error", "error_description") if each in answer)
            raise RegistryError(
                f"{login.name}: {login.shown_url} gives the client {login.client_id} no token (HTTP status {status})"
                f"{': ' + without_secrets(said, self.secrets())[:_CUT] if said else ''}; see the client's id, secret and scope",
                status,
            )
        with understood(login.name, f"the request for a token of the client {login.client_id}"):
            until = monotonic() + max(0, int(answer.get("expires_in", _NO_END + login.early)) - login.early)
        self._token, self._until = token, until


def _login_of(login: OAuthLogin) -> str:
    return _basic(f"{quote_plus(login.client_id)}:{quote_plus(login.secret.reveal())}")


def _basic(text: str) -> str:
    return _BASIC + base64.b64encode(text.encode()).decode()
