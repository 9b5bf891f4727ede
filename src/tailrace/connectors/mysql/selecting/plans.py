"""The SELECT list of a table, and how each value is transcoded and read.

A column is planned as in the stream, from the structure and the table map that the log would have.
That follows from the structure alone (`logged_column`), so schemas are known before a row is read; the server's own
description of the result must agree, and its character set of a text overrides the structure's.

ENUM and SET are selected as the numbers that the log has. JSON is the one type whose value is not the log's: the
server has no binary form of it to offer, so it is its text (`_as_selected`), as in Debezium's snapshots.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tailrace.connectors.mysql.catalog import quoted
from tailrace.connectors.mysql.image_layout import BLOBS, charset_of_collation, storage_of
from tailrace.connectors.mysql.log import table_map as log
from tailrace.connectors.mysql.log.table_map import MapColumn
from tailrace.connectors.mysql.logged_tables import BINARY_COLLATION
from tailrace.connectors.mysql.plan import ColumnPlan, Storage
from tailrace.connectors.mysql.selecting.keys import raw_key_plan
from tailrace.connectors.mysql.selecting.protocol import Definition
from tailrace.connectors.mysql.selecting.whole_rows import raw_row_plan
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.types import ColumnType, column_type
from tailrace.errors import StructureError, UnsupportedError
from tailrace.schema.tables import Column, Table

SHORT_STRING: Final = 0xFFFF  # bytes of the longest CHAR or VARCHAR
_LONG_LENGTH: Final = 4  # bytes of the length of a longer value
_ENUM_IN_ONE_BYTE: Final = 255
_FLOAT_BITS: Final = 24  # FLOAT(p) of more is a DOUBLE
_DEFAULT_PRECISION: Final = 10

_NUMBERS: Final = {
    **dict.fromkeys(("TINYINT", "INT1", "BOOL", "BOOLEAN"), log.TINY),
    **dict.fromkeys(("SMALLINT", "INT2"), log.SHORT),
    **dict.fromkeys(("MEDIUMINT", "INT3", "MIDDLEINT"), log.INT24),
    **dict.fromkeys(("INT", "INTEGER", "INT4"), log.LONG),
    **dict.fromkeys(("BIGINT", "INT8", "SERIAL"), log.LONGLONG),
    **dict.fromkeys(("REAL", "DOUBLE", "FLOAT8"), log.DOUBLE),
    "YEAR": log.YEAR,
    "DATE": log.DATE,
}
_MOMENTS: Final = {"TIME": log.TIME2, "DATETIME": log.DATETIME2, "TIMESTAMP": log.TIMESTAMP2}
_DECIMALS: Final = frozenset({"DECIMAL", "DEC", "FIXED", "NUMERIC"})
_LONG_VALUES: Final = {
    "JSON": log.JSON,
    "VECTOR": log.VECTOR,
    **dict.fromkeys(
        (
            "GEOMETRY", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON",
            "GEOMETRYCOLLECTION", "GEOMCOLLECTION",
        ),
        log.GEOMETRY,
    ),
}  # fmt: skip
_STRINGS: Final = frozenset({log.VARCHAR, log.VAR_STRING, log.STRING, log.JSON, *BLOBS})
_INTEGER_RESULTS: Final = {1: log.TINY, 2: log.SHORT, 3: log.INT24, 4: log.LONG, 8: log.LONGLONG}
_RESULTS: Final = {
    Storage.FLOAT: frozenset({log.FLOAT}),
    Storage.DOUBLE: frozenset({log.DOUBLE}),
    Storage.DECIMAL: frozenset({log.NEWDECIMAL}),
    Storage.STRING: _STRINGS,
    Storage.DATE: frozenset({log.DATE, log.NEWDATE}),
    Storage.TIME2: frozenset({log.TIME}),
    Storage.DATETIME2: frozenset({log.DATETIME}),
    Storage.TIMESTAMP2: frozenset({log.TIMESTAMP}),
    Storage.YEAR: frozenset({log.YEAR}),
    Storage.ENUM: frozenset({log.LONGLONG}),
    Storage.SET: frozenset({log.LONGLONG}),
    Storage.BIT: frozenset({log.BIT}),
    Storage.GEOMETRY: frozenset({log.GEOMETRY}),
    Storage.VECTOR: frozenset({log.VECTOR}),
}


@dataclass(frozen=True, slots=True)
class SelectPlans:
    """The SELECT list for a table's rows, and how its columns are read.

    Attributes:
        table: the structure.
        types: how each of the table's columns is read and shown.
        selected: indices of the columns that are selected, in the order of the SELECT list.
        wanted: those of them whose values are returned.
        key: indices of the columns that identify rows.
        settings: how values are shown.

    """

    table: Table
    types: tuple[ColumnType, ...]
    selected: tuple[int, ...]
    wanted: frozenset[int]
    key: tuple[int, ...]
    settings: MySqlSettings = field(repr=False, compare=False)

    @property
    def select_list(self) -> str:
        """The SELECT list as SQL."""
        return ", ".join(expression(self.table.columns[i]) for i in self.selected)

    @property
    def repeated(self) -> tuple[int, ...]:
        """Where in the SELECT list the key's columns stand."""
        return tuple(self.selected.index(i) for i in self.key)

    def bound(self, definitions: Sequence[Definition]) -> list[ColumnPlan]:
        """The plans of the selected columns, and then those of the key's in raw form.

        Raises:
            StructureError: the result has other columns than the structure.

        """
        count = len(self.selected)
        if len(definitions) != count:
            raise StructureError(
                f"{self.table.id}: {count} columns are selected, and the result has {len(definitions)}"
            )
        plans = [self._checked(i, each) for i, each in zip(self.selected, definitions, strict=True)]
        shown = [
            plan if i in self.wanted else replace(plan, emit=False)
            for i, plan in zip(self.selected, plans, strict=True)
        ]
        return shown + [raw_row_plan(plans[place]) for place in self.repeated]

    def _checked(self, index: int, seen: Definition) -> ColumnPlan:
        column, plan = self.table.columns[index], self.types[index].plan
        wrong = contradiction(column, plan, seen)
        if wrong:
            raise StructureError(
                f"the column {column.name} of {self.table.id} is {column.type_name} in the structure known, and {wrong}"
            )
        if plan.storage is not Storage.STRING or plan.charset is None or seen.type == log.JSON:
            return plan
        return replace(plan, charset=charset_of_collation(seen.collation) or plan.charset)


