"""Rows of change tables: which of them are updates, wherever batches end, and that reading resumes after any row."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.config.secret import Secret
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import RowPosition
from tailrace.connectors.change_tables.rows import AFTER, AFTER_ALONE, BEFORE, DELETE, INSERT, ChangeRows
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.db2.change_tables import ChangeTableQuery, operations, rows_of
from tailrace.connectors.db2.connection import Address, Session, connect_to
from tailrace.errors import LogFormatError
from tailrace_standins.db2.asn.control import Replication
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.server import StandIn

ALL = Window(Lsn(bytes(16)), Lsn(b"\xff" * 16))
QUERY = ChangeTableQuery('"ASNCDC"."CDC_S_T"', ('c."ID"',))
LOG = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("DI")), max_size=12).map(lambda rows: sorted(rows, key=lambda row: row[0]))


def row_by_row(rows: Sequence[tuple[int, str]]) -> list[int]:
    """As Debezium's query has it: of each row, whether its neighbour in the transaction makes an update of it."""
    found = []
    for place, (commit, letter) in enumerate(rows):
        following = rows[place + 1] if place + 1 < len(rows) else (None, "")
        before = rows[place - 1] if place else (None, "")
        if letter == "D":
            found.append(BEFORE if following == (commit, "I") else DELETE)
        else:
            found.append(AFTER if before == (commit, "D") else INSERT)
    return found


def lsns(numbers: Sequence[int]) -> list[bytes]:
    return [number.to_bytes(16, "big") for number in numbers]


@given(LOG)
def test_pairs_are_those_that_debezium_makes(rows: list[tuple[int, str]]) -> None:
    letters = np.frombuffer("".join(letter for _, letter in rows).encode(), np.uint8)
    commit = np.frombuffer(b"".join(lsns([commit for commit, _ in rows])), np.uint8).reshape(-1, 16)
    assert operations(letters, commit).tolist() == row_by_row(rows)


class Scripted:
    """A session whose query gives rows in batches of certain lengths, with nulls in columns that are empty."""

    def __init__(
        self, rows: Sequence[tuple[int, str]], ends: Sequence[int], width: int = 1, empty: Collection[int] = ()
    ) -> None:
        self._rows, self._ends, self._width, self._empty = rows, ends, width, empty

    def batches(self, sql: str, *params: object) -> Iterator[pa.RecordBatch]:
        rows = list(enumerate(self._rows))
        for begin, end in zip([0, *self._ends], [*self._ends, len(rows)], strict=True):
            part = rows[begin:end]
            if part:
                yield pa.record_batch(
                    [
                        pa.array(lsns([commit for _, (commit, _) in part])), pa.array(lsns([place for place, _ in part])),
                        pa.array([letter for _, (_, letter) in part]),
                        *(pa.array([None if i in self._empty else 100 * i + place for place, _ in part], pa.int64()) for i in range(self._width)),
                    ],
                    names=list("abcdefg")[: 3 + self._width],
                )  # fmt: skip


