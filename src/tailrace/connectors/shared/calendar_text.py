# mypy: disable-error-code="no-any-return, assignment"
"""Calendar arithmetic, and dates and times as text, for compiled loops.

Days count from 1970-01-01 in the proleptic Gregorian calendar. A year is taken to begin in March, so that the leap day
is the last of the year; 146,097 days are 400 years, and 719,468 lie between 0000-03-01 and 1970-01-01.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tailrace.kernels.compiling import Int, compiled, inlined


@inlined
def day_number(year: Int, month: Int, day: Int) -> Int:
    """The number of days from 1970-01-01 to a day of the proleptic Gregorian calendar."""
    shifted = year - (1 if month <= 2 else 0)
    era = shifted // 400
    year_of_era = shifted - era * 400
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468


@compiled
def calendar_day(days: Int) -> Any:
    """(year, month, day) from the number of days since 1970-01-01."""
    shifted = days + 719468
    era = shifted // 146097
    rest = shifted - era * 146097
    year_of_era = (rest - rest // 1460 + rest // 36524 - rest // 146096) // 365
    day_of_year = rest - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    year = year_of_era + era * 400 + (1 if month <= 2 else 0)
    return year, month, day_of_year - (153 * shifted_month + 2) // 5 + 1


@compiled
def put_date(aux: Any, p: Int, days: Int) -> None:
    """Write YYYY-MM-DD, for the years 0 to 9999."""
    year, month, day = calendar_day(days)
    put_pair(aux, p, year // 100)
    put_pair(aux, p + 2, year % 100)
    aux[p + 4] = 45
    put_pair(aux, p + 5, month)
    aux[p + 7] = 45
    put_pair(aux, p + 8, day)


@inlined
def put_clock(aux: Any, p: Int, second: Int) -> Int:
    """Write HH:MM:SS; the index after it."""
    minute = second // 60
    put_pair(aux, p, minute // 60)
    aux[p + 2] = 58
    put_pair(aux, p + 3, minute % 60)
    aux[p + 5] = 58
    put_pair(aux, p + 6, second - minute * 60)
    return p + 8


@inlined
def put_pair(aux: Any, p: Int, value: Int) -> None:
    """Write two digits."""
    tens = value // 10
    aux[p] = np.uint8(48 + tens)
    aux[p + 1] = np.uint8(48 + value - 10 * tens)


@inlined
def put_fraction(aux: Any, p: Int, fraction: Int, width: Int, digits: Int) -> Int:
    """Write a point and `digits` digits of a fraction in units of 10^-width; the index after them.

    With `digits` 0, trailing zeros are left out, and the point too if nothing remains.
    """
    if digits == 0:
        if fraction == 0:
            return p
        digits = width
        while fraction % 10 == 0:
            fraction //= 10
            digits -= 1
    else:
        for _ in range(width - digits):
            fraction //= 10
    aux[p] = 46
    for i in range(digits, 0, -1):
        aux[p + i] = np.uint8(48 + fraction % 10)
        fraction //= 10
    return p + 1 + digits
