# ruff: noqa: DTZ001 -- SQL Server's datetimes have no zone
"""Rows to ROW tokens: value by value, column by column, and whole tables of Arrow give the same bytes."""

import datetime as dt
import uuid
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.standins.sqlserver.samples import SAMPLES, UTF8

from tailrace_standins.sqlserver.session import ResultColumn
from tailrace_standins.sqlserver.tds.columnar import encoded_batch
from tailrace_standins.sqlserver.tds.frames import framed, null
from tailrace_standins.sqlserver.tds.rows import encoded, encoded_piece
from tailrace_standins.sqlserver.values import MAX, SqlType, Value

EAST = dt.timezone(dt.timedelta(minutes=330))


def one_by_one(columns: list[ResultColumn], rows: list[tuple[Value, ...]]) -> bytes:
    """What rows are by definition: a token, then each value with its frame."""
    return b"".join(
        b"\xd1"
        + b"".join(
            null(column.type) if value is None else framed(column.type)(value)
            for column, value in zip(columns, row, strict=True)
        )
        for row in rows
    )


@pytest.mark.parametrize("holes", [[], [1], [0, 1, 2]])
def test_rows_are_their_values_one_behind_the_other(holes: list[int]) -> None:
    columns = [ResultColumn(sample.name, sample.type) for sample in SAMPLES]
    rows = [tuple(None if place in holes else sample.value for sample in SAMPLES) for place in range(3)]
    assert encoded(columns, rows) == one_by_one(columns, rows)


def test_no_rows_are_no_bytes() -> None:
    assert encoded([ResultColumn("a", SqlType("int"))], []) == b""
    piece = encoded_piece([ResultColumn("a", SqlType("int"))], [(1,), (2,)])
    assert (piece.count, bytes(piece.data)) == (2, bytes.fromhex("d10401000000d10402000000"))


@pytest.mark.parametrize("holes", [[], [1, 400], range(700)])
def test_many_rows_are_the_same(holes: list[int]) -> None:
    columns = [ResultColumn(sample.name, sample.type) for sample in SAMPLES]
    rows = [tuple(None if place in holes else sample.value for sample in SAMPLES) for place in range(700)]
    piece = encoded_piece(columns, rows)
    assert piece.count == 700
    assert bytes(piece.data) == one_by_one(columns, rows)


def test_many_texts_of_which_one_has_half_a_pair_are_the_same() -> None:
    columns = [ResultColumn("a", SqlType("nvarchar", 5)), ResultColumn("b", SqlType("int"))]
    rows: list[tuple[Value, ...]] = [("\ud83d" if number == 600 else "a", number) for number in range(700)]
    assert bytes(encoded_piece(columns, rows).data) == one_by_one(columns, rows)


@settings(max_examples=200, deadline=None)  # the first call loads compiled code
@given(
    st.datetimes(min_value=dt.datetime(1, 1, 2), max_value=dt.datetime(9999, 12, 30)),
    st.integers(-840, 840),
    st.integers(0, 7),
)
def test_moments_that_are_written_out(moment: dt.datetime, minutes: int, scale: int) -> None:
    digits = f"{moment.microsecond:06d}5"[:scale]
    text = f"{moment.isoformat(sep=' ')[:19]}" + (f".{digits}" if scale else "")
    sign, (hours, rest) = "-" if minutes < 0 else "+", divmod(abs(minutes), 60)
    for type_, written in (
        (SqlType("date"), text[:10]),
        (SqlType("time", scale=scale), text[11:]),
        (SqlType("datetime2", scale=scale), text),
        (SqlType("datetimeoffset", scale=scale), f"{text} {sign}{hours:02d}:{rest:02d}"),
    ):
        check(type_, pa.array([written, None, written], pa.string()), [written, None, written])


@pytest.mark.parametrize(
    "text", ["2024-02", "2024-13-01", "2024-02-29 12:34", "2024-02-2x 12:34:56", "2024-02-29 12:34:5x"]
)
def test_a_moment_that_is_not_written_as_it_should_be_is_told(text: str) -> None:
    columns = [ResultColumn("when", SqlType("datetime2", scale=0))]
    with pytest.raises(ValueError, match=text):
        encoded_batch(columns, pa.record_batch([pa.array([text])], names=["when"]))


