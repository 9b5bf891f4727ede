# mypy: disable-error-code="no-any-return, arg-type, return-value"
"""The compiled loop that makes messages of decimals, dates and times."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.changes.addressed_kernel import bytes_at, is_null, number_at
from tailrace.encoding.avro.kernel import write_unsigned
from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.kernels.memory import load8, store8

KINDS: Final = ("Decimal", "Date", "Time", "Timestamp")
_DATE: Final = 1
_TIME: Final = 2
_DAY: Final = 86_400_000  # ms
_GREGORIAN: Final = -141_427  # 15 October 1582, in days since the epoch
_FIRST_SECOND: Final = -62_135_596_800  # of the year 1
_LAST_SECOND: Final = 253_402_300_799  # of the year 9999
_LONGEST: Final = 32  # bytes of the powers of ten


@inlined
def number_field(o: Int, tag: Int, value: Int) -> Int:
    """A field that is left out where it is zero."""
    if value == 0:
        return o
    store8(o, np.uint8(tag))
    return write_unsigned(o + 1, np.uint64(value))


@inlined
def magnitude_byte(source: Int, k: Int, negative: bool, last: Int) -> Int:
    """Byte k of the absolute value; `last`: the last byte of the value that is not zero."""
    byte = np.int64(load8(source + k))
    if not negative:
        return byte
    if k > last:
        return np.int64(0)
    return (256 - byte) & 255 if k == last else 255 - byte


@inlined
def count_digits(source: Int, length: Int, powers: Any) -> Int:
    """The decimal digits of a number in two's complement, the highest byte first; -1: they are too many."""
    negative = length > 0 and load8(source) >= 128
    last = length - 1
    while last > 0 and load8(source + last) == 0:
        last -= 1
    first = 0
    while first < length and magnitude_byte(source, first, negative, last) == 0:
        first += 1
    size = length - first
    if size == 0:
        return 1
    if size > _LONGEST:
        return -1
    high = magnitude_byte(source, first, negative, last)
    bits = 8 * (size - 1)
    while high:
        bits += 1
        high >>= 1
    digits = (bits - 1) * 1233 >> 12  # at least as many digits follow the first one, and at most one more
    if digits + 1 >= len(powers):
        return -1
    if reaches(source, length, first, negative, last, powers, digits + 1):
        digits += 1
    return digits + 1


@inlined
def reaches(source: Int, length: Int, first: Int, negative: bool, last: Int, powers: Any, power: Int) -> bool:
    """Whether the absolute value is at least that power of ten."""
    for k in range(_LONGEST):
        place = length - _LONGEST + k
        byte = magnitude_byte(source, place, negative, last) if place >= first else np.int64(0)
        other = np.int64(powers[power, k])
        if byte != other:
            return byte > other
    return True


@inlined
def write_decimal(o: Int, source: Int, length: Int, digits: Int, scale: Int) -> Int:
    """The shortest form of the bytes, the digits, the scale."""
    while length > 1 and (
        (load8(source) == 0 and load8(source + 1) < 128) or (load8(source) == 255 and load8(source + 1) >= 128)
    ):
        source += 1
        length -= 1
    store8(o, np.uint8(0x0A))
    o = write_unsigned(o + 1, np.uint64(length))
    for k in range(length):
        store8(o + k, load8(source + k))
    return number_field(number_field(o + length, 0x10, digits), 0x18, scale)


@inlined
def write_date(o: Int, days: Int) -> Int:
    """Year, month and day of days since the epoch; years before the first are counted backwards."""
    if days >= _GREGORIAN:  # from the first of March of the year 0 on, in cycles of 400 years
        z = days + 719_468
        era = z // 146_097
        doe = z - era * 146_097
        yoe = (doe - doe // 1460 + doe // 36_524 - doe // 146_096) // 365
        year = yoe + era * 400
        doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    else:  # the same in cycles of four years
        z = days + 719_470
        era = z // 1461
        doe = z - era * 1461
        yoe = (doe - doe // 1460) // 365
        year = yoe + era * 4
        doy = doe - 365 * yoe
    shifted = (5 * doy + 2) // 153
    day = doy - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    year += int(month <= 2)
    year = 1 - year if year < 1 else year
    return number_field(number_field(number_field(o, 0x08, year), 0x10, month), 0x18, day)


@inlined
def write_time(o: Int, ms: Int) -> Int:
    """Hours, minutes, seconds, nanoseconds; the end of the day is its begin."""
    ms %= _DAY
    o = number_field(o, 0x08, ms // 3_600_000)
    o = number_field(o, 0x10, ms // 60_000 % 60)
    o = number_field(o, 0x18, ms // 1000 % 60)
    return number_field(o, 0x20, ms % 1000 * 1_000_000)


@entry(arg.INT, arg.INT_TABLE, arg.INT, arg.INT, arg.READ_BYTE_TABLE, arg.INT, arg.INTS)
def write_messages(kind: Int, table: Any, n: Int, scale: Int, powers: Any, out: Int, offsets: Any) -> Int:
    """Write the message of each value, nothing for a null; returns the first value that can't be one, else -1.

    `kind` is an index into `KINDS`; `out` has room for 64 bytes a value besides the bytes of decimals.
    """
    o = out
    for i in range(n):
        if not is_null(table, 0, i):
            if kind == 0:
                source, length = bytes_at(table, 0, i)
                digits = count_digits(source, length, powers)
                if digits < 0:
                    return i
                o = write_decimal(o, source, length, digits, scale)
            else:
                value = number_at(table, 0, i)
                if kind == _DATE:
                    o = write_date(o, value)
                elif kind == _TIME:
                    if value < 0 or value > _DAY:
                        return i
                    o = write_time(o, value)
                else:
                    seconds = value // 1000
                    if seconds < _FIRST_SECOND or seconds > _LAST_SECOND:
                        return i
                    o = number_field(number_field(o, 0x08, seconds), 0x10, (value - seconds * 1000) * 1_000_000)
        offsets[i + 1] = o - out
    return -1
