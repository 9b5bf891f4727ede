"""Reading what a progress record stores of a snapshot, strictly: whatever is not as it was written is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tailrace.errors import ProgressError

_T = TypeVar("_T")


class Stored:
    """The members of one JSON object, each to be asked for once; `end` refuses what nobody asked for.

    Every failure is a `ProgressError` that names the member by its path.
    """

    def __init__(self, value: Any, path: str) -> None:
        self._path = path
        self._rest = dict(_typed(value, dict, path))

    def text(self, name: str) -> str:
        """A string."""
        return self._taken(name, str)

    def number(self, name: str) -> int:
        """A whole number that is not negative."""
        value = self._taken(name, int)
        if value < 0:
            raise self._wrong(name, value)
        return value

    def flag(self, name: str) -> bool:
        """True or false."""
        return self._taken(name, bool)

    def items(self, name: str) -> Sequence[Any]:
        """An array."""
        return self._taken(name, list)

    def members(self, name: str) -> Mapping[str, Any]:
        """An object."""
        return self._taken(name, dict)

    def bound(self, name: str) -> Sequence[Any] | None:
        """A bound of a segment: an array with something in it, or null."""
        if name in self._rest and self._rest[name] is None:
            return self._rest.pop(name)  # type: ignore[no-any-return]
        value = self.items(name)
        if not value:
            raise self._wrong(name, value)
        return value

    def end(self) -> None:
        """Refuse members that nobody asked for: they may be what a newer tailrace must not lose."""
        for name in self._rest:
            raise ProgressError(f"the snapshot's progress has {self._path}.{name}, which this tailrace does not know")

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