def plan_selection(
    table: Table,
    settings: MySqlSettings,
    *,
    wanted: Collection[int] | None = None,
    key: Sequence[int] = (),
    whole: bool = False,
) -> SelectPlans:
    """Plan to select a table's rows.

    Args:
        table: the structure.
        settings: how values are shown.
        wanted: indices of the columns whose values are wanted; None for all.
        key: indices of the columns that tell rows apart; their raw values come too.
        whole: the table has no key, and those are any columns.

    Raises:
        UnsupportedError: a column's type is not known, or can't be part of a key; it names both.

    """
    types = tuple(_type_of(table, column, settings) for column in table.columns)
    shown = frozenset(range(len(types)) if wanted is None else wanted)
    for index in () if whole else key:
        _require_key(table, table.columns[index])
    return SelectPlans(table, types, tuple(sorted(shown | set(key))), shown, tuple(key), settings)


def _require_key(table: Table, column: Column) -> None:
    """Whether a column can tell rows apart is decided by what the log holds of it."""
    try:
        raw_key_plan(ColumnPlan(*storage_of(column.name, logged_column(column))))
    except UnsupportedError as error:
        raise UnsupportedError(f"the column {column.name} of {table.id}: {error}") from error


def expression(column: Column) -> str:
    """A column's expression in a SELECT list; without an alias, which ORDER BY would mistake for the column."""
    name = quoted(column.name)
    return f"CAST({name} AS UNSIGNED)" if _base(column) in {"ENUM", "SET"} else name


