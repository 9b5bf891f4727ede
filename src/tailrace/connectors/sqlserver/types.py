"""SQL Server's data types in Debezium's form: each column's schema, how it is selected, and how it is decoded.

Names, versions and parameters of the schemas are Debezium's. A type that Debezium's driver does not know
(`sql_variant`) has no field at all, as in Debezium. CLR types (`hierarchyid`, `geometry`, `geography`) are their bytes,
`xml` and `uniqueidentifier` are text.

What Arrow would lose is selected as an additional column: the seventh digit of a `datetime2` if the schema has room for
it, and the offset and the seventh digit of a `datetimeoffset`. The same expressions read base tables and change tables.

Source: Debezium's documentation of the SQL Server connector, "Data type mappings"; the result of Debezium 3.6.1 for a
row of all types (tests/connectors/sqlserver/test_column_types.py).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache
from typing import Final

from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.arrow_values.conversions import converter_of
from tailrace.connectors.shared.arrow_values.filling import fallback_of
from tailrace.connectors.shared.arrow_values.selected import ColumnType, Converter
from tailrace.connectors.shared.column_types import ZONED_TIMESTAMP, schema_by_jdbc_type, with_rule
from tailrace.connectors.sqlserver import jdbc_types
from tailrace.connectors.sqlserver.defaults import default_of
from tailrace.connectors.sqlserver.guids import guid_texts
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.custom_converters.conversions import converted_field
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.tables import Column, Table, TableId

log = logging.getLogger(__name__)

GUID: Final = "uniqueidentifier"
SEVEN_DIGITS: Final = 7
_WITH_SEVEN_DIGITS: Final = ("io.debezium.time.NanoTimestamp", "io.debezium.time.IsoTimestamp")
_LOBS: Final = frozenset({jdbc.LONGVARCHAR, jdbc.LONGNVARCHAR, jdbc.LONGVARBINARY})
_AS_TEXT: Final = ("json", "vector")
_PLAIN: Final = {**jdbc.SCHEMA_TYPES, jdbc.TINYINT: Type.INT16}  # a tinyint is unsigned: 0 to 255
_ITSELF, _NANOSECOND, _OFFSET = "{}", "DATEPART(nanosecond, {})", "DATEPART(tzoffset, {})"


def column_types(table: Table, settings: SqlServerSettings) -> list[ColumnType | None]:
    """The type of each column of a table; None for a column without a field."""
    return [column_type(table.id, column, settings) for column in table.columns]


def column_type(table: TableId, column: Column, settings: SqlServerSettings) -> ColumnType | None:
    """The type of a column; None if it has no field."""
    key = field_schema(column, settings)
    if key is None:
        _warn_of_no_field(table, column.name, column.type_name)
        return None
    rule = settings.column_rule(table, column.name, column.type_name)
    custom = converted_field(settings, table, column, key)
    schema = key if custom is None else custom.schema
    return ColumnType(
        column.name,
        schema,
        with_rule(schema, rule, column, settings.tailrace_event_shape),
        _expressions(column, key),
        _converter(column, key, settings.binary_handling_mode),
        fallback_of(key, (column.scale or 0) if column.jdbc_type in jdbc.DECIMAL_TYPES else None),
        rule,
        column.jdbc_type in _LOBS,
        None if custom is None else custom.convert,
    )


@cache  # a warning per process: a DataFrame comes here for each of its batches
def _warn_of_no_field(table: TableId, column: str, type_name: str) -> None:
    log.warning("%s.%s is left out of events, as Debezium does with %s", table, column, type_name)


def _converter(column: Column, schema: Schema, binary_mode: str) -> Converter:
    return Converter(guid_texts) if column.type_name.lower() == GUID else converter_of(column, schema, binary_mode)


def field_schema(column: Column, settings: SqlServerSettings) -> Schema | None:
    """The schema of a column's field, before column policies; None if it has no field."""
    schema = _schema(column, settings)
    if schema is None:
        return None
    if column.optional:
        schema = schema.with_(optional=True)
    default = default_of(column, schema, settings.binary_handling_mode)
    return schema if default is NO_DEFAULT else schema.with_(default=default)


def fields(types: Sequence[ColumnType | None]) -> tuple[int, ...]:
    """The indices of the columns with a field."""
    return tuple(i for i, each in enumerate(types) if each is not None)


def _schema(column: Column, settings: SqlServerSettings) -> Schema | None:
    kind = column.jdbc_type
    if (common := schema_by_jdbc_type(column, settings, settings.binary_handling_mode)) is not None:
        return common
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
        return ("CAST({} AS binary(16))",)  # see guids.py
    return ("CAST({} AS nvarchar(max))",) if name in _AS_TEXT else (_ITSELF,)
