# ruff: noqa: DTZ001 -- MySQL's times have no zone
"""Dates and times in every format and form."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_events import event, events, image, values

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage

EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)
DIGITS = st.integers(0, 6)


def date(year, month, day):
    return (year << 9 | month << 5 | day).to_bytes(3, "little")


def fraction(micros, digits):
    n = (digits + 1) // 2
    return (micros // 10 ** (6 - 2 * n)).to_bytes(n, "big")


def datetime2(t, digits):
    packed = (((t.year * 13 + t.month) << 5 | t.day) << 5 | t.hour) << 12 | t.minute << 6 | t.second
    return (packed | 1 << 39).to_bytes(5, "big") + fraction(t.microsecond, digits)


def time2(micros, digits):
    n = (digits + 1) // 2
    seconds, rest = divmod(abs(micros), 1_000_000)
    packed = seconds // 3600 << 12 | seconds // 60 % 60 << 6 | seconds % 60
    packed = packed << 8 * n | rest // 10 ** (6 - 2 * n)
    return ((-packed if micros < 0 else packed) + (0x800000 << 8 * n)).to_bytes(3 + n, "big")


def cut(micros, digits):
    return micros // 10 ** (6 - digits) * 10 ** (6 - digits)


MOMENTS = st.datetimes(dt.datetime(100, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999))


@given(MOMENTS, DIGITS)
def test_datetimes_are_counted_in_every_unit(moment, digits):
    moment = moment.replace(microsecond=cut(moment.microsecond, digits))
    micros = (moment - EPOCH) // MICROSECOND
    raw = datetime2(moment, digits)
    assert values(ColumnPlan(Storage.DATETIME2, digits, Out.MICROS), raw) == [micros]
    assert values(ColumnPlan(Storage.DATETIME2, digits, Out.MILLIS), raw) == [micros // 1000]
    if 1678 <= moment.year <= 2261:
        assert values(ColumnPlan(Storage.DATETIME2, digits, Out.NANOS), raw) == [micros * 1000]


@given(MOMENTS, DIGITS)
def test_iso_datetimes_have_as_many_decimals_as_they_need(moment, digits):
    moment = moment.replace(microsecond=cut(moment.microsecond, digits))
    expected = moment.isoformat()
    expected = (expected.rstrip("0") if "." in expected else expected) + "Z"
    assert values(ColumnPlan(Storage.DATETIME2, digits, Out.ISO), datetime2(moment, digits)) == [expected]


@given(st.integers(1, (1 << 32) - 1), st.integers(0, 999_999), DIGITS)
def test_zoned_timestamps_have_the_decimals_of_the_column(seconds, micros, digits):
    micros = cut(micros, digits)
    moment = EPOCH + dt.timedelta(seconds=seconds, microseconds=micros)
    decimals = f".{micros:06d}"[: 1 + digits] if digits else ""
    raw = seconds.to_bytes(4, "big") + fraction(micros, digits)
    assert values(ColumnPlan(Storage.TIMESTAMP2, digits, Out.ZONED), raw) == [
        f"{moment:%Y-%m-%dT%H:%M:%S}{decimals}Z"
    ]
    assert values(ColumnPlan(Storage.TIMESTAMP2, digits, Out.MICROS), raw) == [seconds * 1_000_000 + micros]


@given(st.dates(dt.date(100, 1, 1)))
def test_dates_are_counted_in_days_or_written_in_iso_form(day):
    raw = date(day.year, day.month, day.day)
    assert values(ColumnPlan(Storage.DATE, 0, Out.DAYS), raw) == [(day - EPOCH.date()).days]
    assert values(ColumnPlan(Storage.DATE, 0, Out.ISO), raw, raw) == [f"{day.isoformat()}Z"] * 2


LONGEST_TIME = (838 * 3600 + 59 * 60 + 59) * 1_000_000 + 999_999


@given(st.integers(-LONGEST_TIME, LONGEST_TIME), DIGITS)
def test_times_keep_their_sign_and_their_fraction(micros, digits):
    micros = cut(abs(micros), digits) * (-1 if micros < 0 else 1)
    raw = time2(micros, digits)
    assert values(ColumnPlan(Storage.TIME2, digits, Out.MICROS), raw) == [micros]
    assert values(ColumnPlan(Storage.TIME2, digits, Out.NANOS), raw) == [micros * 1000]


NO_TIMES_OF_A_DAY = (-1_000, -1_000_000, 86_400_001_000, 90_000 * 10**6)


def test_a_time_that_is_no_time_of_a_day_is_null_where_the_mode_asks_for_one():
    raw = [time2(micros, 3) for micros in (45_296_500_000, 86_400 * 10**6, *NO_TIMES_OF_A_DAY)]
    nulls = [None] * len(NO_TIMES_OF_A_DAY)
    assert values(ColumnPlan(Storage.TIME2, 3, Out.ISO), *raw) == ["12:34:56.5Z", "00:00:00Z", *nulls]
    assert values(ColumnPlan(Storage.TIME2, 3, Out.MILLIS), *raw) == [45_296_500, 86_400_000, *nulls]


def test_a_moment_that_64_bits_of_nanoseconds_do_not_reach_is_null():
    moments = [dt.datetime(year, 1, 1) for year in (1600, 1700, 2262, 2263)]
    found = values(ColumnPlan(Storage.DATETIME2, 0, Out.NANOS), *(datetime2(moment, 0) for moment in moments))
    assert [value is None for value in found] == [True, False, False, True]


IMPOSSIBLE = [
    (0, 0, 0),
    (2024, 0, 1),
    (2024, 1, 0),
    (0, 1, 1),
    (2023, 2, 29),
    (1900, 2, 29),
    (2024, 4, 31),
    (2024, 15, 1),
]


@pytest.mark.parametrize("day", IMPOSSIBLE)
def test_a_zero_or_impossible_date_becomes_what_the_plan_says(day):
    raw = date(*day)
    assert values(ColumnPlan(Storage.DATE, 0, Out.DAYS), raw) == [None]
    assert values(ColumnPlan(Storage.DATE, 0, Out.DAYS, zero=-7), raw) == [-7]
    assert values(ColumnPlan(Storage.DATE, 0, Out.ISO, zero="1970-01-01Z"), raw) == ["1970-01-01Z"]
    assert values(ColumnPlan(Storage.DATE, 0, Out.ISO), raw) == [None]


def test_a_zero_datetime_becomes_a_long_text_if_the_plan_says_so():
    plan = ColumnPlan(Storage.DATETIME2, 0, Out.ISO, zero="1970-01-01T00:00:00Z")
    assert values(plan, (1 << 39).to_bytes(5, "big"), None) == ["1970-01-01T00:00:00Z", None]


def test_the_timestamp_zero_is_a_zero_date_unless_it_has_a_fraction():
    assert values(ColumnPlan(Storage.TIMESTAMP2, 0, Out.ZONED), bytes(4)) == [None]
    raw = bytes(4) + fraction(500_000, 1)
    assert values(ColumnPlan(Storage.TIMESTAMP2, 1, Out.ZONED), raw) == ["1970-01-01T00:00:00.5Z"]


@pytest.mark.parametrize(
    ("plan", "fits", "does_not"),
    [
        (
            ColumnPlan(Storage.DATETIME2, 0, Out.NANOS),
            datetime2(dt.datetime(2024, 2, 29), 0),
            datetime2(dt.datetime(9999, 12, 31), 0),
        ),
        (ColumnPlan(Storage.TIME2, 0, Out.MILLIS), time2(1_000_000, 0), time2(90_000 * 10**6, 0)),
        (ColumnPlan(Storage.TIME2, 0, Out.ISO), time2(1_000_000, 0), time2(-1_000_000, 0)),
        (ColumnPlan(Storage.DATE, 0, Out.DAYS), date(0, 0, 0), None),
        (ColumnPlan(Storage.DATE, 0, Out.ISO), date(0, 0, 0), None),
    ],
)
def test_values_without_room_are_counted_and_zero_dates_are_not(plan, fits, does_not):
    raw = [fits, fits] + ([] if does_not is None else [does_not])
    assert events(event([image(each) for each in raw], 1)).decode([plan]).unfit == len(raw) - 2


def test_years_of_two_digits_are_adjusted_unless_that_is_off():
    rows = [date(24, 2, 29), date(69, 1, 1), date(70, 1, 1), date(99, 1, 1), date(100, 1, 1)]
    assert values(ColumnPlan(Storage.DATE, 0, Out.ISO), *rows) == [
        "2024-02-29Z", "2069-01-01Z", "1970-01-01Z", "1999-01-01Z", "0100-01-01Z",
    ]  # fmt: skip
    assert values(ColumnPlan(Storage.DATE, 0, Out.ISO, adjust_years=False), rows[0]) == ["0024-02-29Z"]


def test_formats_before_5_6_4():
    assert values(
        ColumnPlan(Storage.OLD_DATETIME, 0, Out.ISO), (20240229123456).to_bytes(8, "little"), bytes(8)
    ) == [
        "2024-02-29T12:34:56Z",
        None,
    ]
    times = [n.to_bytes(3, "little", signed=True) for n in (123456, -8385959)]
    assert values(ColumnPlan(Storage.OLD_TIME, 0, Out.MICROS), *times) == [45_296_000_000, -3_020_399_000_000]
    old = (1_709_210_096).to_bytes(4, "little")
    assert values(ColumnPlan(Storage.OLD_TIMESTAMP, 0, Out.ZONED), old) == ["2024-02-29T12:34:56Z"]
