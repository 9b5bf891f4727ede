"""Outcomes to tokens: which DONE stands where, and with what in it."""

import struct
from collections.abc import Iterator

import pyarrow as pa

from tailrace_standins.sqlserver.session import (
    Affected,
    ArrowRows,
    Change,
    Changed,
    EncodedRows,
    Failed,
    Notice,
    Outcome,
    Parameter,
    ResultColumn,
    ResultSet,
    ReturnStatus,
    ReturnValue,
    SqlError,
)
from tailrace_standins.sqlserver.tds.answers import Answer
from tailrace_standins.sqlserver.values import SqlType

INT = SqlType("int")
ROWS = bytes.fromhex("8101000000000009002604016100")
"""COLMETADATA of a nullable int called a."""
ROW_1 = bytes.fromhex("d10401000000")
MORE, ERROR, COUNT, IN_BATCH = 1, 2, 16, 128


def done(kind: int, status: int, command: int = 0, count: int = 0) -> bytes:
    return struct.pack("<BHHQ", kind, status, command, count)


def result(*pieces: list[tuple[int]] | EncodedRows | ArrowRows) -> ResultSet:
    return ResultSet((ResultColumn("a", INT),), iter(pieces))


def batch(*outcomes: Outcome) -> bytes:
    return b"".join(Answer().batch(outcomes))


def call(*outcomes: Outcome, given: tuple[Parameter, ...] = (), is_last: bool = True) -> bytes:
    return b"".join(Answer().call(outcomes, given, is_last=is_last))


def test_a_batch_without_outcomes_is_done() -> None:
    assert batch() == done(0xFD, 0)


def test_rows_come_behind_their_columns_and_are_counted() -> None:
    arrow = ArrowRows(pa.record_batch([pa.array([1], pa.int32())], names=["x"]))
    told = batch(result([(1,)], EncodedRows(1, ROW_1), arrow))
    assert told == ROWS + 3 * ROW_1 + done(0xFD, COUNT, 193, 3)


def test_all_but_the_last_say_that_more_follows() -> None:
    told = batch(Affected(2, "DELETE"), Affected(), result([(1,)]))
    assert told == done(0xFD, COUNT | MORE, 196, 2) + done(0xFD, MORE) + ROWS + ROW_1 + done(0xFD, COUNT, 193, 1)


def test_what_is_counted_without_a_verb_is_told_to_be_an_update() -> None:
    assert batch(Affected(2)) == done(0xFD, COUNT, 197, 2)


def test_a_failed_statement_is_told_and_the_next_one_follows() -> None:
    told = batch(Failed(SqlError(8134, "Divide by zero error encountered.", line=3)), Affected(1))
    assert told[0] == 0xAA
    assert struct.unpack_from("<HiBB", told, 1)[1:] == (8134, 1, 16)
    assert told.endswith(done(0xFD, ERROR | MORE) + done(0xFD, COUNT, 197, 1))


def test_an_error_ends_a_batch_wherever_it_comes() -> None:
    def rows() -> Iterator[list[tuple[int]]]:
        yield [(1,)]
        raise SqlError(8134, "Divide by zero error encountered.")

    told = batch(ResultSet((ResultColumn("a", INT),), rows()), Affected(1))
    assert told.startswith(ROWS + ROW_1 + b"\xaa")
    assert told.endswith(done(0xFD, ERROR))


def test_an_error_of_severity_20_closes_the_connection() -> None:
    answer = Answer()
    b"".join(answer.failure(SqlError(1, "gone", severity=20)))
    assert answer.closes


def test_an_error_tells_severity_state_procedure_and_line() -> None:
    told = batch(Failed(SqlError(50001, "no", severity=11, state=7, procedure="p", line=9)))
    assert told[:11] == b"\xaa" + struct.pack("<HiBBH", len(told) - 3 - 13, 50001, 7, 11, 2)
    assert told[11:-13] == "no".encode("utf-16-le") + b"\x07" + "STANDIN".encode("utf-16-le") + b"\1p\0\x09\0\0\0"


def test_a_message_and_a_change_stand_before_the_done() -> None:
    told = batch(Changed(Change.DATABASE, "b", "a"), Notice(5701, "m"), Affected())
    assert told.startswith(bytes.fromhex("e30700 01 016200 016100 ab"))
    assert told.endswith(done(0xFD, 0))
    assert batch(Changed(Change.BEGUN, b"12345678")) == bytes.fromhex("e30b00 08 08") + b"12345678\0" + done(0xFD, 0)
    ended = bytes.fromhex("e30b00 09 00 08") + b"12345678"
    assert batch(Changed(Change.COMMITTED, old=b"12345678")) == ended + done(0xFD, 0)


def test_a_call_ends_with_its_status_its_values_and_its_own_done() -> None:
    given = (Parameter("", INT, 1), Parameter("@b", INT, None, is_output=True))
    told = call(result([(1,)]), ReturnValue("@b", INT, 5), ReturnStatus(3), given=given)
    value = bytes.fromhex("ac 0100 02 40006200 01 00000000 0000 2604 04 05000000")
    rows = ROWS + ROW_1 + done(0xFF, COUNT | MORE, 193, 1)
    assert told == rows + bytes.fromhex("79 03000000") + value + done(0xFE, 0)


def test_a_call_that_fails_has_the_error_s_number_for_a_status() -> None:
    told = call(Failed(SqlError(547, "conflict")), is_last=False)
    assert told.endswith(done(0xFF, ERROR | MORE) + b"\x79" + struct.pack("<i", 547) + done(0xFE, MORE | IN_BATCH))


def test_a_procedure_within_a_batch_tells_its_status() -> None:
    assert batch(Affected(1), ReturnStatus(0), Affected()) == (
        done(0xFD, COUNT | MORE, 197, 1) + bytes.fromhex("79 00000000") + done(0xFE, MORE) + done(0xFD, 0)
    )
