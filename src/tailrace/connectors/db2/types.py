"""Db2's data types in Debezium's form: each column's schema, how it is selected, and how it is decoded.

Names, versions and parameters of the schemas are Debezium's. `binary.handling.mode` has no effect on Db2 in Debezium, nor here.

Text is selected as bytes (`text_sql.py`). Large objects and XML are selected as BLOB for the same reason, large objects with a
byte before them: of an empty one nothing follows the row, and the driver takes that of a later row for it. What Arrow would
lose is selected as an additional column: the digits of a timestamp beyond microseconds. DECFLOAT is selected as text, as the
driver loses exponents.

Sources: Debezium's documentation of the Db2 connector, "Data type mappings"; the result of Debezium 3.6.1 for a row of all
types (tests/connectors/db2/data/debezium_db2_types.json); for the driver tests/standins/db2/drivers/test_db2_adbc.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from tailrace.config.settings import Settings
from tailrace.connectors.db2.before_images import LARGE
from tailrace.connectors.db2.bit_data import as_bytes, without_first_byte
from tailrace.connectors.db2.decfloats import DECFLOAT, VARIABLE_SCALE, converter_of_decfloats
from tailrace.connectors.db2.defaults import default_of
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.text_sql import LONGEST_VARCHAR, as_large_utf_8, as_utf_8, converted, utf_8_size
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.arrow_values.conversions import converter_of
from tailrace.connectors.shared.arrow_values.filling import fallback_of
from tailrace.connectors.shared.arrow_values.selected import ColumnType, Converter
from tailrace.connectors.shared.column_types import decimal_schema, schema_by_jdbc_type, with_rule
from tailrace.custom_converters.conversions import converted_field
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.tables import Column, Table, TableId

XML_TYPE: Final = 2009
BYTES: Final = "bytes"
_XML: Final = Schema(Type.STRING, name="io.debezium.data.Xml", version=1)
_LONGEST: Final = 2147483647
_BYTES_OF_A_UNIT: Final = 3  # of UTF-8, for a unit of UTF-16
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
    custom = converted_field(settings, table, column, key)
    schema = key if custom is None else custom.schema
    selected = expressions(column, is_zos=_is_zos(settings))
    return ColumnType(
        column.name,
        schema,
        with_rule(schema, rule, column, settings.tailrace_event_shape),
        selected,
        _converter(column, key, has_byte_before=_has_byte_before(selected)),
        fallback_of(key, (column.scale or 0) if column.jdbc_type in jdbc.DECIMAL_TYPES else None),
        rule,
        column.type_name in LARGE,
        None if custom is None else custom.convert,
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


def expressions(column: Column, *, is_zos: bool = False) -> tuple[str, ...]:
    """The expressions of the SELECT list for a column; `{}` stands for its name."""
    name = column.type_name
    if name == DECFLOAT:
        return (as_utf_8("CAST({} AS VARCHAR(42))", 42, is_zos=is_zos),)
    if name == "XML":
        return ("XMLSERIALIZE({} AS BLOB(2147483647) EXCLUDING XMLDECLARATION)",)
    if name == "BLOB":
        return (f"{_NEVER_EMPTY}{{}}",)
    if name in _GRAPHIC:
        return (_graphic(column, is_zos=is_zos),)
    if column.jdbc_type in jdbc.TEXT_TYPES:
        return (_text(column, is_zos=is_zos),)
    if column.jdbc_type == jdbc.TIMESTAMP and (column.scale or 0) > 6:  # Arrow's nanoseconds have no room for all years
        whole = f"CAST(CAST({{}} AS TIMESTAMP({_NANO_DIGITS})) AS VARCHAR(32))"
        return "CAST({} AS TIMESTAMP(6))", f"INTEGER(SUBSTR({whole}, {_FRACTION_AT}, {_NANO_DIGITS}))"
    return ("{}",)


def _is_zos(settings: Settings) -> bool:
    return isinstance(settings, Db2Settings) and settings.is_zos


def _text(column: Column, *, is_zos: bool) -> str:
    size = utf_8_size(column.length or 0, is_zos=is_zos)
    if column.type_name == "CLOB" or size > LONGEST_VARCHAR:
        return f"{_NEVER_EMPTY}{as_large_utf_8('{}', min(size, _LONGEST), is_zos=is_zos)}"
    return as_utf_8("{}", size, is_zos=is_zos)


def _graphic(column: Column, *, is_zos: bool) -> str:
    length = column.length or 0
    size = length * _BYTES_OF_A_UNIT
    if column.type_name == "DBCLOB" or size > LONGEST_VARCHAR:
        size = min(size, _LONGEST)
        text = converted("{}", f"DBCLOB({length})", is_zos=is_zos)
        return (
            f"{_NEVER_EMPTY}{as_large_utf_8(text if is_zos else f'CAST({text} AS CLOB({size}))', size, is_zos=is_zos)}"
        )
    text = converted("{}", f"VARGRAPHIC({length})", is_zos=is_zos)
    return as_utf_8(text if is_zos else f"CAST({text} AS VARCHAR({size}))", size, is_zos=is_zos)


def is_unlimited(type_: ColumnType) -> bool:
    """Whether a column's values may be of any length, so that they are selected as large objects."""
    return _has_byte_before(type_.expressions) or type_.expressions[0].startswith("XMLSERIALIZE")


def without_byte_before(selected: Sequence[str], value: bytes) -> bytes:
    """A value of the first of a column's expressions, as it is in the column."""
    return value[1:] if _has_byte_before(selected) else value


def _has_byte_before(selected: Sequence[str]) -> bool:
    return selected[0].startswith(_NEVER_EMPTY)


def _converter(column: Column, schema: Schema, *, has_byte_before: bool) -> Converter:
    if column.type_name == DECFLOAT:
        return converter_of_decfloats(column.name, schema)
    found = converter_of(column, schema, BYTES)
    if column.jdbc_type == jdbc.TIME:
        return replace(found, conversion=lambda arrays: found.conversion([_within_a_day(arrays[0])]))
    before = has_byte_before
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
