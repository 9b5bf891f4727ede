"""What clients ask for: logins, calls, transactions."""

import struct

import pytest
from tests.standins.sqlserver.raw_client import HEADERS, batch, login7

from tailrace_standins.sqlserver.session import Isolation, Parameter, ReturnValue, SqlError
from tailrace_standins.sqlserver.tds import login, prelogin
from tailrace_standins.sqlserver.tds.answers import places
from tailrace_standins.sqlserver.tds.packets import ProtocolError
from tailrace_standins.sqlserver.tds.prelogin import Encryption
from tailrace_standins.sqlserver.tds.prepared import named
from tailrace_standins.sqlserver.tds.requests import (
    Transactional,
    TransactionRequest,
    read_batch,
    read_calls,
    read_transaction,
)
from tailrace_standins.sqlserver.values import SqlType

INT = SqlType("int")


def test_a_login_is_read() -> None:
    request = login.read_login(login7("pässword", flags=b"\0\0\x20\0"))
    assert request.login.user == "sa"
    assert request.login.password == "pässword"
    assert (request.login.host, request.login.application, request.login.database) == ("host", "tests", "inventory")
    assert request.login.read_only
    assert request.features == frozenset({0x0A})
    assert not request.refusal


@pytest.mark.parametrize(
    ("asked", "encrypted", "given"),
    [(0, False, 4096), (100, False, 512), (32767, False, 32767), (99999, False, 32767), (32767, True, 16383)],
)
def test_packets_have_a_size_within_bounds(asked: int, encrypted: bool, given: int) -> None:
    assert login.read_login(login7(packet_size=asked), encrypted=encrypted).packet_size == given


@pytest.mark.parametrize(
    ("flags", "version", "told"),
    [
        (b"\0\x80\0\0", login.TDS_7_4, "authentication"),
        (b"\0\0\0\x01", login.TDS_7_4, "passwords"),
        (b"\0\0\0\0", 0x72090002, "TDS"),
    ],
)
def test_what_no_login_can_be_had_with_is_told(flags: bytes, version: int, told: str) -> None:
    request = login.read_login(login7(flags=flags, version=version))
    assert told in login.refused(request).message
    assert login.refused(request).number == 18456


@pytest.mark.parametrize(
    ("asked", "certificate", "agreed"),
    [
        (Encryption.LOGIN_ONLY, True, Encryption.LOGIN_ONLY),
        (Encryption.ON, True, Encryption.ON),
        (Encryption.REQUIRED, True, Encryption.ON),
        (Encryption.NOT_SUPPORTED, True, Encryption.NOT_SUPPORTED),
        (Encryption.ON, False, Encryption.NOT_SUPPORTED),
    ],
)
def test_encryption_is_what_both_can(asked: Encryption, certificate: bool, agreed: Encryption) -> None:
    assert prelogin.agreed(bytes([asked]), has_certificate=certificate) is agreed


def test_the_answer_to_a_prelogin_can_be_read_as_one() -> None:
    told = prelogin.options(prelogin.answer({6: b"\1"}, Encryption.ON))
    assert told == {0: bytes.fromhex("100003e80000"), 1: b"\1", 2: b"\0", 3: b"", 4: b"\0", 6: b"\0"}


def test_a_prelogin_that_is_cut_off_is_no_tds() -> None:
    with pytest.raises(ProtocolError):
        prelogin.options(b"\0\0\x0b")


def test_a_batch_is_behind_its_headers() -> None:
    assert read_batch(batch("SELECT 'ž😀'")) == "SELECT 'ž😀'"
    with pytest.raises(ProtocolError, match="older"):
        read_batch(b"\0\0\0\0")


def test_calls_come_by_number_and_by_name_and_several_at_once() -> None:
    parameter = b"\x00\x00\x26\x04\x04" + struct.pack("<i", 7)
    by_number = b"\xff\xff\x0c\0\0\0" + parameter
    by_name = struct.pack("<H", 4) + "proc".encode("utf-16-le") + b"\0\0" + parameter * 2
    first, second, third = read_calls(HEADERS + by_number + b"\xff" + by_name + b"\xff" + by_number)
    assert [call.procedure for call in (first, second, third)] == ["sp_execute", "proc", "sp_execute"]
    assert [each.value for each in second.parameters] == [7, 7]


def test_a_procedure_whose_number_is_not_known_is_told() -> None:
    with pytest.raises(SqlError, match="number 99"):
        read_calls(HEADERS + b"\xff\xff\x63\0\0\0")


@pytest.mark.parametrize(
    ("data", "request_"),
    [
        ("0500 05 00", TransactionRequest(Transactional.BEGIN, isolation=Isolation.SNAPSHOT)),
        ("0500 00 04 61006200", TransactionRequest(Transactional.BEGIN, "ab")),
        ("0700 00 00", TransactionRequest(Transactional.COMMIT)),
        ("0700 00 01 02 00", TransactionRequest(Transactional.COMMIT, next_isolation=Isolation.READ_COMMITTED)),
        ("0800 02 6100 00", TransactionRequest(Transactional.ROLLBACK, "a")),
        ("0900 02 6100", TransactionRequest(Transactional.SAVE, "a")),
    ],
)
def test_transactions_are_asked_for(data: str, request_: TransactionRequest) -> None:
    assert read_transaction(HEADERS + bytes.fromhex(data)) == request_


def test_a_distributed_transaction_is_not_taken_part_in() -> None:
    with pytest.raises(SqlError, match="distributed"):
        read_transaction(HEADERS + b"\1\0\0\0")


def test_parameters_without_names_have_those_of_the_declaration() -> None:
    given = [Parameter("", INT, 1), Parameter("@given", INT, 2), Parameter("", INT, 3)]
    declaration = "@P0 decimal(38,4), @P1 nvarchar(4000) ,@P2 int OUTPUT"
    assert [each.name for each in named(given, declaration)] == ["@P0", "@given", "@P2"]
    with pytest.raises(SqlError, match="too many"):
        named(given, "@one int")


def test_values_for_output_belong_to_parameters_by_name_or_else_in_order() -> None:
    given = [
        Parameter("", INT, 1),
        Parameter("", INT, None, is_output=True),
        Parameter("@b", INT, None, is_output=True),
        Parameter("", INT, None, is_output=True),
    ]
    values = [ReturnValue("@B", INT, 1), ReturnValue("@a", INT, 2), ReturnValue("@c", INT, 3)]
    assert places(values, given) == [2, 1, 3]
