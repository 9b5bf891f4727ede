"""Debezium's custom converters for MySQL, column by column; tests/differential has them beside the real ones."""

import pyarrow as pa
import pytest

from support.unit_settings import unit_settings
from tailrace.changes.vectors import from_arrow
from tailrace.connectors.mysql.types import converted_schema, field_schema
from tailrace.custom_converters.conversions import converted_field
from tailrace.schema.connect import NO_DEFAULT, Type
from tailrace.schema.tables import Column, TableId

TABLE = TableId("d", "", "t")
PACKAGE = "io.debezium.connector.binlog.converters."


def column(type_name, jdbc_type, **more):
    return Column(**{"name": "c", "type_name": type_name, "type_expression": type_name, "jdbc_type": jdbc_type} | more)


TINY = column("TINYINT", 5, length=1)
DOUBLE, VARCHAR = column("DOUBLE", 8), column("VARCHAR", 12, length=9, charset="latin1")
DECIMAL, BLOB = column("DECIMAL", 3, length=5, scale=2), column("BLOB", 2004)
DATE, TIMESTAMP = column("DATE", 91), column("TIMESTAMP", 2014, length=3)


def field_of(given, name, **options):
    properties = {"converters": "a", "a.type": f"{PACKAGE}{name}"} | {f"a.{key}": value for key, value in options.items()}
    settings = unit_settings(properties)
    found = converted_field(settings, TABLE, given, field_schema(given, settings))
    assert found is None or found.schema == converted_schema(TABLE, given, settings)
    return found


def converted(field, values, type_=None):
    return field.convert(from_arrow(pa.array(values, type_))).to_arrow().to_pylist()


@pytest.mark.parametrize(
    ("given", "options", "takes"),
    [
        (TINY, {}, True),
        (column("TINYINT", 5, length=4), {}, False),
        (column("TINYINT UNSIGNED", 5), {}, False),
        (column("TINYINT UNSIGNED", 5), {"length.checker": "false"}, True),
        (column("SMALLINT", 5, length=1), {}, False),
        (TINY, {"selector": r"D\.T\.C"}, True),
        (TINY, {"selector": r"x\..*, d\.t"}, False),
    ],
)
def test_which_columns_become_boolean(given, options, takes):
    assert (field_of(given, "TinyIntOneToBooleanConverter", **options) is not None) == takes


def test_what_is_more_than_0_is_true():
    field = field_of(TINY, "TinyIntOneToBooleanConverter")
    assert converted(field, [0, 1, -1, 127, None]) == [False, True, False, True, None]
    assert (field.schema.type, field.schema.optional) == (Type.BOOLEAN, True)


def test_a_default_becomes_boolean_and_null_is_none():
    with_default = column("TINYINT", 5, length=1, optional=False, has_default=True, default="1")
    assert field_of(with_default, "TinyIntOneToBooleanConverter").schema.default is True
    null = column("TINYINT", 5, length=1, has_default=True, default=None)
    assert field_of(null, "TinyIntOneToBooleanConverter").schema.default is NO_DEFAULT


@pytest.mark.parametrize(
    ("given", "options", "type_", "values", "expected"),
    [
        (TINY, {"selector.boolean": ".*"}, Type.INT16, [0, 3, -3, None], [0, 1, 0, None]),
        (DOUBLE, {"selector.boolean": ".*"}, Type.INT16, [0.9, 1.5, -1.0], [0, 1, 0]),
        (DOUBLE, {"selector.real": ".*"}, Type.FLOAT64, [0.1, None], [0.1, None]),
        (TINY, {"selector.real": ".*", "treat.real.as.double": "false"}, Type.FLOAT32, [2, None], [2.0, None]),
        (VARCHAR, {"selector.string": ".*"}, Type.STRING, ["é", None], ["é", None]),
        (DOUBLE, {"selector.string": ".*"}, Type.STRING, [1e10, 0.5, None], ["1.0E10", "0.5", None]),
        (TINY, {"selector.string": ".*"}, Type.STRING, [-7, None], ["-7", None]),
        (BLOB, {"selector.string": ".*"}, Type.STRING, [b"\xc3\xa9", None], ["é", None]),
        (BLOB, {"selector.string": ".*"}, Type.STRING, [b"a\xff", None], ["a\ufffd", None]),
        (DATE, {"selector.string": ".*"}, Type.STRING, [5, None], ["", None]),
        (VARCHAR, {"selector.boolean": ".*"}, Type.INT16, ["1", None], [0, None]),
    ],
)
def test_types_for_the_jdbc_sink(given, options, type_, values, expected):
    field = field_of(given, "JdbcSinkDataTypesConverter", **options)
    assert field.schema.type is type_
    assert converted(field, values) == expected


