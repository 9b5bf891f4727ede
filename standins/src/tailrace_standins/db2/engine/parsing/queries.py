"""Parses queries.

Source: IBM Db2 documentation, "Queries and table expressions" (SQL reference)
"""

from __future__ import annotations

from tailrace_standins.db2.engine import tree
from tailrace_standins.db2.engine.parsing.expressions import Expressions
from tailrace_standins.db2.engine.parsing.lexer import Kind
from tailrace_standins.db2.engine.system.environment import FUNCTIONS
from tailrace_standins.db2.session import SqlError

_AFTER_A_TABLE = frozenset({
    "WHERE", "ON", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "JOIN", "GROUP", "ORDER", "HAVING", "UNION", "EXCEPT",
    "INTERSECT",
    "FETCH", "OFFSET", "LIMIT", "WITH", "FOR", "SET", "OPTIMIZE", "VALUES", "AS", "FROM", "SELECT",
    "WAIT", "USE", "SKIP",
})  # fmt: skip


class Queries(Expressions):
    """Reads queries."""

    def query(self) -> tree.Query:
        """A fullselect with its common table expressions, order and limits."""
        common: list[tree.Common] = []
        if self.word("WITH"):
            while True:
                name = self.name()
                columns = self.listed_names() if self.at_sign("(") else ()
                self.expect("AS")
                self.expect_sign("(")
                common.append(tree.Common(name, columns, self.query()))
                self.expect_sign(")")
                if not self.sign(","):
                    break
        body = self._combined()
        order = self.order() if self.word("ORDER", "BY") else ()
        offset = fetch = None
        while True:
            if self.at_word("OFFSET"):
                self.take()
                offset = self.expression()
                self.any_word("ROW", "ROWS")
            elif self.at_word("FETCH") and self.ahead().text in {"FIRST", "NEXT"}:
                self.take()
                self.take()
                fetch = tree.Literal(1, None) if self.at_word("ROW") or self.at_word("ROWS") else self.expression()
                self.any_word("ROW", "ROWS")
                self.expect("ONLY")
            elif self.word("LIMIT"):
                fetch = self.expression()
            else:
                break
        if isinstance(body, tree.Query) and not (common or order or offset or fetch):
            return body
        return tree.Query(body, tuple(common), order, offset, fetch)

    def _combined(self) -> tree.Body:
        left = self._intersected()
        while operator := self.any_word("UNION", "EXCEPT"):
            everything = self.word("ALL")
            left = tree.Combined(operator, everything, left, self._intersected())
        return left

    def _intersected(self) -> tree.Body:
        left = self._primary()
        while self.word("INTERSECT"):
            everything = self.word("ALL")
            left = tree.Combined("INTERSECT", everything, left, self._primary())
        return left

    def _primary(self) -> tree.Body:
        if self.sign("("):
            query = self.query()
            self.expect_sign(")")
            return query
        if self.word("VALUES"):
            rows = [self._row()]
            while self.sign(","):
                rows.append(self._row())
            return tree.Values(tuple(rows))
        self.expect("SELECT")
        distinct = self.any_word("DISTINCT", "ALL") == "DISTINCT"
        items = [self._item()]
        while self.sign(","):
            items.append(self._item())
        self.expect("FROM")
        sources = [self._source()]
        while self.sign(","):
            sources.append(self._source())
        where = self.condition() if self.word("WHERE") else None
        group = self.expressions() if self.word("GROUP", "BY") else ()
        having = self.condition() if self.word("HAVING") else None
        return tree.Select(tuple(items), tuple(sources), distinct, where, group, having)

    def _row(self) -> tuple[tree.Expression, ...]:
        value = self.condition()
        return value.values if isinstance(value, tree.RowValue) else (value,)

    def _item(self) -> tree.Item:
        if self.sign("*"):
            return tree.Item(tree.Star())
        expression = self.condition()
        if self.word("AS") or (
            self.at_name and not (self.token.kind is Kind.WORD and self.token.text in _AFTER_A_TABLE)
        ):
            return tree.Item(expression, self.name())
        return tree.Item(expression)

    def _source(self) -> tree.Source:
        left = self._single()
        while True:
            kind = "INNER"
            if self.at_word("CROSS") or self.at_word("INNER"):
                kind = self.take().text
            elif (
                self.token.kind is Kind.WORD
                and self.token.text in {"LEFT", "RIGHT", "FULL"}
                and self.ahead().text in {"JOIN", "OUTER"}
            ):
                kind = self.take().text
                self.word("OUTER")
            elif not self.at_word("JOIN"):
                return left
            self.expect("JOIN")
            right = self._single()
            on = None
            if kind != "CROSS":
                self.expect("ON")
                on = self.condition()
            left = tree.Join(kind, left, right, on)

    def _single(self) -> tree.Source:
        self.any_word("LATERAL")
        if self.at_word("TABLE") and self.ahead().text == "(":
            self.take()
            if not self._at_query():
                return self._table_function()
        if self.sign("("):
            query = self.query()
            self.expect_sign(")")
            alias, columns = self._alias()
            return tree.Derived(query, alias, columns)
        names = self.names()
        alias, columns = self._alias()
        return tree.Table(names, alias, columns)

    def _table_function(self) -> tree.Table:
        self.expect_sign("(")
        names = self.names()
        view = FUNCTIONS.get((names[0], names[-1]))
        if view is None:
            raise SqlError(-440, "42884", ".".join(names), "FUNCTION")
        for sign in "())":
            self.expect_sign(sign)
        alias, columns = self._alias()
        return tree.Table(view, alias, columns)

    def _alias(self) -> tuple[str, tuple[str, ...]]:
        if not self.word("AS") and (
            not self.at_name or (self.token.kind is Kind.WORD and self.token.text in _AFTER_A_TABLE)
        ):
            return "", ()
        alias = self.name()
        return alias, self.listed_names() if self.at_sign("(") else ()

    def target(self) -> tree.Table:
        """The table of an UPDATE or DELETE."""
        names = self.names()
        return tree.Table(names, self._alias()[0])
