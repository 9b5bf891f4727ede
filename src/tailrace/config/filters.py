"""Which tables and columns are captured, which columns are altered, and what the key is made of.

All names are matched as Debezium does: the whole of a name against each expression, without regard to case. How a
table is named in the expressions is the connector's: `database.table`, or `schema.table`.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from typing import Literal

from attrs import evolve, field, frozen

from tailrace.config.patterns import compile_java, matches_any
from tailrace.schema.tables import TableId

Patterns = tuple[re.Pattern[str], ...]


def _compiled(expressions: Sequence[str]) -> Patterns:
    return tuple(compile_java(each) for each in expressions)


class Naming(enum.Enum):
    """What a table is called in a list of tables; the value is for messages."""

    DATABASE_TABLE = "database.table"
    SCHEMA_TABLE = "schema.table"

    @property
    def full(self) -> str:
        """What the whole name of a table is made of, for messages."""
        return "database.table" if self is Naming.DATABASE_TABLE else "database.schema.table"

    @property
    def either(self) -> str:
        """What a table may be called where the full name will do as well, for messages."""
        return " or ".join(dict.fromkeys((self.value, self.full)))

    def is_full(self, table: TableId) -> bool:
        """Whether every part of a name is there that this database's tables have, and no other."""
        has_schema = bool(table.schema)
        return bool(table.catalog and table.name) and has_schema is (self is Naming.SCHEMA_TABLE)

    def of(self, table: TableId) -> str:
        """The name that lists of tables and columns are matched with."""
        return str(table) if self is Naming.DATABASE_TABLE else f"{table.schema}.{table.name}"

    def all_of(self, table: TableId) -> tuple[str, ...]:
        """The names that are matched where the full name will do as well as the one that lists of tables have."""
        full = str(table)
        return (full,) if self is Naming.DATABASE_TABLE else (full, self.of(table))


@frozen
class NameFilter:
    """An include list or an exclude list of expressions; without either, everything is in."""

    include: Patterns = field(default=(), converter=_compiled)
    exclude: Patterns = field(default=(), converter=_compiled)

    def matches(self, name: str) -> bool:
        """Whether the name is in."""
        if self.include:
            return matches_any(self.include, name)
        return not matches_any(self.exclude, name)


@frozen
class SystemNames:
    """What belongs to the database itself, in lower case: it is never captured."""

    databases: frozenset[str] = frozenset()
    schemas: frozenset[str] = frozenset()
    tables: frozenset[str] = frozenset()

    def has(self, table: TableId) -> bool:
        """Whether the table is the database's own."""
        return (
            self.has_database(table.catalog)
            or table.schema.lower() in self.schemas
            or table.name.lower() in self.tables
        )

    def has_database(self, database: str) -> bool:
        """Whether the whole database, or MySQL schema, is the server's own."""
        return database.lower() in self.databases


@frozen
class TableFilter:
    """The tables that are captured.

    Attributes:
        databases: the lists of databases.
        schemas: the lists of schemas.
        tables: the lists of tables.
        also: those, in lower case, that are captured whatever the lists say: signal tables.
        naming: what the lists of tables call a table.
        system: what never is captured.

    """

    databases: NameFilter = NameFilter()
    schemas: NameFilter = NameFilter()
    tables: NameFilter = NameFilter()
    also: frozenset[TableId] = frozenset()
    naming: Naming = Naming.DATABASE_TABLE
    system: SystemNames = SystemNames()

    def matches(self, table: TableId) -> bool:
        """Whether the table's changes are captured."""
        return self.lower(table) in self.also or self._in_lists(table)

    def matches_database(self, database: str) -> bool:
        """Whether tables of the database may be captured."""
        return self._has_database(database) or any(database.lower() == each.catalog for each in self.also)

    def without_signal_tables(self) -> TableFilter:
        """The same by the lists alone."""
        return evolve(self, also=frozenset())

    @staticmethod
    def lower(table: TableId) -> TableId:
        """A table as `also` has it."""
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
    """Expressions for names of tables: the full name, or the one that lists of tables have; none matches everything."""

    patterns: Patterns = field(default=(), converter=_compiled)
    naming: Naming = Naming.DATABASE_TABLE

    def matches(self, table: TableId) -> bool:
        """Whether the table is meant; its full name may stand in double quotes, part by part."""
        quoted = ".".join(f'"{part}"' for part in (table.catalog, table.schema, table.name) if part)
        names = (*self.naming.all_of(table), quoted)
        return not self.patterns or any(matches_any(self.patterns, name) for name in names)


@frozen
class ColumnFilter:
    """The columns that the value holds. The key keeps its columns whatever this says."""

    columns: NameFilter = NameFilter()
    naming: Naming = Naming.DATABASE_TABLE

    def matches(self, table: TableId, column: str) -> bool:
        """Whether the value of an event holds the column."""
        return self.columns.matches(f"{self.naming.of(table)}.{column}")


def _any_name(patterns: Patterns, naming: Naming, table: TableId, last: str) -> bool:
    return any(matches_any(patterns, f"{name}.{last}") for name in naming.all_of(table))


@frozen
class _Rule:
    patterns: Patterns = field(converter=_compiled)
    naming: Naming = field(default=Naming.DATABASE_TABLE, kw_only=True)

    def matches(self, table: TableId, column: str) -> bool:
        """Whether the rule is for this column."""
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
        algorithm: as Java's MessageDigest calls it (`SHA-256`).
        salt: as it stands in the property's name; hashed as UTF-8.
        version: 1 hashes the value's Java serialization, 2 its UTF-8 bytes.

    """

    algorithm: str
    salt: str = field(repr=lambda _: "'********'")
    version: Literal[1, 2]


ColumnPolicy = Truncate | Mask | Hash


@frozen
class SourceTypes:
    """The columns whose field schemas tell their source type.

    Attributes:
        columns: expressions for a table's name and `.column`.
        types: expressions for a table's name and `.TYPE`.
        naming: what the expressions call a table.

    """

    columns: Patterns = field(default=(), converter=_compiled)
    types: Patterns = field(default=(), converter=_compiled)
    naming: Naming = Naming.DATABASE_TABLE

    def matches(self, table: TableId, column: str, type_name: str) -> bool:
        """Whether the column's type is told; `type_name` as the DDL has it, without length: `VARCHAR`."""
        return self.matches_column(table, column) or self.matches_type(table, type_name)

    def matches_column(self, table: TableId, column: str) -> bool:
        """Whether `column.propagate.source.type` names the column."""
        return _any_name(self.columns, self.naming, table, column)

    def matches_type(self, table: TableId, type_name: str) -> bool:
        """Whether `datatype.propagate.source.type` names the type."""
        return _any_name(self.types, self.naming, table, type_name)


@frozen
class MessageKeys:
    """`message.key.columns`: an expression for a table's name and `.column` for each listed column, in order."""

    patterns: Patterns = field(default=(), converter=_compiled)
    naming: Naming = Naming.DATABASE_TABLE

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def columns_for(self, table: TableId, columns: Sequence[str]) -> tuple[str, ...]:
        """The table's key columns in the order of the property; empty when it says nothing of this table."""
        names = self.naming.all_of(table)
        found = (
            column
            for pattern in self.patterns
            for column in columns
            if any(pattern.fullmatch(f"{name}.{column}") for name in names)
        )
        return tuple(dict.fromkeys(found))
