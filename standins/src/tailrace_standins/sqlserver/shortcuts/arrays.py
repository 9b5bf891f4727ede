"""Converts rows of SQLite into Arrow columns."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from tailrace_standins.sqlserver.engine.catalog import Column
from tailrace_standins.sqlserver.engine.stored import Stored, decoder
from tailrace_standins.sqlserver.values import SqlType, Value


def batch_of(columns: Sequence[Column], rows: Sequence[tuple[Stored, ...]]) -> pa.RecordBatch | None:
    """Rows of stored values, one for each column, as a record batch; None if a value has no form in Arrow."""
    from tailrace_standins.sqlserver.tds.bulk import arrow_array  # imports compiled code, which not every start needs

    values = zip(*rows, strict=True)
    arrays = [arrow_array(c.type, _decoded(c.type, found)) for c, found in zip(columns, values, strict=True)]
    if any(array is None for array in arrays):
        return None
    return pa.RecordBatch.from_arrays(arrays, names=[column.name for column in columns])


def _decoded(of: SqlType, values: Sequence[Stored]) -> Sequence[Value]:
    decode = decoder(of)
    return values if decode is None else [None if value is None else decode(value) for value in values]
