"""The encoder of typed rows: a table's changes as columns of Arrow and Spark types, for DataFrames of one table.

A change is one row: the columns of its after image (of a delete: the before image), then `_op`, `_sequence` (text that sorts in
log order, for merges), `_commit_time`, and optionally `_before`, the whole before image. Merges into Delta and
Iceberg and AUTO CDC flows take this form.

A column's type follows from its Connect schema. Spark has neither a time of day beyond 24 hours nor unsigned 64-bit integers:
TIME is a number of microseconds, BIGINT UNSIGNED a decimal of 20 digits. A DECIMAL of more than 38 digits stays text,
because Spark's decimals have no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tailrace.changes.arrow_columns import PLAIN, cast_to
from tailrace.changes.layouts import Column, Constant, Layout, Node, Struct
from tailrace.changes.model import TRUNCATE
from tailrace.changes.source_records import EventKind, SourceRecords
from tailrace.changes.vectors import Vector
from tailrace.errors import ConfigError, StructureError
from tailrace.schema.connect import Schema, Type

OPERATION, SEQUENCE, COMMIT_TIME, BEFORE = "_op", "_sequence", "_commit_time", "_before"
LARGEST_PRECISION: Final = 38
UTC_MICROSECONDS: Final = pa.timestamp("us", tz="UTC")
_DAYS: Final = ("io.debezium.time.Date", "org.apache.kafka.connect.data.Date")
_UNITS: Final = {
    "io.debezium.time.Timestamp": 1000,
    "org.apache.kafka.connect.data.Timestamp": 1000,
    "io.debezium.time.MicroTimestamp": 1,
}


def arrow_type(schema: Schema, source_type: str = "", length: int | None = None, scale: int | None = None) -> pa.DataType:
    """The Arrow type of a field.

    Args:
        schema: of the field.
        source_type: the column's type name in the database, for decimals whose values are text.
        length: the column's precision, in digits.
        scale: of the column.

    """
    if schema.name in _DAYS:
        return pa.date32()
    if schema.name in _UNITS:
        return pa.timestamp("us")
    if schema.name == "io.debezium.time.ZonedTimestamp":
        return UTC_MICROSECONDS
    # all are MySQL's names of DECIMAL, whose precision is 10 where DDL gives none
    if source_type.upper().startswith(("DECIMAL", "NUMERIC", "DEC", "FIXED")) and (length or 10) <= LARGEST_PRECISION:
        return pa.decimal128(length or 10, scale or 0)
    if source_type.upper().startswith("BIGINT UNSIGNED"):
        return pa.decimal128(20, 0)
    if schema.type is Type.STRUCT:
        return pa.struct([pa.field(f.name, arrow_type(f.schema)) for f in schema.fields])
    if schema.type is Type.ARRAY and schema.items is not None:
        return pa.list_(arrow_type(schema.items))
    return PLAIN[schema.type]


def typed(vector: Vector, schema: Schema, type_: pa.DataType) -> pa.Array:
    """The values of a column as an array of the type that `arrow_type` gave. Raises `ArrowInvalid` if one does not fit."""
    array = vector.to_arrow()
    if pa.types.is_date32(type_):
        return pc.cast(pc.cast(array, pa.int32()), type_)
    if schema.name in _UNITS:
        return pc.cast(pc.multiply(array, _UNITS[schema.name]), type_)
    if pa.types.is_timestamp(type_):
        text = pc.replace_substring_regex(pc.cast(array, pa.string()), r"(\.\d{6})\d+", r"\1")  # Spark has microseconds
        return pc.cast(text, type_)
    if pa.types.is_decimal(type_) and pa.types.is_int64(array.type):
        return array.view(pa.uint64()).cast(type_)  # BIGINT UNSIGNED, whose 64 bits an INT64 field has as signed
    if pa.types.is_decimal(type_):
        return pc.cast(pc.cast(array, pa.string()), type_)
    return cast_to(array, type_)


@dataclass(frozen=True, slots=True)
class RowSchema:
    """The columns of a table's rows, and whether rows have `_before`."""

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
    """The encoder of change events into rows; a change of the key becomes a delete and an insert, as merges need it."""

    def __init__(self, rows: RowSchema) -> None:
        self._rows = rows
        self._envelopes: WeakKeyDictionary[Layout, _Envelope] = WeakKeyDictionary()

    def size(self, encoded: pa.RecordBatch) -> int:
        """The bytes of the columns."""
        return int(encoded.nbytes)

    def encode(self, records: SourceRecords) -> pa.RecordBatch:
        """The rows of the records, without tombstones.

        Raises:
            ConfigError: the table was truncated, which rows can't express.
            StructureError: the table's structure no longer fits the DataFrame's columns.

        """
        if records.kind is not EventKind.ROWS:
            return pa.RecordBatch.from_pylist([], schema=self._rows.schema())
        envelope = self._envelope(records.value)
        live = np.arange(len(records)) if records.has_value is None else np.flatnonzero(records.has_value)
        operations = envelope.operations(records)[live]
        if (operations == TRUNCATE).any():
            raise envelope.truncation(records, int(live[operations == TRUNCATE][0]))
        before, after = envelope.images(records, "before")[live], envelope.images(records, "after")[live]
        columns = [self._column(field, envelope, records) for field in self._rows.columns]
        # a delete has no after image, and a row without values would be of no use to a merge
        rows = [_take(column, np.where(after >= 0, after, before)) for column in columns]
        own = [
            pa.array(operations.view("S1").astype("U1"), pa.string()),
            records.positions.to_arrow(pa.large_string()).take(pa.array(live)).cast(pa.string()),
            pa.array(envelope.commit_us(records)[live], pa.int64()).cast(UTC_MICROSECONDS),
        ]
        if self._rows.with_before:
            olds = [_take(column, before) for column in columns]
            own.append(pa.StructArray.from_arrays(olds, fields=list(self._rows.columns), mask=pa.array(before < 0)))
        return pa.RecordBatch.from_arrays([*rows, *own], schema=self._rows.schema())

    def _envelope(self, layout: Layout) -> _Envelope:
        """The envelope of a layout. Raises `StructureError` if it has a column that the DataFrame lacks."""
        found = self._envelopes.get(layout)
        if found is None:
            found = _Envelope(layout)
            added = [name for name in found.columns if self._rows.columns.get_field_index(name) < 0]
            if added:
                raise StructureError(
                    f"the table has columns now that the DataFrame does not have: {', '.join(added)}. Start the query again "
                    "with the same checkpoint: it goes on here, with these columns"
                )
            self._envelopes[layout] = found
        return found

    @staticmethod
    def _column(field: pa.Field, envelope: _Envelope, records: SourceRecords) -> pa.Array:
        found = envelope.columns.get(field.name)
        if found is None:  # the table did not have this column yet, or no longer has it
            return pa.nulls(envelope.image_count(records), field.type)
        slot, schema = found
        try:
            return typed(_vector(records, slot), schema, field.type)
        except pa.ArrowInvalid as error:
            raise StructureError(
                f"the column {field.name} has values that do not fit into the DataFrame's {field.type}: {error}. The table "
                "was altered: start the query again with the same checkpoint, and it goes on here, with the column as it is"
            ) from error


