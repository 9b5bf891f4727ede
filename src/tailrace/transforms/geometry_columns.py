"""Geometries of values, wherever they are, with other bytes.

The real transforms put a column's default in the place of a null while they go over a value; so does this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

import numpy as np

from tailrace.changes.layout_edits import Edits, filled, named_nodes, with_columns, with_fields
from tailrace.changes.layouts import Column, Layout, Node, Struct
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import vector_of
from tailrace.transforms.failures import Failures
from tailrace.transforms.geometry_bytes import GeometryError

_GEOMETRY: Final = "io.debezium.data.geometry.Geometry"
_WKB, _SRID = "wkb", "srid"

Conversion = Callable[[bytes, int | None], bytes]
"""The new bytes of a geometry, given its bytes and the number of its reference system; raises `GeometryError`."""


class Geometries:
    """Converts the geometries of values."""

    def __init__(self, conversion: Conversion, failures: Failures) -> None:
        self._conversion = conversion
        self._failures = failures
        self._nodes = Edits(lambda layout: tuple(_geometries(layout.root)))
        self._values = Edits(_value)

    def converted(self, records: SourceRecords) -> SourceRecords:
        """The records with converted geometries."""
        if not isinstance(records.value.root, Struct) or not len(records):
            return records
        columns: dict[int, Vector] = {}
        failed = np.zeros(len(records), np.bool_)
        for node in self._nodes.of(records.value):
            wkb = cast("Column", node.field(_WKB))
            column, broken = self._column(records, node, wkb.slot)
            columns[wkb.slot] = column
            rows = records.roles[wkb.role]
            failed |= (rows >= 0) & broken[np.maximum(rows, 0)] if len(broken) else False
        value = self._values.of(records.value, tuple(columns), len(records.columns))
        made = replace(with_columns(records, columns.values()), value=value)
        return self._failures.without(made, failed, "a geometry can't be converted: it is broken, or has no SRID")

    def _column(self, records: SourceRecords, node: Struct, slot: int) -> tuple[Vector, Mask]:
        """The converted bytes of a column, and which of them could not be converted."""
        column = cast("Vector", records.columns[slot])
        there = np.ones(column.length, np.bool_)
        if node.slot is not None:
            there = cast("Vector", records.columns[node.slot]).is_valid()
        given, broken = column.to_arrow().to_pylist(), np.zeros(column.length, np.bool_)
        srids = _srids(records, node, column.length)
        made: list[bytes | None] = []
        for row, wkb in enumerate(given):
            made.append(wkb)
            if wkb is not None and there[row]:
                try:
                    made[row] = self._conversion(wkb, srids[row])
                except GeometryError:
                    broken[row] = True
        return vector_of(made, Kind.BYTES), broken


def _srids(records: SourceRecords, node: Struct, n: int) -> Sequence[int | None]:
    srid = node.field(_SRID)
    if not isinstance(srid, Column):
        return [None] * n
    return cast("Sequence[int | None]", cast("Vector", records.columns[srid.slot]).to_arrow().to_pylist())


def _geometries(node: Node) -> Iterator[Struct]:
    if not isinstance(node, Struct):
        return
    if node.schema.name == _GEOMETRY and isinstance(node.field(_WKB), Column):
        yield node
        return
    for _, field in named_nodes(node):
        yield from _geometries(field)


def _value(layout: Layout, slots: tuple[int, ...], first: int) -> Layout:
    new = {slot: first + i for i, slot in enumerate(slots)}
    return Layout(_moved(layout.root, new), layout.lasting)


def _moved(node: Node, slots: Mapping[int, int]) -> Node:
    """The value with columns of geometries in other slots."""
    if not isinstance(node, Struct):
        return filled(node)
    if node.schema.name != _GEOMETRY:
        return with_fields(node, [(name, _moved(field, slots)) for name, field in named_nodes(node)])
    fields = [
        (name, replace(field, slot=slots[field.slot]) if name == _WKB and isinstance(field, Column) else field)
        for name, field in named_nodes(node)
    ]
    return with_fields(node, fields)
