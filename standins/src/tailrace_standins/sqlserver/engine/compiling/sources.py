"""Compiles FROM: tables (as subqueries of visible row versions), views, derived tables, functions, joins.

Source: "FROM clause", https://learn.microsoft.com/sql/t-sql/queries/from-transact-sql
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import parsing, tree, types
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.compiling.calls import CallCompiler
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.scope import Bound, Scope, TableCheck, TableRead, Typed, ViewRead, Visible
from tailrace_standins.sqlserver.engine.system import SystemView, TableFunction
from tailrace_standins.sqlserver.session import Isolation
from tailrace_standins.storage.visibility import DIRTY, UNLOCKED, VISIBLE

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


@dataclass(slots=True)
class CommonTable:
    """A common table expression that a query may name."""

    alias: str
    columns: list[tuple[str, Typed]]


class SourceCompiler(CallCompiler):
    """Compiles sources. `temporary` are #tables and table variables, `dirty` is READ UNCOMMITTED."""

    def __init__(self, session: EngineSession) -> None:
        """Compile for the present state of a session: its database, its variables' types, its temporary tables."""
        engine = session.engine
        super().__init__(engine.catalog, engine.system, engine.catalog.database(session.database), session.types)
        self.session = session
        self.temporary = session.temporary
        self.dirty = session.isolation is Isolation.READ_UNCOMMITTED and not session.is_secondary
        self._aliases = 0
        self._common: list[dict[str, CommonTable]] = []
        self._inner: dict[str, Typed] = {}
        self._is_inside = False

    def query(self, query: tree.Query, scope: Scope) -> tuple[str, list[Typed]]:
        """A query, given by the compiler of queries."""
        raise NotImplementedError

    def alias(self) -> str:
        """A name that no other source has."""
        self._aliases += 1
        return f"f{self._aliases}"

    def source(self, source: tree.Source, scope: Scope) -> str:
        """A source in FROM, bound in the scope."""
        if isinstance(source, tree.Join):
            return self._join(source, scope)
        if isinstance(source, tree.Derived):
            return self._derived(source, scope)
        if isinstance(source, tree.TableCall):
            return self._table_call(source, scope)
        return self._table(source, scope)

    def _join(self, join: tree.Join, scope: Scope) -> str:
        left, right = self.source(join.left, scope), self.source(join.right, scope)
        word = {"CROSS": "JOIN", "INNER": "JOIN"}.get(join.kind, f"{join.kind} JOIN")
        condition = f" ON {self.condition(join.condition, scope)}" if join.condition else ""
        if isinstance(join.right, tree.Join):
            right = f"({right})"
        return f"{left} {word} {right}{condition}"

    def _bind(
        self, scope: Scope, names: tuple[str, ...], columns: list[tuple[str, Typed]], table: Table | None = None
    ) -> str:
        alias = self.alias()
        visible = [Visible(name, _outside(value, alias, i)) for i, (name, value) in enumerate(columns)]
        scope.sources.append(Bound(tuple(name.lower() for name in names), visible, alias, table))
        return alias

    def _derived(self, source: tree.Derived, scope: Scope) -> str:
        if not source.alias:
            raise error(102, ")")
        sql, columns = self.query(source.query, Scope(scope.outer))
        return f"({sql}) AS {self._bind(scope, (source.alias,), named_columns(columns, source.columns, source.alias))}"

    def _table(self, source: tree.Table, scope: Scope) -> str:
        if len(source.names) == 1:
            for known in reversed(self._common):
                found = known.get(source.names[0].lower())
                if found is not None:
                    return f"{found.alias} AS {self._bind(scope, (source.alias or source.names[0],), found.columns)}"
        database, table = self.table(source.names)
        if isinstance(table, SystemView):
            return self._view(database, table, source, scope)
        names = (source.alias,) if source.alias else (database.name, table.schema, table.name)
        return self.stored_table(database, table, names, source.hints, scope)

    def table(self, names: tuple[str, ...]) -> tuple[Database, Table | SystemView]:
        """The table or system view of that name; raises 208."""
        temporary = self.temporary.get(names[-1].lower()) if names[-1][:1] in {"#", "@"} else None
        if temporary is not None:
            return self.database, temporary
        if names[-1].startswith("@"):
            raise error(1087, names[-1])
        database, schema, name = self.catalog.find(names, self.database.name)
        table = database.table(schema, name)
        if table is not None:
            return database, table
        view = self.system.find(database, schema or "sys", name)
        if isinstance(view, SystemView) and (schema or name.lower().startswith("sys")):
            return database, view
        raise error(208, ".".join(names))

    def stored_table(
        self, database: Database, table: Table, names: tuple[str, ...], hints: tuple[str, ...], scope: Scope
    ) -> str:
        """A table as a subquery of its visible rows."""
        inside = Scope(
            None, [Bound(("",), [Visible(c.name, Typed(c.slot, c.type, c.nullable)) for c in table.stored], "")]
        )
        parts, columns = [], []
        for i, column in enumerate(table.columns):
            sql, of, nullable = column.slot, column.type, column.nullable
            if column.computed:
                computed = self.value(parsing.expression(column.computed), inside)
                sql, of = self.converted(computed, column.type).sql, column.type
            parts.append(f"{sql} AS c{i}")
            columns.append(
                (column.name, Typed("", of, nullable, identity=bool(column.identity), computed=bool(column.computed)))
            )
        alias = self._bind(scope, names, columns, table)
        chosen: frozenset[str] = frozenset() if self.session.is_secondary else frozenset(hints)
        dirty = chosen & {"NOLOCK", "READUNCOMMITTED"} or (self.dirty and not chosen)
        if not table.is_temporary:
            hinted = chosen if chosen or not self.dirty else frozenset({"NOLOCK"})
            self.reads.append(TableRead(database, table, hinted, alias, is_inside_function=self._is_inside))
        seen = DIRTY if dirty else UNLOCKED if "READPAST" in chosen else VISIBLE
        return f"(SELECT rid, r, e, {', '.join(parts)} FROM {table.storage} WHERE {seen}) AS {alias}"

    def _view(self, database: Database, view: SystemView, source: tree.Table, scope: Scope) -> str:
        storage = f"temp.v{database.id}_{'_'.join(view.name.split('.'))}_{abs(hash(view.columns)) % 10**9}"
        if all(read.storage != storage for read in self.views):
            self.views.append(ViewRead(database, view, storage))
        names = (source.alias,) if source.alias else tuple(source.names[-3:])
        alias = self._bind(scope, names, [(name, Typed("", of)) for name, of in view.columns])
        return f"{storage} AS {alias}"

    def _table_call(self, source: tree.TableCall, scope: Scope) -> str:
        names = source.call.names
        database, schema, name = self.catalog.find(names, self.database.name)
        found = self.system.find(database, schema or "sys", name)
        if not isinstance(found, TableFunction):
            raise error(208, ".".join(names))
        if len(source.call.arguments) > len(found.parameters):
            raise error(8144, ".".join(names))
        if len(source.call.arguments) < len(found.parameters):
            raise error(313, ".".join(names))
        values = [
            self.converted(self.value(argument, Scope(scope.outer)), of)
            for argument, (_, of) in zip(source.call.arguments, found.parameters, strict=True)
        ]
        if found.check is not None:
            self.checks.append(
                TableCheck(
                    database,
                    found.check,
                    "SELECT " + ",".join(v.sql for v in values or [Typed("1", types.INT)]),
                    tuple(v.type for v in values),
                )
            )
        return self._inlined(found, database, values, source, scope)

    def _inlined(
        self, found: TableFunction, database: Database, values: list[Typed], source: tree.TableCall, scope: Scope
    ) -> str:
        """The function's query with its parameters replaced by the arguments."""
        statement = parsing.batch(found.query(self.session, database))[0]
        assert isinstance(statement, tree.SelectStatement)  # noqa: S101  # a table function is one query
        saved, self._inner, saved_database = (
            self._inner,
            dict(zip((n for n, _ in found.parameters), values, strict=True)),
            self.database,
        )
        self.database, is_inside, self._is_inside = database, self._is_inside, True
        sql, columns = self.query(statement.query, Scope(scope.outer))
        self._inner, self.database, self._is_inside = saved, saved_database, is_inside
        alias = source.alias or source.call.names[-1]
        return f"({sql}) AS {self._bind(scope, (alias,), named_columns(columns, source.columns, alias))}"

    def _variable(self, node: tree.Variable, scope: Scope) -> Typed:
        return self._inner.get(node.name) or super()._variable(node, scope)


def _outside(value: Typed, alias: str, place: int) -> Typed:
    return Typed(f"{alias}.c{place}", value.type, value.nullable, value.name, value.identity, value.computed)


def named_columns(columns: list[Typed], names: tuple[str, ...], of: str) -> list[tuple[str, Typed]]:
    """Columns under the names that they have outside; raises 8155, 8156, 8158, 8159."""
    if names and len(names) != len(columns):
        raise error(8158 if len(columns) > len(names) else 8159, of)
    shown = list(names) or [column.name for column in columns]
    seen: set[str] = set()
    for i, name in enumerate(shown):
        if not name:
            raise error(8155, i + 1, of)
        if name.lower() in seen:
            raise error(8156, name, of)
        seen.add(name.lower())
    return list(zip(shown, columns, strict=True))
