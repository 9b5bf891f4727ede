"""Db2's data types in Debezium's form: each column's schema, how it is selected, and how it is decoded.

Names, versions and parameters of the schemas are Debezium's. `binary.handling.mode` has no effect on Db2 in Debezium, nor here.

The driver reads the bytes of character columns as EBCDIC where they have few Latin letters, and so loses them. So text is
selected FOR BIT DATA, whose bytes it leaves alone; in a database with the code page 1208 they are UTF-8. Large objects and XML
are selected as BLOB for the same reason, large objects with a byte before them: of an empty one nothing follows the row, and
the driver takes that of a later row for it. What Arrow would lose is selected as an additional column: the digits of a
timestamp beyond microseconds. DECFLOAT is selected as text, as the driver loses exponents.

Sources: Debezium's documentation of the Db2 connector, "Data type mappings"; the result of Debezium 3.6.1 for a row of all
types (tests/connectors/db2/data/debezium_db2_types.json); for the driver tests/standins/db2/drivers/test_db2_adbc.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from tailrace.config.settings import Settings
from tailrace.connectors.db2.bit_data import as_bytes, without_first_byte
from tailrace.connectors.db2.decfloats import DECFLOAT, VARIABLE_SCALE, converter_of_decfloats
from tailrace.connectors.db2.defaults import default_of
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.arrow_values.conversions import converter_of
from tailrace.connectors.shared.arrow_values.filling import fallback_of
from tailrace.connectors.shared.arrow_values.selected import ColumnType, Converter
from tailrace.connectors.shared.column_types import decimal_schema, schema_by_jdbc_type, with_rule
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.tables import Column, Table, TableId

XML_TYPE: Final = 2009
BYTES: Final = "bytes"
_XML: Final = Schema(Type.STRING, name="io.debezium.data.Xml", version=1)
_LONGEST_VARCHAR: Final = 32672
_BYTES_OF_A_UNIT: Final = 3  # of UTF-8, for a unit of UTF-16
_LARGE: Final = frozenset({"CLOB", "DBCLOB", "BLOB", "XML"})
_GRAPHIC: Final = frozenset({"GRAPHIC", "VARGRAPHIC", "LONG VARGRAPHIC", "DBCLOB"})
_NANO_DIGITS: Final = 9
_SECONDS_OF_A_DAY: Final = 86400
_NEVER_EMPTY: Final = "BLOB(X'00') CONCAT "
_FRACTION_AT: Final = 21  # of a timestamp as text, from 1


def column_types(table: Table, settings: Settings) -> list[ColumnType | None]:
    """The type of each column of a table; None for a column without a field."""
    return [column_type(table.id, column, settings) for column in table.columns]


def column_type(table: TableId, column: Column, settings: Settings) -> ColumnType | None:
    """The type of a column; None if it has no field."""
    key = field_schema(column, settings)
    if key is None:
        return None
    rule = settings.column_rule(table, column.name, column.type_name)
    return ColumnType(
        column.name,
        key,
        with_rule(key, rule, column, settings.tailrace_event_shape),
        expressions(column),
        _converter(column, key),
        fallback_of(key, (column.scale or 0) if column.jdbc_type in jdbc.DECIMAL_TYPES else None),
        rule,
        column.type_name in _LARGE,
    )


def field_schema(column: Column, settings: Settings) -> Schema | None:
    """The schema of a column's field, before column policies; None if it has no field."""
    schema = _schema(column, settings)
    if schema is None:
        return None
    if column.optional:
        schema = schema.with_(optional=True)
    default = default_of(column, schema)
    return schema if default is NO_DEFAULT else schema.with_(default=default)


def _schema(column: Column, settings: Settings) -> Schema | None:
    kind = column.jdbc_type
    if column.type_name == DECFLOAT:
        mode = settings.decimal_handling_mode
        return VARIABLE_SCALE if mode == "precise" else decimal_schema(mode, 0, 0)
    if kind == XML_TYPE:
        return _XML
    if (common := schema_by_jdbc_type(column, settings, BYTES)) is not None:
        return common
    return Schema(jdbc.SCHEMA_TYPES[kind]) if kind in jdbc.SCHEMA_TYPES else None


