"""Columns of fixed-width types: encodes Arrow's numbers as bytes of the wire, with numpy.

Source: [MS-TDS] 2.2.5.5 Data Type Dependent Data Streams
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailrace_standins.sqlserver.tds import kernels
from tailrace_standins.sqlserver.tds.columns import validity
from tailrace_standins.sqlserver.tds.kernels import Bytes, Places
from tailrace_standins.sqlserver.tds.temporal import width
from tailrace_standins.sqlserver.tds.temporal_texts import DATE, OFFSET, TIME, parsed
from tailrace_standins.sqlserver.tds.texts import is_text
from tailrace_standins.sqlserver.tds.types import decimal_width
from tailrace_standins.sqlserver.values import SqlType

Numbers = NDArray[np.int64]

_DAY: Final = 24 * 3600 * 10**7
"""In units of 100 ns."""
_EPOCH: Final = 719_162
"""Days from 0001-01-01 to 1970-01-01."""
_DAYS_1900: Final = 693_595
_GUID: Final = (3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15)
ARROW: Final = {
    "bit": pa.uint8(),
    "tinyint": pa.uint8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "real": pa.float32(),
    "float": pa.float64(),
}


class FixedColumn:
    """A column of values of equal width, as a two-dimensional array of bytes."""

    def __init__(self, values: Bytes, valid: Bytes) -> None:
        self._values = np.ascontiguousarray(values)
        self._valid = valid

    def add_sizes(self, sizes: Places) -> None:
        """Add a byte for the length, and the value's width unless it is NULL."""
        sizes += 1 + self._valid.astype(np.int64) * self._values.shape[1]

    def put(self, out: Bytes, at: Places) -> None:
        """Write the values."""
        kernels.put_fixed(out, at, self._values, self._valid)


def fixed_column(type_: SqlType, array: Any) -> FixedColumn:
    """A column of a type in `FIXED`; raises Arrow's errors if it can't be converted."""
    return FixedColumn(FIXED[type_.name](type_, array), validity(array))


def _number(type_: SqlType, array: Any) -> Bytes:
    wanted = array.cast(ARROW[type_.name])
    return _bytes(wanted.fill_null(0).to_numpy(zero_copy_only=False))


def _decimal(type_: SqlType, array: Any) -> Bytes:
    low, high = _halves(array, type_.scale)
    negative = high < 0
    magnitude = np.empty((len(low), 2), np.uint64)
    magnitude[:, 0] = np.where(negative, ~low + np.uint64(1), low)
    carried = (low == 0).astype(np.int64)
    magnitude[:, 1] = np.where(negative, ~high + carried, high).view(np.uint64)
    size = decimal_width(type_.precision)
    out = np.empty((len(low), size), np.uint8)
    out[:, 0] = ~negative
    out[:, 1:] = magnitude.view(np.uint8).reshape(len(low), 16)[:, : size - 1]
    return out


def _money(type_: SqlType, array: Any) -> Bytes:
    low, _ = _halves(array, 4)
    if type_.name == "smallmoney":
        return _bytes(low, 4)
    return _bytes(np.ascontiguousarray(_bytes(low).view(np.uint32)[:, ::-1]).view(np.uint64)[:, 0])


def _halves(array: Any, scale: int) -> tuple[NDArray[np.uint64], Numbers]:
    """The low and high halves of the decimals' unscaled values."""
    wanted = array.cast(pa.decimal128(38, scale))
    pairs = np.frombuffer(wanted.buffers()[1], np.uint64)[2 * wanted.offset : 2 * (wanted.offset + len(wanted))]
    return pairs[::2], pairs[1::2].view(np.int64)


