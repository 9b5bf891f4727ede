"""Parses DECLARE and SET.

Source: "SET statements", https://learn.microsoft.com/sql/t-sql/statements/set-statements-transact-sql
"""

from __future__ import annotations

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.parsing.changes import ChangeReader
from tailrace_standins.sqlserver.engine.statement_base import Statement


class SettingReader(ChangeReader):
    """Parses statements that set variables and options."""

    def _declare(self) -> Statement:
        self.expect("DECLARE")
        found = []
        while True:
            if self.token.kind != "variable":
                raise self.wrong()
            name = self.advance().text.lower()
            self.accept("AS")
            if self.accept("TABLE"):
                found.append(tree.Declared(name, None, table=self.table((name,))))
            else:
                of = self.type_name()
                found.append(tree.Declared(name, of, self.expression() if self.accept("=") else None))
            if not self.accept(","):
                return tree.Declare(found)

    def _set(self) -> Statement:
        self.expect("SET")
        if self.token.kind == "variable":
            name = self.advance().text.lower()
            operator = self.advance().key
            value = self.expression()
            if operator != "=":
                value = tree.Binary(operator[0], tree.Variable(name), value)
            return tree.Assign(name, value)
        return self._set_option()

    def _set_option(self) -> Statement:
        if self.accept("TRANSACTION"):
            self.expect("ISOLATION", "LEVEL")
            words = [self.any_name().upper()]
            if words[0] in {"READ", "REPEATABLE"}:
                words.append(self.any_name().upper())
            return tree.SetOption("TRANSACTION ISOLATION LEVEL", (" ".join(words),))
        names = [self.any_name().upper()]
        if names[0] == "IDENTITY_INSERT":
            table = self.names()
            return tree.SetOption("IDENTITY_INSERT", (self._on_off(),), table)
        if names[0] == "STATISTICS":
            names[0] += " " + self.any_name().upper()
        while self.accept(","):  # SET ANSI_NULLS, QUOTED_IDENTIFIER ON
            names.append(self.any_name().upper())
        if self.token.kind in {"number", "variable", "string", "nstring", "binary"} or self.at("-"):
            return tree.SetOption(",".join(names), (), expression=self.expression())
        return tree.SetOption(",".join(names), (self.any_name().upper(),))

    def _on_off(self) -> str:
        if not self.at_any("ON", "OFF"):
            raise self.wrong()
        return self.advance().key
