"""Dates of days since the epoch, and back: Java's calendar, which is Julian before 15 October 1582.

Years are astronomical: 0 is 1 BC. All functions take and give arrays of shape (n,).
Source: Richards, "Calendars", in the Explanatory Supplement to the Astronomical Almanac; `java.util.GregorianCalendar`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
_CUTOVER: Final = -141_427  # 15 October 1582
_MARCH_0: Final = 719_468  # days from 1 March 0 to 1 January 1970, Gregorian
_JULIAN_MARCH_0: Final = 719_470


@dataclass(frozen=True, slots=True)
class Dates:
    """Dates; months and days count from 1."""

    year: Ints
    month: Ints
    day: Ints


def dates_of(days: Ints) -> Dates:
    """The dates of days since the epoch."""
    gregorian, julian = _gregorian(days), _julian(days)
    is_new = days >= _CUTOVER
    return Dates(*(np.where(is_new, new, old) for new, old in zip(gregorian, julian, strict=True)))


def days_of(year: Ints, month: Ints, day: Ints) -> Ints:
    """The days since the epoch of dates; months and days may be beyond their range, as Java's lenient calendar has it."""
    years, months = year + (month - 1) // 12, (month - 1) % 12
    new = _days(years, months, gregorian=True) + day - 1
    old = _days(years, months, gregorian=False) + day - 1
    return np.where(new >= _CUTOVER, new, old)


def _days(year: Ints, month: Ints, *, gregorian: bool) -> Ints:
    """The first day of months, which count from 0."""
    shifted = year - (month < 2)
    from_march = (month + 10) % 12
    of_year = (153 * from_march + 2) // 5
    whole = 365 * shifted + shifted // 4
    if gregorian:
        return np.asarray(whole - shifted // 100 + shifted // 400 + of_year - _MARCH_0, np.int64)
    return np.asarray(whole + of_year - _JULIAN_MARCH_0, np.int64)


def _gregorian(days: Ints) -> tuple[Ints, Ints, Ints]:
    z = days + _MARCH_0
    era, of_era = z // 146_097, z % 146_097
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    return _from_march(year + era * 400, of_year)


def _julian(days: Ints) -> tuple[Ints, Ints, Ints]:
    z = days + _JULIAN_MARCH_0
    era, of_era = z // 1461, z % 1461
    year = np.minimum(of_era // 365, 3)
    return _from_march(year + era * 4, of_era - 365 * year)


def _from_march(year: Ints, of_year: Ints) -> tuple[Ints, Ints, Ints]:
    """Year, month and day of a day within a year that begins in March."""
    from_march = (5 * of_year + 2) // 153
    day = of_year - (153 * from_march + 2) // 5 + 1
    month = np.where(from_march < 10, from_march + 3, from_march - 9)
    return year + (month <= 2), month, day
