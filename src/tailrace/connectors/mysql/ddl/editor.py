"""A table that is being built or altered: columns in order, the key, the default character set.

As Debezium has it, the key is the primary key, or else the first unique key: a column's own UNIQUE, or a UNIQUE (…)
whose columns can't be null. A unique key is only ever replaced by a primary key: dropping the index does not take it
away. Which of the two it is matters when a column is defined again (a primary key's can't become nullable), so a
table whose key is a unique key says so in its attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailrace.connectors.mysql.ddl.columns import ColumnDefinition
from tailrace.errors import StructureError
from tailrace.schema.tables import Column, Table, TableId

UNIQUE = ("tailrace.key", "unique")


class TableEditor:
    """One table on the way to its next structure."""

    def __init__(self, table: Table) -> None:
        self.id: TableId = table.id
        self.columns = list(table.columns)
        self.key = list(table.primary_key)
        self.charset = table.default_charset
        self.comment = table.comment
        self._attributes = tuple(a for a in table.attributes if a != UNIQUE)
        self._unique = UNIQUE in table.attributes

    def table(self) -> Table:
        """The table as it is now."""
        known = {c.name.lower(): c.name for c in self.columns}
        key = tuple(known[name.lower()] for name in self.key if name.lower() in known)
        attributes = (*self._attributes, UNIQUE) if key and self._unique else self._attributes
        return Table(self.id, tuple(map(_with_stored_labels, self.columns)), key, self.charset, self.comment, attributes)

    def find(self, name: str) -> int:
        """Where a column stands.

        Raises:
            StructureError: the table has none of that name.

        """
        lowered = name.lower()
        for at, column in enumerate(self.columns):
            if column.name.lower() == lowered:
                return at
        raise StructureError(f"{self.id} has no column {name} as far as it is known")

    def move(self, name: str, after: str | None) -> None:
        """Puts a column behind another, or first."""
        column = self.columns.pop(self.find(name))
        self.columns.insert(0 if after is None else self.find(after) + 1, column)

    def set_primary_key(self, names: Sequence[str]) -> None:
        """Makes these columns the primary key, which can't be null."""
        self.key, self._unique = list(names), False
        for at in map(self.find, names):
            self.columns[at] = _not_null(self.columns[at])

    def keep_key(self, names: Sequence[str]) -> None:
        """Makes these columns the key of the kind that it is; a primary key's stay NOT NULL without being told."""
        if self._unique:
            self.key = list(names)
        else:
            self.set_primary_key(names)

    def offer_unique_key(self, names: Sequence[str] | None) -> None:
        """Takes a unique key if there is no key and no column of it can be null; None: it has expressions."""
        if self.key or names is None:
            return
        if not any(self.columns[self.find(name)].optional for name in names):
            self.key, self._unique = list(names), True

    def convert(self, charset: str) -> None:
        """CONVERT TO CHARACTER SET: of the table and of its text columns; those of charset binary are none."""
        self.charset = charset
        self.columns = [replace(c, charset=charset) if c.charset not in {None, "binary"} else c for c in self.columns]

    def take_inline_key(self, definition: ColumnDefinition) -> None:
        """A column's own PRIMARY KEY or UNIQUE; the column may be null, as in Debezium."""
        if definition.primary:
            self.set_primary_key([definition.name])
        elif definition.unique and not self.key:
            self.key, self._unique = [definition.name], True


def _with_stored_labels(column: Column) -> Column:
    """An ENUM or SET as the server keeps its labels: without blanks at the end, which count where they are bytes."""
    if not column.enum_values or column.charset == "binary":
        return column
    labels = tuple(label.rstrip(" ") for label in column.enum_values)
    return replace(column, enum_values=labels, default=column.default and column.default.rstrip(" "))


def _not_null(column: Column) -> Column:
    """A column made NOT NULL by its key, which takes away the default NULL."""
    if not column.optional:
        return column
    return replace(column, optional=False, has_default=column.default is not None)
