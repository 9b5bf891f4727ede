"""Which tables and columns are captured, which column values are changed, and which columns make the key.

Names are matched as in Debezium: each expression against the whole name, ignoring case. The connector decides how
expressions name a table: `database.table`, or `schema.table`.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from typing import Literal

from attrs import evolve, field, frozen

from tailrace.java_patterns import compile_java, matches_any
from tailrace.schema.tables import TableId

Patterns = tuple[re.Pattern[str], ...]


def _compiled(expressions: Sequence[str]) -> Patterns:
    return tuple(compile_java(each) for each in expressions)


class Naming(enum.Enum):
    """How lists name a table; the value is for messages."""

    DATABASE_TABLE = "database.table"
    SCHEMA_TABLE = "schema.table"

    @property
    def full(self) -> str:
        """The parts of a table's full name, for messages."""
        return "database.table" if self is Naming.DATABASE_TABLE else "database.schema.table"

    @property
    def either(self) -> str:
        """The names of a table where both the full name and that of lists are accepted, for messages."""
        return " or ".join(dict.fromkeys((self.value, self.full)))

    def is_full(self, table: TableId) -> bool:
        """Whether a name has all the parts that names in this database have, and no other."""
        has_schema = bool(table.schema)
        return bool(table.catalog and table.name) and has_schema is (self is Naming.SCHEMA_TABLE)

    def of(self, table: TableId) -> str:
        """The name against which lists of tables and columns are matched."""
        return str(table) if self is Naming.DATABASE_TABLE else f"{table.schema}.{table.name}"

    def all_of(self, table: TableId) -> tuple[str, ...]:
        """All names of a table where both the full name and that of lists are accepted."""
        full = str(table)
        return (full,) if self is Naming.DATABASE_TABLE else (full, self.of(table))


@frozen
class NameFilter:
    """An include list or an exclude list of expressions; without either everything is included."""

    include: Patterns = field(default=(), converter=_compiled)
    exclude: Patterns = field(default=(), converter=_compiled)

    def matches(self, name: str) -> bool:
        """Whether the name is included."""
        if self.include:
            return matches_any(self.include, name)
        return not matches_any(self.exclude, name)


@frozen
class SystemNames:
    """The database's own databases, schemas and tables, in lower case: they are never captured.

    Attributes:
        databases: whole names of databases.
        schemas: whole names of schemas.
        tables: whole names of tables.
        schema_beginnings: what the names of its own schemas begin with.
        table_beginnings: what the names of its own tables begin with.

    """

    databases: frozenset[str] = frozenset()
    schemas: frozenset[str] = frozenset()
    tables: frozenset[str] = frozenset()
    schema_beginnings: tuple[str, ...] = ()
    table_beginnings: tuple[str, ...] = ()

    def has(self, table: TableId) -> bool:
        """Whether the table is the database's own."""
        schema, name = table.schema.lower(), table.name.lower()
        return (
            self.has_database(table.catalog)
            or schema in self.schemas
            or name in self.tables
            or schema.startswith(self.schema_beginnings)
            or name.startswith(self.table_beginnings)
        )

    def has_database(self, database: str) -> bool:
        """Whether the whole database, or MySQL schema, is the server's own."""
        return database.lower() in self.databases


@frozen
class TableFilter:
    """The tables that are captured.

    Attributes:
        databases: `database.include.list` and `database.exclude.list`.
        schemas: `schema.include.list` and `schema.exclude.list`.
        tables: `table.include.list` and `table.exclude.list`.
        also: signal tables, in lower case: captured whatever the lists say.
        naming: how the lists of tables name a table.
        system: what is never captured.

    """

    databases: NameFilter = NameFilter()
    schemas: NameFilter = NameFilter()
    tables: NameFilter = NameFilter()
    also: frozenset[TableId] = frozenset()
    naming: Naming = Naming.DATABASE_TABLE
    system: SystemNames = SystemNames()

    def matches(self, table: TableId) -> bool:
        """Whether the table's changes are captured."""
        # signal tables are captured although no list names them, or signals of the source channel would not arrive
        return self.lower(table) in self.also or self._in_lists(table)

    def matches_database(self, database: str) -> bool:
        """Whether tables of the database may be captured."""
        return self._has_database(database) or any(database.lower() == each.catalog for each in self.also)

    def without_signal_tables(self) -> TableFilter:
        """The same filter without `also`: only the lists count."""
        return evolve(self, also=frozenset())

    @staticmethod
    def lower(table: TableId) -> TableId:
        """A table's name in lower case, as in `also`."""
        return TableId(table.catalog.lower(), table.schema.lower(), table.name.lower())

    def _in_lists(self, table: TableId) -> bool:
        return (
            not self.system.has(table)
            and self.databases.matches(table.catalog)
            and self.schemas.matches(table.schema)
            and self.tables.matches(self.naming.of(table))
        )

    def _has_database(self, database: str) -> bool:
        return not self.system.has_database(database) and self.databases.matches(database)


