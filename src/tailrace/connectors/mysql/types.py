"""MySQL's types in Debezium's form: the schema of each column's field, and how its values are read.

The structure and the configuration's handling modes decide the field: the type's name, its length, its
nullability, its default. The log decides how values are stored: a table
map's type numbers and parameters. Both meet in a `ColumnPlan`.

Names, versions and parameters of the schemas are Debezium's.

Source: Debezium's documentation of the MySQL connector, "Data type mappings"; MySQL Reference Manual, "Data
Types".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from tailrace.changes.policies import Rule
from tailrace.connectors.mysql.defaults import default_of
from tailrace.connectors.mysql.image_layout import charset_of_collation, decoded_labels, storage_of
from tailrace.connectors.mysql.log.table_map import MapColumn
from tailrace.connectors.mysql.logged_tables import misfits, table_of_map
from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.shared.column_types import (
    DECIMAL,
    ZONED_TIMESTAMP,
    binary_schema,
    day_schema,
    decimal_schema,
    time_schema,
    timestamp_schema,
    with_rule,
)
from tailrace.connectors.shared.jdbc import (
    BINARY,
    BINARY_TYPES,
    BIT,
    DECIMAL_TYPES,
    SCHEMA_TYPES,
    TEXT_TYPES,
    TIMESTAMP_WITH_TIMEZONE,
)
from tailrace.connectors.shared.jdbc import DATE as DATE_TYPE
from tailrace.connectors.shared.jdbc import TIME as TIME_TYPE
from tailrace.connectors.shared.jdbc import TIMESTAMP as TIMESTAMP_TYPE
from tailrace.custom_converters.conversions import ConvertedField, converted_field
from tailrace.errors import UnsupportedError
from tailrace.events.shape import ColumnPolicy
from tailrace.schema.connect import NO_DEFAULT, Field, Schema, Type
from tailrace.schema.tables import Column, TableId

__all__ = ["ColumnType", "column_type", "field_schema", "misfits", "plan_of", "table_of_map"]

BIGINT_UNSIGNED_DIGITS: Final = 20
FLOAT_BITS: Final = 24  # FLOAT(p) of more is a DOUBLE

_GEOMETRY = Schema(
    Type.STRUCT,
    name="io.debezium.data.geometry.Geometry",
    version=1,
    doc="Geometry",
    fields=(Field("wkb", Schema(Type.BYTES)), Field("srid", Schema(Type.INT32, optional=True))),
)
_POINT = Schema(
    Type.STRUCT,
    name="io.debezium.data.geometry.Point",
    version=1,
    doc="Geometry (POINT)",
    fields=(
        Field("x", Schema(Type.FLOAT64)),
        Field("y", Schema(Type.FLOAT64)),
        Field("wkb", Schema(Type.BYTES, optional=True)),
        Field("srid", Schema(Type.INT32, optional=True)),
    ),
)
_BY_NAME: Final = {
    "JSON": Schema(Type.STRING, name="io.debezium.data.Json", version=1),
    "POINT": _POINT,
    **dict.fromkeys(
        ("GEOMETRY", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON"), _GEOMETRY
    ),
    **dict.fromkeys(("GEOMETRYCOLLECTION", "GEOMCOLLECTION"), _GEOMETRY),
    "YEAR": Schema(Type.INT32, name="io.debezium.time.Year", version=1),
    "VECTOR": Schema(Type.ARRAY, name="io.debezium.data.FloatVector", version=1, items=Schema(Type.FLOAT32)),
}
_UNSIGNED: Final = {
    **dict.fromkeys(("TINYINT", "INT1"), Type.INT16),
    **dict.fromkeys(("SMALLINT", "INT2", "MEDIUMINT", "INT3", "MIDDLEINT"), Type.INT32),
    **dict.fromkeys(("INT", "INTEGER", "INT4"), Type.INT64),
}
_BIG: Final = ("BIGINT", "INT8")

@dataclass(frozen=True, slots=True)
class ColumnType:
    """How a column is read and shown.

    Attributes:
        key: the schema of its field in a key.
        value: the same in a value, where a column policy may have changed it.
        plan: how its values are read.
        rule: the configured rule that changes its values or their schema; None without one.
        conversion: what its custom converter makes of the values that were read; None without one.

    """

    key: Schema
    value: Schema
    plan: ColumnPlan
    rule: Rule = None
    conversion: ColumnPolicy | None = None


def column_type(table: TableId, column: Column, logged: MapColumn, settings: MySqlSettings) -> ColumnType:
    """How a column is read and shown; `logged` is the table map's view of it.

    Raises:
        UnsupportedError: its type is not known.

    """
    if column.comment is not None and not settings.include_schema_comments:
        column = replace(column, comment=None)
    plain = field_schema(column, settings)
    found = _converted(table, column, plain, settings)
    key = plain if found is None else found.schema
    rule = settings.column_rule(table, column.name, column.type_name)
    value = with_rule(key, rule, column, settings.tailrace_event_shape)
    if found is None:
        return ColumnType(key, value, plan_of(column, plain, logged, settings), rule)
    return ColumnType(key, value, _plan_before(found, plain, column, logged, settings), rule, found.convert)


def converted_schema(table: TableId, column: Column, settings: MySqlSettings) -> Schema:
    """The schema of a column's field behind its custom converter, before any column policy."""
    plain = field_schema(column, settings)
    found = _converted(table, column, plain, settings)
    return plain if found is None else found.schema


