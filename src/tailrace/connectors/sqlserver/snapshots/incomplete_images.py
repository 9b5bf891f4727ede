"""What an image lacks in SQL Server's change tables, and where else it is known.

`varchar(max)`, `nvarchar(max)` and `varbinary(max)` are NULL in the image before an update that
does not change them; then the image after has the value. `text`, `ntext` and `image` are always NULL there, and in a delete;
where an update does not change them the image after may have the value, else it is not known. So the image is not complete
then, and the row is delivered as it is read, if it is still there; the stream from P mends it. Computed columns are never
told, here as in the stream, and count as complete.

Source: https://learn.microsoft.com/sql/relational-databases/system-tables/cdc-capture-instance-ct-transact-sql
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.connectors.change_tables.rows import BEFORE, DELETE, ChangeRows
from tailrace.connectors.sqlserver.captured import changed

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Large:
    """A column of which a change table does not always have the value.

    Attributes:
        column: its index in the structure.
        ordinal: its place among the captured columns.
        is_max: it is missing only in the image before an update that does not change it (`varchar(max)` and its like); else
            it is always missing in images before, and in deletes (`text`, `ntext`, `image`).

    """

    column: int
    ordinal: int
    is_max: bool


def completed(
    arrays: Sequence[pa.Array], rows: ChangeRows, large: Sequence[tuple[slice, Large]]
) -> tuple[list[pa.Array], Mask]:
    """What was selected, with the values that other images know, and which images have every value.

    `large`: the columns that may lack, each with the place of its arrays.
    """
    found, complete = list(arrays), np.ones(len(rows), np.bool_)
    for place, each in large:
        found[place], is_known = _known(found[place], rows, each)
        complete &= is_known
    return found, complete


def _known(arrays: Sequence[pa.Array], rows: ChangeRows, large: Large) -> tuple[list[pa.Array], Mask]:
    """One column's values, and where they are known."""
    if rows.mask is None:
        raise ValueError("the update mask was not read")
    n = len(rows)
    is_before, is_delete = rows.operation == BEFORE, rows.operation == DELETE
    is_same = is_before & ~changed(rows.mask, large.ordinal)
    is_null = np.asarray(arrays[0].is_null())
    taken = np.arange(n) + (is_same & is_null)
    found = [array.take(pa.array(taken)) for array in arrays] if (is_same & is_null).any() else list(arrays)
    if large.is_max:
        return found, np.ones(n, np.bool_)
    return found, ~(is_before | is_delete) | np.asarray(found[0].is_valid())