@frozen
class TableNames:
    """Expressions for table names, full or as in lists. Without any expression all tables match."""

    patterns: Patterns = field(default=(), converter=_compiled)
    naming: Naming = Naming.DATABASE_TABLE

    def matches(self, table: TableId) -> bool:
        """Whether an expression matches the table. Each part of the full name may be in double quotes."""
        quoted = ".".join(f'"{part}"' for part in (table.catalog, table.schema, table.name) if part)
        names = (*self.naming.all_of(table), quoted)
        return not self.patterns or any(matches_any(self.patterns, name) for name in names)


@frozen
class ColumnFilter:
    """The columns of the record's value. Key columns stay in the key even if they are excluded here."""

    columns: NameFilter = NameFilter()
    naming: Naming = Naming.DATABASE_TABLE

    def matches(self, table: TableId, column: str) -> bool:
        """Whether the column is in an event's value."""
        return self.columns.matches(f"{self.naming.of(table)}.{column}")


def _any_name(patterns: Patterns, naming: Naming, table: TableId, last: str) -> bool:
    return any(matches_any(patterns, f"{name}.{last}") for name in naming.all_of(table))


@frozen
class _Rule:
    patterns: Patterns = field(converter=_compiled)
    naming: Naming = field(default=Naming.DATABASE_TABLE, kw_only=True)

    def matches(self, table: TableId, column: str) -> bool:
        """Whether the rule applies to this column."""
        return _any_name(self.patterns, self.naming, table, column)


@frozen
class Truncate(_Rule):
    """Text is cut to `length` characters."""

    length: int


@frozen
class Mask(_Rule):
    """Text is replaced by `length` asterisks."""

    length: int


@frozen
class Hash(_Rule):
    """Text is replaced by the hexadecimal hash of salt and value, cut to the column's length.

    Attributes:
        algorithm: Java's `MessageDigest` name (`SHA-256`).
        salt: as in the property's name; hashed as UTF-8.
        version: 1 hashes the value's Java serialization, 2 its UTF-8 bytes.

    """

    algorithm: str
    salt: str = field(repr=lambda _: "'********'")  # with the salt, hashes of short values can be reversed by trying them all
    version: Literal[1, 2]


ColumnPolicy = Truncate | Mask | Hash


@frozen
class SourceTypes:
    """The columns whose field schemas have their source type as parameters.

    Attributes:
        columns: `column.propagate.source.type`: expressions for `TABLE.COLUMN`.
        types: `datatype.propagate.source.type`: expressions for `TABLE.TYPE`.
        naming: how the expressions name a table.

    """

    columns: Patterns = field(default=(), converter=_compiled)
    types: Patterns = field(default=(), converter=_compiled)
    naming: Naming = Naming.DATABASE_TABLE

    def matches(self, table: TableId, column: str, type_name: str) -> bool:
        """Whether the column's schema has its source type; `type_name` is as in DDL, without length: `VARCHAR`."""
        return self.matches_column(table, column) or self.matches_type(table, type_name)

    def matches_column(self, table: TableId, column: str) -> bool:
        """Whether `column.propagate.source.type` names the column."""
        return _any_name(self.columns, self.naming, table, column)

    def matches_type(self, table: TableId, type_name: str) -> bool:
        """Whether `datatype.propagate.source.type` names the type."""
        return _any_name(self.types, self.naming, table, type_name)


@frozen
class MessageKeys:
    """`message.key.columns`: an expression for `TABLE.COLUMN` for each listed column, in the property's order."""

    patterns: Patterns = field(default=(), converter=_compiled)
    naming: Naming = Naming.DATABASE_TABLE

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def columns_for(self, table: TableId, columns: Sequence[str]) -> tuple[str, ...]:
        """The table's key columns in the property's order; empty if no expression matches the table."""
        names = self.naming.all_of(table)
        found = (
            column
            for pattern in self.patterns
            for column in columns
            if any(pattern.fullmatch(f"{name}.{column}") for name in names)
        )
        return tuple(dict.fromkeys(found))
