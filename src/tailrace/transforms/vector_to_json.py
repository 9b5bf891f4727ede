"""VectorToJsonConverter: vectors of numbers become JSON text, `{ "values": [1.0, 2.0] }`.

A null that has a schema keeps it as it is; null structs within a value have the new one.

Source: Debezium's reference, "VectorToJsonConverter"; comparison with the real one (tests/formats/test_geometries.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

import numpy as np
import polars as pl
import pyarrow as pa

from tailrace.changes.field_paths import values_are_null
from tailrace.changes.layout_edits import Edits, filled, named_nodes, with_columns, with_fields
from tailrace.changes.layouts import Column, Constant, Layout, Node, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.changes.vectors import Kind, Vector, from_arrow
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.spec import Making, TransformSpec

_VECTORS: Final = ("io.debezium.data.DoubleVector", "io.debezium.data.FloatVector")
_SPARSE: Final = "io.debezium.data.SparseDoubleVector"
_JSON: Final = Schema(Type.STRING, name="io.debezium.data.Json", version=1)


class VectorToJsonConverter:
    """The `Transform`."""

    def __init__(self, making: Making) -> None:
        self._failures = making.failures
        self._slots = Edits(lambda layout: tuple(dict.fromkeys(_slots(layout.root))))
        self._values = Edits(_value)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with text for vectors."""
        if not isinstance(records.value.root, Struct):
            return (self._failures.without(records, ~values_are_null(records), "its value is no struct"),)
        null = values_are_null(records) if records.has_value is None else values_are_null(records) & records.has_value
        kept, records = records.where(null), records.where(~null)
        return [each for each in (kept, self._changed(records)) if len(each)]

    def _changed(self, records: SourceRecords) -> SourceRecords:
        slots = self._slots.of(records.value)
        columns = [_texts(cast("Vector", records.columns[slot])) for slot in slots]
        value = self._values.of(records.value, slots, len(records.columns))
        return replace(with_columns(records, columns), value=value)


def _texts(vector: Vector) -> Vector:
    """Each vector of a column as JSON text."""
    if vector.kind is not Kind.LIST:
        raise TypeError("a vector is a list")
    valid = None if vector.valid is None else pa.array(~vector.is_valid())
    texts = java_texts(vector.children[0])
    lists = pa.LargeListArray.from_arrays(pa.array(np.asarray(vector.data, np.int64)), pa.array(texts), mask=valid)
    made = '{ "values": [' + cast("pl.Series", pl.from_arrow(lists)).list.join(", ") + "] }"
    return from_arrow(made.to_arrow())


def java_texts(numbers: Vector) -> list[str]:
    """Floating-point numbers as Java writes them: in the shortest form that reads back equal, with a point.

    Those below 0.001 and from ten million on have an exponent. Vectors are rare: they are written one by one.
    """
    return [_java_text(number) for number in numbers.data]


def _java_text(number: Any) -> str:
    if not np.isfinite(number):
        return "NaN" if np.isnan(number) else ("-" if number < 0 else "") + "Infinity"
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return str(np.format_float_positional(number, unique=True, trim="0"))
    mantissa, _, exponent = np.format_float_scientific(number, unique=True, trim="0").partition("e")
    return f"{mantissa}E{int(exponent)}"


def _slots(node: Node) -> Iterator[int]:
    """The slots of vectors."""
    if isinstance(node, Column) and node.schema.name in _VECTORS:
        yield node.slot
    for _, field in named_nodes(node) if isinstance(node, Struct) else ():
        yield from _slots(field)


def _value(layout: Layout, slots: tuple[int, ...], first: int) -> Layout:
    return Layout(_changed(layout.root, {slot: first + i for i, slot in enumerate(slots)}), layout.lasting)


def _changed(node: Node, slots: Mapping[int, int]) -> Node:
    schema = node.schema
    if isinstance(node, Column) and node.slot in slots and schema.name in _VECTORS:
        return Column(_JSON.with_(optional=schema.optional), slots[node.slot], node.role)
    if isinstance(node, Constant) and schema.name in _VECTORS:
        return Constant(_JSON.with_(optional=schema.optional), None)
    if isinstance(node, Struct) and schema.name != _SPARSE:
        return with_fields(node, [(name, _changed(field, slots)) for name, field in named_nodes(node)])
    return filled(node)


SPEC = TransformSpec(
    name="io.debezium.transforms.VectorToJsonConverter",
    doc="Vectors of numbers become JSON text.",
    make=VectorToJsonConverter,
)