def _converted(table: TableId, column: Column, plain: Schema, settings: MySqlSettings) -> ConvertedField | None:
    if not settings.custom_converters:
        return None
    return converted_field(settings, table, column, plain, lambda schema: default_of(column, schema, settings))


def _plan_before(
    found: ConvertedField, plain: Schema, column: Column, logged: MapColumn, settings: MySqlSettings
) -> ColumnPlan:
    """How values are read for a custom converter; one with a form of its own gets dates unadjusted, and zero dates as nulls."""
    if found.read_as is None:
        return plan_of(column, plain, logged, settings)
    return replace(plan_of(column, found.read_as, logged, settings), zero=None, adjust_years=False)


def field_schema(column: Column, settings: MySqlSettings) -> Schema:
    """The schema of a column's field, before any column policy."""
    schema = _schema(column, settings)
    if column.optional != schema.optional:
        schema = schema.with_(optional=column.optional)
    if column.comment is not None and settings.include_schema_comments:
        schema = schema.with_(doc=column.comment)
    default = default_of(column, schema, settings)
    return schema if default is NO_DEFAULT else schema.with_(default=default)


def plan_of(column: Column, schema: Schema, logged: MapColumn, settings: MySqlSettings) -> ColumnPlan:
    """How a column's values are read from row images, to come out as its field's schema wants them."""
    wire, meta = storage_of(column.name, logged)
    out = _out(column, schema, wire, settings)
    return ColumnPlan(
        storage=wire,
        meta=meta,
        out=out,
        unsigned=is_unsigned(column) if logged.unsigned is None else logged.unsigned,
        charset=charset_of(column, logged),
        labels=labels_of(column, logged) if wire in (Storage.ENUM, Storage.SET) else (),
        pad=(column.length or 0) if column.jdbc_type == BINARY and wire is Storage.STRING else 0,
        zero=_zero(column, schema, wire),
        adjust_years=settings.enable_time_adjuster,
    )


def is_unsigned(column: Column) -> bool:
    """Whether a number is UNSIGNED."""
    return "UNSIGNED" in column.type_name.upper().split()


def charset_of(column: Column, logged: MapColumn) -> str | None:
    """The character set of a text column's bytes: the log's overrides the structure's."""
    if column.jdbc_type in TEXT_TYPES:
        return charset_of_collation(logged.collation) or column.charset or "utf8mb4"
    return None


def labels_of(column: Column, logged: MapColumn) -> tuple[bytes, ...]:
    """The labels of an ENUM or SET in UTF-8: the structure's, else the log's."""
    if column.enum_values or not logged.labels:
        return tuple(label.encode() for label in column.enum_values)
    return tuple(text.encode() for text in decoded_labels(logged))


def _schema(column: Column, settings: MySqlSettings) -> Schema:
    words = column.type_name.upper().partition("(")[0].split()
    base = words[0] if words else ""
    unsigned = "UNSIGNED" in words
    if base in _BY_NAME:
        return _BY_NAME[base]
    if base in ("ENUM", "SET"):
        name = "io.debezium.data.Enum" if base == "ENUM" else "io.debezium.data.EnumSet"
        return Schema(Type.STRING, name=name, version=1, parameters=(("allowed", _allowed(column)),))
    if unsigned and base in _UNSIGNED:
        return Schema(_UNSIGNED[base])
    if unsigned and base in _BIG and settings.bigint_unsigned_handling_mode == "precise":
        return decimal_schema("precise", BIGINT_UNSIGNED_DIGITS, 0)
    if base == "FLOAT" and column.scale is None and (column.length or 0) <= FLOAT_BITS:
        return Schema(Type.FLOAT32)
    return _schema_by_jdbc(column, settings)


