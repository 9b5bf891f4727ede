"""Values to bytes and back, type by type."""

import struct
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.standins.sqlserver.samples import GUID, SAMPLES, UTF8, Sample

from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.sqlserver.tds import temporal
from tailrace_standins.sqlserver.tds.collations import collation, encoding_of
from tailrace_standins.sqlserver.tds.cursor import Cursor
from tailrace_standins.sqlserver.tds.frames import framed, null
from tailrace_standins.sqlserver.tds.packets import ProtocolError
from tailrace_standins.sqlserver.tds.parameters import read_parameter, read_value
from tailrace_standins.sqlserver.tds.types import Framing, framing, type_info, user_type
from tailrace_standins.sqlserver.values import MAX, SqlType, Value

BY_NAME = {sample.name: sample for sample in SAMPLES}


def sent(type_: SqlType, value: Value) -> bytes:
    """A value as a client sends it: as a server does, but for the old large types, which have no pointer then."""
    if framing(type_) is not Framing.POINTER:
        return type_info(type_) + (null(type_) if value is None else framed(type_)(value))
    size = struct.pack("<I", 0xFFFFFFFF) if value is None else framed(type_)(value)[25:29]
    return type_info(type_) + size + (b"" if value is None else framed(type_)(value)[29:])


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_value_is_the_same_when_it_comes_back(sample: Sample) -> None:
    cursor = Cursor(sent(sample.type, sample.value))
    type_, value = read_value(cursor)
    assert value == sample.value
    assert not cursor.left
    expected = {"sysname": "nvarchar", "timestamp": "binary"}.get(sample.type.name, sample.type.name)
    assert type_.name == expected
    if sample.type.name not in {"sysname", "timestamp"}:
        assert (type_.length, type_.precision, type_.scale) == (
            sample.type.length,
            sample.type.precision,
            sample.type.scale,
        )


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_null_is_null_when_it_comes_back(sample: Sample) -> None:
    cursor = Cursor(sent(sample.type, None))
    assert read_value(cursor)[1] is None
    assert not cursor.left


@pytest.mark.parametrize(
    ("type_", "value", "data"),
    [
        (SqlType("int"), -2, "04 feffffff"),
        (SqlType("money"), Decimal("-0.0001"), "08 ffffffff ffffffff"),
        (SqlType("decimal", precision=5, scale=2), Decimal("-1.5"), "05 00 96000000"),
        (SqlType("datetime"), "1900-01-02 00:00:00.010", "08 01000000 03000000"),
        (SqlType("smalldatetime"), "1900-01-02 01:01:00", "04 0100 3d00"),
        (SqlType("date"), "0001-01-02", "03 010000"),
        (SqlType("time", scale=2), "00:00:01.23", "03 7b0000"),
        (SqlType("datetime2", scale=7), "0001-01-01 00:00:00.0000001", "08 0100000000 000000"),
        (SqlType("datetimeoffset", scale=0), "0001-01-02 01:00:00 +02:00", "08 704301 000000 7800"),
        (SqlType("uniqueidentifier"), GUID, "10 78563412bc9af0de123456789abcdef0"),
        (SqlType("varchar", 5), "é", "0100 e9"),
        (SqlType("varchar", 5, collation=UTF8), "é", "0200 c3a9"),
        (SqlType("varchar", 5), "ž€Ω", "0300 9e803f"),
        (SqlType("nvarchar", 5), "😀", "0400 3dd800de"),
        (SqlType("varbinary", MAX), b"ab", "0200000000000000 02000000 6162 00000000"),
    ],
)
def test_bytes_are_as_the_specification_has_them(type_: SqlType, value: Value, data: str) -> None:
    assert framed(type_)(value) == bytes.fromhex(data)


def test_chunks_may_be_many_and_their_length_unknown() -> None:
    info = type_info(SqlType("nvarchar", MAX))
    chunks = b"\xfe" + b"\xff" * 7 + b"\x03\0\0\0a\0b" + b"\x01\0\0\0\0" + b"\0\0\0\0"
    assert read_value(Cursor(info + chunks))[1] == "ab"


