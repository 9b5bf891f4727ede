"""A snapshot's progress that is put together when it is needed: by a commit, and not by each chunk before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any


class StoredLater(Mapping[str, Any]):
    """A mapping whose content a function returns once."""

    def __init__(self, content: Callable[[], Mapping[str, Any]]) -> None:
        """`content` is called at most once, at any later time."""
        self._content = content

    @cached_property
    def _found(self) -> Mapping[str, Any]:
        return self._content()

    def __getitem__(self, name: str) -> Any:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return repr(self._found)
