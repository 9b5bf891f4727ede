"""Times of the server: it writes its local time, without an offset, and tells its offset now (CURRENT TIMEZONE).

So a time from before the clocks were changed, read after it, is an hour off, as it is with SQL Server without a time zone.

Source: IBM Db2 documentation, "CURRENT TIMEZONE special register"
"""

from __future__ import annotations

import datetime as dt
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

MINUTE_US: Final = 60_000_000
OFFSET: Final = "INTEGER(CURRENT TIMEZONE)"
"""The expression for the offset as a number: hours, minutes and seconds, two digits each."""
_EPOCH: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001 -- as the server's times are
Int64 = npt.NDArray[np.int64]


def minutes_of(offset: int) -> int:
    """How many minutes the server's clock is ahead of UTC, from `OFFSET`: 53000 is five hours and a half."""
    ahead = abs(int(offset)) // 100
    minutes = ahead // 100 * 60 + ahead % 100
    return -minutes if offset < 0 else minutes


def utc_us(moment: dt.datetime, offset_minutes: int) -> int:
    """A time of the server, as microseconds since the epoch."""
    return clock_us(moment) - offset_minutes * MINUTE_US


def moment_of(time_us: int, offset_minutes: int) -> dt.datetime:
    """The inverse of `utc_us`."""
    return _EPOCH + dt.timedelta(microseconds=time_us + offset_minutes * MINUTE_US)


def clock_us(moment: dt.datetime) -> int:
    """A time of the server as microseconds since 1970-01-01T00:00, its local time."""
    return (moment.replace(tzinfo=None) - _EPOCH) // dt.timedelta(microseconds=1)


def clock_column(array: pa.Array) -> Int64:
    """A column of times of the server as microseconds since 1970-01-01T00:00, its local time; shape (n,); 0 for NULL."""
    found: Int64 = array.cast(pa.timestamp("us")).cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    return found
