"""Defaults of columns: the literals in the catalogue's expressions, where real Debezium's are not recorded.

The recorded ones are compared in test_column_types.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.column_types import (
    ZONED_TIMESTAMP,
    binary_schema,
    day_schema,
    decimal_schema,
    time_schema,
    timestamp_schema,
)
from tailrace.connectors.sqlserver.defaults import default_of
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.tables import Column

INT, LONG, SHORT = Schema(Type.INT32), Schema(Type.INT64), Schema(Type.INT16)
TEXT, DOUBLE = Schema(Type.STRING), Schema(Type.FLOAT64)


def default(type_name: str, text: str | None, schema: Schema, *, scale: int = 0, mode: str = "bytes") -> Any:
    """The default of a column whose catalog has that expression."""
    column = Column("c", type_name, type_name, jdbc.INTEGER, scale=scale, default=text)
    return default_of(column, schema, mode)


@pytest.mark.parametrize(
    ("type_name", "text", "schema"),
    [
        ("int", "((2147483648))", INT),
        ("smallint", "((32768))", SHORT),
        ("bigint", "((9223372036854775808))", LONG),
        ("int", "([dbo].[next]())", INT),
        ("int", "((1.5))", INT),
        ("int identity", "((1))", INT),
        ("Key", "((1))", INT),
        ("float", "(pi())", DOUBLE),
        ("decimal", "((1)", decimal_schema("precise", 5, 2)),
        ("date", "(getdate())", day_schema("adaptive")),
        ("date", "('2019-02-30')", day_schema("adaptive")),
        ("date", "('next week')", day_schema("adaptive")),
        ("datetime2", "('9999-12-31')", timestamp_schema("nanoseconds", 7)),
        ("time", "('25:00')", time_schema("adaptive", 7)),
        ("binary", "(0x1)", binary_schema("bytes")),
        ("varbinary", "(NULL)", binary_schema("bytes")),
        ("varchar", ")(", TEXT),
        ("xml", "('<a/>')", TEXT),
        ("int", None, INT),
        ("int", "", INT),
    ],
)
def test_what_is_no_literal_of_the_type_is_not_told(type_name: str, text: str | None, schema: Schema) -> None:
    assert default(type_name, text, schema) is NO_DEFAULT


def test_a_decimal_has_the_digits_of_its_column() -> None:
    precise = decimal_schema("precise", 9, 2)
    assert default("decimal", "((1.235))", precise, scale=2) == (124).to_bytes(1, "big")
    assert default("decimal", "((-1))", precise, scale=2) == (-100).to_bytes(1, "big", signed=True)
    assert default("money", "((1E3))", decimal_schema("string", 19, 4), scale=4) == "1000"
    assert default("numeric", "((.5))", decimal_schema("double", 9, 2), scale=2) == 0.5


def test_days_may_be_written_the_american_way_and_times_with_am_and_pm() -> None:
    micros = timestamp_schema("microseconds", 6)
    assert default("date", "('2/3/2019')", day_schema("isostring")) == "2019-02-03Z"
    assert default("datetime2", "('1/1/1970 12:00:01 AM')", micros) == 1_000_000
    assert default("datetime2", "('1970-01-01T01:00 PM')", micros) == 13 * 3600 * 1_000_000
    assert default("time", "('12:30 pm')", time_schema("isostring", 7)) == "12:30:00Z"


def test_a_time_may_have_a_day_before_it() -> None:
    assert default("time", "('2019-01-01 00:00:01.5')", time_schema("nanoseconds", 7)) == 1_500_000_000


def test_a_datetime_is_rounded_to_the_300th_of_a_second_and_a_smalldatetime_to_the_minute() -> None:
    text = timestamp_schema("isostring", 3)
    assert default("datetime", "('2019-12-31 23:59:59.999')", text) == "2020-01-01T00:00:00Z"
    assert default("datetime", "('2019-01-01 00:00:00.002')", text) == "2019-01-01T00:00:00.003Z"
    assert default("smalldatetime", "('2019-12-31 23:59:30')", text) == "2020-01-01T00:00:00Z"


def test_an_offset_is_kept_and_none_is_utc() -> None:
    assert default("datetimeoffset", "('2019-01-01 00:00:00.5 -05:30')", ZONED_TIMESTAMP) == "2019-01-01T00:00:00.5-05:30"
    assert default("datetimeoffset", "('2019-01-01')", ZONED_TIMESTAMP) == "2019-01-01T00:00:00Z"
    assert default("datetimeoffset", "('2019-01-01 00:00 +00:00')", ZONED_TIMESTAMP) == "2019-01-01T00:00:00Z"


@pytest.mark.parametrize(("mode", "expected"), [("bytes", b"\xfb\xff"), ("hex", "fbff"), ("base64-url-safe", "-_8=")])
def test_bytes_have_the_form_of_their_mode(mode: str, expected: bytes | str) -> None:
    assert default("varbinary", "(0xFBFF)", binary_schema(mode), mode=mode) == expected
