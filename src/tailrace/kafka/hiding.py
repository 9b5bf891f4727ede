"""What the client library says, without the secrets among its options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tailrace.config.entries import HIDDEN, hide_login

_SECRET_WORDS: Final = ("password", "passphrase", "secret", "key.pem", "oauthbearer.config", "jaas")


class Hiding:
    """Puts something else in the place of options' values that a message may not have: secrets, and addresses with a login."""

    def __init__(self, options: Mapping[str, str]) -> None:
        # The longest first: a secret may begin with another one.
        self._shown = dict(sorted(_hidden_in(options), key=lambda pair: len(pair[0]), reverse=True))

    def __call__(self, text: str) -> str:
        """The text, as it may be shown."""
        for value, shown in self._shown.items():
            text = text.replace(value, shown)
        return text


def _hidden_in(options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in options.items():
        if value and any(word in name for word in _SECRET_WORDS):
            yield str(value), HIDDEN
        elif (shown := hide_login(str(value))) != str(value):  # librdkafka takes numbers, too
            yield str(value), shown
