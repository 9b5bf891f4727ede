"""Strict parsing of a snapshot's stored state: whatever is missing, unknown or of another type is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tailrace.errors import ProgressError

_T = TypeVar("_T")


class Stored:
    """The members of one JSON object, each to be read once; `end` refuses unread members.

    Every failure is a `ProgressError` that names the member by its path.
    """

    def __init__(self, value: Any, path: str) -> None:
        self._path = path
        self._rest = dict(_typed(value, dict, path))

    def text(self, name: str) -> str:
        """A string."""
        return self._taken(name, str)

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number that is not negative; may be missing if there is a default."""
        if default is not None and name not in self._rest:
            return default
        value = self._taken(name, int)
        if value < 0:
            raise self._wrong(name, value)
        return value

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false; may be missing if there is a default."""
        if default is not None and name not in self._rest:
            return default
        return self._taken(name, bool)

    def items(self, name: str) -> Sequence[Any]:
        """An array."""
        return self._taken(name, list)

    def members(self, name: str) -> Mapping[str, Any]:
        """An object."""
        return self._taken(name, dict)

    def text_or_none(self, name: str) -> str | None:
        """A string, or null."""
        return None if self._is_null(name) else self.text(name)

    def members_or_none(self, name: str) -> Mapping[str, Any] | None:
        """An object, or null."""
        return None if self._is_null(name) else self.members(name)

    def bound(self, name: str) -> Sequence[Any] | None:
        """A bound of a segment: a non-empty array, null or missing."""
        if name not in self._rest or self._is_null(name):
            return None
        value = self.items(name)
        if not value:
            raise self._wrong(name, value)
        return value

    def span(self, name: str) -> tuple[int, int] | None:
        """Two whole numbers, null or missing."""
        if not self.has(name) or self._is_null(name):
            return None
        value = self.items(name)
        if len(value) != 2 or not all(isinstance(end, int) for end in value):
            raise self._wrong(name, value)
        return value[0], value[1]

    def has(self, name: str) -> bool:
        """Whether there is such an unread member."""
        return name in self._rest

    def end(self) -> None:
        """Refuse unread members: a newer version may have written them, and they must not be lost."""
        for name in self._rest:
            raise ProgressError(f"the snapshot's progress has {self._path}.{name}, which this tailrace does not know")

    def _is_null(self, name: str) -> bool:
        """Whether a member exists and is null; this then counts as reading it."""
        if name not in self._rest or self._rest[name] is not None:
            return False
        del self._rest[name]
        return True

    def _taken(self, name: str, kind: type[_T]) -> _T:
        if name not in self._rest:
            raise ProgressError(f"the snapshot's progress lacks {self._path}.{name}")
        return _typed(self._rest.pop(name), kind, f"{self._path}.{name}")

    def _wrong(self, name: str, value: Any) -> ProgressError:
        return ProgressError(f"the snapshot's progress is damaged: {self._path}.{name} is {value!r}")


def _typed(value: Any, kind: type[_T], path: str) -> _T:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ProgressError(f"the snapshot's progress is damaged: {path} is {value!r}")
    return value
