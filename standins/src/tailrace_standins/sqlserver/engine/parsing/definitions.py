"""Parses CREATE, ALTER, DROP and TRUNCATE.

Sources: "CREATE TABLE", https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql;
"ALTER TABLE", https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql
"""

from __future__ import annotations

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.errors import unsupported
from tailrace_standins.sqlserver.engine.parsing.security import SecurityReader
from tailrace_standins.sqlserver.engine.parsing.tables import CONSTRAINTS


class DefinitionReader(SecurityReader):
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
        if self.at("STATISTICS"):
            return self.ignored()
        if (found := self._create_principal()) is not None:
            return found
        raise unsupported(f"CREATE {self.token.text.upper()}")

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

    def _index(self, *, unique: bool, clustered: bool) -> tree.CreateIndex:
        name = self.name()
        self.expect("ON")
        table = self.names()
        columns = self._ordered_names()
        included = self.name_list() if self.accept("INCLUDE") else ()
        index = tree.CreateIndex(name, table, columns, included, unique, clustered)
        if self.accept("WHERE"):
            index.filter = self._expression_text()
        if self.accept("WITH", "STATISTICS_ONLY"):
            self.expect("=")
            self.expression()
            index.is_hypothetical = True
        self._storage()
        return index

    def drop(self) -> tree.Statement:
        """DROP …."""
        self.expect("DROP")
        kind = self.advance().key
        if kind == "STATISTICS":
            return self.ignored()
        if kind in {"LOGIN", "USER", "ROLE"}:
            return self._drop_principal(kind)
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
        if (found := self._alter_principal()) is not None:
            return found
        if self.accept("INDEX"):
            return self._alter_index()
        if self.at("AUTHORIZATION") or self.at("SERVER", "CONFIGURATION"):
            return self.ignored()
        raise unsupported(f"ALTER {self.token.text.upper()}")

    def _alter_index(self) -> tree.Statement:
        name = "" if self.accept("ALL") else self.name()
        self.expect("ON")
        altered = tree.AlterIndex(name, self.names(), self.token.key)
        options = self.ignored()
        return altered if altered.action in {"REBUILD", "DISABLE"} else options

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
        elif self.accept("REBUILD"):
            altered.action = "REBUILD"
            self.ignored()
        elif self.at_any("CHECK", "SET"):
            return self.ignored()
        else:
            raise self.wrong()
        return altered

    def _added(self, altered: tree.AlterTable) -> None:
        while True:
            if self.at_any(*CONSTRAINTS, "DEFAULT"):
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
        for word, value in (("ADD", "ON"), ("REMOVE", "OFF")):  # of filegroups only the names are known
            if self.accept(word, "FILEGROUP"):
                altered.options.append((f"FILEGROUP {self.name().upper()}", value))
                self.ignored()
                return altered
        if not self.accept("SET"):
            if not self.at_any("ADD", "MODIFY", "REMOVE"):  # files change nothing
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
