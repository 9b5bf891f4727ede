"""What DDL is applied to: the tables that are known, and the character sets that new ones get."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailrace.schema.tables import Table, TableId


@dataclass(slots=True)
class State:
    """The tables, and the default character sets of databases and of the server.

    Attributes:
        tables: those whose structure is known.
        unknown: names of tables that came from others whose structure was not known (RENAME, CREATE … LIKE).
        database_charsets: of databases whose creation, or change, is known.
        server_charset: of all others.

    """

    tables: dict[TableId, Table] = field(default_factory=dict)
    unknown: set[TableId] = field(default_factory=set)
    database_charsets: dict[str, str] = field(default_factory=dict)
    server_charset: str | None = None

    def copy(self) -> State:
        """Another one with the same content; tables are immutable and shared."""
        return State(dict(self.tables), set(self.unknown), dict(self.database_charsets), self.server_charset)

    def put(self, table: Table) -> None:
        """A table has this structure."""
        self.tables[table.id] = table
        self.unknown.discard(table.id)

    def drop(self, table_id: TableId) -> Table | None:
        """There is no table of this name any more; the structure that it had."""
        self.unknown.discard(table_id)
        return self.tables.pop(table_id, None)

    def forget(self, table_id: TableId) -> None:
        """There is a table of this name, and its structure is not known."""
        self.tables.pop(table_id, None)
        self.unknown.add(table_id)

    def move(self, old: TableId, new: TableId) -> None:
        """A table gets another name. What was known under that name before is not what it is now."""
        table = self.drop(old)
        if table is None:
            self.forget(new)
        else:
            self.put(table.renamed(new))

    def knows_database(self, name: str) -> bool:
        """Whether there is a database of this name for sure."""
        return name in self.database_charsets or any(i.catalog == name for i in (*self.tables, *self.unknown))

    def charset_of(self, database: str) -> str | None:
        """The character set that new tables of a database get."""
        return self.database_charsets.get(database, self.server_charset)
