"""Segments, objects, package names and descriptors of DRDA: to bytes and back."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace_standins.db2.drda.client_types import ClientTypes
from tailrace_standins.db2.drda.codepoints import Parameter
from tailrace_standins.db2.drda.communication_area import SUCCESS, affected, failure
from tailrace_standins.db2.drda.cursor import ProtocolError
from tailrace_standins.db2.drda.descriptors import described, rows_descriptor
from tailrace_standins.db2.drda.objects import made, objects
from tailrace_standins.db2.drda.packages import Section, section
from tailrace_standins.db2.drda.segments import Inbox, Kind, chained
from tailrace_standins.db2.session import Column, Isolation, SqlError
from tailrace_standins.db2.values import SqlType


@given(st.integers(0, 100_000), st.integers(1, 40_000))
def test_an_answer_of_any_length_arrives_whole_in_whatever_pieces(length: int, piece: int) -> None:
    data = made(0x241B, bytes(length % 251 for length in range(length)))
    sent = chained([(Kind.REPLY, 1, made(0x2205)), (Kind.OBJECT, 1, data), (Kind.REPLY, 2, b"")])
    inbox, found = Inbox(), []
    for at in range(0, len(sent), piece):
        inbox.feed(sent[at : at + piece])
        found += inbox.segments()
    assert [(each.kind, each.correlator, each.chained, each.same) for each in found] == [
        (2, 1, True, True),
        (3, 1, True, False),
        (2, 2, False, False),
    ]
    assert found[1].data == data
    ((point, inside),) = objects(found[1].data)
    assert point == 0x241B
    assert len(inside) == length


def test_a_segment_has_the_bytes_of_the_specification() -> None:
    assert chained([(Kind.REPLY, 7, made(0x1149, b"\x00\x08"))]).hex() == "000cd0020007" + "000611490008"


def test_a_long_object_tells_its_length_behind_its_codepoint() -> None:
    assert made(0x146C, bytes(0x7FFC))[:8].hex() == "8008146c" + "00007ffc"
    assert made(0x146C, bytes(0x7FFB))[:4].hex() == "7fff146c"


def test_a_streamed_object_ends_with_its_segment() -> None:
    assert list(objects(bytes.fromhex("8004146c") + b"all of it")) == [(0x146C, b"all of it")]


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1", bytes.fromhex("0003d0010001")])
def test_what_is_no_segment_is_refused(data: bytes) -> None:
    inbox = Inbox()
    inbox.feed(data)
    with pytest.raises(ProtocolError, match="no DSS"):
        list(inbox.segments())


@pytest.mark.parametrize("data", [bytes.fromhex("00031149"), bytes.fromhex("00081149aa")])
def test_an_object_whose_length_does_not_fit_is_refused(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        list(objects(data))


@pytest.mark.parametrize("database", ["TESTDB", "A" * 18, "A" * 19])
def test_a_section_is_the_same_when_it_comes_back(database: str) -> None:
    asked = Section(database, "NULLID", "SYSSH200", b"SYSLVL01", 385)
    assert section(asked.written("cp500"), "cp500") == asked


@pytest.mark.parametrize(
    ("package", "isolation", "held"),
    [
        ("SYSSH100", Isolation.UNCOMMITTED_READ, True),
        ("SYSLN201", Isolation.CURSOR_STABILITY, False),
        ("SYSSH3FF", Isolation.READ_STABILITY, True),
        ("SYSSN400", Isolation.REPEATABLE_READ, False),
        ("SYSSTAT", Isolation.CURSOR_STABILITY, False),
    ],
)
def test_a_package_tells_isolation_and_whether_cursors_are_held(package: str, isolation: Isolation, held: bool) -> None:
    asked = Section("D", "NULLID", package, bytes(8), 1)
    assert (asked.isolation, asked.held) == (isolation, held)


def test_rows_of_many_columns_are_described_in_groups_of_84() -> None:
    told = rows_descriptor([Column(f"C{place}", SqlType("integer")) for place in range(100)])
    assert told[:3] == bytes([3 + 84 * 3, 0x76, 0xD0])
    assert told[255:258] == bytes([3 + 16 * 3, 0x7F, 0x00])
    assert told[258:261].hex() == "030004"
    assert told[-15:].hex() == "0971e0540001d000010671f0e00000"


def test_a_column_is_described_with_its_numbers_and_its_name() -> None:
    told = described([Column("Ž", SqlType("decimal", precision=9, scale=2), nullable=False)], extended=False)
    assert told.startswith(b"\xff" + struct.pack("<H", 1) + struct.pack("<hhq", 9, 2, 0x0902) + struct.pack("<H", 484))
    assert b"\x00\x02\xc5\xbd" in told


def test_the_extended_description_has_more_of_each_column() -> None:
    column = Column("A", SqlType("integer"))
    short, long = (described([column], extended=extended) for extended in (False, True))
    assert len(long) - len(short) == (1 + 14 + 2 + 8 - 1) + (12 + 22)


def test_a_type_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SqlError, match="SQLCODE -204"):
        rows_descriptor([Column("A", SqlType("rowid"))])


def test_an_error_has_its_tokens_apart() -> None:
    told = failure(SqlError(-104, "42601", "FRO", "SELECT *", "FROM"))
    assert struct.unpack_from("<i", told, 1) == (-104,)
    assert told[5:10] == b"42601"
    assert b"\x00\x11FRO\xffSELECT *\xffFROM" in told


def test_a_statement_tells_how_many_rows_it_changed() -> None:
    assert struct.unpack_from("<6i", affected(3), 19) == (0, 0, 3, 0, 0, 0)
    assert affected(None) == SUCCESS
    assert affected(0)[5:10] == b"02000"


def test_a_client_may_write_in_another_way_for_one_command() -> None:
    ours = ClientTypes().overridden({Parameter.TYPDEFNAM: "QTDSQLASC".encode("cp500")})
    assert ours == ClientTypes("big", "utf-8")
    override = made(Parameter.CCSIDSBC, b"\x03\x33") + made(Parameter.CCSIDMBC, b"\x00\x00")
    assert ours.overridden({Parameter.TYPDEFOVR: override}).text == "utf-8"
    assert ours.overridden({Parameter.TYPDEFOVR: made(Parameter.CCSIDSBC, b"\x03\x33")}).text == "latin-1"
    assert ours.text == "utf-8"


@pytest.mark.parametrize(
    "told",
    [{Parameter.TYPDEFNAM: b"QTDSQL370"}, {Parameter.TYPDEFOVR: made(Parameter.CCSIDMBC, b"\x03\xa4")}],
    ids=["order", "text"],
)
def test_a_way_to_write_that_is_not_read_is_refused(told: dict[int, bytes]) -> None:
    with pytest.raises(ProtocolError):
        ClientTypes().overridden(told)
