"""How often what is committed of each table has changed: whoever keeps a copy of a table learns whether it is still true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class TableChanges:
    """Numbers of tables, by their names in SQLite; only who has the writer's lock changes them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._committing: frozenset[str] = frozenset()

    def number(self, storage: str) -> int | None:
        """It grows with each commit that changes the table; None while there is one.

        What was read between two calls that gave the same number is the table as it was committed at both.
        """
        return None if storage in self._committing else self._numbers.get(storage, 0)

    @contextmanager
    def committing(self, storages: Iterable[str]) -> Iterator[None]:
        """SQLite's COMMIT of changes to these tables."""
        self._committing = frozenset(storages)
        try:
            yield
        finally:
            for storage in self._committing:
                self._numbers[storage] = self._numbers.get(storage, 0) + 1
            self._committing = frozenset()
