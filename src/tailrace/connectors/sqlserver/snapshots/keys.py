"""The key by which a table is read in chunks: its primary key, else a unique index of NOT NULL columns.

The columns of the key must be captured, and not be computed, because a change table has no values of those. Only the
server knows the order of keys, by its collations and its rules for each type. Columns without an exact text (float,
real), without an order for an index, of a CLR type, or with values that the user sees masked are not usable.

A key's columns are selected a second time in an exact form: integers as they are, anything else as text. The source
table and the change table have the same form, so it identifies rows in both, and makes bounds.

The catalogue has no time at which an index was made, nor from when on it has kept equal keys out: `ALTER INDEX … DISABLE` lets
them in, and REBUILD gives the index back as it was. What tells that it did so all the time:

- The index that the capture instance names can be neither dropped nor disabled while the instance is there (errors 22979 and
  22983). A clustered one can be disabled, and then nobody can write to its table. For both the constraint's number is enough;
  for one that is named and has no constraint, the number of its table.
- Others have the number of their B-tree (hobt_id), which goes when an index is disabled. It also changes when the index is
  built anew for another reason (REBUILD, a heap that becomes clustered): such a key counts as made anew, without need.

That each build gives another hobt_id is seen on servers, and no page says it.

Source: https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-index-columns-transact-sql,
https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql (styles) and, of disabled indexes,
https://learn.microsoft.com/sql/relational-databases/indexes/disable-indexes-and-constraints
"""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, Final

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.shared.snapshots.keys import IndexKey, NoKey, UniqueIndex, best_of, key_from_dict, led, usable
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.masked_columns import masked
from tailrace.schema.tables import TableId

MAX: Final = 8000  # bytes; no binary or text in an index is longer
MAX_TEXT: Final = 4000  # characters of a text in a bound
_CLUSTERED: Final = 1  # index_id
_CAPTURED: Final = "captured {}"  # the identity of a table's index without a constraint that a capture instance names


VARYING: Final = {"varchar": MAX, "nvarchar": MAX_TEXT, "varbinary": MAX}
"""Types whose values are as long as they are, with the greatest length that can be declared."""


class Kind(enum.Enum):
    """The kind of a key column's values, which determines their exact form."""

    INT = "int"
    BIT = "bit"
    DECIMAL = "decimal"
    MONEY = "money"
    TEXT = "text"  # in the order of the collation
    BYTES = "bytes"
    GUID = "guid"
    DATE = "date"
    TIME = "time"
    MOMENT = "moment"


_KINDS: Final = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), Kind.INT),
    "bit": Kind.BIT,
    **dict.fromkeys(("decimal", "numeric"), Kind.DECIMAL),
    **dict.fromkeys(("money", "smallmoney"), Kind.MONEY),
    **dict.fromkeys(("char", "varchar", "nchar", "nvarchar"), Kind.TEXT),
    **dict.fromkeys(("binary", "varbinary", "timestamp", "rowversion"), Kind.BYTES),
    "uniqueidentifier": Kind.GUID,
    "date": Kind.DATE,
    "time": Kind.TIME,
    **dict.fromkeys(("datetime", "smalldatetime", "datetime2", "datetimeoffset"), Kind.MOMENT),
}
_EXACT: Final = {
    Kind.INT: "{0}",
    Kind.BIT: "{0}",
    Kind.DECIMAL: "CONVERT(varchar(50), {0})",
    Kind.MONEY: "CONVERT(varchar(50), {0}, 2)",
    Kind.TEXT: "CONVERT(nvarchar(4000), {0})",
    Kind.BYTES: "CONVERT(varchar(max), CONVERT(varbinary(8000), {0}), 2)",
    Kind.GUID: "CONVERT(char(36), {0})",
    Kind.DATE: "CONVERT(varchar(10), {0}, 23)",
    Kind.TIME: "CONVERT(varchar(16), {0})",
    Kind.MOMENT: "CONVERT(varchar(40), {0}, 126)",
}
_SQL: Final = """
    SELECT i.object_id, i.index_id, i.name, i.is_primary_key, c.name, ic.is_descending_key, c.is_nullable, c.is_computed,
           CASE WHEN i.has_filter = 1 OR i.is_disabled = 1 OR i.type NOT IN (1, 2) THEN 1 ELSE 0 END,
           COALESCE(ty.name, N'CLR'), c.max_length, c.precision, c.scale, c.collation_name, k.object_id
    FROM sys.indexes AS i JOIN sys.index_columns AS ic ON ic.object_id = i.object_id AND ic.index_id = i.index_id
    JOIN sys.columns AS c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
    LEFT JOIN sys.types AS ty ON ty.user_type_id = c.system_type_id
    LEFT JOIN sys.key_constraints AS k ON k.parent_object_id = i.object_id AND k.unique_index_id = i.index_id
    WHERE i.is_unique = 1 AND i.is_hypothetical = 0 AND ic.key_ordinal > 0 AND i.object_id IN ({0})
    ORDER BY i.object_id, i.index_id, ic.key_ordinal"""
