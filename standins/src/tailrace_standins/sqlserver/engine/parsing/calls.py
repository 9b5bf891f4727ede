"""Parses EXEC and {call …}.

Source: "EXECUTE", https://learn.microsoft.com/sql/t-sql/language-elements/execute-transact-sql
"""

from __future__ import annotations

from tailrace_standins.sqlserver.engine import tree, types
from tailrace_standins.sqlserver.engine.parsing.definitions import DefinitionReader
from tailrace_standins.sqlserver.engine.statement_base import Statement


class CallReader(DefinitionReader):
    """Reads calls of procedures."""

    def _called(self) -> Statement:
        """ODBC's {call p(…)} and {? = call p(…)}."""
        self.expect("{")
        if self.token.kind == "variable" and self.ahead().key == "=":
            self.advance()
            self.expect("=")
        self.expect("CALL")
        names = self.names()
        arguments: list[tree.Argument] = []
        if self.accept("(") and not self.accept(")"):
            arguments = self._call_arguments()
            self.expect(")")
        self.expect("}")
        return tree.Execute(names, arguments)

    def _exec(self) -> tree.Execute:
        line = self.advance().line
        found = self._execution()
        found.line = line
        return found

    _execute = _exec

    def _execution(self) -> tree.Execute:
        if self.accept("("):
            text = self.expression()
            self.expect(")")
            return tree.Execute((), [], text=text)
        into = ""
        if self.token.kind == "variable" and self.ahead().key == "=":
            into = self.advance().text.lower()
            self.expect("=")
        if self.token.kind == "variable":
            statement = tree.Execute((), [], into, name_variable=self.advance().text.lower())
        else:
            statement = tree.Execute(self.names(), [], into)
        if not self._ends_statement():
            statement.arguments = self._call_arguments()
        if self.accept("WITH", "RECOMPILE"):
            return statement
        return statement

    def _ends_statement(self) -> bool:
        if self.token.kind in {"string", "nstring", "number", "binary", "variable", "money"} or self.at_any("-", "+"):
            return False
        return not (
            self.token.kind == "word"
            and (self.token.key in {"NULL", "DEFAULT"} or (self.ahead().key in {",", ";", ""} and self.is_name()))
        )

    def _call_arguments(self) -> list[tree.Argument]:
        found = []
        while True:
            name = ""
            if self.token.kind == "variable" and self.ahead().key == "=":
                name = self.advance().text.lower()
                self.expect("=")
            value: tree.Expression | tree.Default
            if self.accept("DEFAULT"):
                value = tree.Default()
            elif self.token.kind == "quoted" or (
                self.token.kind == "word" and self.token.key != "NULL" and self.ahead().key != "("
            ):
                value = tree.Literal(self.advance().text, types.text("nvarchar", 128))  # a bare word is a text
            else:
                value = self.expression()
            is_output = self.accept("OUTPUT") or self.accept("OUT")
            found.append(tree.Argument(name, value, is_output))
            if not self.accept(","):
                return found
