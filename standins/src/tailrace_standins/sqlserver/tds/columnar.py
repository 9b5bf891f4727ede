"""Encodes Arrow columns as ROW tokens, all rows at once; for tables that would take too long row by row.

| T-SQL | Arrow |
| --- | --- |
| bit | bool, or any integer |
| tinyint, smallint, int, bigint | any integer |
| real, float | any float |
| decimal, numeric, money, smallmoney | any decimal |
| char, varchar, text, nchar, nvarchar, ntext, xml, sysname | string, large_string, string_view, dictionaries of them |
| binary, varbinary, image, timestamp | binary, large_binary, fixed_size_binary |
| uniqueidentifier | fixed_size_binary(16) in the order of `UUID.bytes`, or Arrow's own uuid |
| date | date32, date64 |
| time | time32, time64 |
| smalldatetime, datetime, datetime2 | timestamp without zone, or int64: units of 100 ns since 0001-01-01 |
| datetimeoffset | struct of `utc` (as datetime2) and `offset` (int16, minutes), or a timestamp in UTC (offset 0) |
| dates and times, all | string, as `values.py` has them |

A timestamp in ns ends in 2262; an int64 of 100 ns has the whole range of datetime2. sql_variant has no form in Arrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tailrace_standins.sqlserver.session import EncodedRows, ResultColumn
from tailrace_standins.sqlserver.tds.columns import Column
from tailrace_standins.sqlserver.tds.fixed import FIXED, fixed_column
from tailrace_standins.sqlserver.tds.texts import varying_column

_ROW: Final = 0xD1


def encoded_batch(columns: Sequence[ResultColumn], batch: pa.RecordBatch) -> EncodedRows:
    """The rows of a record batch as ROW tokens; its columns are those of the result, in order, whatever their names.

    Raises `TypeError` if a column's Arrow type is not one of its T-SQL type.
    """
    prepared = [prepared_column(column, array) for column, array in zip(columns, batch.columns, strict=True)]
    return assembled(prepared, batch.num_rows)


def assembled(prepared: Sequence[Column], count: int) -> EncodedRows:
    """`count` rows of prepared columns."""
    sizes = np.ones(count, np.int64)
    for each in prepared:
        each.add_sizes(sizes)
    ends = np.cumsum(sizes)
    at = ends - sizes
    out = np.empty(int(ends[-1]) if count else 0, np.uint8)
    out[at] = _ROW
    at += 1
    for each in prepared:
        each.put(out, at)
    return EncodedRows(count, memoryview(out.data))


def prepared_column(column: ResultColumn, array: Any) -> Column:
    """A column ready to be written; raises `TypeError` if the Arrow type is not one of the T-SQL type."""
    type_ = column.type
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if isinstance(array, pa.DictionaryArray):
        array = array.dictionary_decode()
    try:
        return fixed_column(type_, array) if type_.name in FIXED else varying_column(type_, array)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise TypeError(f"column {column.name}: {array.type} of Arrow does not give {type_.name}: {error}") from None
