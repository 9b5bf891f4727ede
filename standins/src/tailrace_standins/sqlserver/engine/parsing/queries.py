"""Parses queries.

Source: "SELECT (Transact-SQL)", https://learn.microsoft.com/sql/t-sql/queries/select-transact-sql
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.errors import unsupported
from tailrace_standins.sqlserver.engine.parsing.expressions import ExpressionReader
from tailrace_standins.sqlserver.engine.tree import Expression, Query, Source

_JOINS: Final = {"INNER", "LEFT", "RIGHT", "FULL", "CROSS", "JOIN", "OUTER"}


class QueryReader(ExpressionReader):
    """Reads queries."""

    def query(self) -> Query:
        """A query with its WITH, ORDER BY and OFFSET."""
        common = self.common_tables()
        query = self._combined()
        if self.accept("ORDER", "BY"):
            if isinstance(query, tree.Values):
                raise self.wrong()
            query.order = self.order_items()
            if self.accept("OFFSET"):
                query.offset = self.expression()
                self.advance()  # ROW or ROWS
                query.fetch = self._fetch()
        if self.accept("FOR"):
            raise unsupported(f"FOR {self.token.text.upper()}")
        if self.accept("OPTION"):
            self._option()
        if common:
            if isinstance(query, tree.Values):
                raise self.wrong()
            query.common = common
        return query

    def _fetch(self) -> Expression | None:
        if not self.accept("FETCH"):
            return None
        self.advance()  # FIRST or NEXT
        count = self.expression()
        self.advance()  # ROW or ROWS
        self.expect("ONLY")
        return count

    def _option(self) -> None:
        """Query hints: MAXRECURSION, RECOMPILE and the rest change no result here."""
        self.expect("(")
        depth = 1
        while depth:
            token = self.advance()
            if token.kind == "end":
                raise self.wrong()
            depth += {"(": 1, ")": -1}.get(token.key, 0)

    def common_tables(self) -> list[tree.Common]:
        """WITH a AS (…), b AS (…)."""
        if not self.accept("WITH"):
            return []
        found = []
        while True:
            name = self.name()
            columns = self.name_list() if self.at("(") else ()
            self.expect("AS", "(")
            found.append(tree.Common(name, columns, self.query()))
            self.expect(")")
            if not self.accept(","):
                return found

    def _combined(self) -> Query:
        left = self._intersected()
        while self.at_any("UNION", "EXCEPT"):
            operator = self.advance().key
            if operator == "UNION" and self.accept("ALL"):
                operator = "UNION ALL"
            left = tree.Combined(operator, left, self._intersected())
        return left

    def _intersected(self) -> Query:
        left = self._term()
        while self.accept("INTERSECT"):
            left = tree.Combined("INTERSECT", left, self._term())
        return left

    def _term(self) -> Query:
        if self.accept("("):
            query = self.query()
            self.expect(")")
            return query
        if self.accept("VALUES"):
            return self.values()
        return self._select()

    def values(self) -> tree.Values:
        """The rows after VALUES."""
        rows: list[list[Expression]] = []
        while True:
            self.expect("(")
            rows.append(self.expressions())
            self.expect(")")
            if not self.accept(","):
                return tree.Values(rows)

    def _select(self) -> tree.Select:
        self.expect("SELECT")
        distinct = self.accept("DISTINCT")
        if not distinct:
            self.accept("ALL")
        top = self.top()
        select = tree.Select(self.items(), distinct=distinct, top=top)
        if self.accept("INTO"):
            select.into = self.names()
        if self.accept("FROM"):
            select.sources = self.sources()
        if self.accept("WHERE"):
            select.where = self.expression()
        if self.accept("GROUP", "BY"):
            if self.at_any("ROLLUP", "CUBE", "GROUPING"):
                raise unsupported(f"GROUP BY {self.token.key}")
            select.group = self.expressions()
        if self.accept("HAVING"):
            select.having = self.expression()
        return select

    def top(self) -> Expression | None:
        """TOP (n), or nothing."""
        if not self.accept("TOP"):
            return None
        if self.accept("("):
            count = self.expression()
            self.expect(")")
        else:
            count = self._primary()
        if self.accept("PERCENT"):
            raise unsupported("TOP … PERCENT")
        if self.accept("WITH", "TIES"):
            raise unsupported("TOP … WITH TIES")
        return count

    def items(self) -> list[tree.Item]:
        """A select list."""
        found = [self._item()]
        while self.accept(","):
            found.append(self._item())
        return found

    def _item(self) -> tree.Item:
        if self.token.kind == "variable" and self.ahead().key in {"=", "+=", "-=", "*=", "/="}:
            variable = self.advance().text.lower()
            operator = self.advance().key
            value = self.expression()
            if operator != "=":
                value = tree.Binary(operator[0], tree.Variable(variable), value)
            return tree.Item(value, variable=variable)
        if self.token.kind in {"quoted", "word", "string"} and self.ahead().key == "=":
            alias = self.advance().text
            self.expect("=")
            return tree.Item(self.expression(), alias)
        expression = self.expression()
        return tree.Item(expression, "" if isinstance(expression, tree.Star) else self.alias(strings=True))

    def sources(self) -> list[Source]:
        """The sources after FROM."""
        found = [self._joined()]
        while self.accept(","):
            found.append(self._joined())
        return found

    def _joined(self) -> Source:
        left = self._source()
        while self.token.key in _JOINS:
            left = self._join(left)
        return left

    def _join(self, left: Source) -> Source:
        kind = "INNER" if self.at("JOIN") else self.advance().key
        self.accept("OUTER")
        if self.accept("APPLY"):
            raise unsupported(f"{kind} APPLY")
        for hint in ("LOOP", "HASH", "MERGE"):
            self.accept(hint)
        self.expect("JOIN")
        right = self._source()
        if kind == "CROSS":
            return tree.Join(kind, left, right, None)
        while self.token.key in _JOINS:  # a JOIN b JOIN c ON … ON …
            right = self._join(right)
        self.expect("ON")
        return tree.Join(kind, left, right, self.expression())

    def _source(self) -> Source:
        if self.at("("):
            return self._parenthesised_source()
        names = self.names()
        if self.at("(") and not self._hints_here():
            call = self._call(names)
            return tree.TableCall(call, self.alias(), self.name_list() if self.at("(") else ())
        alias, hints = self.alias(), self.hints()
        return tree.Table(names, alias or (self.alias() if hints else ""), hints or self.hints())

    def _parenthesised_source(self) -> Source:
        if not self._opens_query() and self.ahead().key != "VALUES":
            self.expect("(")
            inner = self._joined()
            self.expect(")")
            return inner
        self.expect("(")
        query = self.query()
        self.expect(")")
        alias = self.alias()
        return tree.Derived(query, alias, self.name_list() if self.at("(") else ())

    def _hints_here(self) -> bool:
        return self.ahead().key in {"NOLOCK", "TABLOCK", "TABLOCKX", "HOLDLOCK", "UPDLOCK", "READPAST"} and self.ahead(
            2
        ).key in {")", ","}

    def hints(self) -> tuple[str, ...]:
        """WITH (NOLOCK, INDEX(…)) in upper case."""
        if self.at("WITH", "("):
            self.expect("WITH")
        elif not (self.at("(") and self._hints_here()):
            return ()
        self.expect("(")
        found = []
        while not self.accept(")"):
            found.append(self.any_hint())
            self.accept(",")
        return tuple(found)

    def any_hint(self) -> str:
        """A hint's name; its arguments in parentheses, such as an index, are skipped because they change no result."""
        token = self.advance()
        if token.kind != "word":
            raise self.wrong()
        if self.accept("="):
            self.advance()
        elif self.at("("):
            self._option()
        return token.key
