"""Moments as text in Java's `SimpleDateFormat` in UTC, and back, a column at a time.

Names of months and days are English. Parsing is lenient, as Java's is: it reads as much of a text as the pattern needs, and a
43rd of January is the 12th of February.
Source: documentation of `java.text.SimpleDateFormat` and `java.util.Calendar`; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import polars as pl

from tailrace.transforms.civil_calendar import Dates, Ints, dates_of, days_of
from tailrace.transforms.java_date_patterns import Token, tokens_of
from tailrace.transforms.logical_types import DAY_MS

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORT: Final = 3  # letters of a short name
_FULL: Final = 4  # pattern letters from which on a name is written in full
_THURSDAY: Final = 3  # the day of the epoch, in `DAYS`


class JavaDateFormat:
    """Writes moments as a pattern says.

    Raises:
        NotYetError: the pattern has a field that is not supported yet.
        ValueError: it is no pattern.

    """

    def __init__(self, pattern: str) -> None:
        self._tokens = tokens_of(pattern)

    def texts(self, moments: Ints) -> pl.Series:
        """Milliseconds since the epoch as text, both of shape (n,)."""
        parts = _Parts(moments)
        columns = [parts.text(token).alias(str(place)) for place, token in enumerate(self._tokens)]
        if not columns:
            return pl.Series([""]).new_from_index(0, len(moments))
        return pl.DataFrame(columns).select(pl.concat_str(pl.all()).alias("text")).to_series()

    def text(self, moment: int) -> str:
        """One moment as text."""
        return str(self.texts(np.array([moment], np.int64))[0])


class _Parts:
    """The fields of moments."""

    def __init__(self, moments: Ints) -> None:
        self._n = len(moments)
        self._days, self._of_day = moments // DAY_MS, moments % DAY_MS
        self._dates: Dates = dates_of(self._days)

    def text(self, token: Token) -> pl.Series:
        """One field, or literal, of all moments."""
        letter, count = token.letter, token.count
        if letter == "y":
            year = self._year_of_era()
            return _padded(year % 100, 2) if count == 2 else _padded(year, count)
        if letter in "ML" and letter and not token.is_number:
            return _named(MONTHS, self._dates.month - 1, count)
        if letter == "E":
            return _named(DAYS, (self._days + _THURSDAY) % 7, count)
        if letter == "a":
            return _named(("AM", "PM"), self._of_day // (DAY_MS // 2), _FULL)
        if letter == "G":
            return _named(("BC", "AD"), (self._dates.year > 0).astype(np.int64), _FULL)
        if token.is_number and letter:
            return _padded(self._number(letter), count)
        fixed = {"z": "Coordinated Universal Time" if count >= _FULL else "UTC", "Z": "+0000", "X": "Z"}
        return pl.Series([fixed.get(letter, token.text)]).new_from_index(0, self._n)

    def _year_of_era(self) -> Ints:
        return np.where(self._dates.year > 0, self._dates.year, 1 - self._dates.year)

    def _number(self, letter: str) -> Ints:
        hour = self._of_day // 3_600_000
        found: dict[str, Callable[[], Ints]] = {
            "M": lambda: self._dates.month,
            "L": lambda: self._dates.month,
            "d": lambda: self._dates.day,
            "D": self._day_of_year,
            "F": lambda: (self._dates.day - 1) // 7 + 1,
            "u": lambda: (self._days + _THURSDAY) % 7 + 1,
            "H": lambda: hour,
            "k": lambda: (hour + 23) % 24 + 1,
            "K": lambda: hour % 12,
            "h": lambda: (hour + 11) % 12 + 1,
            "m": lambda: self._of_day // 60_000 % 60,
            "s": lambda: self._of_day // 1000 % 60,
            "S": lambda: self._of_day % 1000,
        }
        return np.asarray(found[letter](), np.int64)

    def _day_of_year(self) -> Ints:
        ones = np.ones(self._n, np.int64)
        return self._days - days_of(self._dates.year, ones, ones) + 1


def _padded(numbers: Ints, width: int) -> pl.Series:
    return pl.Series(numbers).cast(pl.String).str.zfill(width)


def _named(names: tuple[str, ...], indices: Ints, count: int) -> pl.Series:
    shown = names if count >= _FULL else tuple(name[:_SHORT] for name in names)
    return pl.Series(shown).gather(pl.Series(indices))
