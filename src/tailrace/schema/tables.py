"""A table's structure at one point in time: columns and key, for every database.

The attributes are those of Debezium's schema history and schema change events, so that both can be read and written without
loss.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True, order=True)
class TableId:
    """The name of a table. MySQL has a catalog (its database) and no schema."""

    catalog: str
    schema: str
    name: str

    def __str__(self) -> str:
        return ".".join(part for part in (self.catalog, self.schema, self.name) if part)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    name: str
    type_name: str  # as in Debezium's schema history: "INT UNSIGNED", "VARCHAR", "ENUM"
    type_expression: str  # equals type_name, except for types with a character set or collation
    jdbc_type: int  # java.sql.Types
    length: int | None = None
    scale: int | None = None
    charset: str | None = None
    optional: bool = True
    auto_incremented: bool = False
    generated: bool = False
    has_default: bool = False
    default: str | None = None  # the expression as text, None for DEFAULT NULL
    enum_values: tuple[str, ...] = ()  # labels of an ENUM or SET, without quotes
    comment: str | None = None
    srid: int | None = None
    visible: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """One version of a table's structure. Without a primary key, `primary_key` has the columns of a unique key."""

    id: TableId
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    default_charset: str | None = None
    comment: str | None = None
    attributes: tuple[tuple[str, str], ...] = field(default=())

    def column(self, name: str) -> Column | None:
        """The column of that name, ignoring case as MySQL does; None if there is none."""
        lowered = name.lower()
        return next((c for c in self.columns if c.name.lower() == lowered), None)

    def renamed(self, table_id: TableId) -> Table:
        """The same structure under another name."""
        return replace(self, id=table_id)
