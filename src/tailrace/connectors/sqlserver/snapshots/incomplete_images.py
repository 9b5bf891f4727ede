"""Values that images in SQL Server's change tables lack, and where else they are known.

`varchar(max)`, `nvarchar(max)` and `varbinary(max)` are NULL in the before image of an update that does not change
them; then the after image has the value. `text`, `ntext` and `image` are always NULL in before images and in deletes.
If an update does not change them, the after image may have the value; otherwise it is unknown. Then the image is
incomplete, and the row is delivered as it is read, if it still exists; the stream from P corrects it. Computed columns
never have a value, here as in the stream, and don't count.

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
    """A column whose value a change table does not always have.

    Attributes:
        column: its index in the structure.
        ordinal: its ordinal among the captured columns.
        is_max: whether it is missing only in the before image of an update that does not change it (`varchar(max)` and
            similar types); else it is always missing in before images and in deletes (`text`, `ntext`, `image`).

    """

    column: int
    ordinal: int
    is_max: bool


def completed(
    arrays: Sequence[pa.Array], rows: ChangeRows, large: Sequence[tuple[slice, Large]]
) -> tuple[list[pa.Array], Mask]:
    """The selected arrays with values from other images, and which images are complete.

    `large`: the columns that may be missing, each with the slice of its arrays.
    """
    found, complete = list(arrays), np.ones(len(rows), np.bool_)
    for place, each in large:
        found[place], is_known = _known(found[place], rows, each)
        complete &= is_known
    return found, complete


def _known(arrays: Sequence[pa.Array], rows: ChangeRows, large: Large) -> tuple[list[pa.Array], Mask]:
    """One column's values, and which of them are known."""
    if rows.mask is None:
        raise ValueError("the update mask was not read")
    n = len(rows)
    is_before, is_delete = rows.operation == BEFORE, rows.operation == DELETE
    is_same = is_before & ~changed(rows.mask, large.ordinal)
    is_null = np.asarray(arrays[0].is_null())
    taken = np.arange(n) + (is_same & is_null)  # the next row is the update's after image
    found = [array.take(pa.array(taken)) for array in arrays] if (is_same & is_null).any() else list(arrays)
    if large.is_max:
        return found, np.ones(n, np.bool_)
    return found, ~(is_before | is_delete) | np.asarray(found[0].is_valid())
