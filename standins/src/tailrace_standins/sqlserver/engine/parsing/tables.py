"""Parses the columns and constraints of CREATE TABLE and ALTER TABLE.

Source: "CREATE TABLE", https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.errors import unsupported
from tailrace_standins.sqlserver.engine.parsing.queries import QueryReader
from tailrace_standins.sqlserver.values import SqlType

CONSTRAINTS: Final = ("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN")


class TableReader(QueryReader):
    """Reads the parts of a table."""

    def table(self, names: tuple[str, ...]) -> tree.CreateTable:
        """`(column …, CONSTRAINT …)` and the options after it."""
        self.expect("(")
        created = tree.CreateTable(names, [], [])
        while not self.accept(")"):
            if self.at("PERIOD", "FOR"):
                raise unsupported("temporal tables")
            if self.at_any(*CONSTRAINTS):
                created.constraints.append(self.constraint())
            elif self.at("INDEX"):
                raise unsupported("INDEX inside CREATE TABLE")
            else:
                created.columns.append(self.column(len(created.columns) + 1))
            if not self.at(")"):
                self.expect(",")
        self._storage()
        return created

    def _storage(self) -> None:
        """ON filegroup, TEXTIMAGE_ON, WITH (…): skipped, because storage options change no result."""
        while self.at_any("ON", "TEXTIMAGE_ON") or self.at("WITH", "("):
            if self.advance().key == "WITH":
                self._option()
            else:
                self.any_name()
                if self.at("("):
                    self._option()

    def column(self, number: int) -> tree.ColumnDefinition:
        """A column's definition."""
        column = tree.ColumnDefinition(self.name())
        if self.accept("AS"):
            column.computed = self._expression_text()
            column.persisted = self.accept("PERSISTED")
        elif self.at("TIMESTAMP") and self.ahead().key in {",", ")"}:
            column.type = self.type_name()
        else:
            column.alias = "sysname" if self.at("SYSNAME") or self.at("SYS", ".", "SYSNAME") else ""
            column.type = self.type_name(number=number)
        while self._column_part(column):
            pass
        return column

    def _column_part(self, column: tree.ColumnDefinition) -> bool:
        if self.accept("NOT", "NULL"):
            column.nullable = False
        elif self.accept("NULL"):
            column.nullable = True
        elif self.accept("IDENTITY"):
            column.identity = self._identity()
        elif self.accept("COLLATE"):
            assert column.type is not None  # noqa: S101  # COLLATE follows a type
            column.type = SqlType(column.type.name, column.type.length, collation=self.any_name())
        elif self.accept("MASKED", "WITH", "("):
            self.expect("FUNCTION")
            self.expect("=")
            column.masked = self.advance().text
            self.expect(")")
        elif self.accept("ROWGUIDCOL") or self.accept("SPARSE") or self.accept("NOT", "FOR", "REPLICATION"):
            pass
        elif self.at("DEFAULT") or (self.at("CONSTRAINT") and self.ahead(2).key == "DEFAULT"):
            self._default(column)
        elif self.at_any(*CONSTRAINTS, "REFERENCES"):
            column.constraints.append(self.constraint(column.name))
        else:
            return False
        return True

    def _default(self, column: tree.ColumnDefinition) -> None:
        if self.accept("CONSTRAINT"):
            column.default_name = self.name()
        self.expect("DEFAULT")
        column.default = self._value_text()
        column.fills_rows = self.accept("WITH", "VALUES")

    def _identity(self) -> tuple[int, int]:
        if not self.accept("("):
            return 1, 1
        seed = self.integer()
        self.expect(",")
        increment = self.integer()
        self.expect(")")
        return seed, increment

    def _expression_text(self) -> str:
        start = self.token.start
        self.expression()
        return self.text_between(start, self.token.start)

    def _value_text(self) -> str:
        """A default, which is an operand and no whole expression: a NOT NULL after it belongs to the column."""
        start = self.token.start
        self._sum()
        return self.text_between(start, self.token.start)

    def _clustered(self) -> bool | None:
        if self.accept("CLUSTERED"):
            return True
        return False if self.accept("NONCLUSTERED") else None

    def _ordered_names(self) -> list[tuple[str, bool]]:
        self.expect("(")
        found = []
        while True:
            name = self.name()
            descending = self.accept("DESC")
            if not descending:
                self.accept("ASC")
            found.append((name, descending))
            if not self.accept(","):
                break
        self.expect(")")
        return found

    def constraint(self, column: str = "") -> tree.ConstraintDefinition:
        """A constraint, of a table or of the column `column`."""
        name = self.name() if self.accept("CONSTRAINT") else ""
        if self.accept("PRIMARY", "KEY") or self.accept("UNIQUE"):
            kind = "UNIQUE" if self._tokens[self._place - 1].key == "UNIQUE" else "PRIMARY KEY"
            found = tree.ConstraintDefinition(kind, name, clustered=self._clustered())
            found.columns = [(column, False)] if column and not self.at("(") else self._ordered_names()
            self._storage()
            return found
        if self.accept("CHECK"):
            self.accept("NOT", "FOR", "REPLICATION")
            return tree.ConstraintDefinition("CHECK", name, text=self._expression_text())
        if self.accept("DEFAULT"):
            text = self._value_text()
            self.expect("FOR")
            return tree.ConstraintDefinition("DEFAULT", name, [(self.name(), False)], text=text)
        return self._foreign_key(name, column)

    def _foreign_key(self, name: str, column: str) -> tree.ConstraintDefinition:
        columns = [(column, False)]
        if self.accept("FOREIGN", "KEY") and self.at("("):
            columns = self._ordered_names()
        self.expect("REFERENCES")
        found = tree.ConstraintDefinition("FOREIGN KEY", name, columns, references=self.names())
        found.referenced_columns = self.name_list() if self.at("(") else ()
        while self.at_any("ON", "NOT"):
            if self.accept("NOT", "FOR", "REPLICATION"):
                continue
            self.expect("ON")
            event = self.advance().key
            action = self.advance().key
            if action in {"NO", "SET"}:
                action += " " + self.advance().key
            if action != "NO ACTION":
                raise unsupported(f"ON {event} {action}")
        return found
