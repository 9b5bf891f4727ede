"""Times as numbers since 1970-01-01T00:00:00 UTC, without leap seconds, as in events and the progress.

`datetime` values are in UTC and have no `tzinfo`, as database drivers return them.
"""

from __future__ import annotations

import datetime as dt
import time
from typing import Final

EPOCH: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001 -- databases' days and times have no zone
_MICROSECOND: Final = dt.timedelta(microseconds=1)


def now_us() -> int:
    """Microseconds since the epoch, by this machine's clock."""
    return time.time_ns() // 1000


def now_ms() -> int:
    """Milliseconds since the epoch, by this machine's clock."""
    return time.time_ns() // 1_000_000


def microseconds_of(moment: dt.datetime) -> int:
    """Microseconds since the epoch at a time; negative before 1970."""
    return (moment - EPOCH) // _MICROSECOND


def moment_of(time_us: int) -> dt.datetime:
    """The time that many microseconds after the epoch."""
    return EPOCH + dt.timedelta(microseconds=time_us)