_TREES: Final = "SELECT object_id, index_id, hobt_id FROM sys.partitions WHERE partition_number = 1 AND object_id IN ({0})"
_COLUMN: Final = """
    SELECT c.name, 0, c.is_nullable, c.is_computed, 0, COALESCE(ty.name, N'CLR'), c.max_length, c.precision, c.scale,
           c.collation_name
    FROM sys.columns AS c LEFT JOIN sys.types AS ty ON ty.user_type_id = c.system_type_id
    WHERE c.object_id = ? AND c.name = ?"""
_ALTERED: Final = "SELECT object_id, modify_date FROM sys.tables WHERE object_id IN ({0})"
_AT_ONCE: Final = 500
_Part = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """One column of a key.

    Attributes:
        name: of the column.
        kind: of its values.
        type: its declared type in T-SQL, as in `CAST(... AS type)`.
        collation: of a text.

    """

    name: str
    kind: Kind
    type: str
    collation: str | None = None

    @property
    def is_number(self) -> bool:
        """Whether an entry of a bound is a number, and is ordered as a number."""
        return self.kind in (Kind.INT, Kind.BIT)

    def is_like(self, other: KeyColumn) -> bool:
        """Whether its values have the same order as the other one's; a length that varies has nothing to do with that."""
        return replace(self, type=_without_length(self.type)) == replace(other, type=_without_length(other.type))

    def exact_value(self, alias: str) -> str:
        """The expression for its exact value; `alias` is the table's."""
        return _EXACT[self.kind].format(f"{alias}.{quoted(self.name)}")

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        told = {"name": self.name, "kind": self.kind.value, "type": self.type}
        return told if self.collation is None else {**told, "collation": self.collation}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> KeyColumn:
        """Parse a column from JSON."""
        return cls(**{**given, "kind": Kind(given["kind"])})


@dataclass(frozen=True, slots=True)
class ChunkKey(IndexKey[KeyColumn]):
    """A key of a SQL Server table."""

    def is_like(self, other: ChunkKey) -> bool:
        """Whether bounds of the other key mean the same rows with this one: its columns may have become longer or shorter."""
        if self.index != other.index or len(self.columns) != len(other.columns):
            return False
        return all(now.is_like(then) for now, then in zip(self.columns, other.columns, strict=True))

    def exact_values(self, alias: str) -> list[str]:
        """The SELECT list for its exact values, in key order."""
        return [column.exact_value(alias) for column in self.columns]

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ChunkKey:
        """Parse a key from JSON."""
        return key_from_dict(given, cls, KeyColumn.from_dict)


def keys_of(session: Session, instances: Sequence[Instance]) -> dict[TableId, ChunkKey | NoKey]:
    """The key of each instance's table, in the given order."""
    return {table: best_of(found) for table, found in usable_keys(session, instances).items()}


def usable_keys(session: Session, instances: Sequence[Instance]) -> dict[TableId, list[ChunkKey] | NoKey]:
    """The keys by which each instance's table can be read, the best one first."""
    parts: dict[int, list[tuple[Any, ...]]] = {}
    for object_id, *part in _asked(session, _SQL, {instance.source_object_id for instance in instances}):
        parts.setdefault(object_id, []).append(tuple(part))
    named = {instance.source_object_id: instance.index_name for instance in instances}
    hidden = masked(session) if parts else {}
    # Few tables have an index that is told by its tree alone, and sys.partitions is not as cheap as the others.
    trees = {number for number, its in parts.items() if any(not _lasting_identity(part, named[number], number) for part in its)}
    numbers = {(object_id, index_id): hobt_id for object_id, index_id, hobt_id in _asked(session, _TREES, trees)}
    return {
        instance.table: choose(
            [(*part, numbers.get((number, part[0]))) for part in parts.get(number, ())],
            instance.columns,
            instance.index_name,
            number,
            hidden.get(number, ()),
        )
        for instance in instances
        for number in [instance.source_object_id]
    }


def altered_at(session: Session, objects: Sequence[int]) -> dict[int, dt.datetime]:
    """When tables were altered last, or an index of theirs was created or altered, in the server's local time."""
    return {int(object_id): moved for object_id, moved in _asked(session, _ALTERED, objects)}


