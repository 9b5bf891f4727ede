"""What is the same of the keys by which tables are read in chunks, whatever the database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tailrace.errors import ProgressError
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound


@dataclass(frozen=True, slots=True)
class NoKey:
    """A table can't be read in chunks; `reason` is the end of a sentence."""

    reason: str


class StoredColumn(Protocol):
    """A column of a key."""

    @property
    def name(self) -> str:
        """The column's."""

    @property
    def is_number(self) -> bool:
        """Whether an entry of a bound is a number, that compares as such."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""


Column = TypeVar("Column", bound=StoredColumn)
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class IndexKey(Generic[Column]):
    """A unique index by which a table is read in chunks, and in whose order; no index for an order of the user's choice."""

    index: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Its columns' names, in its order."""
        return tuple(column.name for column in self.columns)

    @property
    def is_local(self) -> bool:
        """Whether its order is that of numbers, so that nobody has to ask the server about it."""
        return all(column.is_number for column in self.columns)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"index": self.index, "columns": [column.to_dict() for column in self.columns]}

    def literals(self, bound: Bound, literal: Callable[[Column, Any], str]) -> list[str]:
        """A bound's entries as SQL.

        Raises:
            ProgressError: it is no bound of this key.

        """
        if not 1 <= len(bound) <= len(self.columns):
            raise ProgressError(f"{bound!r} is not a place in the order of {', '.join(self.names)}")
        return [literal(column, entry) for column, entry in zip(self.columns, bound, strict=False)]


_Index = TypeVar("_Index", bound=IndexKey[Any])


@dataclass(frozen=True, slots=True)
class UniqueIndex(Generic[_Index]):
    """A unique index of a table, as the server's catalog has it.

    Attributes:
        name: of the index.
        is_primary: whether it is the primary key.
        key: what it is for reading; the end of a sentence where the table can't be read by it.
        order: by which one of several that are as good is taken.

    """

    name: str
    is_primary: bool
    key: _Index | str
    order: Any


def best_of(indexes: Iterable[UniqueIndex[_Index]]) -> _Index | NoKey:
    """The key among a table's unique indexes: the primary key, else one of numbers, else one of few columns."""
    usable: list[tuple[tuple[Any, ...], _Index]] = []
    obstacles: list[str] = []
    for each in indexes:
        if isinstance(each.key, str):
            obstacles.append(f"{'its primary key' if each.is_primary else f'index {each.name}'} {each.key}")
        else:
            usable.append(((not each.is_primary, not each.key.is_local, len(each.key.columns), each.order), each.key))
    if usable:
        return min(usable, key=lambda ranked: ranked[0])[1]
    return NoKey("; ".join(obstacles) or "it has neither a primary key nor a unique index")


def led(first: Column, key: IndexKey[Column] | NoKey, made: Callable[[str, tuple[Column, ...]], Key]) -> Key | NoKey:
    """A key whose order begins with a column of the user's choice; rows with the same value are in the order of `key`."""
    if isinstance(key, NoKey):
        return NoKey(f"{key.reason}; a surrogate key says only in which order it is read")
    return made("", (first, *(column for column in key.columns if column.name != first.name)))


def key_from_dict(
    given: Mapping[str, Any],
    made: Callable[[str, tuple[Column, ...]], Key],
    column: Callable[[Mapping[str, Any]], Column],
) -> Key:
    """A key from what `to_dict` gave; `made` and `column` make the connector's own.

    Raises:
        ProgressError: it is something else.

    """
    try:
        return made(str(given["index"]), tuple(map(column, given["columns"])))
    except (KeyError, TypeError, ValueError) as error:
        raise ProgressError(f"not a key that a table is read by: {given!r}: {error}") from error


def stored_keys(given: Mapping[str, Any], from_dict: Callable[[Mapping[str, Any]], Key]) -> dict[TableId, Key | None]:
    """The keys of a snapshot's tables, from what its progress has by their names; None for a table without a key."""
    return {parse_id(name): None if key is None else from_dict(key) for name, key in given.items()}


def stored(keys: Mapping[TableId, IndexKey[Any] | NoKey]) -> dict[TableId, Any]:
    """The same as `stored_keys` takes them: JSON, None for a table without a key."""
    return {table: None if isinstance(key, NoKey) else key.to_dict() for table, key in keys.items()}
