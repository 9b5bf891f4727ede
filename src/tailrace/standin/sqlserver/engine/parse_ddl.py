"""CREATE, ALTER, DROP and TRUNCATE as trees.

Sources: "CREATE TABLE", https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql;
"ALTER TABLE", https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql
"""

from __future__ import annotations

from typing import Final

from tailrace.standin.sqlserver.engine import tree
from tailrace.standin.sqlserver.engine.errors import unsupported
from tailrace.standin.sqlserver.engine.parse_queries import QueryReader
from tailrace.standin.sqlserver.values import SqlType

_CONSTRAINTS: Final = ("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN")


class DefinitionReader(QueryReader):
    """Reads statements that define things."""

    def create(self) -> tree.Statement:
        """CREATE …."""
        self.expect("CREATE")
        if self.accept("TABLE"):
            return self.table(self.names())
        if self.accept("DATABASE"):
            name = self.name()
            return tree.CreateDatabase(name, self._rest_of_database())
        if self.accept("SCHEMA"):
            name = self.name()
            if self.accept("AUTHORIZATION"):
                self.name()
            return tree.CreateSchema(name)
        unique = self.accept("UNIQUE")
        clustered = self._clustered()
        if self.accept("INDEX"):
            return self._index(unique=unique, clustered=bool(clustered))
        if self.at_any("LOGIN", "USER", "ROLE", "STATISTICS"):
            return self.ignored()
        raise unsupported(f"CREATE {self.token.text.upper()}")

    def ignored(self) -> tree.Ignored:
        """A statement of which only the end matters."""
        start = self.token.start
        while self.token.kind != "end" and not self.at(";"):
            self.advance()
        return tree.Ignored(self.text_between(start, self.token.start))

    def _rest_of_database(self) -> str:
        collation = ""
        while self.token.kind != "end" and not self.at(";"):
            if self.accept("COLLATE"):
                collation = self.any_name()
            elif self.at_any("ON", "LOG", "WITH", "CONTAINMENT"):
                self.ignored()
            else:
                break
        return collation

    def table(self, names: tuple[str, ...]) -> tree.CreateTable:
        """`(column …, CONSTRAINT …)` and what stands behind it."""
        self.expect("(")
        created = tree.CreateTable(names, [], [])
        while not self.accept(")"):
            if self.at("PERIOD", "FOR"):
                raise unsupported("temporal tables")
            if self.at_any(*_CONSTRAINTS):
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
        """ON filegroup, TEXTIMAGE_ON, WITH (…): where and how rows lie changes no result."""
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
            assert column.type is not None  # noqa: S101  # COLLATE stands after a type
            column.type = SqlType(column.type.name, column.type.length, collation=self.any_name())
        elif self.accept("ROWGUIDCOL") or self.accept("SPARSE") or self.accept("NOT", "FOR", "REPLICATION"):
            pass
        elif self.at("DEFAULT") or (self.at("CONSTRAINT") and self.ahead(2).key == "DEFAULT"):
            self._default(column)
        elif self.at_any(*_CONSTRAINTS, "REFERENCES"):
            column.constraints.append(self.constraint(column.name))
        else:
            return False
        return True

    def _default(self, column: tree.ColumnDefinition) -> None:
        if self.accept("CONSTRAINT"):
            column.default_name = self.name()
        self.expect("DEFAULT")
        column.default = self._value_text()
        if self.accept("WITH", "VALUES"):
            return

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
        """A default: an operand, so that NOT NULL behind it stays the column's."""
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

    def _index(self, *, unique: bool, clustered: bool) -> tree.CreateIndex:
        name = self.name()
        self.expect("ON")
        table = self.names()
        columns = self._ordered_names()
        included = self.name_list() if self.accept("INCLUDE") else ()
        index = tree.CreateIndex(name, table, columns, included, unique, clustered)
        if self.accept("WHERE"):
            index.filter = self._expression_text()
        self._storage()
        return index

    def drop(self) -> tree.Statement:
        """DROP …."""
        self.expect("DROP")
        kind = self.advance().key
        if kind in {"LOGIN", "USER", "ROLE", "STATISTICS"}:
            return self.ignored()
        if kind not in {"TABLE", "INDEX", "SCHEMA", "DATABASE", "VIEW", "PROCEDURE", "PROC", "FUNCTION", "TRIGGER"}:
            raise unsupported(f"DROP {kind}")
        if_exists = self.accept("IF", "EXISTS")
        found = [self._dropped(kind)]
        while self.accept(","):
            found.append(self._dropped(kind))
        return tree.Drop(kind, found, if_exists)

    def _dropped(self, kind: str) -> tuple[str, ...]:
        names = self.names()
        if kind == "INDEX" and self.accept("ON"):
            return (*self.names(), names[-1])
        return names

    def truncate(self) -> tree.Truncate:
        """TRUNCATE TABLE."""
        self.expect("TRUNCATE", "TABLE")
        return tree.Truncate(self.names())

    def alter(self) -> tree.Statement:
        """ALTER …."""
        self.expect("ALTER")
        if self.accept("TABLE"):
            return self._alter_table()
        if self.accept("DATABASE"):
            return self._alter_database()
        if self.at_any("LOGIN", "USER", "ROLE", "AUTHORIZATION", "INDEX", "SERVER"):
            return self.ignored()
        raise unsupported(f"ALTER {self.token.text.upper()}")

    def _alter_table(self) -> tree.Statement:
        altered = tree.AlterTable(self.names(), "")
        self.accept("WITH", "CHECK")
        self.accept("WITH", "NOCHECK")
        if self.accept("ADD"):
            altered.action = "ADD"
            self._added(altered)
        elif self.accept("ALTER", "COLUMN"):
            altered.action = "ALTER COLUMN"
            altered.columns.append(self.column(1))
        elif self.accept("DROP"):
            altered.action = "DROP"
            altered.dropped = self._dropped_parts(altered)
        elif self.at_any("NOCHECK", "ENABLE", "DISABLE", "SWITCH"):
            raise unsupported(f"ALTER TABLE … {self.token.key}")
        elif self.at_any("CHECK", "REBUILD", "SET"):
            return self.ignored()
        else:
            raise self.wrong()
        return altered

    def _added(self, altered: tree.AlterTable) -> None:
        while True:
            if self.at_any(*_CONSTRAINTS, "DEFAULT"):
                altered.constraints.append(self.constraint())
            else:
                self.accept("COLUMN")
                altered.columns.append(self.column(len(altered.columns) + 1))
            if not self.accept(","):
                return

    def _dropped_parts(self, altered: tree.AlterTable) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        kind = "CONSTRAINT"
        while True:
            if self.at_any("COLUMN", "CONSTRAINT"):
                kind = self.advance().key
                altered.if_exists = self.accept("IF", "EXISTS")
            found.append((kind, self.name()))
            if not self.accept(","):
                return found

    def _alter_database(self) -> tree.Statement:
        name = self.advance().text if self.at("CURRENT") else self.name()
        altered = tree.AlterDatabase(name, [])
        if self.accept("MODIFY", "NAME"):
            self.expect("=")
            altered.new_name = self.name()
            return altered
        if not self.accept("SET"):
            if not self.at_any("ADD", "MODIFY", "REMOVE"):  # files and filegroups change nothing
                raise unsupported(f"ALTER DATABASE … {self.token.text}")
            self.ignored()
            return altered
        while True:
            option = self.any_name().upper()
            self.accept("=")
            value = self.any_name().upper() if self.token.kind == "word" and not self.at("WITH") else ""
            if not value and self.token.kind in {"number", "string"}:
                value = self.advance().text
            altered.options.append((option, value))
            if self.at("("):
                self._option()
            if not self.accept(","):
                break
        if self.at("WITH"):
            self.ignored()
        return altered
