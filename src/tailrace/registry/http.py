"""Requests to a registry: connections that are kept, fail-over between its servers, retries, and errors that say what to do.

A request that gets no answer is tried at the next server at once. If none answers, or a server says that it can't now,
everything is tried again after a pause, as often as is set. Other refusals are final.
"""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Callable, Mapping
from time import sleep
from typing import Any, Final, cast
from urllib.parse import SplitResult, urlencode, urlsplit

from tailrace.errors import RegistryError, RegistryUnavailableError, SchemaRefusedError
from tailrace.registry.answers import parsed_answer
from tailrace.registry.authentication import Authentication
from tailrace.registry.bounded_answers import BoundedAnswer, UnusableAnswerError
from tailrace.registry.connection import RegistryConnection
from tailrace.registry.secrets import without_secrets
from tailrace.registry.tls import tls_context

_RETRIABLE: Final = {408, 429, 500, 502, 503, 504}
_CUT: Final = 2000  # characters of an answer that is no JSON
_LONGEST_MESSAGE: Final = 20_000  # characters of one that is: it may tell a whole schema

_Lost = (OSError, http.client.HTTPException)
"""What a connection raises that breaks; a time-out is one of them."""

_NO_LOGIN: Final = 401
_NOT_FOUND: Final = 404
_OF_SCHEMA: Final = {_NOT_FOUND, 409, 422}


