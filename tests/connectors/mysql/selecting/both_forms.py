"""Values in the two forms that the transcoder knows, written plainly: as in a packet, and as in a row image."""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage

DIGIT_BYTES = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)
EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 -- a stored time has no zone


@dataclass(frozen=True)
class Form:
    """A type: values of it, and what stands in a packet and in an image for one."""

    plan: ColumnPlan
    values: st.SearchStrategy
    packed: Callable[[Any], bytes]
    stored: Callable[[Any], bytes]


def lenenc(value: bytes) -> bytes:
    n = len(value)
    if n < 251:
        return bytes([n]) + value
    if n < 1 << 16:
        return b"\xfc" + n.to_bytes(2, "little") + value
    return b"\xfd" + n.to_bytes(3, "little") + value if n < 1 << 24 else b"\xfe" + n.to_bytes(8, "little") + value


def packet(columns: Sequence[Form], row: Sequence[Any]) -> bytes:
    """A row of a binary result, with its header."""
    nulls = sum(1 << (i + 2) for i, value in enumerate(row) if value is None)
    payload = b"\0" + nulls.to_bytes((len(row) + 9) // 8, "little")
    payload += b"".join(c.packed(v) for c, v in zip(columns, row, strict=True) if v is not None)
    return len(payload).to_bytes(3, "little") + b"\x07" + payload


def image(columns: Sequence[Form], row: Sequence[Any]) -> bytes:
    """A row image of the log."""
    nulls = sum(1 << i for i, value in enumerate(row) if value is None)
    return nulls.to_bytes((len(row) + 7) // 8, "little") + b"".join(
        c.stored(v) for c, v in zip(columns, row, strict=True) if v is not None
    )


def integer(width: int, unsigned: bool) -> Form:
    low = 0 if unsigned else -(1 << 8 * width - 1)
    high = low + (1 << 8 * width) - 1
    sent = 4 if width == 3 else width
    return Form(
        ColumnPlan(Storage.INT, width, unsigned=unsigned),
        st.one_of(st.integers(low, high), st.sampled_from([low, high, 0])),
        lambda v: v.to_bytes(sent, "little", signed=not unsigned),
        lambda v: v.to_bytes(width, "little", signed=not unsigned),
    )


def labels(wire: Storage, width: int) -> Form:
    return Form(
        ColumnPlan(wire, width),
        st.integers(0, (1 << 8 * width) - 1),
        lambda v: v.to_bytes(8, "little"),
        lambda v: v.to_bytes(width, "little"),
    )


def year() -> Form:
    values = st.one_of(st.just(0), st.integers(1901, 2155))
    return Form(
        ColumnPlan(Storage.YEAR), values, lambda v: struct.pack("<H", v), lambda v: bytes([v - 1900 if v else 0])
    )


def double() -> Form:
    packed = struct.Struct("<d").pack
    return Form(ColumnPlan(Storage.DOUBLE, 8, Out.FLOAT64), st.floats(allow_nan=False), packed, packed)


def single() -> Form:
    packed = struct.Struct("<f").pack
    return Form(ColumnPlan(Storage.FLOAT, 4, Out.FLOAT32), st.floats(allow_nan=False, width=32), packed, packed)


def text(prefix: int) -> Form:
    values = st.one_of(st.binary(max_size=20), st.integers(240, 300).map(lambda n: b"x" * n), st.just(b"y" * 65535))
    return Form(
        ColumnPlan(Storage.STRING, prefix, Out.BYTES), values, lenenc, lambda v: len(v).to_bytes(prefix, "little") + v
    )


def bits(count: int) -> Form:
    width = (count + 7) // 8
    return Form(
        ColumnPlan(Storage.BIT, count, Out.BIT_BYTES),
        st.integers(0, (1 << count) - 1),
        lambda v: lenenc(v.to_bytes(width, "big")),
        lambda v: v.to_bytes(width, "big"),
    )


def decimal(precision: int, scale: int, zerofill: bool = False) -> Form:
    def text_of(unscaled: int) -> bytes:
        shown = plain(unscaled)
        return shown.rjust(precision + 1, "0").encode() if zerofill else shown.encode()

    def plain(unscaled: int) -> str:
        digits = str(abs(unscaled)).rjust(scale + 1, "0")
        whole, behind = (digits[:-scale], digits[-scale:]) if scale else (digits, "")
        return "-" * (unscaled < 0) + whole + ("." + behind if scale else "")

    def stored(unscaled: int) -> bytes:
        digits = str(abs(unscaled)).rjust(precision, "0")
        whole, behind = digits[: precision - scale], digits[precision - scale :]
        lead = len(whole) % 9
        groups = [whole[:lead]] + [whole[i : i + 9] for i in range(lead, len(whole), 9)]
        groups += [behind[i : i + 9] for i in range(0, len(behind), 9)]
        raw = bytearray(b"".join(int(g).to_bytes(DIGIT_BYTES[len(g)], "big") for g in groups if g))
        if unscaled < 0:
            raw = bytearray(b ^ 0xFF for b in raw)
        raw[0] ^= 0x80
        return bytes(raw)

    most = 10**precision - 1
    values = st.one_of(st.integers(0 if zerofill else -most, most), st.sampled_from([0, 1, most]))
    return Form(ColumnPlan(Storage.DECIMAL, precision << 8 | scale, Out.UNSCALED), values, text_of, stored)


def _decimal_packed(form: Form) -> Form:
    return Form(form.plan, form.values, lambda v: lenenc(form.packed(v)), form.stored)


Date = tuple[int, int, int]
dates = st.one_of(
    st.just((0, 0, 0)), st.tuples(st.integers(0, 9999), st.integers(0, 12), st.integers(0, 31)), st.just((2023, 2, 31))
)
clocks = st.one_of(st.just((0, 0, 0)), st.tuples(st.integers(0, 23), st.integers(0, 59), st.integers(0, 59)))


def micros(digits: int) -> st.SearchStrategy:
    unit = 10 ** (6 - digits)
    return st.one_of(st.just(0), st.integers(0, 10**digits - 1).map(lambda n: n * unit))


def fraction(value: int, digits: int) -> bytes:
    n = (digits + 1) // 2
    return (value // 10 ** (6 - 2 * n)).to_bytes(n, "big") if n else b""


def packed_moment(value: tuple[Date, Date, int]) -> bytes:
    """A date, a clock and microseconds; what is zero at the end is left out."""
    (y, m, d), clock, micro = value
    full = struct.pack("<HBB", y, m, d) + bytes(clock) + struct.pack("<I", micro)
    n = 11 if micro else 7 if any(clock) else 4 if any((y, m, d)) else 0
    return bytes([n]) + full[:n]


def date() -> Form:
    return Form(
        ColumnPlan(Storage.DATE, 0, Out.DAYS),
        dates,
        lambda v: packed_moment((v, (0, 0, 0), 0)),
        lambda v: (v[0] << 9 | v[1] << 5 | v[2]).to_bytes(3, "little"),
    )


def datetime(digits: int) -> Form:
    def stored(value: tuple[Date, Date, int]) -> bytes:
        (y, m, d), (hour, minute, second), micro = value
        number = (y * 13 + m) << 22 | d << 17 | hour << 12 | minute << 6 | second
        return (number + (1 << 39)).to_bytes(5, "big") + fraction(micro, digits)

    values = st.tuples(dates, clocks, micros(digits))
    return Form(ColumnPlan(Storage.DATETIME2, digits, Out.MICROS), values, packed_moment, stored)


def timestamp(digits: int) -> Form:
    def packed(value: tuple[int, int]) -> bytes:
        seconds, micro = value
        if not seconds:
            return b"\0"
        at = EPOCH + dt.timedelta(seconds=seconds)
        return packed_moment(((at.year, at.month, at.day), (at.hour, at.minute, at.second), micro))

    def stored(value: tuple[int, int]) -> bytes:
        return value[0].to_bytes(4, "big") + fraction(value[1], digits)

    values = st.one_of(st.just((0, 0)), st.tuples(st.integers(1, 2**32 - 1), micros(digits)))
    return Form(ColumnPlan(Storage.TIMESTAMP2, digits, Out.MICROS), values, packed, stored)


def time(digits: int) -> Form:
    def packed(value: tuple[bool, int, int]) -> bytes:
        negative, seconds, micro = value
        if not seconds and not micro:
            return b"\0"
        clock = bytes([seconds // 3600 % 24, seconds // 60 % 60, seconds % 60])
        short = bytes([negative]) + struct.pack("<I", seconds // 86400) + clock
        return b"\x0c" + short + struct.pack("<I", micro) if micro else b"\x08" + short

    def stored(value: tuple[bool, int, int]) -> bytes:
        negative, seconds, micro = value
        n = (digits + 1) // 2
        whole = seconds // 3600 << 12 | (seconds // 60 % 60) << 6 | seconds % 60
        number = whole << 8 * n | int.from_bytes(fraction(micro, digits), "big")
        return ((0x800000 << 8 * n) + (-number if negative else number)).to_bytes(3 + n, "big")

    values = st.tuples(st.booleans(), st.integers(0, 838 * 3600 + 59 * 60 + 59), micros(digits))
    return Form(ColumnPlan(Storage.TIME2, digits, Out.MICROS), values, packed, stored)


FORMS = [
    *(integer(width, unsigned) for width in (1, 2, 3, 4, 8) for unsigned in (False, True)),
    *(labels(Storage.ENUM, width) for width in (1, 2)),
    *(labels(Storage.SET, width) for width in (1, 2, 3, 4, 8)),
    *(bits(count) for count in (1, 7, 8, 9, 33, 64)),
    *(
        _decimal_packed(decimal(p, s))
        for p, s in [(1, 0), (1, 1), (5, 2), (9, 9), (10, 0), (18, 9), (27, 18), (65, 0), (65, 30), (30, 30)]
    ),
    _decimal_packed(decimal(12, 3, zerofill=True)),
    *(kind(digits) for digits in range(7) for kind in (datetime, timestamp, time)),
    year(), double(), single(), text(2), text(4), date(),
]  # fmt: skip
