"""Parses INSERT, UPDATE and DELETE.

Source: "Data manipulation language", https://learn.microsoft.com/sql/t-sql/queries/queries
"""

from __future__ import annotations

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.errors import unsupported
from tailrace_standins.sqlserver.engine.parsing.calls import CallReader
from tailrace_standins.sqlserver.engine.statement_base import Statement


class ChangeReader(CallReader):
    """Reads statements that change rows."""

    def _target(self) -> tree.Table:
        names = self.names()
        return tree.Table(names, hints=self.hints())

    def _insert(self) -> Statement:
        self.expect("INSERT")
        if self.at("TOP"):
            raise unsupported("INSERT TOP")
        self.accept("INTO")
        names = self.names()
        hints = self.hints() if self.at("WITH") else ()
        columns = self.name_list() if self.at("(") and not self._opens_query() else ()
        statement = tree.Insert(tree.Table(names, hints=hints), columns, None)
        self._output(statement)
        if self.accept("DEFAULT", "VALUES"):
            return statement
        if self.at_any("EXEC", "EXECUTE"):
            statement.source = self._exec()
        elif self.accept("VALUES"):
            statement.source = self._inserted_values()
        else:
            statement.source = self.query()
        return statement

    def _inserted_values(self) -> tree.Values:
        rows: list[list[tree.Expression]] = []
        while True:
            self.expect("(")
            rows.append([self._inserted_value()])
            while self.accept(","):
                rows[-1].append(self._inserted_value())
            self.expect(")")
            if not self.accept(","):
                break
        if self.accept("OPTION"):
            self._option()
        return tree.Values(rows)

    def _inserted_value(self) -> tree.Expression:
        return tree.Call(("DEFAULT",), []) if self.accept("DEFAULT") else self.expression()

    def _output(self, statement: tree.Insert | tree.Update | tree.Delete) -> None:
        if not self.accept("OUTPUT"):
            return
        statement.output = self.items()
        if self.accept("INTO"):
            statement.output_into = self.names()
            if self.at("("):
                raise unsupported("OUTPUT INTO with a list of columns")

    def _update(self) -> Statement:
        self.expect("UPDATE")
        if self.at("STATISTICS"):
            return self.ignored()
        top = self.top()
        statement = tree.Update(self._target(), [], top=top)
        self.expect("SET")
        while True:
            statement.assignments.append(self._assignment())
            if not self.accept(","):
                break
        self._output(statement)
        self._filter(statement)
        return statement

    def _assignment(self) -> tuple[str, str, tree.Expression]:
        variable = column = ""
        if self.token.kind == "variable":
            variable = self.advance().text.lower()
            if self.ahead().key == "=" and self.at("="):
                self.expect("=")
                if self.is_name() and self.ahead().key == "=":
                    column = self.name()
                    self.expect("=")
                return column, variable, self._inserted_value()
        else:
            column = self.names()[-1]
        operator = self.advance().key
        if operator not in {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="}:
            self._place -= 1
            raise self.wrong()
        value = self._inserted_value()
        if operator != "=":
            value = tree.Binary(operator[0], tree.Column((column,)) if column else tree.Variable(variable), value)
        return column, variable, value

    def _filter(self, statement: tree.Update | tree.Delete) -> None:
        if self.accept("FROM"):
            statement.sources = self.sources()
        if self.accept("WHERE"):
            if self.at("CURRENT"):
                raise unsupported("WHERE CURRENT OF")
            statement.where = self.expression()
        if self.accept("OPTION"):
            self._option()

    def _delete(self) -> Statement:
        self.expect("DELETE")
        top = self.top()
        self.accept("FROM")
        statement = tree.Delete(self._target(), top=top)
        self._output(statement)
        self._filter(statement)
        return statement
