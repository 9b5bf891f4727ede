"""Defaults of columns, by the rules that Debezium has of its own."""

import pytest
from tests.support.unit_settings import unit_settings

from tailrace.connectors.mysql.types import field_schema
from tailrace.connectors.shared import jdbc
from tailrace.errors import StructureError
from tailrace.schema.connect import NO_DEFAULT
from tailrace.schema.tables import Column


def default(type_name, jdbc_type, text, *, optional=True, length=None, scale=None, **properties):
    column = Column(
        "c", type_name, type_name, jdbc_type, length, scale, optional=optional, has_default=True, default=text
    )
    settings = unit_settings({name.replace("_", "."): value for name, value in properties.items()})
    return field_schema(column, settings).default


def test_default_null_is_no_default():
    assert default("INT", jdbc.INTEGER, None) is NO_DEFAULT


@pytest.mark.parametrize(
    ("type_name", "jdbc_type", "text", "value"),
    [
        ("INT", jdbc.INTEGER, " 42 ", 42),
        ("INT", jdbc.INTEGER, "1.5", 2),
        ("INT", jdbc.INTEGER, "true", 1),
        ("SMALLINT", jdbc.SMALLINT, "65535", -1),
        ("BIGINT UNSIGNED", jdbc.BIGINT, "18446744073709551615", 2**63 - 1),
        ("BIGINT", jdbc.BIGINT, "9007199254740993", 2**53),
        ("YEAR", jdbc.INTEGER, "99", 1999),
        ("YEAR", jdbc.INTEGER, "0", 2000),
        ("BOOLEAN", jdbc.BOOLEAN, "2", True),
        ("BOOLEAN", jdbc.BOOLEAN, "false", False),
        ("REAL", jdbc.REAL, "0.1", 0.1),
        ("DOUBLE", jdbc.DOUBLE, "1e10", 1e10),
        ("CHAR", jdbc.CHAR, " a ", " a "),
        ("VARCHAR", jdbc.VARCHAR, "_utf8mb4'x'", "x"),
        ("VARBINARY", jdbc.VARBINARY, "é", "é".encode()),
    ],
)
def test_numbers_and_texts_are_read_as_java_reads_them(type_name, jdbc_type, text, value):
    found = default(type_name, jdbc_type, text)
    assert found == value
    assert type(found) is type(value)


def test_decimals_are_rounded_half_up_to_their_scale():
    assert default("DECIMAL", jdbc.DECIMAL, "12.345", length=10, scale=2) == (1235).to_bytes(2, "big")
    assert default("DECIMAL", jdbc.DECIMAL, "-0.005", length=10, scale=2) == b"\xff"
    as_text = default("DECIMAL", jdbc.DECIMAL, "7", length=9, scale=2, decimal_handling_mode="string")
    assert as_text == "7.00"
    assert default("DECIMAL", jdbc.DECIMAL, "1.25", length=9, scale=2, decimal_handling_mode="double") == 1.25


def test_bits_are_little_endian_and_as_wide_as_the_column():
    assert default("BIT", jdbc.BIT, "101010101", length=9) == b"\x55\x01"
    assert default("BIT", jdbc.BIT, "1", length=9) == b"\x01\x00"
    assert default("BIT", jdbc.BIT, "1", length=1) is True


@pytest.mark.parametrize("text", ["0000-00-00", "2024-00-01", "0", "nonsense"])
def test_a_zero_date_is_no_default_where_null_is_allowed_and_the_epoch_elsewhere(text):
    assert default("DATE", jdbc.DATE, text) is NO_DEFAULT
    assert default("DATE", jdbc.DATE, text, optional=False) == 0
    assert default("DATETIME", jdbc.TIMESTAMP, text, optional=False) == 0


def test_the_current_time_is_the_epoch():
    assert default("DATETIME", jdbc.TIMESTAMP, "1970-01-01 00:00:00") == 0
    assert default("TIMESTAMP", jdbc.TIMESTAMP_WITH_TIMEZONE, "1970-01-01 00:00:00") is NO_DEFAULT
    required = default("TIMESTAMP", jdbc.TIMESTAMP_WITH_TIMEZONE, "1970-01-01 00:00:00", optional=False)
    assert required == "1970-01-01T00:00:00Z"


def test_a_timestamp_has_as_many_digits_as_its_column():
    assert (
        default("TIMESTAMP", jdbc.TIMESTAMP_WITH_TIMEZONE, "2024-02-29 12:34:56.7", length=3)
        == "2024-02-29T12:34:56.700Z"
    )
    assert default("TIMESTAMP", jdbc.TIMESTAMP_WITH_TIMEZONE, "2024-2-9") == "2024-02-09T00:00:00Z"


def test_times_are_durations_with_a_sign():
    assert default("TIME", jdbc.TIME, "-00:00:01") == -1_000_000
    assert default("TIME", jdbc.TIME, "2024-01-01 01:00:00.5") == 3_600_500_000


def test_a_time_that_a_mode_has_no_room_for_is_no_default():
    assert default("TIME", jdbc.TIME, "-01:00:00", time_precision_mode="connect") is NO_DEFAULT
    assert default("TIME", jdbc.TIME, "12:00:00", time_precision_mode="isostring") == "12:00:00Z"


def test_a_default_that_cannot_be_read_is_left_out_with_a_warning(caplog):
    assert default("BIT", jdbc.BIT, "5A", length=8) is NO_DEFAULT
    assert "'5A' of column c (BIT) can't be read" in caplog.text


def test_a_default_that_cannot_be_read_stops_the_connector_in_the_mode_fail():
    with pytest.raises(StructureError, match=r"'5A' of column c .*mode=warn"):
        default("BIT", jdbc.BIT, "5A", length=8, event_converting_failure_handling_mode="fail")
