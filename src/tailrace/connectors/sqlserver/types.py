"""SQL Server's types as Debezium shows them: the schema of each column's field, how it is selected and how it is read.

Names, versions and parameters of the schemas are Debezium's. What its driver knows no type for (`sql_variant`) has no field
at all, as there. CLR types (`hierarchyid`, `geometry`, `geography`) are their bytes, `xml` and `uniqueidentifier` are text.

What Arrow would lose is selected beside the column: the seventh digit of a `datetime2`, where it is shown, and the offset and
the seventh digit of a `datetimeoffset`. The same expressions read base tables and change tables.

Source: Debezium's documentation of the SQL Server connector, "Data type mappings"; what real Debezium 3.6.1 gave for a row of
all types (tests/connectors/sqlserver/test_column_types.py).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from tailrace.changes.policies import Rule
from tailrace.config.settings import Settings
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.column_types import (
    ZONED_TIMESTAMP,
    binary_schema,
    day_schema,
    decimal_schema,
    time_schema,
    timestamp_schema,
    with_rule,
)
from tailrace.connectors.sqlserver import jdbc_types
from tailrace.connectors.sqlserver.defaults import default_of
from tailrace.connectors.sqlserver.values.conversions import GUID, Converter, converter_of
from tailrace.connectors.sqlserver.values.filling import fallback_of
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.tables import Column, Table, TableId

log = logging.getLogger(__name__)

SEVEN_DIGITS: Final = 7
_WITH_SEVEN_DIGITS: Final = ("io.debezium.time.NanoTimestamp", "io.debezium.time.IsoTimestamp")
_LOBS: Final = frozenset({jdbc.LONGVARCHAR, jdbc.LONGNVARCHAR, jdbc.LONGVARBINARY})
_AS_TEXT: Final = ("json", "vector")
_PLAIN: Final = {**jdbc.SCHEMA_TYPES, jdbc.TINYINT: Type.INT16}  # 0 to 255
_ITSELF, _NANOSECOND, _OFFSET = "{}", "DATEPART(nanosecond, {})", "DATEPART(tzoffset, {})"


@dataclass(frozen=True, slots=True)
class ColumnType:
    """How a column is selected, read and shown.

    Attributes:
        name: of the column.
        key: the schema of its field in a key.
        value: the same in a value, where a column policy may have left its mark.
        expressions: what is selected for it; `{}` stands for its name.
        convert: makes a vector of what these give.
        fallback: what stands for NULL where the field must have a value.
        rule: the rule of the configuration that alters its values or their schema; None without one.
        is_lob: NULL in an update's image may mean that the value is not there (`values.with_placeholder`).

    """

    name: str
    key: Schema
    value: Schema
    expressions: tuple[str, ...]
    convert: Converter
    fallback: Any = None
    rule: Rule = None
    is_lob: bool = False

    @property
    def width(self) -> int:
        """How many columns of a result it takes."""
        return len(self.expressions)

    def select(self, name: str) -> tuple[str, ...]:
        """What to select for it; `name` is the quoted column with its alias: `c.[price]`."""
        return tuple(expression.replace("{}", name) for expression in self.expressions)


def column_types(table: Table, settings: Settings) -> list[ColumnType | None]:
    """The type of each column of a table; None for one that has no field."""
    return [column_type(table.id, column, settings) for column in table.columns]


def column_type(table: TableId, column: Column, settings: Settings) -> ColumnType | None:
    """How a column is selected, read and shown; None where it has no field."""
    key = field_schema(column, settings)
    if key is None:
        _warn_of_no_field(table, column.name, column.type_name)
        return None
    rule = settings.column_rule(table, column.name, column.type_name)
    return ColumnType(
        column.name,
        key,
        with_rule(key, rule, column, settings.tailrace_event_shape),
        _expressions(column, key),
        converter_of(column, key, settings.binary_handling_mode),
        fallback_of(key, (column.scale or 0) if column.jdbc_type in jdbc.DECIMAL_TYPES else None),
        rule,
        column.jdbc_type in _LOBS,
    )


@cache  # once a process: a DataFrame asks again for each of its batches
def _warn_of_no_field(table: TableId, column: str, type_name: str) -> None:
    log.warning("%s.%s is left out of events, as Debezium does with %s", table, column, type_name)


def field_schema(column: Column, settings: Settings) -> Schema | None:
    """The schema of a column's field, before any column policy; None where it has no field."""
    schema = _schema(column, settings)
    if schema is None:
        return None
    if column.optional:
        schema = schema.with_(optional=True)
    default = default_of(column, schema, settings.binary_handling_mode)
    return schema if default is NO_DEFAULT else schema.with_(default=default)


def fields(types: Sequence[ColumnType | None]) -> tuple[int, ...]:
    """The indices of the columns that have a field."""
    return tuple(i for i, each in enumerate(types) if each is not None)


def _schema(column: Column, settings: Settings) -> Schema | None:
    kind, digits = column.jdbc_type, column.scale or 0
    if kind in jdbc.DECIMAL_TYPES:
        return decimal_schema(settings.decimal_handling_mode, column.length or 0, digits)
    if kind in jdbc.BINARY_TYPES:
        return binary_schema(settings.binary_handling_mode)
    if kind == jdbc.DATE:
        return day_schema(settings.time_precision_mode)
    if kind == jdbc.TIME:
        return time_schema(settings.time_precision_mode, digits)
    if kind == jdbc.TIMESTAMP:
        return timestamp_schema(settings.time_precision_mode, digits)
    if kind == jdbc_types.DATETIMEOFFSET:
        return ZONED_TIMESTAMP
    return Schema(_PLAIN[kind]) if kind in _PLAIN else None


def _expressions(column: Column, schema: Schema) -> tuple[str, ...]:
    kind, name = column.jdbc_type, column.type_name.lower()
    if kind == jdbc.TIMESTAMP and column.scale == SEVEN_DIGITS and schema.name in _WITH_SEVEN_DIGITS:
        return _ITSELF, _NANOSECOND
    if kind == jdbc_types.DATETIMEOFFSET:
        return (_ITSELF, _OFFSET, _NANOSECOND) if column.scale == SEVEN_DIGITS else (_ITSELF, _OFFSET)
    if kind == jdbc.VARBINARY and name != "varbinary":
        return ("CAST({} AS varbinary(max))",)  # a CLR type, which the driver can't put into Arrow
    if name == GUID:
        return ("CAST({} AS binary(16))",)  # see values/guids.py
    return ("CAST({} AS nvarchar(max))",) if name in _AS_TEXT else (_ITSELF,)