def check(type_: SqlType, arrow: pa.Array, values: list[Value]) -> None:
    """A column of Arrow gives what its values give, also with others beside it, also as a part of a longer column."""
    columns = [ResultColumn("id", SqlType("int")), ResultColumn("value", type_)]
    ids = pa.array(range(len(values)), pa.int32())
    batch = pa.record_batch([ids, arrow], names=["id", "value"])
    rows: list[tuple[Value, ...]] = list(enumerate(values))
    assert bytes(encoded_batch(columns, batch).data) == one_by_one(columns, rows)
    part = encoded_batch(columns, batch.slice(1))
    assert (part.count, bytes(part.data)) == (len(values) - 1, one_by_one(columns, rows[1:]))


INTEGERS = {"tinyint": (pa.uint8(), [0, 255]), "smallint": (pa.int16(), [-(2**15)]), "int": (pa.int64(), [2**31 - 1])}
NUMBERS: dict[str, tuple[pa.DataType, list[Any]]] = {
    **INTEGERS,
    "bigint": (pa.int64(), [-(2**63), 2**63 - 1]),
    "real": (pa.float32(), [1.5]),
    "float": (pa.float64(), [0.1, -1e300]),
    "bit": (pa.bool_(), [True, False]),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_arrow(name: str) -> None:
    arrow, values = NUMBERS[name]
    check(SqlType(name), pa.array([*values, None], arrow), [*values, None])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.none() | st.decimals(min_value=-(10**20), max_value=10**20, places=4), min_size=1, max_size=8))
def test_decimals_of_arrow(values: list[Value]) -> None:
    check(SqlType("decimal", precision=38, scale=4), pa.array(values, pa.decimal128(38, 4)), values)


@pytest.mark.parametrize("precision", [5, 9, 10, 18, 19, 20, 28, 29, 38])
def test_decimals_of_arrow_have_the_width_of_their_precision(precision: int) -> None:
    largest, smallest = (Decimal((sign, (9,) * precision, -2)) for sign in (0, 1))
    values: list[Value] = [largest, smallest, Decimal("0.00"), Decimal("-0.01"), None]
    check(SqlType("numeric", precision=precision, scale=2), pa.array(values, pa.decimal128(precision, 2)), values)


def test_money_of_arrow() -> None:
    values: list[Value] = [Decimal("-922337203685477.5808"), Decimal("0.0001"), None, Decimal("-0.0001")]
    check(SqlType("money"), pa.array(values, pa.decimal128(19, 4)), values)
    small: list[Value] = [Decimal("-214748.3648"), None, Decimal("214748.3647")]
    check(SqlType("smallmoney"), pa.array(small, pa.decimal128(19, 4)), small)


TEXTS = st.lists(st.none() | st.text(st.characters(codec="utf-8"), max_size=12), min_size=1, max_size=8)
TEXT_TYPES = [
    SqlType("nvarchar", 50),
    SqlType("nvarchar", MAX),
    SqlType("varchar", 50),
    SqlType("varchar", 50, collation=UTF8),
    SqlType("varchar", 50, collation="Japanese_CI_AS"),
    SqlType("varchar", MAX),
    SqlType("ntext"),
    SqlType("text"),
    SqlType("xml"),
]


@pytest.mark.parametrize("type_", TEXT_TYPES, ids=str)
@settings(max_examples=30, deadline=None)
@given(values=TEXTS)
def test_texts_of_arrow(type_: SqlType, values: list[Value]) -> None:
    check(type_, pa.array(values, pa.string()), values)


@pytest.mark.parametrize(
    "arrow", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())], ids=str
)
def test_texts_in_other_forms_of_arrow(arrow: pa.DataType) -> None:
    values: list[Value] = ["ž", None, "", "😀 plain", "ž"]
    check(SqlType("nvarchar", 20), pa.array(values, pa.string()).cast(arrow), values)


@pytest.mark.parametrize("type_", [SqlType("varbinary", 20), SqlType("varbinary", MAX), SqlType("image")], ids=str)
def test_bytes_of_arrow(type_: SqlType) -> None:
    values: list[Value] = [b"\x00\xff", None, b"", bytes(20)]
    check(type_, pa.array(values, pa.binary()), values)


def test_bytes_of_one_width_of_arrow() -> None:
    values: list[Value] = [bytes(range(10)), None, b"\xff" * 10]
    check(SqlType("binary", 10), pa.array(values, pa.binary(10)), values)


