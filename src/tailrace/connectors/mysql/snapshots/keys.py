"""The key by which a table is read in chunks.

It is the PRIMARY KEY, else a UNIQUE index of NOT NULL columns, according to the server's catalogue: a structure from
DDL has neither collations nor prefixes. An index is usable only if its order is that of its columns' values, so that a
chunk is one range of it. That excludes indexes of prefixes or expressions, invisible ones, hash indexes, and those that
ascend in one column and descend in another. FLOAT and DOUBLE have no text that is exact everywhere, and SET and JSON no
order that an index serves. A table without a usable key is read whole, and `NoKey` says why. Whether a key was
one all the time, `key_proofs` says.

Source: MySQL Reference Manual, "The INFORMATION_SCHEMA STATISTICS Table", "The INFORMATION_SCHEMA COLUMNS Table".
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection, mappings
from tailrace.connectors.shared.snapshots.keys import IndexKey, NoKey, UniqueIndex, best_of, key_from_dict, led, usable
from tailrace.schema.tables import TableId

TABLES_AT_ONCE: Final = 200
MOST_LABELS: Final = 255  # a range of an ENUM is written as a list of its values
PRIMARY: Final = "PRIMARY"
LABEL: Final = re.compile(r"'((?:[^']|'')*)'")


class Kind(enum.Enum):
    """The kind of a key column's values, which determines how a bound represents one."""

    INT = "int"  # integers of all widths, YEAR
    BITS = "bits"  # BIT, as a number
    ENUM = "enum"  # by the label's number, as the server orders them
    DECIMAL = "decimal"
    TEXT = "text"  # in the order of the collation
    BYTES = "bytes"
    DATE = "date"
    DATETIME = "datetime"
    TIMESTAMP = "timestamp"  # in UTC
    TIME = "time"


