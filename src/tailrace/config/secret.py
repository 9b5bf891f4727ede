"""A secret in the settings, which logs, messages and tracebacks can't show by accident."""

from __future__ import annotations


class Secret:
    """A text that only `reveal()` returns; `str` and `repr` give asterisks.

    Pickling keeps the text, because executors need it to connect.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text, for the one call that passes it to the server."""
        return self._text

    def __repr__(self) -> str:
        return "Secret('********')"

    def __str__(self) -> str:
        return "********"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    def __bool__(self) -> bool:
        return bool(self._text)
