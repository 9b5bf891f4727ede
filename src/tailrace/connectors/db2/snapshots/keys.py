"""The key by which a table is read in chunks: its primary key, else a unique index of NOT NULL columns.

Only the server knows the order of keys, by its collation. Columns without an exact text (REAL, DOUBLE, DECFLOAT), and
those in random order, are not usable. The same holds for distinct types, which compare with nothing but themselves.

A key's columns are selected a second time in an exact form: as a number, or as text. The source table and the change
table have the same form, so it identifies rows in both, and makes bounds. Trailing blanks, and letters that a collation
does not tell apart, make other keys for us: as such a row comes to another spelling by an update, whose two images have
both. The server, which alone compares bounds, has them at one place of its order.

- Dates and times of day are numbers with the digits of the date (20170915) and of the time (240000 is possible), since
  their text depends on the session. DECIMAL without fraction is a number as long as it fits into 64 bits.
- Binary values are hexadecimal. All text is selected as bytes of UTF-8 (`text_sql.py`).

Source: IBM Db2 documentation, "SYSCAT.INDEXCOLUSE", "Datetime assignments", "String comparisons" (SQL reference)
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.db2.connection import Session, quoted
from tailrace.connectors.db2.snapshots import key_catalog
from tailrace.connectors.db2.snapshots.key_catalog import KeyPart
from tailrace.connectors.db2.text_sql import as_utf_8, converted, utf_8_size
from tailrace.connectors.shared.snapshots.keys import IndexKey, NoKey, UniqueIndex, best_of, key_from_dict, led, usable
from tailrace.schema.tables import TableId

LONGEST: Final = 8168  # bytes of a text or binary value in a bound; none in an index is longer
_UTF_8_BYTES: Final = 3  # of a unit of UTF-16
_WHOLE_DIGITS: Final = 18  # of a DECIMAL that fits into 64 bits
_DECIMAL_TEXT: Final = 42  # characters
_MOMENT_TEXT: Final = 32


class Kind(enum.Enum):
    """The kind of a key column's values, which determines their exact form."""

    INT = "int"
    WHOLE = "whole"  # DECIMAL without a fraction
    DECIMAL = "decimal"
    TEXT = "text"  # in the order of the collation
    GRAPHIC = "graphic"
    BITS = "bits"  # FOR BIT DATA
    BYTES = "bytes"  # BINARY
    DATE = "date"
    TIME = "time"
    MOMENT = "moment"


_NUMBERS: Final = frozenset({Kind.INT, Kind.WHOLE, Kind.DATE, Kind.TIME})
_AS_VARCHAR: Final = "CAST({0} AS VARCHAR({1}))"
_EXACT: Final = {
    Kind.INT: "{0}",
    Kind.WHOLE: "CAST({0} AS BIGINT)",
    Kind.DATE: "(YEAR({0}) * 10000 + MONTH({0}) * 100 + DAY({0}))",
    Kind.TIME: "(HOUR({0}) * 10000 + MINUTE({0}) * 100 + SECOND({0}))",
    Kind.DECIMAL: _AS_VARCHAR,
    Kind.TEXT: "{0}",
    Kind.GRAPHIC: _AS_VARCHAR,
    Kind.BITS: "HEX({0})",
    Kind.BYTES: "HEX({0})",
    Kind.MOMENT: _AS_VARCHAR,
}
"""Numbers, and texts before they become bytes."""


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """One column of a key.

    Attributes:
        name: of the column.
        kind: of its values.
        type: its declared type in Db2's SQL, as in `CAST(... AS type)`.
        size: the greatest number of bytes of the exact text; 0 for a number.
        is_zos: whether the server is Db2 for z/OS.

    """

    name: str
    kind: Kind
    type: str
    size: int = 0
    is_zos: bool = False

    @property
    def is_number(self) -> bool:
        """Whether an entry of a bound is a number, and is ordered as a number."""
        return self.kind in _NUMBERS

    def exact_value(self, alias: str) -> str:
        """The expression for its exact value; `alias` is the table's."""
        column = f"{alias}.{quoted(self.name)}"
        if self.is_number:
            return _EXACT[self.kind].format(column)
        if self.is_zos and self.kind is Kind.GRAPHIC:
            text = converted(column, f"VARGRAPHIC({self.size // _UTF_8_BYTES})", is_zos=True)
        else:
            text = _EXACT[self.kind].format(column, self.size)
        return as_utf_8(text, self.size, is_zos=self.is_zos)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        told = {"name": self.name, "kind": self.kind.value, "type": self.type}
        return told | ({"size": self.size} if self.size else {}) | ({"zos": True} if self.is_zos else {})

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> KeyColumn:
        """Parse a column from JSON."""
        return cls(
            str(given["name"]),
            Kind(given["kind"]),
            str(given["type"]),
            int(given.get("size", 0)),
            bool(given.get("zos")),
        )


@dataclass(frozen=True, slots=True)
class ChunkKey(IndexKey[KeyColumn]):
    """A key of a Db2 table."""

    def exact_values(self, alias: str) -> list[str]:
        """The SELECT list for its exact values, in key order."""
        return [column.exact_value(alias) for column in self.columns]

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ChunkKey:
        """Parse a key from JSON."""
        return key_from_dict(given, cls, KeyColumn.from_dict)


