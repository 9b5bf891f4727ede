"""Compiles T-SQL queries to SQLite queries.

A table becomes a subquery of its visible row versions (`:s` is the last commit that the reader sees, `:t` the negative id of
its own transaction). Within SQLite every column of a query is named `c0`, `c1`…, so that SQLite's rules for names don't matter.

Source: "SELECT (Transact-SQL)", https://learn.microsoft.com/sql/t-sql/queries/select-transact-sql
"""

# the texts are built of names of our own
from __future__ import annotations

from dataclasses import replace

from tailrace_standins.sqlserver.engine import collations, tree, types
from tailrace_standins.sqlserver.engine.catalog import Table
from tailrace_standins.sqlserver.engine.compiling.calls import is_aggregate
from tailrace_standins.sqlserver.engine.compiling.sets import SetCompiler
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.scope import Plan, Scope, Seek, Typed, result_column
from tailrace_standins.sqlserver.engine.system import SystemView


class QueryCompiler(SetCompiler):
    """Compiles queries. `temporary` are #tables and table variables, `dirty` is READ UNCOMMITTED."""

    def plan(self, query: tree.Query) -> Plan:
        """A whole query, with the columns of its result."""
        if isinstance(query, tree.Select) and not query.order and not query.distinct and not query.group:
            query = self._by_cluster(query)
        sql, columns = self.query(query, Scope())
        shown = tuple(result_column(value, value.name) for value in columns)
        return Plan(sql, shown, self.variables, self.reads, self.views, self.checks)

    def _by_cluster(self, query: tree.Select) -> tree.Select:
        """Order rows of one table by its clustered index. SQL Server does not guarantee that, but clients rely on it."""
        source = query.sources[0] if len(query.sources) == 1 else None
        if (
            not isinstance(source, tree.Table)
            or query.common
            or any(_has_aggregate(item.expression) for item in query.items)
        ):
            return query
        _, table = self.table(source.names)
        names = [] if isinstance(table, SystemView) else cluster_names(table)
        before = (source.alias,) if source.alias else (source.names[-1],)
        return replace(query, order=[tree.Order(tree.Column((*before, name)), down) for name, down in names])

    def subquery(self, query: tree.Query, scope: Scope) -> tuple[str, list[Typed]]:
        """A query inside an expression."""
        saved, self.in_aggregate = self.in_aggregate, 0
        found = self.query(query, Scope(scope))
        self.in_aggregate = saved
        return found

    def query(self, query: tree.Query, scope: Scope) -> tuple[str, list[Typed]]:
        """SQLite's text and the columns, each with the name it has outside; `scope` is the query's own, empty."""
        if isinstance(query, tree.Values):
            return self._values(query, scope)
        prefix = self.with_tables(query.common, scope) if query.common else ""
        sql, columns = self._select(query, scope) if isinstance(query, tree.Select) else self._combined(query, scope)
        if query.common:
            self._common.pop()
        return prefix + sql, columns

    def _select(self, query: tree.Select, scope: Scope) -> tuple[str, list[Typed]]:
        sources = [self.source(source, scope) for source in query.sources]
        where = self.condition(query.where, scope) if query.where else ""
        if query.where:
            self.seeks(query.where, scope)
        group = self._group(query, scope)
        columns = self.items(query.items, scope)
        listed = ", ".join(
            f"{c.sql}{collations.suffix(c.type) if query.distinct else ''} AS c{i}" for i, c in enumerate(columns)
        )
        parts = [f"SELECT {'DISTINCT ' if query.distinct else ''}{listed}"]
        if sources:
            parts.append(" FROM " + " JOIN ".join(sources))
        if where:
            parts.append(f" WHERE {where}")
        parts.append(group)
        parts.append(self._ordered(query, columns, query.items, scope))
        parts.append(self.limit(query.top, query.offset, query.fetch, scope))
        outer = [Typed(f"c{i}", c.type, c.nullable, c.name, c.identity, c.computed) for i, c in enumerate(columns)]
        return "".join(parts), outer

    def _group(self, query: tree.Select, scope: Scope) -> str:
        keys = [self.value(each, scope) for each in query.group]
        sql = ""
        if keys:
            sql = " GROUP BY " + ", ".join(key.sql + collations.suffix(key.type) for key in keys)
            if all(isinstance(each, tree.Column) for each in query.group):
                scope.grouped = {key.sql for key in keys}
        elif query.having or any(is_aggregate(item.expression) for item in query.items):
            scope.grouped = set()
        if query.having:
            sql += (" GROUP BY NULL" if not keys else "") + f" HAVING {self.condition(query.having, scope)}"
        return sql

    def items(self, items: list[tree.Item], scope: Scope) -> list[Typed]:
        """A select list."""
        found: list[Typed] = []
        for item in items:
            if isinstance(item.expression, tree.Star):
                found.extend(self._star_columns(item.expression, scope))
                continue
            value = self.value(item.expression, scope)
            if value.type == types.BOOLEAN:
                raise error(102, "a condition in a select list")
            name = item.alias or (item.expression.names[-1] if isinstance(item.expression, tree.Column) else "")
            found.append(
                Typed(value.sql, value.type, value.nullable, name, value.identity, value.computed, value.is_constant)
            )
        return found

    def _star_columns(self, star: tree.Star, scope: Scope) -> list[Typed]:
        names = tuple(name.lower() for name in star.names)
        sources = [source for source in scope.sources if not names or source.answers(names)]
        if not sources:
            raise error(107, ".".join(star.names)) if star.names else error(102, "*")
        found = []
        for source in sources:
            for column in source.columns:
                value = column.value
                if scope.grouped is not None and value.sql not in scope.grouped:
                    raise error(8120, column.name)
                found.append(Typed(value.sql, value.type, value.nullable, column.name, value.identity, value.computed))
        return found

    def seeks(self, where: tree.Expression, scope: Scope) -> None:
        """Record the `column = constant` terms of the tables read: an index seek reads, and locks, no other rows."""
        if not isinstance(where, tree.Binary):
            return
        if where.operator == "AND":
            self.seeks(where.left, scope)
            self.seeks(where.right, scope)
        elif where.operator == "=":
            for side, other in ((where.left, where.right), (where.right, where.left)):
                if isinstance(side, tree.Column) and isinstance(other, tree.Literal | tree.Variable):
                    self._seek(side, other, scope)

    def _seek(self, side: tree.Column, other: tree.Literal | tree.Variable, scope: Scope) -> None:
        for source in scope.sources:
            column = source.table.by_name.get(side.names[-1].lower()) if source.table else None
            value = next((c.value for c in source.columns if c.name.lower() == side.names[-1].lower()), None)
            if column is None or column.computed or value is None or self._column(side, scope).sql != value.sql:
                continue
            sql = self.compared("=", Typed(column.slot, column.type), self.value(other, scope))
            for read in self.reads:
                if read.alias == source.alias and any(index.columns[0][0] == column.id for index in read.table.indexes):
                    read.seeks.append(Seek(column, sql))


def cluster_names(table: Table) -> list[tuple[str, bool]]:
    """The columns of the clustered index, with whether they descend."""
    index = next((index for index in table.indexes if index.clustered), None)
    return [(table.by_id[column].name, down) for column, down in index.columns] if index else []


def _has_aggregate(node: object) -> bool:
    """Whether an expression holds an aggregate or a window, anywhere."""
    if isinstance(node, tree.Call):
        return is_aggregate(node) or node.window is not None or any(_has_aggregate(each) for each in node.arguments)
    if isinstance(node, list | tuple):
        return any(_has_aggregate(each) for each in node)
    fields = getattr(node, "__dataclass_fields__", None)
    return any(_has_aggregate(getattr(node, name)) for name in fields or () if name not in {"query", "type"})
