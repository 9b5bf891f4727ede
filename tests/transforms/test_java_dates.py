"""Dates by Java's patterns, written and read."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from tailrace.config.values import NotYetError
from tailrace.transforms.civil_calendar import dates_of, days_of
from tailrace.transforms.java_date_formats import JavaDateFormat
from tailrace.transforms.java_date_parsing import JavaDateParser

MOMENT = 1_769_862_896_789  # Saturday, 31 January 2026, 12:34:56.789


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyyMMdd", "20260131"),
        ("yyyy-MM-dd'T'HH:mm:ss.SSSX", "2026-01-31T12:34:56.789Z"),
        ("EEE, d MMM yy h:mm a z", "Sat, 31 Jan 26 12:34 PM UTC"),
        ("EEEE D u F k K '' G Z", "Saturday 31 6 5 12 0 ' AD +0000"),
        ("MMMM", "January"),
        ("", ""),
    ],
)
def test_moments_are_written_as_the_pattern_says(pattern, text):
    assert JavaDateFormat(pattern).text(MOMENT) == text


@pytest.mark.parametrize(
    ("pattern", "text", "moment"),
    [
        ("yyyyMMdd", "20260131", 1_769_817_600_000),
        ("yyyy-MM-dd", "2026-1-31 and more", 1_769_817_600_000),
        ("yyyy-MM-dd", "2026-13-01", 1_798_761_600_000),
        ("yyyy-MM-dd HH:mm:ssX", "2026-01-31 12:34:56+01", 1_769_859_296_000),
        ("EEE, d MMMM yyyy hh:mm a", "sat, 31 jan 2026 12:34 pm", 1_769_862_840_000),
        ("yyyy-MM-dd", "nothing", None),
        ("yyyy-MM-dd", "2026-01", None),
    ],
)
def test_texts_are_read_leniently(pattern, text, moment):
    moments, read = JavaDateParser(pattern).moments(pl.Series([text, None], dtype=pl.String))
    assert list(read) == [moment is not None, True]
    assert moment is None or moments[0] == moment


@pytest.mark.parametrize("pattern", ["YYYY", "ww"])
def test_weeks_are_not_written_yet(pattern):
    with pytest.raises(NotYetError, match="not supported yet"):
        JavaDateFormat(pattern)


@pytest.mark.parametrize("pattern", ["yy-MM-dd", "yyyy-DDD", "yyyy yyyy", "EEE"])
def test_what_depends_on_the_clock_or_on_other_fields_is_not_read_yet(pattern):
    with pytest.raises(NotYetError):
        JavaDateParser(pattern)


@pytest.mark.parametrize("pattern", ["yyyy-MM-ddTHH", "'open"])
def test_what_java_does_not_know_is_refused(pattern):
    with pytest.raises(ValueError, match="quote"):
        JavaDateFormat(pattern)


def test_all_dates_since_1582_are_those_of_the_gregorian_calendar():
    days = np.arange(-141_427, 400_000, 97, dtype=np.int64)
    dates = dates_of(days)
    epoch = dt.date(1970, 1, 1).toordinal()
    plain = [dt.date.fromordinal(epoch + int(day)) for day in days]
    assert [(d.year, d.month, d.day) for d in plain] == list(zip(dates.year, dates.month, dates.day, strict=True))


def test_days_before_are_julian_and_come_back():
    days = np.arange(-1_500_000, -141_000, 89, dtype=np.int64)
    dates = dates_of(days)
    assert (days_of(dates.year, dates.month, dates.day) == days).all()
    last = dates_of(np.array([-141_428, -141_427]))
    assert list(zip(last.year, last.month, last.day, strict=True)) == [(1582, 10, 4), (1582, 10, 15)]
