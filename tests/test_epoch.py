"""Numbers since 1970, and the moments that they stand for."""

import datetime as dt
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace import epoch


def test_now_is_what_the_systems_clock_says():
    before, now_ms, now_us, after = time.time(), epoch.now_ms(), epoch.now_us(), time.time()
    assert int(before * 1e3) - 1 <= now_ms <= int(after * 1e3) + 1
    assert int(before * 1e6) - 1 <= now_us <= int(after * 1e6) + 1


@pytest.mark.parametrize(
    ("text", "time_us"),
    [
        ("1970-01-01T00:00:01.000005", 1_000_005),
        ("1969-12-31T23:59:59.999999", -1),
        ("9999-12-31T23:59:59.999999", 253_402_300_799_999_999),
    ],
)
def test_a_moment_is_counted_in_microseconds_from_1970(text, time_us):
    moment = dt.datetime.fromisoformat(text)
    assert epoch.microseconds_of(moment) == time_us
    assert epoch.moment_of(time_us) == moment


@given(st.datetimes())
def test_no_microsecond_of_a_moment_is_lost(moment):
    assert epoch.moment_of(epoch.microseconds_of(moment)) == moment
