"""Columns of Connect's decimals as text, as Java's BigDecimal shows them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailrace.changes.address_table import address_table
from tailrace.changes.records import Binary
from tailrace.changes.vectors import Vector, from_arrow
from tailrace.changes.views import vector_over
from tailrace.encoding import decimal_kernel
from tailrace.kernels.addresses import address_of
from tailrace.schema.decimals import decimal_text


def decimal_texts(column: Vector, scale: int) -> Vector:
    """The texts of decimals; `column` has the bytes of their unscaled values."""
    n = column.length
    table, kept = address_table([column])
    offsets, wide = np.zeros(n + 1, np.int64), np.zeros(n, np.uint8)
    out = np.empty(n * decimal_kernel.LONGEST + 1, np.uint8)
    decimal_kernel.write_decimals(table, scale, address_of(out), offsets, wide)
    del kept  # the table has addresses in it: until here its vectors must stay alive
    made = vector_over(Binary(out, offsets))
    made.valid = column.valid
    return _with_wide_ones(made, column, wide.view(np.bool_), scale) if wide.any() else made


def _with_wide_ones(made: Vector, column: Vector, wide: np.ndarray, scale: int) -> Vector:
    """The texts with those of more than 18 digits, which are made one by one."""
    values = column.to_arrow().cast(pa.large_binary()).filter(pa.array(wide)).to_pylist()
    texts = [decimal_text(value, scale) for value in values]
    others = made.to_arrow().cast(pa.large_string())
    merged = pc.replace_with_mask(others, pa.array(wide), pa.array(texts, pa.large_string()))
    return from_arrow(merged.cast(pa.string_view()))
