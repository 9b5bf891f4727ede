"""Which tables and columns are captured, which columns are altered, and what the key is made of.

All names are matched as Debezium does: the whole of `database`, `database.table` or `database.table.column`
against each expression, without regard to case.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from attrs import field, frozen

from tailrace.config.patterns import compile_java, matches_any

SYSTEM_SCHEMAS = frozenset({"mysql", "performance_schema", "sys", "information_schema"})

Patterns = tuple[re.Pattern[str], ...]


def _compiled(expressions: Sequence[str]) -> Patterns:
    return tuple(compile_java(each) for each in expressions)


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
class TableFilter:
    """The tables that are captured. The system schemas never are.

    Attributes:
        databases: the lists of databases.
        tables: the lists of tables.
        also: (database, table), in lower case, of those that are captured whatever the lists say: signal tables.

    """

    databases: NameFilter = NameFilter()
    tables: NameFilter = NameFilter()
    also: frozenset[tuple[str, str]] = frozenset()

    def matches(self, database: str, table: str) -> bool:
        """Whether the table's changes are captured."""
        if (database.lower(), table.lower()) in self.also:
            return True
        return self._has_database(database) and self.tables.matches(f"{database}.{table}")

    def matches_database(self, database: str) -> bool:
        """Whether tables of the database may be captured."""
        return self._has_database(database) or any(database.lower() == each for each, _ in self.also)

    def _has_database(self, database: str) -> bool:
        return database.lower() not in SYSTEM_SCHEMAS and self.databases.matches(database)


@frozen
class ColumnFilter:
    """The columns that the value holds. The key keeps its columns whatever this says."""

    columns: NameFilter = NameFilter()

    def matches(self, database: str, table: str, column: str) -> bool:
        """Whether the value of an event holds the column."""
        return self.columns.matches(f"{database}.{table}.{column}")


@frozen
class _Rule:
    patterns: Patterns = field(converter=_compiled)

    def matches(self, database: str, table: str, column: str) -> bool:
        """Whether the rule is for this column."""
        return matches_any(self.patterns, f"{database}.{table}.{column}")


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
        columns: expressions for `database.table.column`.
        types: expressions for `database.table.TYPE`.

    """

    columns: Patterns = field(default=(), converter=_compiled)
    types: Patterns = field(default=(), converter=_compiled)

    def matches(self, database: str, table: str, column: str, type_name: str) -> bool:
        """Whether the column's type is told; `type_name` as the DDL has it, without length: `VARCHAR`."""
        return self.matches_column(database, table, column) or self.matches_type(database, table, type_name)

    def matches_column(self, database: str, table: str, column: str) -> bool:
        """Whether `column.propagate.source.type` names the column."""
        return matches_any(self.columns, f"{database}.{table}.{column}")

    def matches_type(self, database: str, table: str, type_name: str) -> bool:
        """Whether `datatype.propagate.source.type` names the type."""
        return matches_any(self.types, f"{database}.{table}.{type_name}")


@frozen
class MessageKeys:
    """`message.key.columns`: an expression for `database.table.column` for each listed column, in order."""

    patterns: Patterns = field(default=(), converter=_compiled)

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def columns_for(self, database: str, table: str, columns: Sequence[str]) -> tuple[str, ...]:
        """The table's key columns in the order of the property; empty when it says nothing of this table."""
        found = (
            column
            for pattern in self.patterns
            for column in columns
            if pattern.fullmatch(f"{database}.{table}.{column}")
        )
        return tuple(dict.fromkeys(found))
