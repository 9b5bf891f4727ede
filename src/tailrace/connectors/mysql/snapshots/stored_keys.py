"""One key of a table, taken from raw columns in a form from which a bound can be made.

Raw dates and times are numbers made of the bytes into which the log packs them. As text they can be compared with a
column, even invalid dates.

Source: MySQL Internals Manual, "Date and Time Data Type Representation".
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from tailrace.changes.vectors import Kind as VectorKind
from tailrace.changes.vectors import Vector
from tailrace.connectors.mysql.plan import ColumnPlan, Storage
from tailrace.connectors.mysql.snapshots.bounds import Bound, Raw, bound_of
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.epoch import EPOCH

INLINE = 12  # a text of up to so many bytes is inside its view
TIME_ZERO = 0x800000
DATETIME_ZERO = 0x8000000000
UNSIGNED = 1 << 64  # eight bytes come as int64, signed


def bound_at(key: ChunkKey, plans: Sequence[ColumnPlan], columns: Sequence[Vector], row: int) -> Bound:
    """The bound at one row.

    Args:
        key: of the table.
        plans: of its columns in the log, in key order.
        columns: their raw vectors, in the same order.
        row: the row's index in the vectors.

    """
    values = [_value(plan, column, row) for plan, column in zip(plans, columns, strict=True)]
    return bound_of(key, values)


def _value(plan: ColumnPlan, column: Vector, row: int) -> Raw:
    if column.kind is not VectorKind.INT:
        return _bytes(column, row)
    number = int(column.data[row])
    packed = _PACKED.get(plan.storage)
    if packed is not None:
        return packed(number % UNSIGNED, plan.meta)
    return number % UNSIGNED if plan.storage is Storage.BIT else number


def _bytes(column: Vector, row: int) -> bytes:
    view = column.data[row]
    length = int(view[0])
    if length <= INLINE:
        return bytes(view.tobytes()[4 : 4 + length])
    start = int(view[3])
    return bytes(column.buffers[int(view[2])][start : start + length])


def _date(number: int, _: int) -> str:
    return f"{number >> 9:04d}-{number >> 5 & 15:02d}-{number & 31:02d}"


def _datetime(number: int, digits: int) -> str:
    seconds, fraction = _split(number, 5, digits)
    value = seconds - DATETIME_ZERO
    # DATETIME2 packs year*13 + month into 17 bits, the day into 5, and the time into 17.
    months, day = value >> 22, value >> 17 & 31
    return f"{months // 13:04d}-{months % 13:02d}-{day:02d} {_clock(value & 0x1FFFF, fraction)}"


def _timestamp(number: int, digits: int) -> str:
    seconds, fraction = _split(number, 4, digits)
    # A TIMESTAMP of 0 is MySQL's zero date, not 1970-01-01.
    if seconds == 0:
        return f"0000-00-00 00:00:00.{fraction:06d}"
    return f"{EPOCH + dt.timedelta(seconds=seconds)}.{fraction:06d}"


def _time(number: int, digits: int) -> str:
    width = 3 + (digits + 1) // 2
    bits = 8 * (width - 3)
    value = int.from_bytes(number.to_bytes(width, "little"), "big") - (TIME_ZERO << bits)
    whole, part = abs(value) >> bits, abs(value) & ((1 << bits) - 1)
    return f"{'-' if value < 0 else ''}{_clock(whole, _micros(part, width - 3))}"


def _split(number: int, whole: int, digits: int) -> tuple[int, int]:
    """The integer part and the microseconds of big-endian bytes that were read as a little-endian number."""
    rest = (digits + 1) // 2
    packed = number.to_bytes(whole + rest, "little")
    return int.from_bytes(packed[:whole], "big"), _micros(int.from_bytes(packed[whole:], "big"), rest)


def _micros(fraction: int, size: int) -> int:
    return fraction * (1, 10_000, 100, 1)[size]


def _clock(value: int, micros: int) -> str:
    return f"{value >> 12:02d}:{value >> 6 & 63:02d}:{value & 63:02d}.{micros:06d}"


_PACKED = {Storage.DATE: _date, Storage.DATETIME2: _datetime, Storage.TIMESTAMP2: _timestamp, Storage.TIME2: _time}