def _asked(session: Session, sql: str, objects: Iterable[int]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query about objects, some hundred of them at a time."""
    numbers = sorted(objects)
    for at in range(0, len(numbers), _AT_ONCE):
        yield from session.rows(sql.format(", ".join(str(int(number)) for number in numbers[at : at + _AT_ONCE])))


def led_by(session: Session, instance: Instance, name: str, key: ChunkKey | NoKey) -> ChunkKey | NoKey:
    """A key whose order begins with a surrogate key, the user's column; `key` orders rows of equal value."""
    found = [tuple(row) for row in session.rows(_COLUMN, instance.source_object_id, name)]
    if not found:
        return NoKey(f"it has no column {name}, which is to be the surrogate key")
    part = ("", "", False, *found[0])
    hidden = masked(session).get(instance.source_object_id, ())
    obstacle = _obstacle(part, set(instance.columns), hidden) or _too_long(part)
    if obstacle is not None:
        return NoKey(f"the surrogate key can't lead its order: it {obstacle}")
    return led(_key_column(part), key, ChunkKey)


def choose(
    parts: Iterable[tuple[Any, ...]],
    captured: Sequence[str],
    named: str = "",
    table: int = 0,
    hidden: Collection[str] = (),
) -> list[ChunkKey] | NoKey:
    """The keys that a table's unique indexes make, the best one first.

    Args:
        parts: index id, name, whether it is the primary key, column, whether it descends, is nullable and is computed,
            whether the index is unusable, type, length in bytes, precision, scale, collation, numbers of the constraint and
            of the B-tree; those of an index in its order.
        captured: names of the captured columns.
        named: the index that the capture instance names.
        table: the number of the table.
        hidden: names of the columns that the user sees masked.

    """
    names, groups = set(captured), (list(group) for _, group in groupby(parts, key=lambda part: part[0]))
    return usable(_index(its, partial(_obstacle, captured=names, hidden=hidden), named, table) for its in groups)


def _lasting_identity(part: tuple[Any, ...], named: str, table: int) -> str:
    """What tells an index that can't be disabled, or not without its table, from a later one; "" for others."""
    index_id, name, *_, constraint = part
    if constraint is not None and (index_id == _CLUSTERED or name == named):
        return str(constraint)
    return _CAPTURED.format(table) if name == named else ""


def _index(parts: Sequence[_Part], obstacle: Callable[[_Part], str | None], named: str, table: int) -> UniqueIndex[ChunkKey]:
    """One unique index of a table; `obstacle`: why it can't be used because of a column."""
    number, name, is_primary, *_, tree = parts[0]
    found: ChunkKey | str | None = next(filter(None, map(obstacle, parts)), None)
    if found is None and len({bool(part[4]) for part in parts}) > 1:
        found = "ascends in one column and descends in another"
    if found is None:
        identity = _lasting_identity(parts[0][:-1], named, table) or ("" if tree is None else str(tree))
        found = ChunkKey(str(name), tuple(_key_column(part) for part in parts), identity=identity)
    return UniqueIndex(str(name), bool(is_primary), found, number)


def _obstacle(part: _Part, captured: set[str], hidden: Collection[str]) -> str | None:
    _, _, _, column, _, nullable, computed, is_useless, type_name, *_ = part
    if is_useless:
        return "has a condition, is disabled, or has no order"
    if computed:
        return f"has the computed column {column}, which change data capture does not tell"
    if column not in captured:
        return f"has the column {column}, which is not captured"
    if nullable:
        return f"has the column {column}, which may be null"
    if column in hidden:
        return f"has the column {column}, which the connector's user sees masked (GRANT UNMASK)"
    if str(type_name).lower() not in _KINDS:
        return f"has the column {column} of type {type_name}"
    return None


def _too_long(part: tuple[Any, ...]) -> str | None:
    """Why a surrogate key is too long; it need not be in an index, which would limit its length."""
    column, type_name, length = part[3], str(part[8]).lower(), int(part[9])
    most = 2 * MAX_TEXT if type_name in ("nchar", "nvarchar") else MAX_TEXT
    is_long = length < 0 or (_KINDS[type_name] is Kind.TEXT and length > most)
    return f"has the column {column}, which may be longer than {MAX_TEXT} characters" if is_long else None


def _key_column(part: tuple[Any, ...]) -> KeyColumn:
    _, _, _, column, _, _, _, _, type_name, length, precision, scale, collation, *_ = part
    name = str(type_name).lower()
    kind = _KINDS[name]
    return KeyColumn(
        str(column), kind, _declared(name, length, precision, scale), collation if kind is Kind.TEXT else None
    )


def _declared(name: str, length: int, precision: int, scale: int) -> str:
    """A column's type in T-SQL."""
    if name in ("decimal", "numeric"):
        return f"{name}({precision}, {scale})"
    if name in ("char", "varchar", "binary", "varbinary"):
        return f"{name}({length})"
    if name in ("nchar", "nvarchar"):
        return f"{name}({length // 2})"
    if name in ("datetime2", "datetimeoffset", "time"):
        return f"{name}({scale})"
    return "binary(8)" if name in ("timestamp", "rowversion") else name


def _without_length(type_: str) -> str:
    """A type without its length, if that is the greatest one only: `varchar` of `varchar(20)`."""
    name = type_.partition("(")[0]
    return name if name in VARYING else type_
