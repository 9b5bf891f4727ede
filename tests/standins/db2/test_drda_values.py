"""Values of Db2's types to bytes and back."""

import struct
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.standins.db2.samples import BY_NAME, SAMPLES, Sample

from tailrace_standins.db2.drda.client_types import ClientTypes
from tailrace_standins.db2.drda.codepoints import Data
from tailrace_standins.db2.drda.cursor import ProtocolError
from tailrace_standins.db2.drda.decimals import decfloat, from_decfloat, packed, unpacked
from tailrace_standins.db2.drda.objects import made
from tailrace_standins.db2.drda.reading import parameters
from tailrace_standins.db2.drda.types import triplet
from tailrace_standins.db2.drda.writing import Row, writer
from tailrace_standins.db2.session import Column, SqlError
from tailrace_standins.db2.values import SqlType, Value


def sent(triplets: bytes, data: bytes) -> bytes:
    """SQLDTA of such parameters."""
    descriptor = bytes([3 + len(triplets), 0x76, 0xD0]) + triplets + bytes.fromhex("0671e4d00001")
    return made(Data.FDODSC, descriptor) + made(Data.FDODTA, data)


@pytest.mark.parametrize("in_row", [1024, 0], ids=["in row", "behind"])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_value_is_the_same_when_it_comes_back(sample: Sample, in_row: int) -> None:
    row = Row([sample.column], in_row=in_row)
    written = row.written([sample.value])
    assert written[:2] == b"\xff\x00"
    told = sent(triplet(sample.type, nullable=True), written[1:])
    ((value,),) = parameters(told, row.behind, ClientTypes())
    assert value == sample.value
    assert type(value) is type(sample.value)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_null_is_null_when_it_comes_back(sample: Sample) -> None:
    written = Row([sample.column], in_row=1024).written([None])
    assert written == b"\xff\x00\xff"
    assert parameters(sent(triplet(sample.type, nullable=True), written[1:]), (), ClientTypes()) == [[None]]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("SI", "0080"),
        ("DE", "0123456789012345678d"),
        ("C", "73747261c39f65202020"),
        ("LV", "000b" + b"a long text".hex()),
        ("CB", "00ff8041"),
        ("G", "006b016f01480020"),
        ("VBN", "0004000102fe"),
        ("TI", b"23.59.58".hex()),
        ("T0", b"2024-02-29-12.34.56".hex()),
        ("T12", b"2024-02-29-12.34.56.123456789012".hex()),
        ("BO", "0100"),
    ],
)
def test_a_value_has_the_bytes_that_drivers_read(name: str, data: str) -> None:
    assert writer(BY_NAME[name].type)(BY_NAME[name].value).hex() == data


@pytest.mark.parametrize(
    ("text", "width", "data"),
    [  # IEEE 754-2008's encodings, as the Speleotrove page of decimal64 shows them
        ("1", 8, "2238000000000001"),
        ("-7.50", 8, "a2300000000003d0"),
        ("9.999999999999999E+384", 8, "77fcff3fcff3fcff"),
        ("1E-398", 8, "0000000000000001"),
        ("0", 8, "2238000000000000"),
        ("Infinity", 8, "7800000000000000"),
        ("-Infinity", 8, "f800000000000000"),
        ("NaN", 8, "7c00000000000000"),
        ("sNaN", 8, "7e00000000000000"),
        ("1", 16, "22080000000000000000000000000001"),
        ("-7.50", 16, "a20780000000000000000000000003d0"),
    ],
)
def test_decfloat_has_the_bytes_of_the_standard(text: str, width: int, data: str) -> None:
    assert decfloat(Decimal(text), width).hex() == data
    assert str(from_decfloat(bytes.fromhex(data))) == text


@given(st.integers(-(10**34) + 1, 10**34 - 1), st.integers(-6176, 6111))
def test_decfloat_keeps_digits_and_exponent(coefficient: int, exponent: int) -> None:
    value = Decimal((int(coefficient < 0), tuple(map(int, str(abs(coefficient)))), exponent))
    assert from_decfloat(decfloat(value, 16)).as_tuple() == value.as_tuple()


def test_decfloat_rounds_what_has_more_digits_and_overflows_to_infinity() -> None:
    assert from_decfloat(decfloat(Decimal("1.23456789012345675"), 8)) == Decimal("1.234567890123457")
    assert from_decfloat(decfloat(Decimal("1E+400"), 8)) == Decimal("Infinity")


@pytest.mark.parametrize("declet", [0x16E, 0x26F, 0x3FF])
def test_digits_that_nobody_writes_are_read_as_the_standard_says(declet: int) -> None:
    one = int.from_bytes(decfloat(Decimal(0), 8), "big")
    read = from_decfloat((one | declet).to_bytes(8, "big"))
    assert read == from_decfloat((one | (declet & 0xFF)).to_bytes(8, "big"))


