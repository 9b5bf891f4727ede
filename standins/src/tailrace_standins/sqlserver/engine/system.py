"""The registry of system views, functions and procedures: the engine's own and those of features such as `cdc`.

Names are in lower case. A finder looks up names that are not registered (`fn_cdc_get_all_changes_<instance>`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.session import Outcome, Parameter
from tailrace_standins.sqlserver.values import SqlType, Value

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.nodes import Query
    from tailrace_standins.sqlserver.engine.scope import Plan
    from tailrace_standins.sqlserver.engine.session import EngineSession
    from tailrace_standins.sqlserver.session import ArrowRows


@dataclass(frozen=True, slots=True)
class SystemView:
    """A view whose rows a function returns.

    Attributes:
        columns: names with types.
        rows: of a session and the database that the view was asked for in: rows of values as `values.py` has them.
        permission: what one needs to read it; empty where everybody may.
        is_live: whether its rows are made for each statement; otherwise only after definitions changed (`Catalog.version`).

    """

    name: str
    columns: tuple[tuple[str, SqlType], ...]
    rows: Callable[[EngineSession, Database], Iterable[Sequence[Value]]]
    is_live: bool = False
    permission: str = ""


@dataclass(frozen=True, slots=True)
class SystemFunction:
    """A scalar function: arguments are converted to `arguments` (those that are left out are NULL).

    The call gives a value.
    """

    name: str
    arguments: tuple[SqlType, ...]
    result: SqlType
    call: Callable[..., Value]  # (session, database, *values)
    least: int | None = None


@dataclass(frozen=True, slots=True)
class TableFunction:
    """A table-valued function: T-SQL of a query over its parameters, as a user would write an inline function.

    Attributes:
        parameters: names with @ and types.
        query: of (session, database): the query's text; it may name tables of other schemas in two parts.
        check: called with the session, the database and the arguments' values before the query runs; raises `SqlError`.

    """

    name: str
    parameters: tuple[tuple[str, SqlType], ...]
    query: Callable[[EngineSession, Database], str]
    check: Callable[..., None] | None = None


@dataclass(frozen=True, slots=True)
class Procedure:
    """A stored procedure: a function of (session, database, parameters) that yields outcomes, perhaps a `ReturnStatus`."""

    name: str
    run: Callable[[EngineSession, Database, Sequence[Parameter]], Iterator[Outcome]]


SystemObject: TypeAlias = SystemView | SystemFunction | TableFunction | Procedure
Finder: TypeAlias = Callable[[Database, str, str], SystemObject | None]
Answer: TypeAlias = "Callable[[EngineSession, Query, Plan], Iterator[ArrowRows] | None]"


@dataclass(slots=True)
class SystemObjects:
    """The registry.

    Procedures and functions of `sys` are found without their schema where SQL Server does so (sp_…). `answers` are asked
    for the rows of each query, once its locks are there; what none of them knows is read from SQLite. `answered` counts those
    that one of them knew.
    """

    objects: dict[tuple[str, str], SystemObject] = field(default_factory=dict)
    finders: list[Finder] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    answered: int = 0

    def add(self, schema: str, *objects: SystemObject) -> None:
        """Register under a schema."""
        for item in objects:
            self.objects[schema.lower(), item.name.lower()] = item

    def find(self, database: Database, schema: str, name: str) -> SystemObject | None:
        """The object of that name, or None."""
        found = self.objects.get((schema.lower(), name.lower()))
        if found is not None:
            return found
        for finder in self.finders:
            if (found := finder(database, schema.lower(), name.lower())) is not None:
                return found
        return None

    def procedure(self, database: Database, schema: str, name: str) -> Procedure | None:
        """A procedure: of its schema, or of sys where its name begins with sp_ (or xp_)."""
        found = self.find(database, schema or "sys", name)
        if found is None and name.lower().startswith(("sp_", "xp_")):
            found = self.find(database, "sys", name)
        return found if isinstance(found, Procedure) else None