def test_uniqueidentifiers_of_arrow() -> None:
    values: list[Value] = [uuid.UUID(int=2**100 + 12345), None, uuid.UUID(int=0)]
    data = [value.bytes if isinstance(value, uuid.UUID) else None for value in values]
    plain = pa.array(data, pa.binary(16))
    check(SqlType("uniqueidentifier"), plain, values)
    check(SqlType("uniqueidentifier"), pa.ExtensionArray.from_storage(pa.uuid(), plain), values)


MOMENT = dt.datetime(2024, 2, 29, 12, 34, 56, 789123)
OLD = dt.datetime(1899, 12, 31, 23, 59, 59, 999000)


@pytest.mark.parametrize("scale", range(8))
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_datetime2_of_arrow(scale: int, unit: str) -> None:
    digits = {"ms": 3, "us": 6, "ns": 6}[unit]
    texts: list[Value] = []
    for moment in (MOMENT, OLD):
        fraction = f"{moment.microsecond:06d}0"[:digits].ljust(7, "0")[:scale]
        texts.append(f"{moment:%Y-%m-%d %H:%M:%S}" + ("." + fraction if scale else ""))
    stamps = pa.array([MOMENT, OLD, None], pa.timestamp("us")).cast(pa.timestamp(unit), safe=False)
    check(SqlType("datetime2", scale=scale), stamps, [*texts, None])
    times: list[Value] = [text[11:] for text in texts if isinstance(text, str)]
    of_day = pa.array([MOMENT.time(), OLD.time(), None], pa.time64("us"))
    if unit == "us":
        check(SqlType("time", scale=scale), of_day, [*times, None])


def test_moments_as_units_of_100_ns_have_all_digits_and_all_years() -> None:
    ticks = [0, 3155378975999999999, None, 1]
    texts: list[Value] = [
        "0001-01-01 00:00:00.0000000",
        "9999-12-31 23:59:59.9999999",
        None,
        "0001-01-01 00:00:00.0000001",
    ]
    check(SqlType("datetime2", scale=7), pa.array(ticks, pa.int64()), texts)


def test_datetimes_of_arrow() -> None:
    moments = [MOMENT, OLD, None, dt.datetime(2024, 1, 1, 0, 0, 0, 3333)]
    texts: list[Value] = ["2024-02-29 12:34:56.790", "1900-01-01 00:00:00.000", None, "2024-01-01 00:00:00.003"]
    check(SqlType("datetime"), pa.array(moments, pa.timestamp("us")), texts)
    minutes: list[Value] = ["2024-02-29 12:34:00", None]
    check(SqlType("smalldatetime"), pa.array([MOMENT, None], pa.timestamp("us")), minutes)
    dates: list[Value] = ["2024-02-29", "0001-01-01", None]
    check(SqlType("date"), pa.array([MOMENT.date(), dt.date(1, 1, 1), None], pa.date32()), dates)


def test_moments_with_offsets_of_arrow() -> None:
    texts: list[Value] = ["2024-02-29 02:34:56.123456 +05:30", None, "2024-03-01 00:00:00.000000 -03:00"]
    utc = [dt.datetime(2024, 2, 28, 21, 4, 56, 123456), None, dt.datetime(2024, 3, 1, 3)]
    parts = [pa.array(utc, pa.timestamp("us")), pa.array([330, None, -180], pa.int16())]
    array = pa.StructArray.from_arrays(parts, names=["utc", "offset"], mask=pa.array([False, True, False]))
    check(SqlType("datetimeoffset", scale=6), array, texts)
    in_utc: list[Value] = ["2024-02-28 21:04:56.123456 +00:00", None]
    check(SqlType("datetimeoffset", scale=6), pa.array(utc[:2], pa.timestamp("us", "UTC")), in_utc)


def test_an_arrow_type_that_does_not_stand_for_the_column_s_is_told() -> None:
    columns = [ResultColumn("when", SqlType("date"))]
    with pytest.raises(TypeError, match="column when"):
        encoded_batch(columns, pa.record_batch([pa.array([b"x"])], names=["when"]))
    columns = [ResultColumn("any", SqlType("sql_variant"))]
    with pytest.raises(TypeError, match="column any"):
        encoded_batch(columns, pa.record_batch([pa.array([1])], names=["any"]))
