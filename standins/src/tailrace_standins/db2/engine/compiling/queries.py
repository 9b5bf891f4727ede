"""Compiles queries."""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import count
from typing import Any

from tailrace_standins.db2.engine import system, tree, types
from tailrace_standins.db2.engine.catalog import Database
from tailrace_standins.db2.engine.compiling.expressions import Expressions
from tailrace_standins.db2.engine.compiling.scope import VISIBLE, Plan, Scope, Source, Typed, directed, unsupported
from tailrace_standins.db2.session import SqlError


class Queries(Expressions):
    """Compiles queries; sources in SQLite are named `q` with a number."""

    def __init__(self, database: Database, schema: str, functions_of: dict[tuple[str, str], Any]) -> None:
        super().__init__(database, schema, functions_of)
        self._sources = count()
        self._common: list[dict[str, tuple[str, list[Typed]]]] = []

    def subquery(self, query: tree.Query, scope: Scope) -> tuple[str, list[Typed]]:
        """A query within an expression."""
        return self.query(query, Scope(scope))

    def plan(self, query: tree.Query) -> Plan:
        """A whole query."""
        sql, columns = self.query(query, Scope())
        return self.planned(sql, columns)

    def planned(self, sql: str, columns: list[Typed]) -> Plan:
        """A plan of what was compiled."""
        return Plan(sql, tuple(columns), self.parameters, tuple(self.tables), tuple(self.views), tuple(self.registers))

    def query(self, query: tree.Query, scope: Scope) -> tuple[str, list[Typed]]:
        """SQLite's text and the columns; `scope` is the query's own, empty."""
        prefix = ""
        if query.common:
            prefix = self._with(query.common, scope)
        body = query.body
        if isinstance(body, tree.Select):
            sql, columns = self._select(body, scope, query.order)
        else:
            sql, columns = self._body(body, scope)
            if query.order:
                sql = f"SELECT * FROM ({sql}) ORDER BY {self._ordered_result(query.order, columns)}"
            elif query.fetch is not None or query.offset is not None:
                sql = f"SELECT * FROM ({sql})"
        if query.fetch is not None or query.offset is not None:
            rows = self.value(query.fetch, scope, types.BIGINT).sql if query.fetch is not None else "-1"
            skipped = f" OFFSET {self.value(query.offset, scope, types.BIGINT).sql}" if query.offset is not None else ""
            sql = f"{sql} LIMIT {rows}{skipped}"
        if query.common:
            self._common.pop()
        return prefix + sql, columns

    def _with(self, common: tuple[tree.Common, ...], scope: Scope) -> str:
        known: dict[str, tuple[str, list[Typed]]] = {}
        self._common.append(known)
        parts = []
        for each in common:
            sql, columns = self.query(each.query, Scope(scope.outer))
            if each.columns:
                columns = [replace(typed, name=name) for typed, name in zip(columns, each.columns, strict=True)]
            name = f"w{next(self._sources)}"
            known[each.name] = (name, columns)
            parts.append(f"{name} AS ({sql})")
        return f"WITH {', '.join(parts)} "

    def _body(self, body: tree.Body, scope: Scope) -> tuple[str, list[Typed]]:
        if isinstance(body, tree.Query):
            sql, columns = self.query(body, scope)
            return f"SELECT * FROM ({sql})", columns
        if isinstance(body, tree.Select):
            return self._select(body, scope, ())
        if isinstance(body, tree.Values):
            return self._values(body, scope)
        return self._set(body, scope)

    def _set(self, body: tree.Combined, scope: Scope) -> tuple[str, list[Typed]]:
        left, a = self._body(body.left, Scope(scope.outer))
        right, b = self._body(body.right, Scope(scope.outer))
        if len(a) != len(b):
            raise SqlError(-421, "42826", body.operator)
        both = [self.unified([x, y]) for x, y in zip(a, b, strict=True)]
        sides = []
        for side, sql in enumerate((left, right)):
            listed = ", ".join(f"{pair[side].sql} AS c{place}" for place, pair in enumerate(both))
            sides.append(f"SELECT {listed} FROM ({sql})")
        if isinstance(body.left, tree.Combined) and all(pair[0].sql == f"c{place}" for place, pair in enumerate(both)):
            sides[0] = left  # SQLite combines from the left, too, and refuses many parentheses in each other
        operator = body.operator + (" ALL" if body.everything else "")
        if body.everything and body.operator != "UNION":
            raise unsupported(operator)
        merged = [
            Typed(
                f"c{place}", pair[0].type or pair[1].type, x.nullable or y.nullable, x.name if x.name == y.name else ""
            )
            for place, (pair, x, y) in enumerate(zip(both, a, b, strict=True))
        ]
        return f"{sides[0]} {operator} {sides[1]}", merged

    def _values(self, body: tree.Values, scope: Scope) -> tuple[str, list[Typed]]:
        rows = [[self.value(each, scope) for each in row] for row in body.rows]
        if len({len(row) for row in rows}) != 1:
            raise SqlError(-421, "42826", "VALUES")
        columns = [self.unified([row[place] for row in rows]) for place in range(len(rows[0]))]
        listed = ", ".join(f"column{place} AS c{place - 1}" for place in range(1, len(columns) + 1))
        parts = ["(" + ", ".join(column[number].sql for column in columns) + ")" for number in range(len(rows))]
        typed = [
            Typed(f"c{place}", column[0].type, any(each.nullable for each in column), parameter=column[0].parameter)
            for place, column in enumerate(columns)
        ]
        return f"SELECT {listed} FROM (VALUES {', '.join(parts)})", typed

    def _select(self, select: tree.Select, scope: Scope, order: tuple[tree.Order, ...]) -> tuple[str, list[Typed]]:
        sources = [self.source(source, scope) for source in select.sources]
        where = f" WHERE {self.value(select.where, scope).sql}" if select.where is not None else ""
        columns = self._items(select.items, scope)
        distinct = " DISTINCT" if select.distinct else ""
        listed = ", ".join(
            f"{each.collated() if distinct else each.sql} AS c{place}" for place, each in enumerate(columns)
        )
        group = ""
        if select.group:
            group = " GROUP BY " + ", ".join(self.value(each, scope).collated() for each in select.group)
        if select.having is not None:
            group += ("" if select.group else " GROUP BY NULL") + f" HAVING {self.value(select.having, scope).sql}"
        sql = f"SELECT{distinct} {listed} FROM {' CROSS JOIN '.join(sources)}{where}{group}"
        if order:
            sql += f" ORDER BY {self._ordered(order, select.items, columns, scope)}"
        outer = [
            Typed(f"c{place}", each.type, each.nullable, each.name, each.parameter)
            for place, each in enumerate(columns)
        ]
        return sql, outer

    def _items(self, items: tuple[tree.Item, ...], scope: Scope) -> list[Typed]:
        found: list[Typed] = []
        for item in items:
            if isinstance(item.expression, tree.Star):
                names = item.expression.names
                sources = [source for source in scope.sources if source.answers(names)]
                if not sources:
                    raise SqlError(-206, "42703", ".".join((*names, "*")))
                found += [replace(typed, name=name) for source in sources for name, typed in source.columns]
                continue
            value = self.value(item.expression, scope)
            name = item.alias or (value.name if isinstance(item.expression, tree.Column) else "")
            found.append(replace(value, name=name))
        return found

    def _ordered(
        self, order: tuple[tree.Order, ...], items: tuple[tree.Item, ...], columns: list[Typed], scope: Scope
    ) -> str:
        aliases = {
            item.alias: columns[place] for place, item in enumerate(items) if item.alias and len(items) == len(columns)
        }
        named: defaultdict[str, list[Typed]] = defaultdict(list)
        for column in columns:
            named[column.name].append(column)
        parts = []
        for each in order:
            node = each.expression
            if isinstance(node, tree.Literal) and isinstance(node.value, int):
                if not 1 <= node.value <= len(columns):
                    raise SqlError(-125, "42805")
                value = columns[node.value - 1]
            elif isinstance(node, tree.Column) and len(node.names) == 1 and node.names[0] in aliases:
                value = aliases[node.names[0]]
            elif isinstance(node, tree.Column) and len(node.names) == 1 and len(named[node.names[0]]) == 1:
                value = named[node.names[0]][0]
            else:
                value = self.value(node, scope)
            parts.append(directed(value, each))
        return ", ".join(parts)

    def _ordered_result(self, order: tuple[tree.Order, ...], columns: list[Typed]) -> str:
        """ORDER BY of a union: by its columns alone."""
        parts = []
        for each in order:
            node = each.expression
            if isinstance(node, tree.Literal) and isinstance(node.value, int) and 1 <= node.value <= len(columns):
                parts.append(directed(columns[node.value - 1], each))
                continue
            name = node.names[-1] if isinstance(node, tree.Column) else ""
            found = next((typed for typed in columns if name and typed.name == name), None)
            if found is None:
                raise SqlError(-208, "42707", name)
            parts.append(directed(found, each))
        return ", ".join(parts)

    def source(self, source: tree.Source, scope: Scope) -> str:
        """A source in FROM, as SQLite's text; its columns come into the scope."""
        if isinstance(source, tree.Join):
            left = self.source(source.left, scope)
            right = self.source(source.right, scope)
            if source.kind == "CROSS":
                return f"({left} CROSS JOIN {right})"
            assert source.on is not None  # noqa: S101  # the parser demands it
            before = len(scope.sources)
            on = self.value(source.on, scope).sql
            del scope.sources[before:]
            return f"{left} {source.kind} JOIN {right} ON {on}"
        name = f"q{next(self._sources)}"
        if isinstance(source, tree.Derived):
            sql, columns = self.query(source.query, Scope(scope.outer))
            self._add(scope, name, source.alias, "", columns, source.columns)
            return f"({sql}) AS {name}"
        for known in reversed(self._common):
            if len(source.names) == 1 and source.names[0] in known:
                inner, columns = known[source.names[0]]
                self._add(scope, name, source.alias or source.names[0], "", columns, source.columns)
                return f"{inner} AS {name}"
        schema, table = self.named(source.names)
        view = system.views(self.database).get((schema, table))
        if view is not None:
            self.views.append(view.storage)
            columns = [
                Typed(f"c{place}", column.type, column.nullable, column.name)
                for place, column in enumerate(view.columns)
            ]
            self._add(scope, name, source.alias or table, schema, columns, source.columns)
            return f"temp.{view.storage} AS {name}"
        found = self.database.find(schema, table)
        self.tables.append(found)
        columns = [
            Typed(f"c{place}", column.type, column.nullable, column.name) for place, column in enumerate(found.columns)
        ]
        listed = "".join(f", {column.slot} AS c{place}" for place, column in enumerate(found.columns))
        self._add(scope, name, source.alias or table, schema, columns, source.columns)
        return f"(SELECT rid, r, e{listed} FROM {found.storage} WHERE {VISIBLE}) AS {name}"

    def _add(
        self, scope: Scope, name: str, alias: str, schema: str, columns: list[Typed], names: tuple[str, ...]
    ) -> None:
        if names and len(names) != len(columns):
            raise SqlError(-158, "42811")
        shown = names or tuple(typed.name for typed in columns)
        listed = [
            (each, replace(typed, sql=f"{name}.c{place}"))
            for place, (each, typed) in enumerate(zip(shown, columns, strict=True))
        ]
        scope.sources.append(Source(alias, schema, listed))

    def named(self, names: tuple[str, ...]) -> tuple[str, str]:
        """Schema and name; raises `SqlError` -204 for a name of more parts."""
        if len(names) > 2:
            raise SqlError(-204, "42704", ".".join(names))
        return (names[0], names[1]) if len(names) == 2 else (self.schema, names[0])
