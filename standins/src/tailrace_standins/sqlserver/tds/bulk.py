"""Encodes many rows of Python values as ROW tokens through Arrow, in a quarter of the time of encoding single values.

A column with values that Arrow does not accept (lone surrogates, variants) is encoded value by value; that slower way also
raises the error about an invalid value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import pyarrow as pa

from tailrace_standins.sqlserver.session import EncodedRows, ResultColumn
from tailrace_standins.sqlserver.tds.columnar import assembled, prepared_column
from tailrace_standins.sqlserver.tds.columns import Column
from tailrace_standins.sqlserver.tds.fixed import ARROW
from tailrace_standins.sqlserver.tds.frames import framed, null
from tailrace_standins.sqlserver.tds.texts import WholeColumn
from tailrace_standins.sqlserver.values import SqlType, Value

_ARROW: Final = {
    **ARROW,
    "money": pa.decimal128(19, 4),
    "smallmoney": pa.decimal128(10, 4),
    "uniqueidentifier": pa.binary(16),
    **dict.fromkeys(("binary", "varbinary", "image", "timestamp"), pa.large_binary()),
    **dict.fromkeys(("char", "varchar", "text", "nchar", "nvarchar", "ntext", "xml", "sysname"), pa.large_string()),
    **dict.fromkeys(("date", "time", "smalldatetime", "datetime", "datetime2", "datetimeoffset"), pa.large_string()),
}


def encoded_columns(columns: Sequence[ResultColumn], rows: Sequence[Sequence[Value]]) -> EncodedRows:
    """Rows as ROW tokens; every row has a value for every column."""
    prepared = [_column(column, values) for column, values in zip(columns, zip(*rows, strict=True), strict=True)]
    return assembled(prepared, len(rows))


def arrow_array(type_: SqlType, values: Sequence[Any]) -> Any:
    """Values of a type as an Arrow array; None if Arrow does not accept them."""
    of = _arrow_type(type_)
    if of is not None:
        with suppress(pa.ArrowException, UnicodeError, TypeError, ValueError, OverflowError):
            return pa.array(_taken(type_, values), of)
    return None


def _column(column: ResultColumn, values: Sequence[Any]) -> Column:
    array = arrow_array(column.type, values)
    if array is not None:
        with suppress(pa.ArrowException, UnicodeError, TypeError, ValueError, OverflowError):
            return prepared_column(column, array)
    encode: Callable[[Any], bytes] = framed(column.type)
    nothing = null(column.type)
    return WholeColumn([nothing if value is None else encode(value) for value in values])


def _taken(type_: SqlType, values: Sequence[Any]) -> Sequence[Any]:
    if type_.name != "uniqueidentifier":
        return values
    return [None if value is None else value.int.to_bytes(16, "big") for value in values]


def _arrow_type(type_: SqlType) -> Any:
    if type_.name in {"decimal", "numeric"}:
        return pa.decimal128(type_.precision, type_.scale)
    return _ARROW.get(type_.name)