class RegistryClient:
    """Makes requests; it connects when the first one is made. A pickled client is one that has not connected."""

    def __init__(self, connection: RegistryConnection, content_type: str) -> None:
        self._settings = connection
        self._content_type = content_type
        self._open: dict[str, http.client.HTTPConnection] = {}
        self._first = 0  # the server that answered last
        self._context: ssl.SSLContext | None = None
        self._authentication = Authentication(connection.login, self._post_form)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return type(self), (self._settings, self._content_type)

    def close(self) -> None:
        """Close the connections; they are opened again when they are needed."""
        while self._open:
            self._open.popitem()[1].close()

    def request(
        self, method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None, *, about: str
    ) -> Any:
        """The answer to a request, parsed.

        Args:
            method: of HTTP.
            path: below the registry's URL, percent-encoded, without a query.
            body: what is sent as JSON; bytes are sent as they are.
            query: parameters.
            about: what the request is about, for messages: "the schema of subject x".

        Raises:
            RegistryError: the registry refuses it; the message has the registry's own.
            RegistryUnavailableError: no server answers, or they can't now.

        """
        target = path + ("?" + urlencode(query) if query else "")
        content = body if isinstance(body, bytes | None) else json.dumps(body, ensure_ascii=False).encode()
        wait = self._settings.wait
        for left in range(self._settings.retries, -1, -1):
            try:
                return self._tried(method, target, content, about)
            except RegistryUnavailableError:
                if not left:
                    raise
            sleep(wait)
            wait = min(2 * wait, self._settings.longest_wait)
        raise AssertionError("unreachable")

    def check(self, path: str) -> None:
        """Ask for something that needs no right of its own.

        Raises:
            RegistryError: the login is refused.
            RegistryUnavailableError: no server answers, or they can't now.

        """
        try:
            self._tried("GET", path, None, "the registry")
        except RegistryError as error:
            if error.status == _NO_LOGIN:
                raise

    def _tried(self, method: str, target: str, content: bytes | None, about: str) -> Any:
        """One try at each server, the one that answered last first."""
        lost: list[str] = []
        count = len(self._settings.urls)
        for k in range(count):
            number = (self._first + k) % count
            url = self._settings.urls[number]
            try:
                status, answer = self._asked(url, method, target, content)
            except _Lost as error:
                lost.append(f"{url}: {error or type(error).__name__}")
                continue
            except UnusableAnswerError as error:
                raise RegistryError(
                    f"{self._settings.name}: the answer of the schema registry at {url}, asked for {about}, can't be used: "
                    f"{error}. Does the URL name the registry?"
                ) from None
            self._first = number
            return self._judged(url, status, answer, about)
        raise RegistryUnavailableError(
            f"{self._settings.name}: the schema registry does not answer, asked for {about} ({'; '.join(lost)})"
        )

    def _asked(self, url: str, method: str, target: str, content: bytes | None) -> tuple[int, bytes]:
        """Status and answer of a server; with a token that is refused once more, with a new one."""
        status, answer = self._sent(url, method, target, content, self._headers())
        if status == 401 and self._authentication.is_renewed():
            status, answer = self._sent(url, method, target, content, self._headers())
        return status, answer

    def _headers(self) -> dict[str, str]:
        return {
            "Accept": f"{self._content_type}, application/json",
            "Content-Type": self._content_type,
            **self._settings.headers,
            **self._authentication.header(),
        }

    def _sent(
        self, url: str, method: str, target: str, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        """Send a request; a kept connection may have been closed by the server meanwhile, so it is opened anew once."""
        place = urlsplit(url)
        whole = self._target(place, place.path.rstrip("/") + target)
        kept = url in self._open
        try:
            return self._exchange(self._connection(url, place), method, whole, content, headers)
        except (ConnectionError, http.client.BadStatusLine):
            self._drop(url)
            if not kept:
                raise
        except BaseException:
            self._drop(url)
            raise
        try:
            return self._exchange(self._connection(url, place), method, whole, content, headers)
        except BaseException:
            self._drop(url)
            raise

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        content: bytes | None,
        headers: Mapping[str, str],
    ) -> tuple[int, bytes]:
        if connection.sock is None:
            connection.connect()
        connection.sock.settimeout(self._settings.read_timeout)
        connection.request(method, target, content, dict(headers))
        answer = connection.getresponse()
        return answer.status, cast("BoundedAnswer", answer).whole()

    def _connection(self, key: str, place: SplitResult) -> http.client.HTTPConnection:
        """The connection that is kept, or a new one, which is not open yet."""
        if key not in self._open:
            self._open[key] = self._new_connection(place)
        return self._open[key]

    def _new_connection(self, place: SplitResult) -> http.client.HTTPConnection:
        host, port = place.hostname or "", place.port
        timeout, proxy = self._settings.connect_timeout, self._settings.proxy
        made: http.client.HTTPConnection
        if place.scheme != "https":
            made = http.client.HTTPConnection(*(proxy or (host, port)), timeout=timeout)
        else:
            if self._context is None:
                self._context = tls_context(self._settings.trust)
            made = http.client.HTTPSConnection(*(proxy or (host, port)), timeout=timeout, context=self._context)
            if proxy is not None:
                made.set_tunnel(host, port)
        made.response_class = BoundedAnswer
        return made

    def _target(self, place: SplitResult, path: str) -> str:
        """What a request asks for: with a proxy, and without TLS, the whole URL."""
        return f"http://{place.netloc}{path}" if self._settings.proxy and place.scheme != "https" else path

    def _drop(self, url: str) -> None:
        found = self._open.pop(url, None)
        if found is not None:
            found.close()

    def _post_form(self, url: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        """Post to a server that gives tokens; its connection is not kept."""
        place = urlsplit(url)
        connection = self._new_connection(place)
        try:
            target = self._target(place, (place.path or "/") + (f"?{place.query}" if place.query else ""))
            return self._exchange(connection, "POST", target, body, headers)
        finally:
            connection.close()

    def _judged(self, url: str, status: int, answer: bytes, about: str) -> Any:
        """The answer of a server, if it is one."""
        found = parsed_answer(answer)
        if 200 <= status < 300 and found is not None:
            return found
        message, code = _message(found, answer)
        message = without_secrets(message, (*self._authentication.secrets(), *self._settings.headers.values()))
        message = message[: _LONGEST_MESSAGE if isinstance(found, dict) else _CUT]  # now, as half a secret would be shown
        what = f"{self._settings.name}: the schema registry at {url}"
        number = f"HTTP status {status}" + (f", error code {code}" if code else "")
        if status in _RETRIABLE:
            raise RegistryUnavailableError(f"{what} can't answer now, asked for {about} ({number}): {message}")
        kind = SchemaRefusedError if _is_of_schema(found, status, code) else RegistryError
        raise kind(f"{what} refuses {about} ({number}): {message}{_remedy(status)}", status, code)


def _message(found: Any, answer: bytes) -> tuple[str, int]:
    """The registry's message and number; those of Apicurio's own API have other names, and details."""
    if not isinstance(found, dict):
        return answer.decode(errors="replace") or "no message", 0
    message = str(found.get("message") or found.get("title") or found.get("detail") or found or "no message")
    causes = found.get("causes") or ()
    details = "; ".join(str(each.get("description") or each) for each in causes if isinstance(each, dict))
    code = found.get("error_code") or 0
    return message + (f" ({details})" if details else ""), code if isinstance(code, int) else 0


def _is_of_schema(found: Any, status: int, code: int) -> bool:
    """Whether the registry says it of what was asked for; a server that does not know the path answers 404, too."""
    if not isinstance(found, dict) or status not in _OF_SCHEMA:
        return False
    return status != _NOT_FOUND or code > _NOT_FOUND or "name" in found  # numbers of Confluent's, names of Apicurio's errors


def _remedy(status: int) -> str:
    if status in {401, 403}:
        return "; see the converter's properties of the login, and the user's rights in the registry"
    if status == 409:
        return "; the new structure does not fit the subject's compatibility: change that, or the table"
    if 300 <= status < 400:
        return "; it sends clients to another place, which they don't follow with a login: name that place in the URL"
    return ""
