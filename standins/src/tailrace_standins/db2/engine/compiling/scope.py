"""What the compiler passes around."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tailrace_standins.db2.engine import types
from tailrace_standins.db2.engine.catalog import Table
from tailrace_standins.db2.session import Column, SqlError
from tailrace_standins.db2.values import SqlType

if TYPE_CHECKING:
    from tailrace_standins.db2.engine import tree

VISIBLE = "/*visible*/"
"""Stands in compiled text where the condition of visible versions belongs."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A compiled expression; the type of NULL and of a parameter that nothing tells it is None."""

    sql: str
    type: SqlType | None
    nullable: bool = True
    name: str = ""
    parameter: int | None = None

    def collated(self) -> str:
        """Its text for what compares it: ORDER BY, GROUP BY, DISTINCT."""
        return self.sql + collation(self.type)


def unsupported(what: str) -> SqlError:
    """The error for what the stand-in does not do; `what` is its reason code's text."""
    return SqlError(-270, "42997", what)


def directed(value: Typed, order: tree.Order) -> str:
    """An item of ORDER BY in SQLite: NULL is the highest value in Db2."""
    last = order.nulls == "LAST" or (not order.nulls and not order.descending)
    return f"{value.collated()}{' DESC' if order.descending else ''} NULLS {'LAST' if last else 'FIRST'}"


def collation(of: SqlType | None) -> str:
    """The collation of a type's values."""
    if types.is_text(of):
        return " COLLATE RTRIM"
    return " COLLATE EXACT" if of is not None and types.is_exact(of) else ""


@dataclass(slots=True)
class Source:
    """A table, view or query in FROM."""

    alias: str
    schema: str
    columns: list[tuple[str, Typed]]

    def answers(self, names: tuple[str, ...]) -> bool:
        """Whether a qualifier means it."""
        return not names or (names[-1] == self.alias and (len(names) == 1 or names[0] == self.schema))


@dataclass(slots=True)
class Scope:
    """The sources of a query, and those of the queries around it."""

    outer: Scope | None = None
    sources: list[Source] = field(default_factory=list)

    def find(self, names: tuple[str, ...]) -> Typed:
        """A column; raises `SqlError` -206, -203."""
        found = [
            typed
            for source in self.sources
            if source.answers(names[:-1])
            for name, typed in source.columns
            if name == names[-1]
        ]
        if len(found) > 1:
            raise SqlError(-203, "42702", ".".join(names))
        if found:
            return found[0]
        if self.outer is not None:
            return self.outer.find(names)
        raise SqlError(-206, "42703", ".".join(names))


@dataclass(frozen=True, slots=True)
class Plan:
    """A compiled query.

    Attributes:
        sql: SQLite's text with `VISIBLE` in it.
        columns: of its result.
        parameters: the types of the parameter markers, as they are known so far.
        tables: that it reads.
        views: of the catalogue that it reads.
        registers: special registers that it uses.

    """

    sql: str
    columns: tuple[Typed, ...]
    parameters: dict[int, SqlType]
    tables: tuple[Table, ...]
    views: tuple[str, ...]
    registers: tuple[str, ...]

    def text(self, visible: str) -> str:
        """SQLite's text for a reader of the versions that a condition of `storage.visibility` tells."""
        return self.sql.replace(VISIBLE, visible)

    def described(self) -> tuple[Column, ...]:
        """The columns, as clients see them; those without a name are numbered."""
        return tuple(
            Column(typed.name or str(place), typed.type or types.varchar(1), typed.nullable, unnamed=not typed.name)
            for place, typed in enumerate(self.columns, 1)
        )
