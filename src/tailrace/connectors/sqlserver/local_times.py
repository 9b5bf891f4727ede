"""Converts the times of cdc.lsn_time_mapping to UTC: the server stores its local time, without an offset.

Without `database.server.timezone`, the current offset of the server's clock is subtracted, as in Debezium. A
transaction from before a change to or from daylight saving time, read after it, is then an hour off. With the server's
time zone, the rules of the transaction's time apply.

When clocks are set back, one hour occurs twice. The log says which of the two is meant: LSNs ascend, and where the
clock falls back, the second one begins. In an idle database the capture job adds an entry every five minutes, so this
works there too. A begin time is the later of its two candidates that is not after the end time.
"""

from __future__ import annotations

import datetime as dt
import logging
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace import epoch
from tailrace.changes.vectors import Bytes
from tailrace.config.time_zones import TimeZone
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.lsn import SIZE, ZERO

if TYPE_CHECKING:
    import polars as pl

Int64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

MINUTE_US: Final = 60_000_000
_DAY_US: Final = 24 * 60 * MINUTE_US
_BATCH: Final = 50_000
_ENTRIES: Final = (
    "SELECT start_lsn, tran_end_time FROM cdc.lsn_time_mapping "
    "WHERE start_lsn > ? AND start_lsn <= ? AND tran_end_time >= ? AND tran_end_time < ? ORDER BY start_lsn"
)

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Repeated:
    """What is known about an hour, or another period, that occurs twice.

    Attributes:
        begin: of the period in local time, microseconds.
        end: likewise.
        seen: up to where the log's entries were examined.
        last: the local time of the last of them.
        fell: the first entry of the second occurrence; None if none was seen yet.

    """

    begin: int
    end: int
    seen: Lsn = ZERO
    last: int = 0
    fell: Lsn | None = None


class LocalTimes:
    """Converts one database's times to UTC.

    Attributes:
        offset_minutes: how far the server's clock is ahead of UTC; used if no time zone is configured.

    """

    def __init__(self, zone: TimeZone | None) -> None:
        self._zone = zone
        self._repeated: dict[int, _Repeated] = {}
        self.offset_minutes = 0

    def utc(self, session: Session, commits: Bytes, begins: Int64, ends: Int64) -> tuple[Int64, Int64]:
        """Begin and end times of transactions, in log order; microseconds since the epoch, shape (n,) each."""
        zone = self._zone or TimeZone(None, self.offset_minutes)
        if zone.region is None:
            return begins - zone.minutes * MINUTE_US, ends - zone.minutes * MINUTE_US
        first, second = candidates(zone.region, ends)
        for day in np.unique(ends[first != second] // _DAY_US):
            some = np.flatnonzero((first != second) & (ends // _DAY_US == day))
            fell = self._fell(session, zone.region, int(day), lsn_columns.lsn_at(commits, int(some[-1])))
            if fell is not None:
                behind = some[_not_before(commits[some], fell)]
                first[behind] = second[behind]
        early, late = candidates(zone.region, begins)
        return np.where(late <= first, late, early), first

    def _fell(self, session: Session, region: str, day: int, until: Lsn) -> Lsn | None:
        """The first entry of a day after the clock was set back, up to an LSN; None if there is none."""
        if day not in self._repeated:
            self._repeated[day] = _Repeated(*_repeated_on(region, day))
        known = self._repeated[day]
        if known.fell is None and until > known.seen:
            between = (epoch.moment_of(each) for each in (known.begin, known.end))
            for batch in session.batches(_ENTRIES, known.seen.raw, until.raw, *between, rows=_BATCH):
                commits, shown = lsn_columns.raw_of(batch.column(0), "start_lsn", SIZE), microseconds(batch.column(1))
                before = np.concatenate([[known.last], shown[:-1]])
                fallen = np.flatnonzero(shown < before - MINUTE_US)  # a smaller step back is a correction of the clock
                known.last = int(shown[-1]) if len(shown) else known.last
                if len(fallen) and known.fell is None:
                    known.fell = lsn_columns.lsn_at(commits, int(fallen[0]))
            # Each entry is read once, however many windows a day has.
            known.seen = until
        return known.fell


def candidates(region: str, local_us: Int64) -> tuple[Int64, Int64]:
    """The earlier and the later UTC time of local times; a local time that was skipped counts as before the gap."""
    import polars as pl  # it needs much memory, and only servers with a configured zone use it

    shown = pl.Series(local_us).cast(pl.Datetime("us"))
    skipped = pl.Series(local_us - _DAY_US).cast(pl.Datetime("us"))

    def as_utc(times: pl.Series, which: str) -> pl.Series:
        zoned = times.dt.replace_time_zone(region, ambiguous=which, non_existent="null")  # type: ignore[arg-type]
        return zoned.dt.epoch("us")

    found = [as_utc(shown, which).fill_null(as_utc(skipped, which) + _DAY_US) for which in ("earliest", "latest")]
    earlier, later = (each.to_numpy(writable=True) for each in found)
    return earlier, later


def microseconds(array: pa.Array) -> Int64:
    """Local times as microseconds since the epoch; 0 for NULL."""
    plain = array.cast(pa.timestamp("us")).cast(pa.int64()).fill_null(0)
    return plain.to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]


def other_offset(zone: TimeZone, name: str, minutes: int) -> str | None:
    """The message if the server's clock has another offset than the configured time zone, `name`; None if they agree."""
    ahead = _ahead_now(zone)
    if ahead == minutes:
        return None
    return (
        f"the server's clock is {_offset(minutes)} from UTC now, and {name} (database.server.timezone) is {_offset(ahead)}: "
        "the times of changes will be wrong; give the zone that the server runs in, or leave the property out"
    )


@cache  # a warning per process for each offset
def warn_of_other_offset(zone: TimeZone, name: str, minutes: int) -> None:
    """Log that message as a warning."""
    if what := other_offset(zone, name, minutes):
        log.warning("%s", what)


def _offset(minutes: int) -> str:
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _ahead_now(zone: TimeZone) -> int:
    if zone.region is None:
        return zone.minutes
    import polars as pl

    now = pl.Series([dt.datetime.now(dt.UTC)]).dt.convert_time_zone(zone.region)
    ahead: dt.timedelta = (now.dt.base_utc_offset() + now.dt.dst_offset()).item()
    return ahead // dt.timedelta(minutes=1)


def _repeated_on(region: str, day: int) -> tuple[int, int]:
    """The period of a day that occurs twice, in local time: its begin and its end."""
    minutes = day * _DAY_US + np.arange(_DAY_US // MINUTE_US, dtype=np.int64) * MINUTE_US
    earlier, later = candidates(region, minutes)
    twice = minutes[earlier != later]
    return int(twice[0]), int(twice[-1]) + MINUTE_US


def _not_before(commits: Bytes, lsn: Lsn) -> Bools:
    """Which of these commits are at or after an LSN."""
    found: Bools = np.ascontiguousarray(commits).view(f"S{SIZE}").ravel() >= lsn.raw
    return found
