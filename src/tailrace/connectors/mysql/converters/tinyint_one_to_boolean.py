"""TINYINT(1) as boolean: true if it is more than 0.

Source: Debezium's documentation, "Converters"; comparison with Debezium 3.6.1 (tests/differential).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tailrace.changes.vectors import Kind as VectorKind
from tailrace.changes.vectors import Vector
from tailrace.config.property import Kind, Property
from tailrace.connectors.mysql.converters.options import Selector, selector_of, selector_property, typed
from tailrace.custom_converters.spec import ColumnConversion, ConverterSpec, Converting, Texts
from tailrace.schema.connect import Schema, Type
from tailrace.schema.tables import Column, TableId

_TYPES: Final = ("TINYINT", "TINYINT UNSIGNED")
_PROPERTIES: Final = (
    selector_property("selector", "Columns that are converted, if they have the type; all without it"),
    Property(
        name="length.checker",
        kind=Kind.BOOL,
        default=True,
        doc="Convert columns of length 1 only; with false also TINYINT UNSIGNED, whose length MySQL 8 does not tell.",
    ),
)


@dataclass(frozen=True, slots=True)
class _TinyIntOneToBoolean:
    selector: Selector
    length_checker: bool

    def __call__(self, table: TableId, column: Column, _schema: Schema) -> ColumnConversion | None:
        is_long = self.length_checker and column.length != 1
        if column.type_name.upper() not in _TYPES or is_long or not self.selector(table, column.name):
            return None
        return ColumnConversion(Schema(Type.BOOLEAN), is_positive)


def is_positive(vector: Vector) -> Vector:
    """Whether each integer is more than 0; nulls stay."""
    return replace(vector, kind=VectorKind.BOOL, data=(vector.data > 0).astype(np.int64))


def _make(texts: Texts) -> Converting:
    options = typed(_PROPERTIES, texts)
    return _TinyIntOneToBoolean(selector_of(options["selector"], without=True), options["length_checker"])


SPEC: Final = ConverterSpec(
    names=(
        "io.debezium.connector.binlog.converters.TinyIntOneToBooleanConverter",
        "io.debezium.connector.mysql.converters.TinyIntOneToBooleanConverter",
    ),
    doc="TINYINT(1) as boolean, true if it is more than 0.",
    properties=_PROPERTIES,
    make=_make,
)