@given(st.integers(1, 31), st.data())
def test_a_decimal_is_the_same_when_it_comes_back(precision: int, data: st.DataObject) -> None:
    scale = data.draw(st.integers(0, precision))
    number = data.draw(st.integers(-(10**precision) + 1, 10**precision - 1))
    value = Decimal((int(number < 0), tuple(map(int, str(abs(number)))), -scale))
    written = packed(value, precision, scale)
    assert len(written) == precision // 2 + 1
    assert unpacked(written, scale).as_tuple() == value.as_tuple()


def test_a_decimal_is_cut_to_its_scale() -> None:
    assert packed(Decimal("-1.29"), 3, 1).hex() == "012d"


def test_what_does_not_fit_its_column_is_no_row() -> None:
    for type_, value in (
        (SqlType("decimal", precision=3, scale=1), Decimal("100.0")),
        (SqlType("char", 2), "abc"),
        (SqlType("date"), "24-02-29"),
        (SqlType("timestamp", scale=6), "2024-02-29 12:34:56"),
    ):
        with pytest.raises(ValueError, match=r"fit|characters"):
            writer(type_)(value)
    with pytest.raises(ValueError, match="NOT NULL"):
        Row([Column("A", SqlType("integer"), nullable=False)], in_row=1024).written([None])


def test_a_column_that_is_not_null_has_no_indicator() -> None:
    row = Row([Column("A", SqlType("integer"), nullable=False), Column("B", SqlType("integer"))], in_row=1024)
    assert row.written([1, 2]).hex() == "ff00" + "01000000" + "00" + "02000000"


def test_a_large_object_is_behind_its_row_unless_the_client_takes_its_size_in_it() -> None:
    columns = [Column("A", SqlType("blob"))]
    for in_row, size, mode, behind in ((1024, 1024, 1, 0), (1024, 1025, 2, 1), (0, 1, 2, 1), (0, 0, 2, 0)):
        row = Row(columns, in_row=in_row)
        written = row.written([bytes(size)])
        assert written[3] == mode
        assert struct.unpack_from(">q", written, 4) == (size,)
        assert len(row.behind) == behind


@pytest.mark.parametrize(
    ("code", "size", "data", "value"),
    [
        (0x02, 4, "fffffffe", -2),
        (0x0A, 8, "3ff8000000000000", 1.5),
        (0x0C, 4, "3fc00000", 1.5),
        (0x32, 10, "0002c3a9", "é"),
        (0x38, 10, "000200e90041", "éA"),
        (0xC8, 0x8004, "00000003", b"abc"),
        (0xCE, 0x8008, "0000000000000003", "abc"),
    ],
)
def test_parameters_of_a_client_with_the_highest_byte_first(code: int, size: int, data: str, value: Value) -> None:
    told = sent(struct.pack(">BH", code, size), b"\x00" + bytes.fromhex(data))
    assert parameters(told, [b"abc"], ClientTypes("big", "utf-8")) == [[value]]


def test_text_for_a_binary_parameter_is_taken_as_its_bytes() -> None:
    told = sent(struct.pack(">BH", 0x3F, 0x7FFF), b"\x00\x00\x00\x02\xff\x00")
    assert parameters(told, (), ClientTypes(), [True]) == [[b"\xff\x00"]]


def test_a_batch_has_several_rows() -> None:
    told = sent(struct.pack(">BH", 0x03, 4), bytes.fromhex("0000" + "01000000" + "00ff" + "0000" + "03000000"))
    assert parameters(told, (), ClientTypes(), rows=3) == [[1], [None], [3]]


def test_parameters_that_can_not_be_read_are_refused() -> None:
    with pytest.raises(SqlError, match="-804"):
        parameters(sent(struct.pack(">BH", 0x18, 4), b"\x00\x01\x00\x00\x00"), (), ClientTypes())
    with pytest.raises(SqlError, match="-365"):
        parameters(sent(struct.pack(">BH", 0x03, 4), b"\x00\xfb"), (), ClientTypes())
    with pytest.raises(ProtocolError, match="does not come"):
        parameters(sent(struct.pack(">BH", 0xC8, 0x8008), b"\x00" + bytes(7) + b"\x01"), (), ClientTypes())
    with pytest.raises(ProtocolError, match="are left"):
        parameters(sent(struct.pack(">BH", 0x02, 4), b"\x00\x01"), (), ClientTypes())
    with pytest.raises(ProtocolError, match="descriptor"):
        parameters(b"", (), ClientTypes())