class _Envelope:
    """Finds the parts of a layout's envelope by the names of its fields.

    Attributes:
        columns: slot and schema of each column of the images, by name.

    """

    def __init__(self, layout: Layout) -> None:
        """Raises `StructureError` if the layout is not an envelope."""
        root = layout.root
        self._fields = {each.name: root.field(each.name) for each in root.schema.fields} if isinstance(root, Struct) else {}
        after, source = self._fields.get("after"), self._fields.get("source")
        if not (isinstance(after, Struct) and isinstance(source, Struct) and {"before", "op"} <= self._fields.keys()):
            raise StructureError(f"typed rows are made of change events, and {layout.schema.name} is none")
        self._source = source
        self.columns: dict[str, tuple[int, Schema]] = {
            field.name: (node.slot, field.schema)
            for field, node in zip(after.schema.fields, after.fields, strict=True)
            if isinstance(node, Column | Struct) and node.slot is not None
        }

    def operations(self, records: SourceRecords) -> npt.NDArray[np.uint8]:
        """The letter of each record's `op`, as its ASCII code."""
        op = cast("Column", self._fields["op"])
        # a view of a text up to 12 bytes has the text from its fifth byte on: the low byte of the second word
        letters: npt.NDArray[np.uint8] = _vector(records, op.slot).data[records.roles[op.role], 1].astype(np.uint8)
        return letters

    def images(self, records: SourceRecords, name: str) -> npt.NDArray[np.int32]:
        """The index of the image in that field (`before` or `after`) of each record; -1 means null."""
        role = cast("Struct", self._fields[name]).role
        images: npt.NDArray[np.int32] = records.roles[-1 if role is None else role]
        return images

    def image_count(self, records: SourceRecords) -> int:
        """The number of images."""
        return next((_vector(records, slot).length for slot, _ in self.columns.values()), 0)

    def commit_us(self, records: SourceRecords) -> npt.NDArray[np.int64]:
        """The commit time of each change, in microseconds since the epoch."""
        time = cast("Column", self._source.field("ts_us"))
        return np.asarray(_vector(records, time.slot).data[records.roles[time.role]], np.int64)

    def truncation(self, records: SourceRecords, record: int) -> ConfigError:
        """The error about a truncated table, which merges can't express; `record` is the index of the truncation."""
        file, pos, *names = (
            _text(self._source.field(name), records, record) for name in ("file", "pos", "db", "schema", "table")
        )
        place = f"{file}:{pos}" if file else (records.positions[record] or b"").decode()
        return ConfigError(
            f"{place}: {'.'.join(filter(None, names))} was truncated, which rows can't tell. Empty the target and set a "
            'new position, or capture records instead (output="records" with skipped.operations=none)'
        )


def _vector(records: SourceRecords, slot: int) -> Vector:
    return cast("Vector", records.columns[slot])


def _text(node: Node | None, records: SourceRecords, record: int) -> str:
    """The value of a field, for messages; "" if it has none."""
    if isinstance(node, Constant):
        return str(node.value or "")
    if not isinstance(node, Column):
        return ""
    return str(_vector(records, node.slot).to_arrow()[int(records.roles[node.role, record])].as_py() or "")


def _take(column: pa.Array, images: np.ndarray) -> pa.Array:
    return column.take(pa.array(images.astype(np.int64), mask=images < 0))