def _schema_by_jdbc(column: Column, settings: MySqlSettings) -> Schema:
    kind = column.jdbc_type
    if kind == BIT and (column.length or 1) > 1:
        return Schema(
            Type.BYTES, name="io.debezium.data.Bits", version=1, parameters=(("length", str(column.length)),)
        )
    if kind in BINARY_TYPES:
        return binary_schema(settings.binary_handling_mode)
    if kind in DECIMAL_TYPES:
        return decimal_schema(settings.decimal_handling_mode, column.length or 10, column.scale or 0)
    if kind in (DATE_TYPE, TIME_TYPE, TIMESTAMP_TYPE, TIMESTAMP_WITH_TIMEZONE):
        return _temporal(column, settings.time_precision_mode)
    if kind not in SCHEMA_TYPES:
        raise UnsupportedError(f"the type {column.type_name} of column {column.name} is not known")
    return Schema(SCHEMA_TYPES[kind])


def _temporal(column: Column, mode: str) -> Schema:
    if column.jdbc_type == DATE_TYPE:
        return day_schema(mode)
    if column.jdbc_type == TIME_TYPE:
        return time_schema(mode, column.length or 0)
    if column.jdbc_type == TIMESTAMP_WITH_TIMEZONE:
        return ZONED_TIMESTAMP
    return timestamp_schema(mode, column.length or 0)


def _allowed(column: Column) -> str:
    """The labels as one text: a comma, and a backslash, within a label has a backslash before it."""
    return ",".join(label.replace("\\", "\\\\").replace(",", "\\,") for label in column.enum_values)


_OUT_BY_NAME: Final = {
    "io.debezium.time.Date": Out.DAYS,
    "org.apache.kafka.connect.data.Date": Out.DAYS,
    "io.debezium.time.IsoDate": Out.ISO,
    "io.debezium.time.IsoTime": Out.ISO,
    "io.debezium.time.IsoTimestamp": Out.ISO,
    "io.debezium.time.MicroTime": Out.MICROS,
    "io.debezium.time.NanoTime": Out.NANOS,
    "org.apache.kafka.connect.data.Time": Out.MILLIS,
    "io.debezium.time.Timestamp": Out.MILLIS,
    "org.apache.kafka.connect.data.Timestamp": Out.MILLIS,
    "io.debezium.time.MicroTimestamp": Out.MICROS,
    "io.debezium.time.NanoTimestamp": Out.NANOS,
    "io.debezium.time.ZonedTimestamp": Out.ZONED,
    "io.debezium.data.Bits": Out.BIT_BYTES,
    "io.debezium.data.geometry.Geometry": Out.GEOMETRY,
    "io.debezium.data.geometry.Point": Out.POINT,
    "io.debezium.data.FloatVector": Out.FLOATS,
    DECIMAL: Out.UNSCALED,
}
_OUT_BY_TYPE: Final = {
    Type.BOOLEAN: Out.BIT_BOOL,
    Type.FLOAT32: Out.FLOAT32,
    Type.FLOAT64: Out.FLOAT64,
    Type.BYTES: Out.BYTES,
}
_ENCODED: Final = {"base64": Out.BASE64, "base64-url-safe": Out.BASE64_URL, "hex": Out.HEX}


def _out(column: Column, schema: Schema, wire: Storage, settings: MySqlSettings) -> Out:
    if schema.name in _OUT_BY_NAME:
        return _OUT_BY_NAME[schema.name]
    if schema.type is not Type.STRING:
        return _OUT_BY_TYPE.get(schema.type, Out.INT)
    if wire is Storage.DECIMAL:
        return Out.DECIMAL_TEXT
    if column.jdbc_type in BINARY_TYPES:
        return _ENCODED[settings.binary_handling_mode]
    return Out.TEXT


_EPOCH: Final = {
    "io.debezium.time.IsoDate": "1970-01-01Z",
    "io.debezium.time.IsoTimestamp": "1970-01-01T00:00:00Z",
    "io.debezium.time.ZonedTimestamp": "1970-01-01T00:00:00Z",
}
_DATES: Final = (Storage.DATE, Storage.DATETIME2, Storage.TIMESTAMP2, Storage.OLD_DATETIME, Storage.OLD_TIMESTAMP)


def _zero(column: Column, schema: Schema, wire: Storage) -> int | str | None:
    """The replacement of an invalid date, and of an empty JSON value."""
    if column.optional or wire not in (*_DATES, Storage.JSON):
        return None
    if wire is Storage.JSON:
        return "{}"
    if isinstance(schema.default, int | str):
        return schema.default
    return _EPOCH.get(schema.name or "", 0)
