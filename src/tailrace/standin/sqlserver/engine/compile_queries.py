"""Queries of T-SQL as queries of SQLite.

A table becomes a subquery of what the reader may see (`:s` the last commit it sees, `:t` its own transaction,
negative); every column of a query is called `c0`, `c1`… inside, so that names of T-SQL never meet SQLite's rules.

Source: "SELECT (Transact-SQL)", https://learn.microsoft.com/sql/t-sql/queries/select-transact-sql
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tailrace.standin.sqlserver.engine import collations, parse, tree, types
from tailrace.standin.sqlserver.engine.catalog import Database, Table
from tailrace.standin.sqlserver.engine.compile_calls import CallCompiler, is_aggregate
from tailrace.standin.sqlserver.engine.errors import error, unsupported
from tailrace.standin.sqlserver.engine.scope import (
    Bound,
    Plan,
    Scope,
    Seek,
    TableCheck,
    TableRead,
    Typed,
    ViewRead,
    Visible,
    result_column,
)
from tailrace.standin.sqlserver.engine.system import SystemView, TableFunction
from tailrace.standin.sqlserver.engine.types import BIGINT, common
from tailrace.standin.sqlserver.session import Isolation

if TYPE_CHECKING:
    from tailrace.standin.sqlserver.engine.session import EngineSession

LIVE: Final = 9_000_000_000_000_000_000  # a version that nobody ended
LATEST: Final = LIVE - 1  # `:s` of a reader that sees all that is committed
VISIBLE: Final = "b<=:s AND (b>0 OR b=:t) AND (e>:s OR (e<0 AND e<>:t))"
UNLOCKED: Final = "b<=:s AND (b>0 OR b=:t) AND e>:s"  # READPAST
DIRTY: Final = f"e={LIVE}"


@dataclass(slots=True)
class _Common:
    """A common table expression that a query may name."""

    alias: str
    columns: list[tuple[str, Typed]]


class QueryCompiler(CallCompiler):
    """Compiles queries. `temporary` are #tables and table variables, `dirty` is READ UNCOMMITTED."""

    def __init__(self, session: EngineSession) -> None:
        """Compile for a session as it stands: its database, its variables' types, its temporary tables."""
        engine = session.engine
        super().__init__(engine.catalog, engine.system, engine.catalog.database(session.database), session.types)
        self.session = session
        self.temporary = session.temporary
        self.dirty = session.isolation is Isolation.READ_UNCOMMITTED
        self._aliases = 0
        self._common: list[dict[str, _Common]] = []
        self._inner: dict[str, Typed] = {}

    def plan(self, query: tree.Query) -> Plan:
        """A whole query, with the columns of its result."""
        if isinstance(query, tree.Select) and not query.order and not query.distinct and not query.group:
            query = self._by_cluster(query)
        sql, columns = self.query(query, Scope())
        shown = tuple(result_column(value, value.name) for value in columns)
        return Plan(sql, shown, self.variables, self.reads, self.views, self.checks)

    def _by_cluster(self, query: tree.Select) -> tree.Select:
        """Rows of one table without ORDER BY come as its clustered index has them: nobody promises it, much relies on it."""
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

    def alias(self) -> str:
        """A name that no other source has."""
        self._aliases += 1
        return f"f{self._aliases}"

    def query(self, query: tree.Query, scope: Scope) -> tuple[str, list[Typed]]:
        """SQLite's text and the columns, each with the name it has outside; `scope` is the query's own, empty."""
        if isinstance(query, tree.Values):
            return self._values(query, scope)
        prefix = self.with_tables(query.common, scope) if query.common else ""
        sql, columns = self._select(query, scope) if isinstance(query, tree.Select) else self._combined(query, scope)
        if query.common:
            self._common.pop()
        return prefix + sql, columns

    def with_tables(self, commons: list[tree.Common], scope: Scope) -> str:
        """WITH …; the tables are known from now on."""
        known: dict[str, _Common] = {}
        self._common.append(known)
        parts = []
        for common_table in commons:
            alias = "w" + self.alias()
            body = common_table.query
            if isinstance(body, tree.Combined) and body.operator == "UNION ALL":
                sql, columns = self._recursive(common_table, body, alias, known, scope)
            else:
                sql, columns = self.query(body, Scope(scope.outer))
            known[common_table.name.lower()] = _Common(alias, _named(columns, common_table.columns, common_table.name))
            names = ",".join(f"c{i}" for i in range(len(columns)))
            parts.append(f"{alias}({names}) AS ({sql})")
        return f"WITH RECURSIVE {', '.join(parts)} "

    def _recursive(
        self, common_table: tree.Common, body: tree.Combined, alias: str, known: dict[str, _Common], scope: Scope
    ) -> tuple[str, list[Typed]]:
        """The first part gives the types; the second may name the table itself."""
        first, columns = self.query(body.left, Scope(scope.outer))
        known[common_table.name.lower()] = _Common(alias, _named(columns, common_table.columns, common_table.name))
        second, others = self.query(body.right, Scope(scope.outer))
        if len(columns) != len(others):
            raise error(205)
        cast = ",".join(
            self.converted(Typed(f"c{i}", b.type), a.type).sql + f" AS c{i}"
            for i, (a, b) in enumerate(zip(columns, others, strict=True))
        )
        return f"{_wrapped(first)} UNION ALL SELECT {cast} FROM ({second})" if cast != _plain(
            columns
        ) else f"{_wrapped(first)} UNION ALL {second}", columns

    def _values(self, query: tree.Values, scope: Scope) -> tuple[str, list[Typed]]:
        rows = [[self.value(each, scope) for each in row] for row in query.rows]
        if len({len(row) for row in rows}) > 1:
            raise error(10709)
        united = [self.united(list(column)) for column in zip(*rows, strict=True)]
        parts = [
            "SELECT "
            + ",".join(
                f"{self.converted(value, of).sql} AS c{i}"
                for i, (value, of) in enumerate(zip(row, united, strict=True))
            )
            for row in rows
        ]
        nullable = [any(value.nullable for value in column) for column in zip(*rows, strict=True)]
        return " UNION ALL ".join(parts), [
            Typed(f"c{i}", of, null) for i, (of, null) in enumerate(zip(united, nullable, strict=True))
        ]

    def _combined(self, query: tree.Combined, scope: Scope) -> tuple[str, list[Typed]]:
        left, columns = self.query(query.left, Scope(scope.outer))
        right, others = self.query(query.right, Scope(scope.outer))
        if len(columns) != len(others):
            raise error(205)
        united = [
            Typed(f"c{i}", common(a.type, b.type), a.nullable or b.nullable, a.name)
            for i, (a, b) in enumerate(zip(columns, others, strict=True))
        ]
        is_set = query.operator != "UNION ALL"
        left, right = (
            self._recast(left, columns, united, is_set=is_set),
            self._recast(right, others, united, is_set=False),
        )
        sql = f"{left} {query.operator} {right}"
        if query.order or query.offset:
            sql = (
                f"SELECT * FROM ({sql})"
                + self._ordered(query, united, None, Scope())
                + self.limit(None, query.offset, query.fetch, scope)
            )
        return sql, united

    def _recast(self, sql: str, columns: list[Typed], united: list[Typed], *, is_set: bool) -> str:
        parts = []
        for i, (column, to) in enumerate(zip(columns, united, strict=True)):
            value = self.converted(Typed(f"c{i}", column.type), to.type).sql
            parts.append(f"{value}{collations.suffix(to.type) if is_set else ''} AS c{i}")
        return f"SELECT {', '.join(parts)} FROM ({sql})"

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

    def _ordered(
        self, query: tree.Select | tree.Combined, columns: list[Typed], items: list[tree.Item] | None, scope: Scope
    ) -> str:
        if not query.order:
            return ""
        names = [column.name.lower() for column in columns]
        aliased = {item.alias.lower() for item in items if item.alias} if items else set(names)
        parts = []
        for item in query.order:
            node = item.expression
            if isinstance(node, tree.Literal) and isinstance(node.value, int):
                if not 1 <= node.value <= len(columns):
                    raise error(108, node.value)
                key = Typed(str(node.value), columns[node.value - 1].type)
            elif isinstance(node, tree.Column) and len(node.names) == 1 and node.names[0].lower() in aliased:
                place = names.index(node.names[0].lower())
                key = Typed(str(place + 1), columns[place].type)
            elif items is None:
                raise (
                    error(207, node.names[-1])
                    if isinstance(node, tree.Column)
                    else unsupported("ORDER BY of an expression after UNION")
                )
            else:
                key = self.value(node, scope)
            parts.append(key.sql + collations.suffix(key.type) + (" DESC" if item.descending else ""))
        return " ORDER BY " + ", ".join(parts)

    def limit(
        self, top: tree.Expression | None, offset: tree.Expression | None, fetch: tree.Expression | None, scope: Scope
    ) -> str:
        """TOP, OFFSET and FETCH as LIMIT."""
        if top is None and offset is None:
            return ""
        count = top if offset is None else fetch
        sql = " LIMIT " + (
            f"row_count({self.converted(self.value(count, scope), BIGINT).sql})" if count is not None else "-1"
        )
        if offset is not None:
            sql += f" OFFSET row_count({self.converted(self.value(offset, scope), BIGINT).sql})"
        return sql

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
        return f"({sql}) AS {self._bind(scope, (source.alias,), _named(columns, source.columns, source.alias))}"

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
        """A table as the subquery of what may be seen of it."""
        inside = Scope(
            None, [Bound(("",), [Visible(c.name, Typed(c.slot, c.type, c.nullable)) for c in table.stored], "")]
        )
        parts, columns = [], []
        for i, column in enumerate(table.columns):
            sql, of, nullable = column.slot, column.type, column.nullable
            if column.computed:
                computed = self.value(parse.expression(column.computed), inside)
                sql, of = self.converted(computed, column.type).sql, column.type
            parts.append(f"{sql} AS c{i}")
            columns.append(
                (column.name, Typed("", of, nullable, identity=bool(column.identity), computed=bool(column.computed)))
            )
        alias = self._bind(scope, names, columns, table)
        chosen = frozenset(hints)
        dirty = chosen & {"NOLOCK", "READUNCOMMITTED"} or (self.dirty and not chosen)
        if not table.is_temporary:
            self.reads.append(
                TableRead(database, table, chosen if chosen or not self.dirty else frozenset({"NOLOCK"}), alias)
            )
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
        """The function's query with the arguments in place of its parameters."""
        statement = parse.batch(found.query(self.session, database))[0]
        assert isinstance(statement, tree.SelectStatement)  # noqa: S101  # a table function is one query
        saved, self._inner, saved_database = (
            self._inner,
            dict(zip((n for n, _ in found.parameters), values, strict=True)),
            self.database,
        )
        self.database = database
        sql, columns = self.query(statement.query, Scope(scope.outer))
        self._inner, self.database = saved, saved_database
        alias = source.alias or source.call.names[-1]
        return f"({sql}) AS {self._bind(scope, (alias,), _named(columns, source.columns, alias))}"

    def _variable(self, node: tree.Variable, scope: Scope) -> Typed:
        return self._inner.get(node.name) or super()._variable(node, scope)

    def seeks(self, where: tree.Expression, scope: Scope) -> None:
        """Note what `column = constant` terms say of the tables read (an index seek looks at no other rows)."""
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


def _outside(value: Typed, alias: str, place: int) -> Typed:
    return Typed(f"{alias}.c{place}", value.type, value.nullable, value.name, value.identity, value.computed)


def _named(columns: list[Typed], names: tuple[str, ...], of: str) -> list[tuple[str, Typed]]:
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


def _wrapped(sql: str) -> str:
    return f"SELECT * FROM ({sql})"


def _plain(columns: list[Typed]) -> str:
    return ",".join(f"c{i} AS c{i}" for i in range(len(columns)))
