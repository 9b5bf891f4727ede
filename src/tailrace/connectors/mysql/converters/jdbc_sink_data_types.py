"""The types that Debezium's JDBC sink creates the same columns of: booleans, reals, and texts with their character sets.

A selected column of a type that can't be converted has a constant value, as in Debezium: 0, or an empty text. A warning tells.

Source: Debezium's documentation, "Converters"; comparison with Debezium 3.6.1 (tests/differential).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailrace.changes.field_paths import repeated
from tailrace.changes.vectors import Kind as VectorKind
from tailrace.changes.vectors import Vector, from_arrow
from tailrace.config.property import Kind, Property
from tailrace.connectors.mysql.converters.options import Selector, selector_of, selector_property, typed
from tailrace.connectors.mysql.converters.tinyint_one_to_boolean import is_positive
from tailrace.connectors.shared import jdbc
from tailrace.custom_converters.spec import ColumnConversion, ConverterSpec, Converting, Texts
from tailrace.java_numbers import number_texts
from tailrace.schema.connect import Schema, Type
from tailrace.schema.tables import Column, TableId

log = logging.getLogger(__name__)

CHARACTER_SET: Final = "__debezium.source.column.character_set"
_NUMBERS: Final = (Type.INT8, Type.INT16, Type.INT32, Type.INT64, Type.FLOAT32, Type.FLOAT64)
_PROPERTIES: Final = (
    selector_property("selector.boolean", "Columns that become int16: 1 if the number is more than 0, else 0"),
    selector_property("selector.real", "Columns that become float64 or float32"),
    selector_property("selector.string", "Columns that become texts with their character set as a parameter of the schema"),
    Property(
        name="treat.real.as.double", kind=Kind.BOOL, default=True, doc="`selector.real` makes float64; with false float32."
    ),
)


@dataclass(frozen=True, slots=True)
class _JdbcSinkDataTypes:
    is_boolean: Selector
    is_real: Selector
    is_string: Selector
    real: Type

    def __call__(self, table: TableId, column: Column, schema: Schema) -> ColumnConversion | None:
        if self.is_boolean(table, column.name):
            return _from_number(table, column, schema, Schema(Type.INT16), _as_one_or_zero)
        if self.is_real(table, column.name):
            return _from_number(table, column, schema, Schema(self.real), _as_real(self.real))
        return _string(table, column, schema) if self.is_string(table, column.name) else None


def _from_number(
    table: TableId, column: Column, schema: Schema, made: Schema, convert: Callable[[Vector], Vector]
) -> ColumnConversion:
    read_as = _number_of(column, schema)
    if read_as is None and not _is_number(schema) and schema.type is not Type.BOOLEAN:
        return _constant(table, column, made, 0)
    return ColumnConversion(made, convert, read_as=read_as)


def _number_of(column: Column, schema: Schema) -> Schema | None:
    """The schema under which a number that is not plain is read as one; None: as it is."""
    if _is_big(column):
        return _plain(Type.INT64, schema) if schema.type is Type.BYTES else None
    return _plain(Type.FLOAT64, schema) if column.jdbc_type in jdbc.DECIMAL_TYPES else None


def _is_big(column: Column) -> bool:
    return column.type_name.upper().startswith(("BIGINT", "INT8"))


def _plain(type_: Type, schema: Schema) -> Schema:
    return Schema(type_, optional=schema.optional)


def _is_number(schema: Schema) -> bool:
    return schema.type in _NUMBERS and schema.name is None


def _as_one_or_zero(vector: Vector) -> Vector:
    if vector.kind in (VectorKind.FLOAT32, VectorKind.FLOAT64):  # cut towards zero first
        return replace(vector, kind=VectorKind.INT, data=(vector.data >= 1).astype(np.int64))
    return replace(is_positive(vector), kind=VectorKind.INT)


def _as_real(type_: Type) -> Callable[[Vector], Vector]:
    kind, dtype = (VectorKind.FLOAT32, np.float32) if type_ is Type.FLOAT32 else (VectorKind.FLOAT64, np.float64)
    return lambda vector: replace(vector, kind=kind, data=vector.data.astype(dtype))


def _string(table: TableId, column: Column, schema: Schema) -> ColumnConversion:
    parameters = () if column.charset is None else ((CHARACTER_SET, column.charset),)
    made = Schema(Type.STRING, parameters=parameters)
    if column.jdbc_type in jdbc.BINARY_TYPES:
        return ColumnConversion(made, _as_utf8, read_as=_plain(Type.BYTES, schema), default="")
    if column.jdbc_type in jdbc.DECIMAL_TYPES and not _is_big(column):
        return ColumnConversion(made, _same, read_as=_plain(Type.STRING, schema))
    if schema.type is Type.STRING and (schema.name is None or schema.name.startswith("io.debezium.data.")):
        return ColumnConversion(made, _same)
    read_as = _number_of(column, schema)
    if read_as is None and not _is_number(schema):
        return _constant(table, column, made, "")
    return ColumnConversion(made, _number_text, read_as=read_as)


def _same(vector: Vector) -> Vector:
    return vector


def _number_text(vector: Vector) -> Vector:
    if vector.kind is VectorKind.INT:
        return from_arrow(pc.cast(vector.to_arrow(), pa.string()))
    texts = np.array(number_texts(vector.data), object)
    return from_arrow(pa.array(texts, pa.string(), mask=~vector.is_valid()))


def _as_utf8(vector: Vector) -> Vector:
    if vector.kind is not VectorKind.BYTES:
        return vector  # the placeholder of a value that the log lacks
    try:
        return from_arrow(pc.cast(pc.cast(vector.to_arrow(), pa.binary()), pa.string()))
    except pa.ArrowInvalid:
        return _decoded_one_by_one(vector)


def _decoded_one_by_one(vector: Vector) -> Vector:
    """Bytes that are not all UTF-8, each by itself: what is none becomes U+FFFD, as in Java."""
    values = vector.to_arrow().to_pylist()
    return from_arrow(pa.array([None if each is None else each.decode(errors="replace") for each in values], pa.string()))


def _constant(table: TableId, column: Column, made: Schema, value: Any) -> ColumnConversion:
    log.warning("%s.%s: JdbcSinkDataTypesConverter can't make %s of %s", table, column.name, made.type, column.type_name)

    def convert(vector: Vector) -> Vector:
        found = repeated(made, value, vector.length)
        return replace(found, valid=vector.valid)

    return ColumnConversion(made, convert)


def _make(texts: Texts) -> Converting:
    options = typed(_PROPERTIES, texts)
    boolean, real, string = (selector_of(options[f"selector_{each}"], without=False) for each in ("boolean", "real", "string"))
    return _JdbcSinkDataTypes(boolean, real, string, Type.FLOAT64 if options["treat_real_as_double"] else Type.FLOAT32)


SPEC: Final = ConverterSpec(
    names=(
        "io.debezium.connector.binlog.converters.JdbcSinkDataTypesConverter",
        "io.debezium.connector.mysql.converters.JdbcSinkDataTypesConverter",
    ),
    doc="Types from which Debezium's JDBC sink makes the columns that the table had.",
    properties=_PROPERTIES,
    make=_make,
)
