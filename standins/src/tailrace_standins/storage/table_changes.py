"""Counts committed changes of each table, so that a cached copy of a table can be checked for validity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class TableChanges:
    """The counters, by table names in SQLite; only the holder of the writer lock changes them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._committing: frozenset[str] = frozenset()

    def number(self, storage: str) -> int | None:
        """A number that grows with each commit that changes the table; None during such a commit.

        If two calls return the same number, what was read between them is the table as committed at both.
        """
        return None if storage in self._committing else self._numbers.get(storage, 0)

    @contextmanager
    def committing(self, storages: Iterable[str]) -> Iterator[None]:
        """A context for SQLite's COMMIT of changes to these tables."""
        self._committing = frozenset(storages)
        try:
            yield
        finally:
            for storage in self._committing:
                self._numbers[storage] = self._numbers.get(storage, 0) + 1
            self._committing = frozenset()