def logged_column(column: Column) -> MapColumn:
    """What a table map would say of a column, as far as reading its values takes; lengths of lengths are our own."""
    return MapColumn(*_logged_type(column), nullable=column.optional)


def contradiction(column: Column, plan: ColumnPlan, seen: Definition) -> str | None:
    """Where the server's description of a result's column does not agree with a plan; None if it does."""
    results = {_INTEGER_RESULTS[plan.meta]} if plan.storage is Storage.INT else _RESULTS[plan.storage]
    if seen.type not in results or (_base(column) == "JSON") != (seen.type == log.JSON):
        return f"the result has the type {seen.type}"
    if plan.storage is Storage.INT and seen.is_unsigned != plan.unsigned:
        return "the result says otherwise of its sign"
    if plan.storage is Storage.STRING and not _is_of_kind(plan, seen):
        return f"the result has the collation {seen.collation}"
    size = _size_of(plan, seen)
    return f"the result has the size {size[1]} for {size[0]}" if size[0] != size[1] else None


def _is_of_kind(plan: ColumnPlan, seen: Definition) -> bool:
    """Whether both are text, or both bytes; JSON calls itself binary, and so may a text be declared."""
    if seen.type == log.JSON or plan.charset == "binary":
        return True
    return (plan.charset is None) == (seen.collation == BINARY_COLLATION)


def _size_of(plan: ColumnPlan, seen: Definition) -> tuple[int, int]:
    """The parameter of a plan's wire, and what the server says of it."""
    if plan.storage is Storage.DECIMAL:
        precision = seen.length - (seen.decimals > 0) - (not seen.is_unsigned)
        return plan.meta, precision << 8 | seen.decimals
    if plan.storage in (Storage.TIME2, Storage.DATETIME2, Storage.TIMESTAMP2):
        return plan.meta, seen.decimals
    return (plan.meta, seen.length) if plan.storage is Storage.BIT else (0, 0)


def _type_of(table: Table, column: Column, settings: MySqlSettings) -> ColumnType:
    try:
        found = column_type(table.id, column, logged_column(column), settings)
    except UnsupportedError as error:
        raise UnsupportedError(f"{table.id}: {error}") from error
    return replace(found, plan=_as_selected(found.plan))


def _as_selected(plan: ColumnPlan) -> ColumnPlan:
    """A JSON document comes as the server's text of it, with blanks after colons and commas."""
    if plan.storage is Storage.JSON:
        return replace(plan, storage=Storage.STRING, charset="utf8mb4", zero=None)
    return plan


def _base(column: Column) -> str:
    """The first word of a type's name."""
    return column.type_name.upper().partition("(")[0].split()[0]


def _logged_type(column: Column) -> tuple[int, int]:
    """The log's type number, and its parameter."""
    base = _base(column)
    if base in _NUMBERS:
        return _NUMBERS[base], 0
    if base in _MOMENTS:
        return _MOMENTS[base], column.length or 0
    if base in _DECIMALS:
        return log.NEWDECIMAL, (column.length or _DEFAULT_PRECISION) << 8 | (column.scale or 0)
    if base in _LONG_VALUES:
        return _LONG_VALUES[base], _LONG_LENGTH
    if base in {"FLOAT", "FLOAT4"}:
        is_double = column.scale is None and (column.length or 0) > _FLOAT_BITS
        return (log.DOUBLE, 8) if is_double else (log.FLOAT, 4)
    return _labelled_or_string(base, column)


def _labelled_or_string(base: str, column: Column) -> tuple[int, int]:
    labels = len(column.enum_values)
    if base == "ENUM":
        return log.ENUM, 1 if labels <= _ENUM_IN_ONE_BYTE else 2
    if base == "SET":
        size = (labels + 7) // 8
        return log.SET, size if size <= 4 else 8
    if base == "BIT":
        return log.BIT, column.length or 1
    if base == "LONG" or base.endswith(("TEXT", "BLOB")):
        return log.BLOB, _LONG_LENGTH
    return log.VARCHAR, SHORT_STRING