def keys_of(
    session: Session, instances: Sequence[Instance], *, is_zos: bool = False
) -> dict[TableId, ChunkKey | NoKey]:
    """The key of each instance's table, in the given order."""
    return {table: best_of(found) for table, found in usable_keys(session, instances, is_zos=is_zos).items()}


def usable_keys(
    session: Session, instances: Sequence[Instance], *, is_zos: bool = False
) -> dict[TableId, list[ChunkKey] | NoKey]:
    """The keys by which each instance's table can be read, the best one first."""
    parts = key_catalog.parts_of(session, [instance.table for instance in instances], is_zos=is_zos)
    return {
        instance.table: choose(parts.get(instance.table, ()), instance.columns, is_zos=is_zos) for instance in instances
    }


def led_by(
    session: Session, instance: Instance, name: str, key: ChunkKey | NoKey, *, is_zos: bool = False
) -> ChunkKey | NoKey:
    """A key whose order begins with a surrogate key, the user's column; `key` orders rows of equal value."""
    part = key_catalog.column_of(session, instance.table, name, is_zos=is_zos)
    if part is None:
        return NoKey(f"it has no column {name}, which is to be the surrogate key")
    obstacle = _obstacle(part, set(instance.columns))
    if obstacle is None and _key_column(part, is_zos=is_zos).size > LONGEST:
        obstacle = f"has the column {name}, which may be longer than {LONGEST} bytes"
    if obstacle is not None:
        return NoKey(f"the surrogate key can't lead its order: it {obstacle}")
    return led(_key_column(part, is_zos=is_zos), key, ChunkKey)


def choose(parts: Iterable[KeyPart], captured: Sequence[str], *, is_zos: bool = False) -> list[ChunkKey] | NoKey:
    """The keys that a table's unique indexes make, the best one first.

    Args:
        parts: the columns of the indexes; those of an index in its order.
        captured: names of the captured columns.
        is_zos: whether the server is Db2 for z/OS.

    """
    names = set(captured)
    return usable(_index(list(group), names, is_zos=is_zos) for _, group in groupby(parts, key=lambda part: part.index))


def _index(parts: Sequence[KeyPart], captured: set[str], *, is_zos: bool) -> UniqueIndex[ChunkKey]:
    """One unique index of a table."""
    first = parts[0]
    found: ChunkKey | str | None = next(filter(None, (_obstacle(part, captured) for part in parts)), None)
    if found is None and len({part.order for part in parts}) > 1:
        found = "ascends in one column and descends in another"
    if found is None:
        columns = tuple(_key_column(part, is_zos=is_zos) for part in parts)
        found = ChunkKey(first.name, columns, identity=first.identity)
    return UniqueIndex(first.name, first.is_primary, found, first.index)


def _obstacle(part: KeyPart, captured: set[str]) -> str | None:
    """Why an index can't be used because of this column."""
    if part.order not in key_catalog.ORDERED:
        return f"has the column {part.column} in random order"
    if part.type is None:
        return f"has the expression {part.column}"
    if part.column not in captured:
        return f"has the column {part.column}, which is not captured"
    if part.nullable:
        return f"has the column {part.column}, which may be null"
    if _kind(part) is None:
        return f"has the column {part.column} of type {part.type}"
    return None


def _kind(part: KeyPart) -> Kind | None:
    if part.type == "DECIMAL":
        return Kind.WHOLE if part.scale == 0 and part.length <= _WHOLE_DIGITS else Kind.DECIMAL
    if part.type in {"CHAR", "VARCHAR"}:
        return Kind.BITS if part.is_bit_data else Kind.TEXT
    return {
        **dict.fromkeys(("SMALLINT", "INTEGER", "BIGINT"), Kind.INT),
        **dict.fromkeys(("GRAPHIC", "VARGRAPHIC"), Kind.GRAPHIC),
        **dict.fromkeys(("BINARY", "VARBINARY"), Kind.BYTES),
        "DATE": Kind.DATE,
        "TIME": Kind.TIME,
        "TIMESTAMP": Kind.MOMENT,
    }.get(str(part.type))


def _key_column(part: KeyPart, *, is_zos: bool) -> KeyColumn:
    kind = _kind(part)
    if kind is None:
        raise KeyError(part.type)
    sizes = {
        Kind.DECIMAL: _DECIMAL_TEXT,
        Kind.MOMENT: _MOMENT_TEXT,
        Kind.TEXT: utf_8_size(part.length, is_zos=is_zos),
        Kind.GRAPHIC: part.length * _UTF_8_BYTES,
        Kind.BITS: part.length * 2,
        Kind.BYTES: part.length * 2,
    }
    return KeyColumn(part.column, kind, _declared(part), sizes.get(kind, 0), is_zos)


def _declared(part: KeyPart) -> str:
    """A column's type in Db2's SQL."""
    name = str(part.type)
    if name == "DECIMAL":
        return f"DECIMAL({part.length}, {part.scale})"
    if name == "TIMESTAMP":
        return f"TIMESTAMP({part.scale})"
    if name in {"CHAR", "VARCHAR", "GRAPHIC", "VARGRAPHIC", "BINARY", "VARBINARY"}:
        return f"{name}({part.length}){' FOR BIT DATA' if part.is_bit_data else ''}"
    return name
