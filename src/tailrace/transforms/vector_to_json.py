"""VectorToJsonConverter: vectors of numbers become JSON text, `{ "values": [1.0, 2.0] }`.

The schemas of all structs on the way lose that they are optional. So a null struct fails (an envelope's `before` of an insert);
it is meant for rows behind ExtractNewRecordState.

Source: Debezium's reference, "VectorToJsonConverter"; comparison with the real one (tests/formats/test_geometries.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

import polars as pl

from tailrace.changes.layouts import Column, Constant, Layout, Node, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.changes.vectors import Kind, Vector, from_arrow
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.layout_edits import Edits, copied_basics, filled, named_nodes, with_columns, with_fields
from tailrace.transforms.paths import Path, nulls_of, values_are_null
from tailrace.transforms.spec import Making, TransformSpec

_VECTORS: Final = ("io.debezium.data.DoubleVector", "io.debezium.data.FloatVector")
_SPARSE: Final = "io.debezium.data.SparseDoubleVector"
_JSON: Final = Schema(Type.STRING, name="io.debezium.data.Json", version=1)


class VectorToJsonConverter:
    """The `Transform`."""

    def __init__(self, making: Making) -> None:
        self._failures = making.failures
        self._paths = Edits(lambda layout: tuple(_structs(Path((layout.root,)))))
        self._slots = Edits(lambda layout: tuple(dict.fromkeys(_slots(layout.root))))
        self._values = Edits(_value)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with text for vectors."""
        if not isinstance(records.value.root, Struct):
            return (self._failures.without(records, ~values_are_null(records), "its value is no struct"),)
        live = ~values_are_null(records)
        for path in self._paths.of(records.value):
            wrong = f"the struct {path.schema.name or ''} is null; unwrap envelopes before (ExtractNewRecordState)"
            failed = live & nulls_of(records, path)
            records, live = self._failures.without(records, failed, wrong), live[~failed]
        if not len(records):
            return ()
        slots = self._slots.of(records.value)
        columns = [_texts(cast("Vector", records.columns[slot])) for slot in slots]
        value = self._values.of(records.value, slots, len(records.columns))
        return (replace(with_columns(records, columns), value=value),)


def _texts(vector: Vector) -> Vector:
    """Each vector of a column as JSON text."""
    if vector.kind is not Kind.LIST:
        raise TypeError("a vector is a list")
    numbers = pl.Series("v", pl.from_arrow(vector.to_arrow()))
    items = numbers.list.eval(pl.element().cast(pl.String).replace({"inf": "Infinity", "-inf": "-Infinity"}))
    texts = '{ "values": [' + items.list.join(", ") + "] }"
    return from_arrow(texts.to_arrow())


def _structs(path: Path) -> Iterator[Path]:
    """The paths to the structs in a struct."""
    node = path.node
    for _, field in named_nodes(node) if isinstance(node, Struct) else ():
        inner = Path((*path.nodes, field))
        if field.schema.type is Type.STRUCT and field.schema.name != _SPARSE:
            yield inner
            yield from _structs(inner)


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
        return with_fields(node, [(name, _changed(field, slots)) for name, field in named_nodes(node)], copied_basics(schema))
    return filled(node)


SPEC = TransformSpec(
    name="io.debezium.transforms.VectorToJsonConverter",
    doc="Vectors of numbers become JSON text.",
    make=VectorToJsonConverter,
)
