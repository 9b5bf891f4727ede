"""DECFLOAT: decimal floating-point numbers of 16 or 34 digits, which have no scale of their own.

They are a rare type: their texts are read value by value.

Source: Debezium's documentation of the Db2 connector, "Decimal types"; the result of Debezium 3.6.1 (types.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from typing import Final

import numpy as np
import pyarrow as pa

from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import vector_of
from tailrace.connectors.db2.bit_data import as_bytes
from tailrace.connectors.shared.arrow_values.selected import Converter
from tailrace.errors import StructureError
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.decimals import decimal_bytes

_EXACT: Final = Context(prec=40)  # more than any has
DECFLOAT: Final = "DECFLOAT"
VARIABLE_SCALE: Final = Schema(
    Type.STRUCT,
    name="io.debezium.data.VariableScaleDecimal",
    version=1,
    doc="Variable scaled decimal",
    fields=(Field("scale", Schema(Type.INT32)), Field("value", Schema(Type.BYTES))),
)


def converter_of_decfloats(name: str, schema: Schema) -> Converter:
    """The converter of a column's texts; values that are no number stop it, but for doubles and texts."""
    made: dict[Type, Callable[[list[Decimal | None]], Vector]] = {
        Type.STRUCT: lambda values: _structs(name, values),
        Type.STRING: _texts,
        Type.FLOAT64: _doubles,
    }
    convert = made[schema.type]
    return Converter(lambda arrays: convert(_decimals(arrays)))


def _decimals(arrays: Sequence[pa.Array]) -> list[Decimal | None]:
    return [None if value is None else Decimal(value.decode()) for value in as_bytes(arrays[0]).to_pylist()]


def _structs(name: str, values: list[Decimal | None]) -> Vector:
    """Scale and unscaled value, without trailing zeros and with no negative scale."""
    scales, unscaled = np.zeros(len(values), np.int64), list[bytes | None]()
    for place, value in enumerate(values):
        if value is None:
            unscaled.append(None)
            continue
        if not value.is_finite():
            raise StructureError(
                f"column {name} has the value {value}, which no decimal can show: set decimal.handling.mode to double or string"
            )
        exponent = value.normalize(_EXACT).as_tuple().exponent
        scale = max(-exponent, 0) if isinstance(exponent, int) and value else 0
        scales[place] = scale
        unscaled.append(decimal_bytes(value, scale))
    valid = _valid(values)
    children = (Vector(Kind.INT, len(values), scales, valid), vector_of(unscaled, Kind.BYTES))
    return Vector(Kind.STRUCT, len(values), np.empty(0, np.int64), valid, children=children, names=("scale", "value"))


def _texts(values: list[Decimal | None]) -> Vector:
    """Plain notation, with the zeros that the value has."""
    return vector_of([None if value is None else f"{value:f}".encode() for value in values])


def _doubles(values: list[Decimal | None]) -> Vector:
    """The nearest doubles; a NaN is one, whether it signals or not."""
    known = [0.0 if value is None else math.nan if value.is_nan() else float(value) for value in values]
    numbers = np.array(known, np.float64)
    return Vector(Kind.FLOAT64, len(values), numbers, _valid(values))


def _valid(values: list[Decimal | None]) -> np.ndarray[tuple[int], np.dtype[np.uint8]] | None:
    return np.packbits([value is not None for value in values], bitorder="little") if None in values else None
