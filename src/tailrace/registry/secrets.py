"""Secrets on their way to a registry: what a header of HTTP can hold, and what an answer must not tell on.

`http.client` shows the value of a header that it refuses, and a server may send back what it was sent. Neither may reach a
message.
"""

from __future__ import annotations

from collections.abc import Iterable

_HIDDEN = "***"


def fits_in_header(value: str) -> bool:
    """Whether HTTP can send it as the value of a header: no line end, no other control character, Latin-1 only."""
    return all(" " <= c <= "\xff" and c != "\x7f" for c in value.replace("\t", " "))


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """A text in which no secret stands; longer ones go first, as one may hold another."""
    for secret in sorted({each for each in secrets if each}, key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    return text