WITH_FRACTIONS: Final = frozenset({Kind.DATETIME, Kind.TIMESTAMP, Kind.TIME})
_KINDS: Final = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "bigint", "year"), Kind.INT),
    **dict.fromkeys(("char", "varchar", "tinytext", "text", "mediumtext", "longtext"), Kind.TEXT),
    **dict.fromkeys(("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"), Kind.BYTES),
    "bit": Kind.BITS,
    "enum": Kind.ENUM,
    "decimal": Kind.DECIMAL,
    "date": Kind.DATE,
    "datetime": Kind.DATETIME,
    "timestamp": Kind.TIMESTAMP,
    "time": Kind.TIME,
}


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """One column of a key.

    Attributes:
        name: of the column.
        kind: of its values.
        charset: of a text column, the server's name.
        collation: of a text column.
        unsigned: of an integer.
        size: the scale of a DECIMAL; the length of a BINARY in bytes, to which values are padded; else 0.
        labels: of an ENUM, in order.
        digits: of a second's fraction, of a DATETIME, TIMESTAMP or TIME; None: not known to the version that stored it.
        padded: of a text column, whether it is CHAR, which stores no blanks at the end; None as above.

    """

    name: str
    kind: Kind
    charset: str | None = None
    collation: str | None = None
    unsigned: bool = False
    size: int = 0
    labels: tuple[str, ...] = ()
    digits: int | None = None
    padded: bool | None = None

    @property
    def is_number(self) -> bool:
        """Whether an entry of a bound is a number, and is ordered as a number."""
        return self.kind is Kind.INT

    def is_like(self, other: KeyColumn) -> bool:
        """Whether it has the values of the other one, which came before it, in the same order.

        An ENUM's order is that of the labels' numbers. A definition that writes the name in another case is one of the same
        column.
        """
        digits = self.digits if other.digits is None else other.digits
        padded = self.padded if other.padded is None else other.padded
        then = replace(other, name=other.name.lower(), labels=(), digits=digits, padded=padded)
        is_like = replace(self, name=self.name.lower(), labels=()) == then
        return is_like and self.labels[: len(other.labels)] == other.labels

    def to_dict(self) -> dict[str, Any]:
        """As JSON, without members that have their default."""
        told = {
            "charset": self.charset,
            "collation": self.collation,
            "unsigned": self.unsigned,
            "size": self.size,
            "labels": list(self.labels),
        }
        also = {"digits": self.digits, "padded": self.padded}  # 0 and False are known values
        return {
            "name": self.name,
            "kind": self.kind.value,
            **{name: value for name, value in told.items() if value},
            **{name: value for name, value in also.items() if value is not None},
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> KeyColumn:
        """Parse a column from its JSON."""
        return cls(**{**given, "kind": Kind(given["kind"]), "labels": tuple(given.get("labels", ()))})


@dataclass(frozen=True, slots=True)
class ChunkKey(IndexKey[KeyColumn]):
    """A key of a MySQL table."""

    def is_like(self, other: ChunkKey) -> bool:
        """Whether bounds of the other key mean the same rows with this one: an ENUM may have more labels behind its own."""
        if self.index.lower() != other.index.lower() or len(self.columns) != len(other.columns):
            return False
        return all(now.is_like(then) for now, then in zip(self.columns, other.columns, strict=True))

    def has_only_other_collations(self, other: ChunkKey) -> bool:
        """Whether it would be like the other one if its columns had their collations again."""
        plain = [tuple(replace(column, collation=None) for column in key.columns) for key in (self, other)]
        return replace(self, columns=plain[0]).is_like(replace(other, columns=plain[1]))

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ChunkKey:
        """Parse a key from its JSON."""
        return key_from_dict(given, cls, KeyColumn.from_dict)


UsableKeys = Sequence[ChunkKey] | NoKey


@dataclass(frozen=True, slots=True)
class Part:
    """One column of an index, from the server's catalogue."""

    index: str
    column: str | None  # None for an expression
    direction: str | None  # A, D; None if the index has no order
    prefix: int | None
    nullable: bool
    method: str
    visible: bool


def keys_of(connection: Connection, server: Server, tables: Iterable[TableId]) -> dict[TableId, ChunkKey | NoKey]:
    """The best key of each table, in the given order; a table that does not exist has none."""
    return {table: best_of(found) for table, found in usable_keys(connection, server, tables).items()}


def usable_keys(connection: Connection, server: Server, tables: Iterable[TableId]) -> dict[TableId, UsableKeys]:
    """The keys by which each table can be read, the best one first; tables in the given order."""
    wanted = list(tables)
    found: dict[TableId, UsableKeys] = {}
    for database, group in groupby(sorted(wanted), key=lambda table: table.catalog):
        names = [table.name for table in group]
        for at in range(0, len(names), TABLES_AT_ONCE):
            found |= _keys_in(connection, server, database, names[at : at + TABLES_AT_ONCE])
    return {table: found[table] for table in wanted}


def leading(connection: Connection, table: TableId, name: str | None) -> Callable[[ChunkKey | NoKey], ChunkKey | NoKey]:
    """Makes keys whose order begins with a surrogate key, the user's column; the given key orders rows of equal value.

    `name`: of the surrogate key; None: there is none, and keys stay as they are.
    """
    if name is None:
        return lambda key: key
    columns = _columns(connection, table.catalog, [table.name]).get(table.name, {})
    row = next((row for column, row in columns.items() if column.lower() == name.lower()), None)
    if row is None:
        missing = NoKey(f"it has no column {name}, which is to be the surrogate key")
        return lambda _: missing
    if row["nullable"] == "YES" or row["type"].lower() not in _KINDS:
        without_order = NoKey(
            f"the column {row['name']} can't be the surrogate key: it may be null, or its type has no order here"
        )
        return lambda _: without_order
    first = _key_column(row)
    return lambda key: led(first, key, ChunkKey)


def choose(parts: Sequence[Part], columns: Mapping[str, Mapping[str, Any]]) -> UsableKeys:
    """The keys that a table's unique indexes make, the best one first.

    Args:
        parts: of all unique indexes; those of an index are adjacent and in its order.
        columns: rows of information_schema.COLUMNS by column name.

    """
    return usable(_index(name, list(group), columns) for name, group in groupby(parts, key=lambda part: part.index))


def _index(name: str, parts: Sequence[Part], columns: Mapping[str, Mapping[str, Any]]) -> UniqueIndex[ChunkKey]:
    """One unique index of a table."""
    found: ChunkKey | str | None = _obstacle(parts, columns)
    if found is None:
        found = ChunkKey(name, tuple(_key_column(columns[str(part.column)]) for part in parts))
    return UniqueIndex(name, name == PRIMARY, found, name)


def _keys_in(connection: Connection, server: Server, database: str, names: Sequence[str]) -> dict[TableId, UsableKeys]:
    parts = _parts(connection, server, database, names)
    columns = _columns(connection, database, names)
    return {TableId(database, "", name): choose(parts.get(name, []), columns.get(name, {})) for name in names}


def _parts(connection: Connection, server: Server, database: str, names: Sequence[str]) -> dict[str, list[Part]]:
    visible = "IS_VISIBLE" if server.version >= (8, 0, 0) else "'YES'"
    sql = (
        "SELECT TABLE_NAME AS t, INDEX_NAME AS i, COLUMN_NAME AS c, COLLATION AS d,"  # noqa: S608 -- nothing from outside
        " SUB_PART AS p, NULLABLE AS n,"
        f" INDEX_TYPE AS m, {visible} AS v FROM information_schema.STATISTICS"
        " WHERE TABLE_SCHEMA = %s AND TABLE_NAME IN %s AND NON_UNIQUE = 0"
        " ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX"
    )
    found = _by_table(mappings(connection, sql, database, tuple(names)))
    return {table: [_part(row) for row in rows] for table, rows in found.items()}


def _part(row: Mapping[str, Any]) -> Part:
    return Part(row["i"], row["c"], row["d"], row["p"], row["n"] == "YES", row["m"], row["v"] == "YES")


def _columns(connection: Connection, database: str, names: Sequence[str]) -> dict[str, dict[str, Mapping[str, Any]]]:
    sql = (
        "SELECT TABLE_NAME AS t, COLUMN_NAME AS name, DATA_TYPE AS type, COLUMN_TYPE AS declared,"
        " CHARACTER_SET_NAME AS charset, COLLATION_NAME AS collation, CHARACTER_OCTET_LENGTH AS bytes,"
        " NUMERIC_SCALE AS scale, DATETIME_PRECISION AS digits, IS_NULLABLE AS nullable FROM information_schema.COLUMNS"
        " WHERE TABLE_SCHEMA = %s AND TABLE_NAME IN %s"
    )
    found = _by_table(mappings(connection, sql, database, tuple(names)))
    return {table: {row["name"]: row for row in rows} for table, rows in found.items()}


def _by_table(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["t"], []).append(row)
    return found


def _obstacle(parts: Sequence[Part], columns: Mapping[str, Mapping[str, Any]]) -> str | None:
    return next(_obstacles(parts, columns), None)


def _obstacles(parts: Sequence[Part], columns: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for part in parts:
        if part.column is None or part.column not in columns:
            yield "has an expression"
        elif part.nullable:
            yield f"has the column {part.column}, which may be null"
        elif part.prefix is not None:
            yield f"has only a prefix of the column {part.column}"
        elif columns[part.column]["type"].lower() not in _KINDS:
            yield f"has the column {part.column} of type {columns[part.column]['type'].upper()}"
        elif len(_labels(columns[part.column])) > MOST_LABELS:
            yield f"has the column {part.column}, an ENUM of more than {MOST_LABELS} labels"
    if not parts[0].visible:
        yield "is invisible"
    if any(part.method.upper() != "BTREE" or part.direction is None for part in parts):
        yield "has no order"
    if len({part.direction for part in parts}) > 1:
        yield "ascends in one column and descends in another"


def _key_column(row: Mapping[str, Any]) -> KeyColumn:
    kind, declared = _KINDS[row["type"].lower()], str(row["declared"])
    return KeyColumn(
        name=row["name"],
        kind=kind,
        charset=row["charset"] if kind is Kind.TEXT else None,
        collation=row["collation"] if kind is Kind.TEXT else None,
        unsigned=kind is Kind.INT and "unsigned" in declared.lower(),
        size=_size(kind, row),
        labels=_labels(row),
        digits=int(row["digits"] or 0) if kind in WITH_FRACTIONS else None,
        padded=row["type"].lower() == "char" if kind is Kind.TEXT else None,
    )


def _labels(row: Mapping[str, Any]) -> tuple[str, ...]:
    if row["type"].lower() != "enum":
        return ()
    return tuple(text.replace("''", "'") for text in LABEL.findall(str(row["declared"])))


def _size(kind: Kind, row: Mapping[str, Any]) -> int:
    if kind is Kind.DECIMAL:
        return int(row["scale"] or 0)
    return int(row["bytes"]) if row["type"].lower() == "binary" else 0