def test_half_of_a_surrogate_pair_stays_what_it_is() -> None:
    type_ = SqlType("nvarchar", 5)
    assert read_value(Cursor(type_info(type_) + framed(type_)("\ud83d")))[1] == "\ud83d"


def test_types_without_null_are_read_too() -> None:
    fixed = {0x30: 1, 0x32: 1, 0x34: 2, 0x38: 4, 0x7F: 8}
    for code, size in fixed.items():
        assert read_value(Cursor(bytes([code]) + (1).to_bytes(size, "little")))[1] == 1


@pytest.mark.parametrize(
    ("code", "number", "message"), [(0xF3, 50000, "table-valued"), (0xF0, 50000, "CLR"), (0x77, 8009, "0x77")]
)
def test_types_that_are_not_taken_are_told(code: int, number: int, message: str) -> None:
    with pytest.raises(SqlError, match=message) as caught:
        read_parameter(Cursor(b"\x02@\0p\0\0" + bytes([code]) + b"\0" * 20), 1)
    assert caught.value.number == number


def test_a_parameter_has_name_and_direction() -> None:
    parameter = read_parameter(Cursor(b"\x02@\0p\0\x01" + sent(SqlType("int"), 5)), 1)
    assert (parameter.name, parameter.value, parameter.is_output, parameter.is_default) == ("@p", 5, True, False)


def test_a_value_that_is_cut_off_is_no_tds() -> None:
    with pytest.raises(ProtocolError, match="ends where"):
        read_value(Cursor(sent(SqlType("nvarchar", 5), "abc")[:-1]))


def test_a_type_that_does_not_exist_is_told() -> None:
    with pytest.raises(SqlError, match="geography"):
        type_info(SqlType("geography"))


def test_a_rowversion_is_told_by_its_user_type() -> None:
    assert (user_type(SqlType("timestamp")), user_type(SqlType("binary", 8))) == (80, 0)


@pytest.mark.parametrize(
    ("name", "data", "encoding"),
    [
        (None, "0904d00034", "cp1252"),
        ("SQL_Latin1_General_CP1_CI_AS", "0904d00034", "cp1252"),
        ("Latin1_General_CI_AS", "0904d00000", "cp1252"),
        ("Latin1_General_CS_AS", "0904c00000", "cp1252"),
        ("Latin1_General_BIN2", "0904000200", "cp1252"),
        (UTF8, "0904d02400", "utf-8"),
        ("Czech_100_CI_AI", "0504f02000", "cp1250"),
        ("Japanese_CI_AS", "1104d00000", "cp932"),
    ],
)
def test_collations_are_told_by_locale_flags_and_sort_order(name: str | None, data: str, encoding: str) -> None:
    assert collation(name).data == bytes.fromhex(data)
    assert collation(name).encoding == encoding
    assert encoding_of(collation(name).data) == encoding


def test_a_collation_that_is_not_known_is_told() -> None:
    with pytest.raises(SqlError, match="Invalid collation 'Klingon_CI_AS'"):
        collation("Klingon_CI_AS")


@given(st.integers(0, 23 * 3600 * 300 + 100))
def test_datetimes_come_back_to_the_same_third_of_a_hundredth(thirds: int) -> None:
    assert temporal.datetime_parts(temporal.datetime_text(5, thirds)) == (5, thirds)


@given(moment=st.datetimes(), minutes=st.integers(-840, 840), scale=st.integers(0, 7))
def test_moments_with_offsets_come_back(moment: Any, minutes: int, scale: int) -> None:
    if not 2 < moment.year < 9999:
        return
    day = moment.toordinal()
    time = (moment.hour * 3600 + moment.minute * 60 + moment.second) * 10**scale
    assert temporal.offset_parts(temporal.offset_text(time, day, minutes, scale), scale) == (time, day, minutes)
