"""What a view of the catalogue is. Its rows are made when a statement reads it, into a temporary table of its connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tailrace_standins.db2.engine import types
from tailrace_standins.db2.engine.catalog import Database
from tailrace_standins.db2.values import SqlType
from tailrace_standins.storage.sessions import Stored

Rows: TypeAlias = Iterator[Sequence[Stored]]
_TYPES: Final = {
    "n": types.varchar(128), "f": SqlType("char", length=1), "s": types.SMALLINT, "i": types.INTEGER, "b": types.BIGINT,
    "t": types.TIMESTAMP, "r": types.varchar(254), "x": types.varchar(1024), "l": types.varchar(32672), "d": types.DOUBLE,
    "c": SqlType("char", length=8), "h": SqlType("char", length=4),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ViewColumn:
    """A column of a view."""

    name: str
    type: SqlType
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class View:
    """A view with what gives its rows as stored values; `storage` is its name in SQLite."""

    storage: str
    columns: tuple[ViewColumn, ...]
    rows: Callable[[Database], Rows]


def view(storage: str, columns: str, rows: Callable[[Database], Rows]) -> View:
    """A view of columns written as `n:TABNAME i:TABLEID`; the letters are those of the types above."""
    split = (word.partition(":") for word in columns.split())
    return View(storage, tuple(ViewColumn(name, _TYPES[letter]) for letter, _, name in split), rows)
