"""A time zone's offsets from UTC, of many times at once.

Where a local time occurs twice, or not at all, the offset before the change counts.

Source: documentation of `java.time.zone.ZoneRules.getOffset`.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

INT64 = npt.NDArray[np.int64]
_FIXED: Final = re.compile(r"([+-])(\d{2}):(\d{2})(?::(\d{2}))?")
_HOUR: Final = 3600


class Zone:
    """A time zone by its name, or by an offset `±hh:mm`."""

    def __init__(self, name: str) -> None:
        """Raises `ValueError` if there is no such zone."""
        self._name = name
        self._fixed: int | None = None
        if found := _FIXED.fullmatch(name):
            self._fixed = seconds_of(name)
            if abs(self._fixed) > 18 * _HOUR or int(found[3]) > 59:
                raise ValueError(f"converted.timezone: {name} is no offset between -18:00 and +18:00")
            return
        try:
            self.at(np.zeros(1, np.int64))
        except pl.exceptions.PolarsError:
            advice = "write one such as America/Los_Angeles, or an offset such as +08:00"
            raise ValueError(f"converted.timezone: there is no time zone {name}; {advice}") from None

    def at(self, instants: INT64) -> INT64:
        """The offsets, in seconds, at these seconds since the epoch."""
        if self._fixed is not None:
            return np.full(len(instants), self._fixed, np.int64)
        times = _times(instants).dt.replace_time_zone("UTC").dt.convert_time_zone(self._name)
        return _seconds(times.dt.replace_time_zone(None)) - instants

    def at_local(self, times: INT64) -> INT64:
        """The offsets, in seconds, at these local times, as seconds since the epoch as if they were of UTC."""
        if self._fixed is not None:
            return np.full(len(times), self._fixed, np.int64)
        offsets = self._known(times)
        for earlier in (3 * _HOUR, 25 * _HOUR):  # where clocks were put forward; the date line was moved by a day
            if not offsets.null_count():
                break
            offsets = offsets.fill_null(self._known(times - earlier))
        return offsets.to_numpy()

    def _known(self, times: INT64) -> pl.Series:
        """The offsets at local times; null where clocks were put forward."""
        local = _times(times).dt.replace_time_zone(self._name, ambiguous="earliest", non_existent="null")
        return pl.Series(times, dtype=pl.Int64) - local.cast(pl.Int64) // 1000


def seconds_of(offset: str) -> int:
    """The seconds of an offset `±hh:mm` or `±hh:mm:ss`."""
    hours, minutes, *seconds = (int(part) for part in offset[1:].split(":"))
    total = hours * _HOUR + minutes * 60 + sum(seconds)
    return -total if offset.startswith("-") else total


def offset_text(seconds: int) -> str:
    """An offset as Java writes it."""
    if not seconds:
        return "Z"
    sign, total = ("-" if seconds < 0 else "+"), abs(seconds)
    tail = f":{total % 60:02}" if total % 60 else ""
    return f"{sign}{total // _HOUR:02}:{total // 60 % 60:02}{tail}"


def _times(seconds: INT64) -> pl.Series:
    return (pl.Series(seconds, dtype=pl.Int64) * 1000).cast(pl.Datetime("ms"))


def _seconds(times: pl.Series) -> INT64:
    return (times.cast(pl.Int64) // 1000).to_numpy()
