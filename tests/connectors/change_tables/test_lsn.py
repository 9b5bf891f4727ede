"""Log sequence numbers, one by one and as columns, and the positions made of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.changes import expand
from tailrace.changes.model import Level
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.positions import (
    DatabasePosition,
    Positions,
    RestartPosition,
    RowPosition,
    position_facts,
    position_program,
    restart_at,
)
from tailrace.errors import LogFormatError, ProgressError

FORM = LsnForm(10, "a database")
POSITIONS = Positions(FORM)
LSNS = st.binary(min_size=10, max_size=10).map(Lsn)
ROWS = st.builds(RowPosition, LSNS, st.integers(0, 2**31 - 1), LSNS, st.integers(1, 4), st.integers(1, 9))


def column(lsns: list[Lsn]) -> np.ndarray:
    return np.frombuffer(b"".join(lsn.raw for lsn in lsns), np.uint8).reshape(-1, 10)


@given(LSNS, LSNS)
def test_texts_sort_as_the_log_does(one: Lsn, other: Lsn) -> None:
    assert (one < other) == (one.text < other.text) == (one.raw < other.raw)
    assert FORM.parse(one.text) == one
    assert FORM.parse(one.text.upper()) == one


@given(LSNS)
def test_the_next_and_the_previous_one_are_each_other_s(lsn: Lsn) -> None:
    if lsn.raw != b"\xff" * 10:
        assert lsn < lsn.next()
        assert lsn.next().previous() == lsn
    assert FORM.zero.previous() == FORM.zero


@pytest.mark.parametrize("text", ["", "NULL", "00000025:00000d98", "00000025:00000d98:00a2x", "25:d98:a2"])
def test_a_text_that_is_no_lsn_is_refused(text: str) -> None:
    with pytest.raises(ProgressError, match="no LSN"):
        FORM.parse(text)


@pytest.mark.parametrize("size", [9, 10, 16])
def test_they_have_the_width_of_their_database(size: int) -> None:
    form = LsnForm(size, "a database")
    lsns = [form.of(bytes([i // 3] * (size - 1) + [i % 3])) for i in range(9)]
    raw = lsn_columns.raw_of(pa.array([lsn.raw for lsn in lsns], pa.large_binary()), "x", size)
    assert [form.parse(text) for text in lsn_columns.texts(raw).to_arrow().to_pylist()] == lsns
    assert lsn_columns.runs_of(raw)[0].tolist() == list(range(9))
    assert lsn_columns.runs_of(np.repeat(raw, 2, axis=0))[0].tolist() == [i // 2 for i in range(18)]
    assert lsn_columns.serials(np.repeat(raw, 2, axis=0), np.repeat(raw, 2, axis=0), None).tolist() == [1, 2] * 9
    numbers = list(zip(*(each.tolist() for each in lsn_columns.as_integers(raw)), strict=True))
    assert numbers == sorted(set(numbers))
    assert form.zero < lsns[1] < form.highest
    with pytest.raises(ValueError, match=f"has {size} bytes"):
        form.of(bytes(size + 1))


@given(st.lists(LSNS, max_size=30))
def test_columns_have_the_texts_of_their_values(lsns: list[Lsn]) -> None:
    raw = lsn_columns.raw_of(pa.array([lsn.raw for lsn in lsns], pa.large_binary()), "x", 10)
    assert lsn_columns.texts(raw).to_arrow().to_pylist() == [lsn.text for lsn in lsns]
    assert [lsn_columns.lsn_at(raw, i) for i in range(len(raw))] == lsns


def test_a_piece_of_an_arrow_column_is_that_piece() -> None:
    array = pa.array([bytes([i] * 10) for i in range(5)], pa.large_binary())
    assert lsn_columns.raw_of(array.slice(2, 2), "x", 10).tolist() == [[2] * 10, [3] * 10]


@pytest.mark.parametrize("type_", [pa.binary(), pa.binary(16), pa.binary_view(), pa.string()])
def test_a_driver_may_have_them_as_another_type_of_bytes(type_: pa.DataType) -> None:
    values = [bytes([0xF0 + i] * 16) for i in range(5)]
    array = pa.array(values, pa.binary()).view(type_) if type_ == pa.string() else pa.array(values, type_)
    assert lsn_columns.raw_of(array, "x", 16).tobytes() == b"".join(values)
    assert lsn_columns.raw_of(array.slice(1, 2), "x", 16).tobytes() == b"".join(values[1:3])
    assert lsn_columns.raw_of(array.slice(0, 0), "x", 16).shape == (0, 16)


@pytest.mark.parametrize("values", [[None], [b"short"], [b"x" * 10, b"y" * 11], [b"x" * 9, b"y" * 11]])
def test_what_is_no_lsn_in_a_row_is_refused(values: list[bytes | None]) -> None:
    with pytest.raises(LogFormatError, match="seqval"):
        lsn_columns.raw_of(pa.array(values, pa.large_binary()), "__$seqval", 10)


@given(st.lists(st.sampled_from([Lsn(bytes([i] * 10)) for i in range(3)]), max_size=20))
def test_runs_are_the_equal_ones_in_a_row(lsns: list[Lsn]) -> None:
    run, begins = lsn_columns.runs_of(column(lsns))
    expected = [sum(a != b for a, b in zip(lsns[:i], lsns[1 : i + 1], strict=True)) for i in range(len(lsns))]
    assert run.tolist() == expected
    assert [lsns[i] for i in begins] == [lsn for i, lsn in enumerate(lsns) if i == 0 or lsns[i - 1] != lsn]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy")), max_size=20), st.integers(0, 20))
def test_rows_with_the_same_lsns_are_numbered_over_the_borders_of_batches(
    keys: list[tuple[str, str]], cut: int
) -> None:
    commit, change = ([Lsn(key[i].encode() * 10) for key in keys] for i in (0, 1))
    whole = lsn_columns.serials(column(commit), column(change), None).tolist()
    for i, number in enumerate(whole):
        assert number == (whole[i - 1] + 1 if i and keys[i] == keys[i - 1] else 1)
    cut = min(cut, len(keys))
    last = None if not cut else (commit[cut - 1], change[cut - 1], whole[cut - 1])
    assert whole[:cut] + lsn_columns.serials(column(commit[cut:]), column(change[cut:]), last).tolist() == whole


@given(st.sets(LSNS, max_size=20), st.sets(LSNS, max_size=5))
def test_places_are_found_in_what_ascends(known: set[Lsn], others: set[Lsn]) -> None:
    ordered, wanted = sorted(known), sorted({*list(known)[::2], *others})
    found = lsn_columns.places_in(column(wanted), column(ordered)).tolist()
    assert found == [ordered.index(lsn) if lsn in known else -1 for lsn in wanted]


@given(ROWS, ROWS)
def test_texts_of_positions_sort_as_a_change_table_is_read(one: RowPosition, other: RowPosition) -> None:
    def key(position: RowPosition) -> tuple[object, ...]:
        return position.commit, position.command, position.change, position.operation

    assert (key(one) < key(other)) == (str(one) < str(other))
    assert POSITIONS.row(one.to_dict()) == one


@given(ROWS)
def test_the_template_of_positions_writes_the_same_text(position: RowPosition) -> None:
    roles = np.zeros((expand.ROLES, 2), np.int32)
    vectors = [fact.vector for fact in position_facts(position)]
    for program in (position_program(), position_program(Level.BATCH, Level.BATCH)):
        rendered = program.render(vectors, roles)
        assert [rendered[0], rendered[1]] == [str(position).encode()] * 2


@given(LSNS, LSNS, ROWS, st.booleans())
def test_restart_positions_survive_json(lsn: Lsn, until: Lsn, row: RowPosition, initial: bool) -> None:
    for position in (DatabasePosition(lsn), DatabasePosition(lsn, until, "dbo.t", row, initial, row)):
        restart = RestartPosition({"a": position, "b": DatabasePosition(until)})
        again = POSITIONS.restart(restart.to_dict(), ("a", "b"))
        assert again.to_dict() == restart.to_dict()
        assert again["a"] == position
        assert again.delivered == f"{lsn},{until}"


@pytest.mark.parametrize(
    ("given_", "why"),
    [
        ({}, "not a restart position"),
        ({"file": "binlog.000003", "pos": 4}, "not a restart position"),
        ({"shop": {"lsn": "x"}}, "no LSN"),
        ({"shop": {"lsn": FORM.zero.text, "more": 1}}, "not known here"),
        ({"shop": {"lsn": FORM.zero.text, "after": {"commit": FORM.zero.text}}}, "not a position"),
        ({"other": {"lsn": FORM.zero.text}}, "nothing of the database shop"),
    ],
)
def test_a_progress_that_is_something_else_is_refused(given_: dict[str, object], why: str) -> None:
    with pytest.raises(ProgressError, match=why):
        POSITIONS.restart(given_, ("shop",))


def test_a_place_of_debezium_s_is_forgotten_with_its_transaction() -> None:
    commit = Lsn(b"\x05" * 10)
    place = RowPosition(commit, 0, commit, 0)
    position = DatabasePosition(commit.previous(), taken_over=place)
    assert position.at(commit.previous()).taken_over == place
    assert position.at(commit) == DatabasePosition(commit)
    assert restart_at({"a": commit}, initial=True).announced().to_dict() == {"a": {"lsn": commit.text}}


def test_a_database_may_be_spelled_otherwise_in_the_configuration_than_by_the_server() -> None:
    place = {"lsn": "00000025:00000d98:0003"}
    found = POSITIONS.restart({"shop": place, "b": place}, ("Shop", "b"))
    assert found.to_dict() == {"Shop": place, "b": place}
    both = POSITIONS.restart({"shop": place, "Shop": place}, ("Shop", "shop"))
    assert list(both) == ["shop", "Shop"]
