"""The scope of a query, in which names are resolved, and the results of compiling."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.catalog import Column, Database, Table
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.system import SystemView
from tailrace_standins.sqlserver.session import ResultColumn
from tailrace_standins.sqlserver.values import SqlType


@dataclass(slots=True)
class Typed:
    """SQLite's text of an expression, and T-SQL's type of its value."""

    sql: str
    type: SqlType
    nullable: bool = True
    name: str = ""
    identity: bool = False
    computed: bool = False
    is_constant: bool = False


@dataclass(slots=True)
class Visible:
    """A column of a source."""

    name: str
    value: Typed


@dataclass(slots=True)
class Bound:
    """A source in FROM under its name: an alias, or the table's name with its qualifiers."""

    names: tuple[str, ...]
    columns: list[Visible]
    alias: str
    table: Table | None = None

    def answers(self, names: tuple[str, ...]) -> bool:
        """Whether `names` (lower case) mean this source; parts left out count for nothing."""
        mine = self.names[-len(names) :]
        return len(mine) == len(names) and all(a == b or not a for a, b in zip(names, mine, strict=True))


@dataclass(slots=True)
class Scope:
    """The sources of one SELECT, and the scope around it.

    Attributes:
        grouped: SQL of the columns in GROUP BY, where there is one (or an aggregate without it: empty).

    """

    outer: Scope | None = None
    sources: list[Bound] = field(default_factory=list)
    grouped: set[str] | None = None

    def find(self, names: tuple[str, ...]) -> tuple[Scope, Typed] | None:
        """The column of that name and the scope it was found in; raises 209 where it could be two."""
        key, before = names[-1].lower(), tuple(name.lower() for name in names[:-1])
        found: list[Typed] = []
        for source in self.sources:
            if before and not source.answers(before):
                continue
            found.extend(column.value for column in source.columns if column.name.lower() == key)
        if len(found) > 1:
            raise error(209, names[-1])
        if found:
            return self, found[0]
        return self.outer.find(names) if self.outer else None

    def knows_source(self, names: tuple[str, ...]) -> bool:
        """Whether a source answers to the name."""
        lowered = tuple(name.lower() for name in names)
        return any(source.answers(lowered) for source in self.sources) or bool(
            self.outer and self.outer.knows_source(names)
        )


@dataclass(slots=True)
class Seek:
    """`column = value` that holds for every row that a statement looks at."""

    column: Column
    sql: str


@dataclass(slots=True)
class TableRead:
    """A table that a statement, or a function in it, reads: with its hints and conditions that limit the rows."""

    database: Database
    table: Table
    hints: frozenset[str]
    alias: str
    seeks: list[Seek] = field(default_factory=list)
    is_inside_function: bool = False


@dataclass(slots=True)
class ViewRead:
    """A system view that must be filled before the statement runs."""

    database: Database
    view: SystemView
    storage: str


@dataclass(slots=True)
class Plan:
    """A compiled query.

    Attributes:
        sql: for SQLite; `:s` and `:t` are what the reader may see, other parameters are in `variables`.
        columns: of the result.
        variables: names of variables, with the SQLite parameter of each.
        checks: called with the session before the statement runs (arguments of table-valued functions).

    """

    sql: str
    columns: tuple[ResultColumn, ...]
    variables: dict[str, str]
    reads: list[TableRead]
    views: list[ViewRead]
    checks: list[TableCheck] = field(default_factory=list)


@dataclass(slots=True)
class TableCheck:
    """The arguments of a table-valued function, which are checked before it is read; `sql` returns their values."""

    database: Database
    call: object
    sql: str
    types: tuple[SqlType, ...]


def result_column(value: Typed, name: str) -> ResultColumn:
    """The column that a result shows for an expression."""
    of = types.INT if value.type.name == "null" else types.BIT if value.type.name == "boolean" else value.type
    return ResultColumn(name, of, value.nullable, value.identity, value.computed)
