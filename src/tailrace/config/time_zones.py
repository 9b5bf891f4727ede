"""Parses time zones in Java's notation: `Z`, offsets (`+02:00`, `UTC+2`), short names (`PST`), regions (`Europe/Paris`).

Source: Java's `java.time.ZoneId`, `of(String, Map)` and `SHORT_IDS`.
"""

from __future__ import annotations

import re
from typing import Final

from attrs import frozen

_UTC: Final = re.compile(r"Z|UTC|GMT|UT")
_OFFSET: Final = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?([0-5]\d))?")
_LARGEST: Final = 18 * 60  # minutes: the limit of java.time.ZoneOffset
_SHORT: Final = {
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "Europe/Paris",
    "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "MIT": "Pacific/Apia",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh",
    "EST": "-05:00",
    "MST": "-07:00",
    "HST": "-10:00",
}


@frozen
class TimeZone:
    """A time zone: a region with rules, or a fixed offset.

    Attributes:
        region: its name in the IANA database; None for an offset.
        minutes: the offset from UTC, positive to the east.

    """

    region: str | None
    minutes: int = 0


def time_zone(text: str) -> TimeZone:
    """The time zone of that name.

    Raises:
        ValueError: there is none; the message gives examples.

    """
    name = _SHORT.get(text, text)  # short names before regions, as in `ZoneId.of`
    if _UTC.fullmatch(name):
        return TimeZone(None)
    found = _OFFSET.fullmatch(name)
    if found is not None:
        minutes = int(found[2]) * 60 + int(found[3] or 0)
        if minutes <= _LARGEST:
            return TimeZone(None, -minutes if found[1] == "-" else minutes)
    elif name and _is_region(name):
        return TimeZone(name)
    raise ValueError("it must be a time zone: Europe/Paris, CET, +02:00 or UTC")


def _is_region(name: str) -> bool:
    """Whether polars knows the region; polars applies its rules later, so its database decides."""
    import polars as pl  # imported here because it takes a while, and few configurations name a time zone

    try:
        pl.Series([0]).cast(pl.Datetime("us")).dt.replace_time_zone(name)
    except pl.exceptions.PolarsError:
        return False
    return True
