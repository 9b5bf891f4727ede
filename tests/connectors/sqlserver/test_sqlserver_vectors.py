"""Columns of a result as vectors: nulls in required columns, placeholders, bytes as text, altered types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.connectors.sqlserver.typed_tables import rendered

from tailrace.connectors.load import from_mapping
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.arrow_values.selected import ColumnType
from tailrace.connectors.shared.arrow_values.vectors import vectors, with_placeholder
from tailrace.connectors.sqlserver import jdbc_types
from tailrace.connectors.sqlserver.types import column_type
from tailrace.errors import StructureError
from tailrace.schema.tables import Column, TableId

TABLE = TableId("d", "dbo", "t")
PLACEHOLDER = "__debezium_unavailable_value"


def typed(
    name: str,
    kind: int,
    type_name: str,
    *,
    mode: str = "bytes",
    time: str = "adaptive",
    decimals: str = "precise",
    **more: Any,
) -> ColumnType:
    """The type of a column."""
    properties = {
        "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
        "topic.prefix": "s",
        "database.hostname": "h",
        "database.user": "u",
        "database.password": "p",
        "database.names": "d",
        "binary.handling.mode": mode,
        "time.precision.mode": time,
        "decimal.handling.mode": decimals,
    }
    found = column_type(TABLE, Column(name, type_name, type_name, kind, **more), from_mapping(properties))
    assert found is not None
    return found


def shown(types: list[ColumnType], *arrays: pa.Array) -> list[dict[str, Any]]:
    return rendered(types, vectors(arrays, types))


def test_each_type_takes_as_many_arrays_as_it_selects() -> None:
    types = [
        typed("a", jdbc.TIMESTAMP, "datetime2", length=27, scale=7),
        typed("b", jdbc_types.DATETIMEOFFSET, "datetimeoffset", length=30, scale=3),
        typed("c", jdbc.INTEGER, "int"),
    ]
    assert [each.select("x.[y]") for each in types] == [
        ("x.[y]", "DATEPART(nanosecond, x.[y])"),
        ("x.[y]", "DATEPART(tzoffset, x.[y])"),
        ("x.[y]",),
    ]
    micros, nanos = pa.array([1], pa.timestamp("us")), pa.array([1500], pa.int32())
    utc = pa.array([0], pa.timestamp("us", tz="UTC"))
    found = shown(types, micros, nanos, utc, pa.array([-90], pa.int32()), pa.array([7], pa.int32()))
    assert found == [{"a": 1500, "b": "1969-12-31T22:30:00-01:30", "c": 7}]


def test_the_seventh_digit_is_selected_where_it_is_shown() -> None:
    widths = {
        time: typed("a", jdbc.TIMESTAMP, "datetime2", time=time, length=27, scale=7).width
        for time in ("adaptive", "isostring", "nanoseconds", "microseconds", "connect")
    }
    assert widths == {"adaptive": 2, "isostring": 2, "nanoseconds": 2, "microseconds": 1, "connect": 1}


def test_nulls_of_columns_that_have_none_become_their_default_or_zero() -> None:
    types = [
        typed("text", jdbc.LONGVARCHAR, "text", optional=False),
        typed("given", jdbc.VARCHAR, "varchar", optional=False, default="('a default text')"),
        typed("bytes", jdbc.VARBINARY, "varbinary", optional=False),
        typed("number", jdbc.INTEGER, "int", optional=False),
        typed("price", jdbc.DECIMAL, "decimal", optional=False, length=5, scale=2),
        typed("may_be", jdbc.INTEGER, "int"),
    ]
    text = pa.array([None, "x"], pa.large_string())
    number = pa.array([None, 1], pa.int32())
    arrays = (text, text, pa.array([None, b"\x01"], pa.large_binary()), number, number.cast(pa.decimal128(12, 2)), number)
    assert shown(types, *arrays) == [
        {"text": "", "given": "a default text", "bytes": "", "number": 0, "price": "AA==", "may_be": None},
        {"text": "x", "given": "x", "bytes": "AQ==", "number": 1, "price": "ZA==", "may_be": 1},
    ]


@pytest.mark.parametrize("text", ["", "abcd", "abcde", "twelve bytes", "thirteen byte"])
def test_a_value_of_any_length_stands_whole_in_place_of_others(text: str) -> None:
    """Up to twelve bytes lie in the view, longer ones in a buffer of their own."""
    given = typed("given", jdbc.VARCHAR, "varchar", optional=False, default=f"('{text}')")
    lob = typed("lob", jdbc.LONGNVARCHAR, "ntext")
    rows = pa.array([None, "another text, long enough for a buffer"], pa.large_string())
    first, second = vectors([rows, rows], [given, lob])
    placed = with_placeholder(second, np.array([True, False]), lob, text)
    assert [each for row in rendered([given, lob], [first, placed]) for each in row.values()] == [text, text, rows[1].as_py(), rows[1].as_py()]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("precise", {"money": "AA==", "whole": "AA==", "given": "CcQ="}),
        ("string", {"money": "0.0000", "whole": "0", "given": "25.00"}),
        ("double", {"money": 0.0, "whole": 0.0, "given": 25.0}),
    ],
)
def test_nulls_of_decimals_that_have_none_are_zero_in_every_mode(mode: str, expected: dict[str, Any]) -> None:
    """As Debezium's converter, whose zero has the column's scale before the mode turns it into text."""
    types = [
        typed("money", jdbc.DECIMAL, "money", decimals=mode, optional=False, length=19, scale=4),
        typed("whole", jdbc.NUMERIC, "numeric", decimals=mode, optional=False, length=5, scale=0),
        typed("given", jdbc.DECIMAL, "decimal", decimals=mode, optional=False, length=9, scale=2, default="((25.00))"),
    ]
    arrays = [pa.array([None], pa.decimal128(19, each)) for each in (4, 0, 2)]
    assert shown(types, *arrays) == [expected]


@pytest.mark.parametrize(
    ("time", "day", "clock", "moment"),
    [
        ("adaptive", 0, 0, 0),
        ("connect", 0, 0, 0),
        ("isostring", "1970-01-01Z", "00:00:00Z", "1970-01-01T00:00:00Z"),
    ],
)
def test_nulls_of_times_that_have_none_are_the_epoch_in_every_mode(time: str, day: Any, clock: Any, moment: Any) -> None:
    types = [
        typed("day", jdbc.DATE, "date", time=time, optional=False, length=10, scale=0),
        typed("clock", jdbc.TIME, "time", time=time, optional=False, length=8, scale=0),
        typed("moment", jdbc.TIMESTAMP, "datetime2", time=time, optional=False, length=19, scale=0),
        typed("zoned", jdbc_types.DATETIMEOFFSET, "datetimeoffset", time=time, optional=False, length=26, scale=0),
    ]
    none = pa.array([None], pa.timestamp("us"))
    arrays = (none.cast(pa.date32()), pa.array([None], pa.time64("us")), none, none.cast(pa.timestamp("us", tz="UTC")))
    found = shown(types, *arrays, pa.array([None], pa.int32()))
    assert found == [{"day": day, "clock": clock, "moment": moment, "zoned": "1970-01-01T00:00:00Z"}]


@pytest.mark.parametrize("mode", ["bytes", "base64", "base64-url-safe", "hex"])
def test_nulls_of_bytes_that_have_none_are_no_bytes_in_every_mode(mode: str) -> None:
    types = [
        typed("b", jdbc.VARBINARY, "varbinary", mode=mode, optional=False),
        typed("given", jdbc.BINARY, "binary", mode=mode, optional=False, length=3, default="(0x010203)"),
    ]
    none = pa.array([None], pa.large_binary())
    assert shown(types, none, none) == [{"b": "", "given": "010203" if mode == "hex" else "AQID"}]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("bytes", "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="),
        ("base64", "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="),
        ("hex", PLACEHOLDER.encode().hex()),
    ],
)
def test_the_placeholder_has_the_columns_form(mode: str, expected: str) -> None:
    types = [typed("i", jdbc.LONGVARBINARY, "image", mode=mode), typed("t", jdbc.LONGNVARCHAR, "ntext", mode=mode)]
    assert all(each.is_lob for each in types)
    found = vectors([pa.array([None, b"\x02"], pa.large_binary()), pa.array([None, "ž"], pa.large_string())], types)
    rows = np.array([True, False])
    placed = [with_placeholder(vector, rows, each, PLACEHOLDER) for vector, each in zip(found, types, strict=True)]
    first, second = rendered(types, placed)
    assert first == {"i": expected, "t": PLACEHOLDER}
    assert second["t"] == "ž"


def test_a_placeholder_where_no_row_needs_it_leaves_the_vector() -> None:
    type_ = typed("t", jdbc.LONGNVARCHAR, "ntext")
    (vector,) = vectors([pa.array([None], pa.large_string())], [type_])
    assert with_placeholder(vector, np.array([False]), type_, PLACEHOLDER) is vector


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("hex", "fbff00"), ("base64", "+/8A"), ("base64-url-safe", "-_8A"), ("bytes", "+/8A")],
)
def test_bytes_come_in_the_form_that_is_asked_for(mode: str, expected: str) -> None:
    types = [typed("b", jdbc.VARBINARY, "varbinary", mode=mode)]
    found = shown(types, pa.array([b"\xfb\xff\x00", None, b""], pa.large_binary()))
    assert [row["b"] for row in found] == [expected, None, ""]


def test_values_whose_type_was_altered_are_shown_as_the_field_has_it_where_that_is_possible() -> None:
    types = [typed("n", jdbc.INTEGER, "int"), typed("t", jdbc.VARCHAR, "varchar"), typed("f", jdbc.DOUBLE, "float")]
    found = shown(types, pa.array(["12"], pa.large_string()), pa.array([5], pa.int32()), pa.array([1], pa.int64()))
    assert found == [{"n": 12, "t": "5", "f": 1.0}]


def test_values_that_cant_be_shown_name_the_column_and_what_to_do() -> None:
    types = [typed("n", jdbc.INTEGER, "int")]
    with pytest.raises(StructureError, match=r"column n come as large_string.*int32.*new capture instance"):
        shown(types, pa.array(["twelve"], pa.large_string()))


def test_clr_types_and_new_types_are_selected_in_a_form_that_the_driver_has() -> None:
    assert typed("g", jdbc.VARBINARY, "geometry").select("c.[g]") == ("CAST(c.[g] AS varbinary(max))",)
    assert typed("h", jdbc.VARBINARY, "hierarchyid").select("c.[h]") == ("CAST(c.[h] AS varbinary(max))",)
    assert typed("j", jdbc.NVARCHAR, "json").select("c.[j]") == ("CAST(c.[j] AS nvarchar(max))",)
    assert typed("b", jdbc.VARBINARY, "varbinary").select("c.[{}]") == ("c.[{}]",)


def test_an_empty_result_gives_empty_vectors() -> None:
    types = [typed("d", jdbc.DECIMAL, "decimal", length=5, scale=2), typed("t", jdbc.VARCHAR, "varchar")]
    found = vectors([pa.array([], pa.decimal128(5, 2)), pa.array([], pa.large_string())], types)
    assert [vector.length for vector in found] == [0, 0]