def test_texts_for_the_jdbc_sink_have_their_character_set_and_decimals_are_read_as_what_they_become():
    field = field_of(VARCHAR, "JdbcSinkDataTypesConverter", **{"selector.string": ".*"})
    assert field.schema.parameters == (("__debezium.source.column.character_set", "latin1"),)
    assert field_of(DECIMAL, "JdbcSinkDataTypesConverter", **{"selector.real": ".*"}).read_as.type is Type.FLOAT64
    assert field_of(DECIMAL, "JdbcSinkDataTypesConverter", **{"selector.string": ".*"}).read_as.type is Type.STRING
    assert field_of(DECIMAL, "JdbcSinkDataTypesConverter") is None


def test_zero_dates_are_null_and_their_column_optional():
    given = column("DATE", 91, optional=False, has_default=True, default="2024-02-29")
    field = field_of(given, "ZeroDateFallbackConverter")
    assert (field.schema.optional, field.schema.default, field.schema.name) == (True, NO_DEFAULT, "io.debezium.time.Date")
    assert converted(field, [1, None]) == [1, None]


def test_zero_dates_are_the_given_value_and_so_are_nulls_and_the_default():
    given = column("DATE", 91, optional=False, has_default=True, default="2024-02-29")
    field = field_of(given, "ZeroDateFallbackConverter", **{"fallback.date": "1970-01-03"})
    assert (field.schema.optional, field.schema.default) == (False, 2)
    assert converted(field, [1, None]) == [1, 2]


@pytest.mark.parametrize(("length", "name", "fallback"), [(3, "Timestamp", 1000), (4, "MicroTimestamp", 1_000_000)])
def test_a_datetime_has_the_unit_of_its_digits_whatever_the_mode_is(length, name, fallback):
    given = column("DATETIME", 93, length=length, optional=False)
    field = field_of(given, "ZeroDateFallbackConverter", **{"fallback.datetime": "1970-01-01 00:00:01"})
    assert field.schema.name == f"io.debezium.time.{name}"
    assert converted(field, [None], pa.int64()) == [fallback]


def test_a_timestamp_loses_the_zeros_of_its_fraction():
    field = field_of(TIMESTAMP, "ZeroDateFallbackConverter", **{"fallback.timestamp": "2000-01-01T01:00:00.250+01:00"})
    texts = ["2024-01-01T00:00:00.120Z", "2024-01-01T00:00:10.000Z", None]
    assert converted(field, texts) == ["2024-01-01T00:00:00.12Z", "2024-01-01T00:00:10Z", "2000-01-01T00:00:00.25Z"]


def test_one_column_may_have_another_fallback_and_types_may_be_left_out():
    options = {"fallback.date": "1970-01-03", "column.d.t.c.fallback": "NULL", "target.types": "date"}
    assert field_of(DATE, "ZeroDateFallbackConverter", **options).schema.optional
    assert field_of(TIMESTAMP, "ZeroDateFallbackConverter", **options) is None
    assert field_of(DATE, "ZeroDateFallbackConverter", selector="other.*") is None
