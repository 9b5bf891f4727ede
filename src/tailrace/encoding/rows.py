"""Typed rows: a table's changes as columns of Arrow's and Spark's own types, for those who want tables, not topics.

One row a change: the columns of the image after it (of the image before it, for a delete), then `_op`, `_sequence`
(text that sorts as the log does, for merges that need an order), `_commit_time` and, if asked for, `_before`, the whole
image before. That is what Delta and Iceberg merges and AUTO CDC flows take.

The types follow from a field's Connect schema. Spark has no time of day beyond 24 hours and no unsigned 64 bits, so TIME
is a number of microseconds and BIGINT UNSIGNED a decimal of 20 digits; a DECIMAL of more than 38 digits stays text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailrace.changes.expand import AFTER as AFTER_ROLE
from tailrace.changes.expand import BEFORE as BEFORE_ROLE
from tailrace.changes.expand import Expansion
from tailrace.changes.model import Changes
from tailrace.changes.vectors import Vector
from tailrace.errors import StructureError
from tailrace.events.shape import Prepared, Shape
from tailrace.schema.connect import Schema, Type

OPERATION, SEQUENCE, COMMIT_TIME, BEFORE = "_op", "_sequence", "_commit_time", "_before"
LARGEST_PRECISION: Final = 38
UTC_MICROSECONDS: Final = pa.timestamp("us", tz="UTC")
_PLAIN: Final = {
    Type.INT8: pa.int8(),
    Type.INT16: pa.int16(),
    Type.INT32: pa.int32(),
    Type.INT64: pa.int64(),
    Type.FLOAT32: pa.float32(),
    Type.FLOAT64: pa.float64(),
    Type.BOOLEAN: pa.bool_(),
    Type.STRING: pa.string(),
    Type.BYTES: pa.binary(),
}
_DAYS: Final = ("io.debezium.time.Date", "org.apache.kafka.connect.data.Date")
_UNITS: Final = {
    "io.debezium.time.Timestamp": 1000,
    "org.apache.kafka.connect.data.Timestamp": 1000,
    "io.debezium.time.MicroTimestamp": 1,
}


def arrow_type(schema: Schema, source_type: str = "", length: int | None = None, scale: int | None = None) -> pa.DataType:
    """The Arrow type of a field.

    Args:
        schema: the field's.
        source_type: the column's type name in the database, for decimals that come as text.
        length: the column's, in digits.
        scale: the column's.

    """
    if schema.name in _DAYS:
        return pa.date32()
    if schema.name in _UNITS:
        return pa.timestamp("us")
    if schema.name == "io.debezium.time.ZonedTimestamp":
        return UTC_MICROSECONDS
    if source_type.upper().startswith(("DECIMAL", "NUMERIC", "DEC", "FIXED")) and (length or 10) <= LARGEST_PRECISION:
        return pa.decimal128(length or 10, scale or 0)
    if source_type.upper().startswith("BIGINT UNSIGNED"):
        return pa.decimal128(20, 0)
    if schema.type is Type.STRUCT:
        return pa.struct([pa.field(f.name, arrow_type(f.schema)) for f in schema.fields])
    if schema.type is Type.ARRAY and schema.items is not None:
        return pa.list_(arrow_type(schema.items))
    return _PLAIN[schema.type]


def typed(vector: Vector, schema: Schema, type_: pa.DataType) -> pa.Array:
    """The values of a column as an array of the type that `arrow_type` gave."""
    array = vector.to_arrow()
    if pa.types.is_date32(type_):
        return pc.cast(pc.cast(array, pa.int32()), type_)
    if schema.name in _UNITS:
        return pc.cast(pc.multiply(array, _UNITS[schema.name]), type_)
    if pa.types.is_timestamp(type_):
        text = pc.replace_substring_regex(pc.cast(array, pa.string()), r"(\.\d{6})\d+", r"\1")  # Spark has microseconds
        return pc.cast(text, type_)
    if pa.types.is_decimal(type_) and pa.types.is_int64(array.type):
        return array.view(pa.uint64()).cast(type_)  # BIGINT UNSIGNED
    if pa.types.is_decimal(type_):
        return pc.cast(pc.cast(array, pa.string()), type_)
    return _cast(array, type_)


def _cast(array: pa.Array, type_: pa.DataType) -> pa.Array:
    if not pa.types.is_struct(type_):
        return pc.cast(array, type_)
    children = [_cast(array.field(i), type_.field(i).type) for i in range(type_.num_fields)]
    mask = pc.invert(array.is_valid()) if array.null_count else None
    return pa.StructArray.from_arrays(children, fields=list(type_), mask=mask)


@dataclass(frozen=True, slots=True)
class RowSchema:
    """The columns of a table's rows, by name, and whether the image before comes along."""

    columns: pa.Schema
    with_before: bool = False

    def schema(self) -> pa.Schema:
        """All columns, in order."""
        own = [
            pa.field(OPERATION, pa.string(), nullable=False),
            pa.field(SEQUENCE, pa.string(), nullable=False),
            pa.field(COMMIT_TIME, UTC_MICROSECONDS, nullable=False),
        ]
        before = [pa.field(BEFORE, pa.struct(list(self.columns)))] if self.with_before else []
        return pa.schema([*self.columns, *own, *before])