def _date(_type: SqlType, array: Any) -> Bytes:
    if is_text(array):
        return _bytes(parsed(array, DATE)[0] // _DAY, 3)
    return _bytes(_int64(array.cast(pa.date32()).cast(pa.int32())) + _EPOCH, 3)


def _time(type_: SqlType, array: Any) -> Bytes:
    if is_text(array):
        return _time_of_day(parsed(array, TIME)[0], type_.scale)
    return _time_of_day(_int64(array.cast(pa.time64("ns"))) // 100, type_.scale)


def _smalldatetime(_type: SqlType, array: Any) -> Bytes:
    day, time = np.divmod(_ticks(array), _DAY)
    return np.hstack([_bytes(day - _DAYS_1900, 2), _bytes(time // (60 * 10**7), 2)])


def _datetime(_type: SqlType, array: Any) -> Bytes:
    """Days and three-hundredths of a second; a time that rounds up to midnight belongs to the next day."""
    day, time = np.divmod(_ticks(array), _DAY)
    thirds = (time * 3 + 50_000) // 100_000
    over = thirds == 24 * 3600 * 300
    return np.hstack([_bytes(day - _DAYS_1900 + over, 4), _bytes(np.where(over, 0, thirds), 4)])


def _datetime2(type_: SqlType, array: Any) -> Bytes:
    day, time = np.divmod(_ticks(array), _DAY)
    return np.hstack([_time_of_day(time, type_.scale), _bytes(day, 3)])


def _datetimeoffset(type_: SqlType, array: Any) -> Bytes:
    if is_text(array):
        ticks, minutes = parsed(array, DATE | TIME | OFFSET)
        day, time = np.divmod(ticks, _DAY)
        return np.hstack([_time_of_day(time, type_.scale), _bytes(day, 3), _bytes(minutes)])
    if not isinstance(array, pa.StructArray):
        return np.hstack([_datetime2(type_, array), np.zeros((len(array), 2), np.uint8)])
    offset = array.field("offset").cast(pa.int16()).fill_null(0).to_numpy(zero_copy_only=False)
    return np.hstack([_datetime2(type_, array.field("utc")), _bytes(offset)])


def _guid(_type: SqlType, array: Any) -> Bytes:
    wanted = array.cast(pa.binary(16))
    values = np.frombuffer(wanted.buffers()[1], np.uint8)[16 * wanted.offset : 16 * (wanted.offset + len(wanted))]
    return values.reshape(-1, 16)[:, _GUID]


def _ticks(array: Any) -> Numbers:
    """Units of 100 ns since 0001-01-01."""
    if is_text(array):
        return parsed(array, DATE | TIME)[0]
    if pa.types.is_integer(array.type):
        return _int64(array.cast(pa.int64()))
    unit = array.type.unit if pa.types.is_timestamp(array.type) else "us"
    stamps = array if pa.types.is_timestamp(array.type) else array.cast(pa.timestamp("us"))
    numbers = _int64(stamps)
    since_epoch = numbers // 100 if unit == "ns" else numbers * {"s": 10**7, "ms": 10**4, "us": 10}[unit]
    return since_epoch + _EPOCH * _DAY


def _time_of_day(ticks: Numbers, scale: int) -> Bytes:
    return _bytes(ticks // 10 ** (7 - scale), width(scale))


def _int64(array: Any) -> Numbers:
    """The integers of a column of times, 0 for NULL."""
    plain = array if pa.types.is_integer(array.type) else array.view(pa.int64())
    numbers: Numbers = plain.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return numbers


def _bytes(numbers: NDArray[Any], size: int = 0) -> Bytes:
    """Numbers as rows of little-endian bytes, the first `size` of each, or all."""
    wide = np.ascontiguousarray(numbers)
    rows = wide.view(np.uint8).reshape(len(wide), wide.dtype.itemsize)
    return rows[:, :size] if size else rows


FIXED: Final[dict[str, Callable[[SqlType, Any], Bytes]]] = {
    **dict.fromkeys(ARROW, _number),
    "decimal": _decimal,
    "numeric": _decimal,
    "money": _money,
    "smallmoney": _money,
    "date": _date,
    "time": _time,
    "smalldatetime": _smalldatetime,
    "datetime": _datetime,
    "datetime2": _datetime2,
    "datetimeoffset": _datetimeoffset,
    "uniqueidentifier": _guid,
}
"""The fixed-width types, with the functions that encode their values."""
