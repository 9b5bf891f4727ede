"""Schemas that do not depend on the database: decimals, dates and times, bytes, and what rules add.

Names, versions and parameters are Debezium's. Source: its documentation, "Data type mappings" and
`column.propagate.source.type` of each connector.
"""

from __future__ import annotations

from typing import Final

from tailrace.changes.policies import Rule
from tailrace.config.filters import SourceTypes, Truncate
from tailrace.config.settings import Settings
from tailrace.connectors.shared import jdbc
from tailrace.schema.connect import Schema, Type
from tailrace.schema.event_shapes import CURRENT
from tailrace.schema.tables import Column

DECIMAL: Final = "org.apache.kafka.connect.data.Decimal"
NUMBERS_AS_BYTES: Final = (DECIMAL, "io.debezium.data.Bits")
"""Schemas of type BYTES that are numbers; no rule truncates them."""
ZONED_TIMESTAMP: Final = Schema(Type.STRING, name="io.debezium.time.ZonedTimestamp", version=1)
MILLISECONDS, MICROSECONDS = 3, 6  # fractional digits
Parameters = tuple[tuple[str, str], ...]

_DAY: Final = {
    "isostring": Schema(Type.STRING, name="io.debezium.time.IsoDate", version=1),
    "connect": Schema(Type.INT32, name="org.apache.kafka.connect.data.Date", version=1),
}
_DAYS: Final = Schema(Type.INT32, name="io.debezium.time.Date", version=1)
_MILLI_TIME: Final = Schema(Type.INT32, name="io.debezium.time.Time", version=1)
_MICRO_TIME: Final = Schema(Type.INT64, name="io.debezium.time.MicroTime", version=1)
_NANO_TIME: Final = Schema(Type.INT64, name="io.debezium.time.NanoTime", version=1)
_TIME: Final = {
    "isostring": Schema(Type.STRING, name="io.debezium.time.IsoTime", version=1),
    "connect": Schema(Type.INT32, name="org.apache.kafka.connect.data.Time", version=1),
    "nanoseconds": _NANO_TIME,
    "microseconds": _MICRO_TIME,
    "adaptive_time_microseconds": _MICRO_TIME,
}
_MILLI_TIMESTAMP: Final = Schema(Type.INT64, name="io.debezium.time.Timestamp", version=1)
_MICRO_TIMESTAMP: Final = Schema(Type.INT64, name="io.debezium.time.MicroTimestamp", version=1)
_NANO_TIMESTAMP: Final = Schema(Type.INT64, name="io.debezium.time.NanoTimestamp", version=1)
_TIMESTAMP: Final = {
    "isostring": Schema(Type.STRING, name="io.debezium.time.IsoTimestamp", version=1),
    "connect": Schema(Type.INT64, name="org.apache.kafka.connect.data.Timestamp", version=1),
    "microseconds": _MICRO_TIMESTAMP,
    "nanoseconds": _NANO_TIMESTAMP,
}


def schema_by_jdbc_type(column: Column, settings: Settings, binary_mode: str) -> Schema | None:
    """The schema of a decimal, bytes, a date, a time or a timestamp, under the handling modes; None for another type."""
    kind, digits = column.jdbc_type, column.scale or 0
    if kind in jdbc.DECIMAL_TYPES:
        return decimal_schema(settings.decimal_handling_mode, column.length or 0, digits)
    if kind in jdbc.BINARY_TYPES:
        return binary_schema(binary_mode)
    if kind == jdbc.DATE:
        return day_schema(settings.time_precision_mode)
    if kind == jdbc.TIME:
        return time_schema(settings.time_precision_mode, digits)
    if kind == jdbc.TIMESTAMP:
        return timestamp_schema(settings.time_precision_mode, digits)
    return None


def day_schema(mode: str) -> Schema:
    """The schema of a date under `time.precision.mode`."""
    return _DAY.get(mode, _DAYS)


def time_schema(mode: str, digits: int) -> Schema:
    """The schema of a time of day with so many fractional digits."""
    return _TIME.get(mode) or _adapted(digits, _MILLI_TIME, _MICRO_TIME, _NANO_TIME)


def timestamp_schema(mode: str, digits: int) -> Schema:
    """The schema of a date and time without a time zone, with so many fractional digits."""
    return _TIMESTAMP.get(mode) or _adapted(digits, _MILLI_TIMESTAMP, _MICRO_TIMESTAMP, _NANO_TIMESTAMP)


def decimal_schema(mode: str, precision: int, scale: int) -> Schema:
    """The schema of a decimal under `decimal.handling.mode`."""
    if mode == "precise":
        parameters = (("scale", str(scale)), ("connect.decimal.precision", str(precision)))
        return Schema(Type.BYTES, name=DECIMAL, version=1, parameters=parameters)
    return Schema(Type.STRING if mode == "string" else Type.FLOAT64)


def binary_schema(mode: str) -> Schema:
    """The schema of bytes under `binary.handling.mode`."""
    return Schema(Type.BYTES if mode == "bytes" else Type.STRING)


def with_rule(schema: Schema, rule: Rule, column: Column, shape: str) -> Schema:
    """A field's schema with the parameters that its column's rule adds."""
    parameters = parameters_of(rule, column, shape)
    return schema.with_(parameters=schema.parameters + parameters) if parameters else schema


def parameters_of(rule: Rule, column: Column, shape: str) -> Parameters:
    """The parameters that a rule adds to a field's schema; `shape` is `tailrace.event.shape`."""
    if isinstance(rule, SourceTypes):
        return _source_parameters(column, is_named=shape == CURRENT)
    if isinstance(rule, Truncate):
        return (("truncateLength", str(rule.length)),) if truncates(rule, column) else ()
    return (("masked", "true"),) if rule is not None else ()


def truncates(rule: Truncate, column: Column) -> bool:
    """Whether a column's values may be longer than the rule allows."""
    return column.length is None or column.length > rule.length


def _source_parameters(column: Column, *, is_named: bool) -> Parameters:
    """The parameters of `column.propagate.source.type`; the column's name is among them only in the current shape."""
    prefix = "__debezium.source.column."
    parameters = (
        ("type", column.type_name.upper()),
        ("length", column.length),
        ("scale", column.scale),
        ("comment", column.comment or None),
        ("name", column.name if is_named else None),
    )
    return tuple((prefix + name, str(value)) for name, value in parameters if value is not None)


def _adapted(digits: int, millis: Schema, micros: Schema, nanos: Schema) -> Schema:
    if digits <= MILLISECONDS:
        return millis
    return micros if digits <= MICROSECONDS else nanos