def expressions(column: Column) -> tuple[str, ...]:
    """The expressions of the SELECT list for a column; `{}` stands for its name."""
    name, length = column.type_name, column.length or 0
    if name == DECFLOAT:
        return ("CAST(CAST({} AS VARCHAR(42)) AS VARCHAR(42) FOR BIT DATA)",)
    if name == "XML":
        return ("XMLSERIALIZE({} AS BLOB(2147483647) EXCLUDING XMLDECLARATION)",)
    if name == "BLOB":
        return (f"{_NEVER_EMPTY}{{}}",)
    if name in _GRAPHIC:
        size = length * _BYTES_OF_A_UNIT
        if name == "DBCLOB" or size > _LONGEST_VARCHAR:
            size = min(size, 2147483647)
            return (f"{_NEVER_EMPTY}CAST(CAST({{}} AS CLOB({size})) AS BLOB({size}))",)
        return (f"CAST(CAST({{}} AS VARCHAR({size})) AS VARCHAR({size}) FOR BIT DATA)",)
    if column.jdbc_type in jdbc.TEXT_TYPES:
        if name == "CLOB" or length > _LONGEST_VARCHAR:
            return (f"{_NEVER_EMPTY}CAST({{}} AS BLOB({length}))",)
        return (f"CAST({{}} AS VARCHAR({length}) FOR BIT DATA)",)
    if column.jdbc_type == jdbc.TIMESTAMP and (column.scale or 0) > 6:  # Arrow's nanoseconds have no room for all years
        whole = f"CAST(CAST({{}} AS TIMESTAMP({_NANO_DIGITS})) AS VARCHAR(32))"
        return "CAST({} AS TIMESTAMP(6))", f"INTEGER(SUBSTR({whole}, {_FRACTION_AT}, {_NANO_DIGITS}))"
    return ("{}",)


def is_unlimited(column: Column) -> bool:
    """Whether a column's values may be of any length, so that they are selected as large objects."""
    return _has_byte_before(column) or column.type_name == "XML"


def without_byte_before(column: Column, value: bytes) -> bytes:
    """A value of the first of a column's expressions, as it is in the column."""
    return value[1:] if _has_byte_before(column) else value


def _has_byte_before(column: Column) -> bool:
    return expressions(column)[0].startswith(_NEVER_EMPTY)


def _converter(column: Column, schema: Schema) -> Converter:
    if column.type_name == DECFLOAT:
        return converter_of_decfloats(column.name, schema)
    found = converter_of(column, schema, BYTES)
    if column.jdbc_type == jdbc.TIME:
        return replace(found, conversion=lambda arrays: found.conversion([_within_a_day(arrays[0])]))
    before = _has_byte_before(column)
    if before or column.jdbc_type in jdbc.BINARY_TYPES or schema.type is Type.STRING:
        return replace(
            found, conversion=lambda arrays: found.conversion([_untouched(arrays[0], schema, before), *arrays[1:]])
        )
    return found


def _within_a_day(times: pa.Array) -> pa.Array:
    """Times of a day: 24:00:00, which only Db2 tells from 00:00:00, is that, as in Debezium."""
    seconds = times.cast(pa.int32())
    return pc.if_else(pc.equal(seconds, _SECONDS_OF_A_DAY), pa.scalar(0, pa.int32()), seconds).cast(times.type)


def _untouched(array: pa.Array, schema: Schema, has_byte_before: bool) -> pa.Array:
    """The bytes that the server has, as bytes or as text."""
    array = as_bytes(array)
    if has_byte_before:
        array = without_first_byte(array)
    if schema.type is Type.STRING and pa.types.is_binary(array.type):
        return array.cast(pa.string())  # raises ArrowInvalid for what is not UTF-8
    return array