@given(LOG, st.data())
def test_batches_may_end_anywhere(rows: list[tuple[int, str]], data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    found = list(rows_of(Scripted(rows, ends), QUERY, ALL, None))  # type: ignore[arg-type]
    assert [int(op) for each in found for op in each.operation] == row_by_row(rows)
    assert [place for each in found for place in each.columns[0].to_pylist()] == list(range(len(rows)))


def test_skipped_operations_are_left_out_after_the_pairs_were_made() -> None:
    rows = [(1, "D"), (1, "I"), (1, "D"), (2, "I"), (2, "I"), (3, "D")]
    query = ChangeTableQuery('"ASNCDC"."CDC_S_T"', ("x",), skipped=(DELETE, INSERT))
    found = list(rows_of(Scripted(rows, [1, 3]), query, ALL, None))  # type: ignore[arg-type]
    assert [int(op) for each in found for op in each.operation] == [BEFORE, AFTER]


def test_another_operation_stops_reading_and_says_what_to_do() -> None:
    with pytest.raises(LogFormatError, match=r"operation 'X', which is none of D, I and U"):
        list(rows_of(Scripted([(1, "I"), (1, "X")], []), QUERY, ALL, None))  # type: ignore[arg-type]


def test_an_update_that_is_one_row_is_an_after_image_alone_or_both_where_the_table_has_them() -> None:
    rows = [(1, "D"), (1, "U"), (1, "I")]
    alone = list(rows_of(Scripted(rows, [2]), QUERY, ALL, None))  # type: ignore[arg-type]
    assert [int(op) for each in alone for op in each.operation] == [DELETE, AFTER_ALONE, INSERT]
    query = ChangeTableQuery('"ASNCDC"."CDC_S_T"', ("x", "y"), before=("old x", None))
    (both,) = rows_of(Scripted(rows, [], width=3), query, ALL, None)  # type: ignore[arg-type]
    assert both.operation.tolist() == [DELETE, BEFORE, AFTER, INSERT]
    assert both.columns[0].to_pylist() == [0, 201, 1, 2]
    assert both.columns[1].to_pylist() == [100, None, 101, 102]


@pytest.mark.parametrize(("never_null", "has_image"), [((0,), False), ((), True), ((1,), True)])
def test_a_row_without_the_image_before_is_told_by_what_can_not_be_null(
    never_null: tuple[int, ...], has_image: bool
) -> None:
    query = ChangeTableQuery('"ASNCDC"."CDC_S_T"', ("x", "y"), before=("old x", "old y"), never_null=never_null)
    (rows,) = rows_of(Scripted([(1, "U")], [], width=4, empty={2}), query, ALL, None)  # type: ignore[arg-type]
    assert rows.operation.tolist() == ([BEFORE, AFTER] if has_image else [AFTER_ALONE])
    assert rows.columns[1].to_pylist() == ([300, 100] if has_image else [100])


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """A change table after random transactions, read by the driver."""
    pytest.importorskip("adbc_driver_db2", reason="adbc-driver-db2 is not installed")
    engine = Engine()
    replication = Replication(engine)
    writer = engine.session()
    writer.run("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, V INTEGER)")
    writer.run("CALL ASNCDC.ADDTABLE('S', 'T')")
    writer.commit()
    replication.capture.reinit()
    chance = random.Random(7)
    for number in range(300):
        for _ in range(chance.randint(1, 4)):
            statement = chance.choice(
                ("INSERT INTO S.T SELECT {1}, {0} FROM SYSIBM.SYSDUMMY1 WHERE NOT EXISTS (SELECT 1 FROM S.T WHERE ID = {1})",
                 "DELETE FROM S.T WHERE ID = {1}",
                 "UPDATE S.T SET V = V + 1 WHERE ID >= {1} AND ID < {1} + 3", "UPDATE S.T SET ID = ID + {0} * 1000 + 1000 WHERE ID = {1}")
            )  # fmt: skip
            writer.run(statement.format(number, chance.randint(1, 40)))
        writer.commit() if chance.random() < 0.8 else writer.rollback()
    replication.capture.step()
    with StandIn(engine) as server, connect_to(
        Address("127.0.0.1", server.port, "TESTDB", "db2inst1", Secret("Tailrace-1"))
    ) as made:  # fmt: skip
        yield made
    replication.close()
    engine.close()


def told(found: Sequence[ChangeRows]) -> list[tuple[bytes, bytes, int]]:
    return [
        (each.commit[i].tobytes(), each.change[i].tobytes(), int(each.operation[i])) for each in found for i in range(len(each))
    ]


@pytest.mark.drivers
def test_a_change_table_read_by_the_driver(session: Session) -> None:
    plain = session.rows("SELECT HEX(IBMSNAP_COMMITSEQ), HEX(IBMSNAP_INTENTSEQ), IBMSNAP_OPERATION FROM ASNCDC.CDC_S_T ORDER BY 1, 2")
    found = told(list(rows_of(session, QUERY, ALL, None)))
    assert len(found) > 300
    assert [(commit.hex().upper(), change.hex().upper()) for commit, change, _ in found] == [row[:2] for row in plain]
    numbers = {commit: place for place, commit in enumerate(sorted({row[0] for row in plain}))}
    assert [op for _, _, op in found] == row_by_row([(numbers[row[0]], row[2]) for row in plain])
    assert {op for _, _, op in found} == {DELETE, INSERT, BEFORE, AFTER}


@pytest.mark.drivers
def test_reading_resumes_after_any_change_and_in_any_window(session: Session) -> None:
    found = told(list(rows_of(session, QUERY, ALL, None)))
    for place in range(0, len(found), 7):
        commit, change, operation = found[place]
        if operation == BEFORE:
            continue
        after = RowPosition(Lsn(commit), 0, Lsn(change), operation)
        assert told(list(rows_of(session, QUERY, ALL, after))) == found[place + 1 :]
        half = Window(Lsn(bytes(16)), Lsn(commit)), Window(Lsn(commit), ALL.until)
        assert [row for window in half for row in told(list(rows_of(session, QUERY, window, None)))] == found
