"""Time as events and the progress have it: numbers since 1970-01-01T00:00:00, without leap seconds.

Moments are in UTC and have no zone of their own, as databases tell them.
"""

from __future__ import annotations

import datetime as dt
import time
from typing import Final

EPOCH: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001 -- databases' days and times have no zone
_MICROSECOND: Final = dt.timedelta(microseconds=1)


def now_us() -> int:
    """Microseconds, by this machine's clock."""
    return time.time_ns() // 1000


def now_ms() -> int:
    """Milliseconds, by this machine's clock."""
    return time.time_ns() // 1_000_000


def microseconds_of(moment: dt.datetime) -> int:
    """Microseconds until a moment; below zero before 1970."""
    return (moment - EPOCH) // _MICROSECOND


def moment_of(time_us: int) -> dt.datetime:
    """The moment after so many microseconds."""
    return EPOCH + dt.timedelta(microseconds=time_us)
