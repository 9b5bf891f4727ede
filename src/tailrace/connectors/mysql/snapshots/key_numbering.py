"""Maps numbers to the values of a column, so that a range of it can be halved without reading it.

A ruler has two ends, which are numbers, and returns the value at a number. Numbers ascend in the column's order, at
least approximately: of text only digits and unaccented letters count, after the prefix that all values share. If that
is wrong for a collation, parts become uneven, and nothing else.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from tailrace.connectors.mysql.snapshots.bounds import Entry, decimal_text, temporal_text
from tailrace.connectors.mysql.snapshots.keys import KeyColumn, Kind
from tailrace.epoch import EPOCH, microseconds_of

ALPHABET: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
CHARACTERS: Final = 8
BYTES: Final = 8
MICROS_OF_A_DAY: Final = 86_400_000_000
FIRST_DAY: Final = dt.date.min.toordinal()
EPOCH_DAY: Final = EPOCH.date().toordinal()
WIDE: Final = {"ucs2": "utf-16-be", "utf16": "utf-16-be", "utf16le": "utf-16-le", "utf32": "utf-32-be"}


@dataclass(frozen=True, slots=True)
class KeyNumbering:
    """Numbers in (low, high] stand for values of a column.

    Attributes:
        low: a number before the first value.
        high: the number of the last value, or one after it.
        value: the value at a number.
        is_exact: whether each number is one value, so that a range of one number can be halved by the key's next
            column.

    """

    low: int
    high: int
    value: Callable[[int], Entry]
    is_exact: bool


def numbering_of(column: KeyColumn, least: Entry, most: Entry) -> KeyNumbering | None:
    """A ruler from a column's least to its greatest value; None for a type without one."""
    if column.kind in (Kind.INT, Kind.BITS, Kind.ENUM):
        return KeyNumbering(_number(least) - 1, _number(most), lambda number: number, is_exact=True)
    if column.kind is Kind.BYTES:
        return _of_bytes(_bytes(least), _bytes(most))
    if column.kind is Kind.TEXT:
        return _of_text(column, _bytes(least), _bytes(most))
    if column.kind is Kind.DECIMAL:
        low, high = (int(str(entry).replace(".", "")) for entry in (least, most))
        return KeyNumbering(low - 1, high, lambda number: decimal_text(number, column.size), is_exact=True)
    if column.kind is Kind.DATE:
        low, high = (_day(str(entry)) for entry in (least, most))
        return KeyNumbering(low - 1, high, lambda number: temporal_text(Kind.DATE, number), is_exact=True)
    if column.kind in (Kind.DATETIME, Kind.TIMESTAMP):
        low, high = (_micros(str(entry)) for entry in (least, most))
        return KeyNumbering(low - 1, high, lambda number: temporal_text(column.kind, number), is_exact=True)
    return None


def _of_bytes(least: bytes, most: bytes) -> KeyNumbering:
    common = bytes(_common(least, most))
    return KeyNumbering(-1, 256**BYTES - 1, lambda number: {"hex": (common + _eight(number)).hex()}, is_exact=False)


def _of_text(column: KeyColumn, least: bytes, most: bytes) -> KeyNumbering:
    codec = WIDE.get(column.charset or "", "ascii")
    texts = (least.decode(codec, "replace"), most.decode(codec, "replace"))
    common = "".join(_alike(*texts))

    def value(number: int) -> Entry:
        return {"hex": (common + _letters(number)).encode(codec).hex()}

    return KeyNumbering(-1, len(ALPHABET) ** CHARACTERS - 1, value, is_exact=False)


def _common(least: bytes, most: bytes) -> Iterator[int]:
    return (a for a, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(least, most, strict=False)))


def _alike(least: str, most: str) -> Iterator[str]:
    """The common prefix of two texts, without regard to case, as long as it is ASCII."""
    for a, b in zip(least, most, strict=False):
        if a.lower() != b.lower() or not a.isascii():
            return
        yield a


def _eight(number: int) -> bytes:
    return max(number, 0).to_bytes(BYTES, "big")


def _letters(number: int) -> str:
    digits = []
    rest = max(number, 0)
    for _ in range(CHARACTERS):
        rest, digit = divmod(rest, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))


def _day(text: str) -> int:
    """Days since 1970; an invalid date counts as the first day of the calendar."""
    try:
        return dt.date.fromisoformat(text).toordinal() - EPOCH_DAY
    except ValueError:
        return FIRST_DAY - EPOCH_DAY


def _micros(text: str) -> int:
    try:
        return microseconds_of(dt.datetime.fromisoformat(text))
    except ValueError:
        return (FIRST_DAY - EPOCH_DAY) * MICROS_OF_A_DAY


def _number(entry: Entry) -> int:
    if not isinstance(entry, int):
        raise TypeError(f"{entry!r} is no number")
    return entry


def _bytes(entry: Entry) -> bytes:
    if not isinstance(entry, dict):
        raise TypeError(f"{entry!r} is no text")
    return bytes.fromhex(entry["hex"])
