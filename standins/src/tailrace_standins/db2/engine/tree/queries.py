"""Queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tailrace_standins.db2.engine.tree.expressions import Expression, Names, Order


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a select list."""

    expression: Expression
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table in FROM."""

    names: Names
    alias: str = ""
    columns: Names = ()


@dataclass(frozen=True, slots=True)
class Derived:
    """A query in FROM."""

    query: Query
    alias: str = ""
    columns: Names = ()


@dataclass(frozen=True, slots=True)
class Join:
    """INNER, LEFT, RIGHT, FULL or CROSS."""

    kind: str
    left: Source
    right: Source
    on: Expression | None


Source: TypeAlias = Table | Derived | Join


@dataclass(frozen=True, slots=True)
class Select:
    """A subselect."""

    items: tuple[Item, ...]
    sources: tuple[Source, ...]
    distinct: bool = False
    where: Expression | None = None
    group: tuple[Expression, ...] = ()
    having: Expression | None = None


@dataclass(frozen=True, slots=True)
class Values:
    """VALUES."""

    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class Combined:
    """UNION, EXCEPT, INTERSECT."""

    operator: str
    everything: bool
    left: Body
    right: Body


Body: TypeAlias = "Select | Values | Combined | Query"


@dataclass(frozen=True, slots=True)
class Common:
    """A common table expression."""

    name: str
    columns: Names
    query: Query


@dataclass(frozen=True, slots=True)
class Query:
    """A fullselect with what may stand around it."""

    body: Body
    common: tuple[Common, ...] = ()
    order: tuple[Order, ...] = ()
    offset: Expression | None = None
    fetch: Expression | None = None