class RowEncoder:
    """Rows out of the records of one structure version of a table."""

    def __init__(self, rows: RowSchema, shape: Shape) -> None:
        self._rows = rows
        self._shape = shape
        fields = shape.schemas.value.fields
        self._fields = {field.name: (i, field.schema) for i, field in enumerate(fields)}
        added = [field.name for field in fields if rows.columns.get_field_index(field.name) < 0]
        if added:
            raise StructureError(
                f"the table has columns now that the DataFrame does not have: {', '.join(added)}. Start the query again "
                "with the same checkpoint: it goes on here, with these columns"
            )

    def encode(self, prepared: Prepared) -> pa.RecordBatch:
        """One row a record, tombstones left out: a change of the key is a delete and an insert, as merges need it."""
        expansion, changes = prepared.expansion, prepared.changes
        live = np.flatnonzero(expansion.live)
        before, after = expansion.roles[BEFORE_ROLE][live], expansion.roles[AFTER_ROLE][live]
        values = self._shape.values(changes)
        columns = [self._column(field, values) for field in self._rows.columns]
        rows = [_take(column, np.where(after >= 0, after, before)) for column in columns]
        own = [
            pa.array(expansion.op[live].view("S1").astype("U1"), pa.string()),
            self._shape.positions(changes, expansion).to_arrow(pa.large_string()).take(pa.array(live)).cast(pa.string()),
            pa.array(_commit_us(changes, expansion)[live], pa.int64()).cast(UTC_MICROSECONDS),
        ]
        if self._rows.with_before:
            olds = [_take(column, before) for column in columns]
            own.append(pa.StructArray.from_arrays(olds, fields=list(self._rows.columns), mask=pa.array(before < 0)))
        return pa.RecordBatch.from_arrays([*rows, *own], schema=self._rows.schema())

    def _column(self, field: pa.Field, values: Sequence[Vector]) -> pa.Array:
        if field.name in self._fields:
            place, schema = self._fields[field.name]
            try:
                return typed(values[place], schema, field.type)
            except pa.ArrowInvalid as error:
                raise StructureError(
                    f"the column {field.name} has values that do not fit into the DataFrame's {field.type}: {error}. The table "
                    "was altered: start the query again with the same checkpoint, and it goes on here, with the column as it is"
                ) from error
        images = values[0].length if values else 0
        return pa.nulls(images, field.type)  # a column that the table did not have yet, or has no more


def _commit_us(changes: Changes, expansion: Expansion) -> np.ndarray:
    fact = changes.source["ts_us"]
    return np.asarray(fact.vector.data[expansion.roles[fact.level]], np.int64)


def _take(column: pa.Array, images: np.ndarray) -> pa.Array:
    return column.take(pa.array(images.astype(np.int64), mask=images < 0))
