"""Compiles VALUES, UNION, EXCEPT and INTERSECT, common table expressions, ORDER BY and TOP.

Source: "Set operators - UNION", https://learn.microsoft.com/sql/t-sql/language-elements/set-operators-union-transact-sql
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from tailrace_standins.sqlserver.engine import collations, tree
from tailrace_standins.sqlserver.engine.compiling.sources import CommonTable, SourceCompiler, named_columns
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.scope import Scope, Typed
from tailrace_standins.sqlserver.engine.type_rules import common
from tailrace_standins.sqlserver.engine.types import BIGINT


class SetCompiler(SourceCompiler):
    """Compiles the parts around a SELECT."""

    def with_tables(self, commons: list[tree.Common], scope: Scope) -> str:
        """WITH …; the tables are known from now on."""
        known: dict[str, CommonTable] = {}
        self._common.append(known)
        parts = []
        for common_table in commons:
            alias = "w" + self.alias()
            body = common_table.query
            if isinstance(body, tree.Combined) and body.operator == "UNION ALL":
                sql, columns = self._recursive(common_table, body, alias, known, scope)
            else:
                sql, columns = self.query(body, Scope(scope.outer))
            known[common_table.name.lower()] = CommonTable(
                alias, named_columns(columns, common_table.columns, common_table.name)
            )
            names = ",".join(f"c{i}" for i in range(len(columns)))
            parts.append(f"{alias}({names}) AS ({sql})")
        return f"WITH RECURSIVE {', '.join(parts)} "

    def _recursive(
        self, common_table: tree.Common, body: tree.Combined, alias: str, known: dict[str, CommonTable], scope: Scope
    ) -> tuple[str, list[Typed]]:
        """A recursive common table expression: the first part determines the types, the second may refer to the table."""
        first, columns = self.query(body.left, Scope(scope.outer))
        known[common_table.name.lower()] = CommonTable(
            alias, named_columns(columns, common_table.columns, common_table.name)
        )
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


def _wrapped(sql: str) -> str:
    return f"SELECT * FROM ({sql})"


def _plain(columns: list[Typed]) -> str:
    return ",".join(f"c{i} AS c{i}" for i in range(len(columns)))
