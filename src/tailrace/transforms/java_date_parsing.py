"""Text as moments by a pattern of Java's `SimpleDateFormat`, a column at a time; see `java_date_formats`."""

from __future__ import annotations

import re
from typing import Final, cast

import numpy as np
import polars as pl

from tailrace.changes.source_records import Mask
from tailrace.config.values import NotYetError
from tailrace.transforms.civil_calendar import Ints, days_of
from tailrace.transforms.java_date_formats import DAYS, MONTHS
from tailrace.transforms.java_date_patterns import Token, tokens_of
from tailrace.transforms.logical_types import DAY_MS

_READ: Final = "yMLdHkKhmsSaEzZX"  # fields that can be read
_TIMES: Final = {"m": 60_000, "s": 1000, "S": 1}  # milliseconds of one
_HOUR_MS: Final = 3_600_000
_ZONE: Final = r"Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?"


class JavaDateParser:
    """Reads moments that are written as a pattern says.

    Raises:
        NotYetError: the pattern has a field that can't be read yet.
        ValueError: it is no pattern.

    """

    def __init__(self, pattern: str) -> None:
        tokens = tokens_of(pattern)
        _check(tokens, pattern)
        pieces = [_piece(token, tokens[place + 1 : place + 2], place) for place, token in enumerate(tokens)]
        self._regex = "(?s)^" + "".join(pieces) + "(?P<all>)"
        self._fields = {token.letter: f"f{place}" for place, token in enumerate(tokens) if token.letter}
        self._counts = {token.letter: token.count for token in tokens}

    def moments(self, texts: pl.Series) -> tuple[Ints, Mask]:
        """Milliseconds since the epoch, and whether a text could be read, both of shape (n,); nulls count as read."""
        groups = texts.str.extract_groups(self._regex).struct
        found = groups.field("all").is_not_null().to_numpy() if len(texts) else np.zeros(0, np.bool_)
        names = {letter: groups.field(name) for letter, name in self._fields.items()}
        return _moments(names, len(texts)), found | texts.is_null().to_numpy()


def _check(tokens: tuple[Token, ...], pattern: str) -> None:
    for place, token in enumerate(tokens):
        behind = "".join(each.letter for each in tokens[place + 1 :])
        if token.letter and token.letter not in _READ:
            raise NotYetError(f"{pattern!r} has {token.letter}, which can't be read yet")
        if token.letter == "E" and "d" not in behind:
            raise NotYetError(f"{pattern!r} has E without a d behind it, which can't be read yet")
        if token.letter == "y" and token.count <= 2:
            raise NotYetError(f"{pattern!r} has a year of two digits, whose century Java takes from the clock; write yyyy")
    letters = [token.letter for token in tokens if token.letter]
    if len(set(letters)) < len(letters):
        raise NotYetError(f"{pattern!r} has a field twice, which can't be read yet")


def _piece(token: Token, after: tuple[Token, ...], place: int) -> str:
    """The regex of a field; of digits with more digits directly behind them only as many as there are letters."""
    if not token.letter:
        return re.escape(token.text)
    if token.is_number:
        stops = bool(after) and after[0].is_number and bool(after[0].letter)
        return rf"[ \t]*(?P<f{place}>[0-9]{{1,{token.count if stops else 15}}})"
    if token.letter in "ML":
        names = "|".join([*MONTHS, *(name[:3] for name in MONTHS)])
    elif token.letter == "E":
        names = "|".join([*DAYS, *(name[:3] for name in DAYS)])
    else:
        names = "AM|PM" if token.letter == "a" else _ZONE
    return rf"[ \t]*(?P<f{place}>(?i:{names}))"


def _moments(fields: dict[str, pl.Series], n: int) -> Ints:
    """The moments of fields; what a pattern has not is that of the epoch."""
    month_names = [fields[each] for each in "ML" if each in fields]
    month = _months(month_names[0]) if month_names else np.ones(n, np.int64)
    year = _numbers(fields["y"]) if "y" in fields else np.full(n, 1970, np.int64)
    day = _numbers(fields["d"]) if "d" in fields else np.ones(n, np.int64)
    moments = days_of(year, month, day) * DAY_MS + _hours(fields, n) * _HOUR_MS
    for letter, scale in _TIMES.items():
        if letter in fields:
            moments = moments + _numbers(fields[letter]) * scale
    for letter in "zZX":
        if letter in fields:
            moments = moments - _offsets(fields[letter])
    return moments


def _numbers(digits: pl.Series) -> Ints:
    return cast("Ints", digits.cast(pl.Int64, strict=False).fill_null(0).to_numpy())


def _months(texts: pl.Series) -> Ints:
    lowered = texts.str.to_lowercase().str.slice(0, 3)
    by_name = {name[:3].lower(): str(number) for number, name in enumerate(MONTHS, 1)}
    numbers = lowered.replace(by_name)
    return _numbers(pl.select(pl.when(texts.str.contains("^[0-9]")).then(texts).otherwise(numbers)).to_series())


def _hours(fields: dict[str, pl.Series], n: int) -> Ints:
    """Hours of the day: `H` (0 to 23) or `k` (1 to 24), else `K` (0 to 11) or `h` (1 to 12) with `a`."""
    if "H" in fields:
        return _numbers(fields["H"])
    if "k" in fields:
        hours = _numbers(fields["k"])
        return np.where(hours == 24, 0, hours)
    if "K" in fields or "h" in fields:
        hours = _numbers(fields["K"] if "K" in fields else fields["h"])
        hours = np.where((hours == 12) & ("K" not in fields), 0, hours)
    else:
        hours = np.zeros(n, np.int64)
    if "a" not in fields:
        return hours
    is_pm = fields["a"].str.to_lowercase().eq("pm").fill_null(value=False).to_numpy()
    return hours + 12 * is_pm.astype(np.int64)


def _offsets(zones: pl.Series) -> Ints:
    """Milliseconds that zones are ahead of UTC."""
    digits = zones.str.replace_all("[^0-9]", "").str.pad_end(4, "0")
    hours, minutes = _numbers(digits.str.slice(0, 2)), _numbers(digits.str.slice(2, 2))
    sign = np.where(zones.str.starts_with("-").fill_null(value=False).to_numpy(), -1, 1)
    return np.asarray(sign * (hours * _HOUR_MS + minutes * 60_000), np.int64)
