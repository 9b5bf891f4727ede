"""Which rows of a signal table are new since the last look."""

import pytest

from tailrace.errors import ProgressError
from tailrace.signals.model import Log, Unreadable
from tailrace.signals.polled_rows import SIZE, SignalRow, new_rows, packed


def row(id_, table="ops.signals", type_="log", data='{"message": "hello"}'):
    return SignalRow(table, (id_, type_, data))


def seen(*rows, also=""):
    return packed(rows, ["ops.signals", "ops.others"], also)


def test_a_row_is_new_once():
    first, second = row("1"), row("2")
    assert new_rows([first, second], seen(first)) == [second]
    assert new_rows([first, second], seen(first, second)) == []


def test_an_id_may_come_again_when_its_row_was_gone():
    assert new_rows([row("1")], seen(row("2"))) == [row("1")]


def test_a_row_that_is_changed_is_no_new_one():
    assert new_rows([row("1", type_="stop-snapshot")], seen(row("1"))) == []


def test_tables_have_ids_of_their_own():
    assert new_rows([row("1", "ops.others")], seen(row("1"))) == [row("1", "ops.others")]


def test_a_table_that_was_not_looked_at_has_no_new_rows():
    assert new_rows([row("1", "ops.added")], seen(row("1"))) == []
    assert new_rows([row("1")], "") == []


def test_no_id_is_another_one_than_any_text():
    assert new_rows([row(None)], seen(row("None"), row(""))) == [row(None)]


def test_what_was_seen_before_can_be_kept():
    kept = seen(row("2"), also=seen(row("1")))
    assert new_rows([row("1"), row("2"), row("3")], kept) == [row("3")]


def test_what_is_kept_is_small_and_the_same_in_any_order():
    rows = [row(str(n)) for n in range(1000)]
    assert seen(*rows) == seen(*reversed(rows))
    assert len(seen(*rows)) < 1000 * SIZE * 1.4


@pytest.mark.parametrize("damaged", ["%", "AAAA"])
def test_a_damaged_text_is_named(damaged):
    with pytest.raises(ProgressError, match="signals that were seen"):
        new_rows([row("1")], damaged)


def test_a_row_is_parsed_as_elsewhere():
    assert row("1").signal == Log(id="1", channel=row("1").signal.channel, message="hello")


@pytest.mark.parametrize(
    ("values", "reason"),
    [(("1", "log"), "three columns (id, type, data), not 2"), (("1", "log", b"{}"), "should be text")],
)
def test_a_table_that_is_none_of_signals_is_named(values, reason):
    signal = SignalRow("ops.signals", values).signal
    assert isinstance(signal, Unreadable)
    assert reason in signal.reason
