"""The keys by which tables are read in chunks, as far as they do not depend on the database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, Self, TypeVar

from tailrace.errors import KeyChangedError, ProgressError
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound


@dataclass(frozen=True, slots=True)
class NoKey:
    """Says that a table can't be read in chunks; `reason` is the end of a sentence."""

    reason: str


class StoredColumn(Protocol):
    """A column of a key."""

    @property
    def name(self) -> str:
        """The column's name."""

    @property
    def is_number(self) -> bool:
        """Whether an entry of a bound is a number, and is ordered as a number."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""


Column = TypeVar("Column", bound=StoredColumn)
Key = TypeVar("Key")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class IndexKey(Generic[Column]):
    """A unique index, in whose order chunks are read.

    Attributes:
        index: its name; "" for an order that the user chose (a surrogate key).
        columns: in their order.
        is_led: whether the first column is the user's alone: the others are what identifies a row.
        identity: tells the index from another one that gets its name later; "": unknown.

    """

    index: str
    columns: tuple[Column, ...]
    is_led: bool = field(default=False, compare=False)
    identity: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns, in index order."""
        return tuple(column.name for column in self.columns)

    @property
    def is_local(self) -> bool:
        """Whether it is ordered numerically, so that bounds can be compared without the server."""
        return all(column.is_number for column in self.columns)

    def is_like(self, other: Self) -> bool:
        """Whether bounds of the other key mean the same rows with this one."""
        return (self.index, self.columns) == (other.index, other.columns)

    def is_still(self, begun: Self) -> bool:
        """Whether it is the key with which a table was begun: the same index, whose bounds mean the same rows."""
        return begun.identity in ("", self.identity) and self.is_like(begun)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        found: dict[str, Any] = {"index": self.index, "columns": [column.to_dict() for column in self.columns]}
        return found | ({"led": True} if self.is_led else {}) | ({"identity": self.identity} if self.identity else {})

    def identifying(self, values: Sequence[_Value]) -> Sequence[_Value]:
        """Of something for each of its columns that for those which identify a row.

        A column that only orders the reading may change without the old value being known.
        """
        return values[1:] if self.is_led else values

    def literals(self, bound: Bound, literal: Callable[[Column, Any], str]) -> list[str]:
        """A bound's entries as SQL literals.

        Raises:
            ProgressError: it is not a bound of this key.

        """
        if not 1 <= len(bound) <= len(self.columns):
            raise ProgressError(f"{bound!r} is not a place in the order of {', '.join(self.names)}")
        return [literal(column, entry) for column, entry in zip(self.columns, bound, strict=False)]


_Index = TypeVar("_Index", bound=IndexKey[Any])


@dataclass(frozen=True, slots=True)
class UniqueIndex(Generic[_Index]):
    """A unique index of a table, from the server's catalogue.

    Attributes:
        name: of the index.
        is_primary: whether it is the primary key.
        key: the key that it makes; or, if the table can't be read by it, the end of a sentence that says why.
        order: decides between indexes that are equally good.

    """

    name: str
    is_primary: bool
    key: _Index | str
    order: Any


def usable(indexes: Iterable[UniqueIndex[_Index]]) -> list[_Index] | NoKey:
    """The keys that a table's unique indexes make, the best one first: the primary key, then numbers, then few columns."""
    found: list[tuple[tuple[Any, ...], _Index]] = []
    obstacles: list[str] = []
    for each in indexes:
        if isinstance(each.key, str):
            obstacles.append(f"{'its primary key' if each.is_primary else f'index {each.name}'} {each.key}")
        else:
            # False sorts before True: the primary key first, then numeric keys, then short ones.
            found.append(((not each.is_primary, not each.key.is_local, len(each.key.columns), each.order), each.key))
    if found:
        return [key for _, key in sorted(found, key=lambda ranked: ranked[0])]
    return NoKey("; ".join(obstacles) or "it has neither a primary key nor a unique index")


def best_of(found: Sequence[_Index] | NoKey) -> _Index | NoKey:
    """The best of the keys by which a table can be read."""
    return found if isinstance(found, NoKey) else found[0]


def key_now(
    found: Sequence[_Index] | NoKey, begun: _Index | None, led_by: Callable[[_Index | NoKey], _Index | NoKey]
) -> _Index | NoKey:
    """The key by which a table is read that a signal requests, as it is now.

    Args:
        found: the keys by which it can be read, the best one first.
        begun: the one with which it was begun; None: it was not.
        led_by: leads the order of a key by the surrogate key, if there is one.

    """
    keys = [led_by(found)] if isinstance(found, NoKey) else [led_by(each) for each in found]
    return as_begun(keys, begun) or keys[0]


def as_begun(found: Sequence[_Index | NoKey], begun: _Index | None) -> _Index | None:
    """Of the keys by which a table can be read, the one with which it was begun; None: that was changed, or made anew."""
    keys = (each for each in found if not isinstance(each, NoKey))
    return None if begun is None else next((each for each in keys if each.is_still(begun)), None)


def key_changed(table: TableId, begun: IndexKey[Any], *, restorable: bool = False) -> KeyChangedError:
    """The error for a table that no longer has the key by which its snapshot reads it.

    `restorable`: the index is there as before, and only its columns have another type or collation. An index that is gone,
    or was made anew, can't be restored: without it two rows may have had one key.
    """
    name = f"index {begun.index}" if begun.index else "the surrogate key leads"
    begin = "Restore the columns' types and collations until the snapshot is done, or begin" if restorable else "Begin"
    return KeyChangedError(
        f"{table}: the key {', '.join(begun.names)} ({name}), by which the snapshot reads it, was changed or made anew. "
        f"{begin} the snapshot again: an initial one with an empty target, one that a signal asked for by another signal"
    )


def led(
    first: Column, key: IndexKey[Column] | NoKey, made: Callable[[str, tuple[Column, ...], bool, str], Key]
) -> Key | NoKey:
    """A key whose order begins with a surrogate key, the user's column; `key` orders rows of equal value.

    Without the rest of the order, a chunk's end could not be distinguished from other rows with the same value.
    """
    if isinstance(key, NoKey):
        return NoKey(f"{key.reason}; a surrogate key says only in which order it is read")
    others = tuple(column for column in key.columns if column.name != first.name)
    return made("", (first, *others), len(others) == len(key.columns), key.identity)


def key_from_dict(
    given: Mapping[str, Any],
    made: Callable[[str, tuple[Column, ...], bool, str], Key],
    column: Callable[[Mapping[str, Any]], Column],
) -> Key:
    """Parse a key from its JSON; `made` and `column` construct the connector's own classes.

    Raises:
        ProgressError: it is not a key.

    """
    try:
        columns = tuple(map(column, given["columns"]))
        return made(str(given["index"]), columns, bool(given.get("led")), str(given.get("identity", "")))
    except (KeyError, TypeError, ValueError) as error:
        raise ProgressError(f"not a key that a table is read by: {given!r}: {error}") from error


def stored_keys(given: Mapping[str, Any], from_dict: Callable[[Mapping[str, Any]], Key]) -> dict[TableId, Key | None]:
    """The keys of a snapshot's tables by id, from the progress, which has them by name; None for a table without a key."""
    return {parse_id(name): None if key is None else from_dict(key) for name, key in given.items()}


def stored(keys: Mapping[TableId, IndexKey[Any] | NoKey]) -> dict[TableId, Any]:
    """The inverse of `stored_keys`: JSON, None for a table without a key."""
    return {table: None if isinstance(key, NoKey) else key.to_dict() for table, key in keys.items()}
