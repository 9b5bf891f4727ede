"""The vectors of a result's columns, and the placeholder for values that a change table does not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.vectors import Vector
from tailrace.connectors.shared.arrow_values.filling import filled, with_value
from tailrace.errors import StructureError

if TYPE_CHECKING:
    from tailrace.connectors.shared.arrow_values.selected import ColumnType


def vectors(arrays: Sequence[pa.Array], types: Sequence[ColumnType]) -> list[Vector]:
    """One vector for each type, from the arrays of its expressions, in that order.

    Change tables have NULLs that the source table has not. In a NOT NULL column they become the default of its field,
    or a zero, as in Debezium.

    Raises:
        StructureError: values can't be converted to the field's type.

    """
    found, at = [], 0
    for each in types:
        found.append(_vector(arrays[at : at + each.width], each))
        at += each.width
    return found


def with_placeholder(vector: Vector, rows: npt.NDArray[np.bool_], type_: ColumnType, placeholder: str) -> Vector:
    """The vector with `unavailable.value.placeholder` in some rows; only columns with `type_.is_lob` need it.

    Args:
        vector: the values of the column.
        rows: where the value is missing, shape (length,).
        type_: of the column.
        placeholder: the text; binary columns have its bytes, in the form of their handling mode.

    """
    if not rows.any():
        return vector
    return with_value(vector, rows, type_.convert.placeholder(placeholder))


def _vector(arrays: Sequence[pa.Array], type_: ColumnType) -> Vector:
    try:
        vector = type_.convert(arrays)
    except (ValueError, pa.ArrowNotImplementedError, TypeError, OverflowError) as error:  # Arrow's are ValueErrors
        shown = type_.key.name or type_.key.type
        raise StructureError(
            f"values of column {type_.name} come as {arrays[0].type}, which can't be shown as {shown}: {error}. Was its "
            "type altered? Make a new capture instance of its table"
        ) from error
    if vector.valid is None or type_.key.optional:
        return vector
    return filled(vector, type_.fallback)
