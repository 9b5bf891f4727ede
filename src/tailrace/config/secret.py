"""A secret of the configuration: travels with the settings, and never shows itself by accident."""

from __future__ import annotations


class Secret:
    """A text that only `reveal()` gives away: printing and logging show asterisks. It pickles as it is."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself: for the one call that hands it to the server."""
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
