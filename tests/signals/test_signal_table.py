"""Signals out of rows of the signal table."""

import numpy as np
import pyarrow as pa
import pytest

from tailrace.changes.model import CREATE, DELETE, READ, UPDATE, Changes
from tailrace.changes.vectors import from_arrow
from tailrace.signals.model import Channel, Log, PauseSnapshot, Unreadable
from tailrace.signals.table import signals_in


def changes(rows, *, columns=None):
    """`rows`: (op, index of the image before, index of the image after)."""
    ops, before, after = (np.array(column) for column in zip(*rows, strict=True))
    n = len(rows)
    return Changes(
        columns=columns,
        before=before.astype(np.int32),
        after=after.astype(np.int32),
        op=ops.astype(np.uint8),
        event=np.zeros(n, np.int32),
        transaction=np.zeros(n, np.int32),
        source={},
        constants={},
        position=(),
        log_order=np.arange(n),
    )


def texts(*values):
    return from_arrow(pa.array(values, pa.string_view()))


TABLE = [
    texts("one", "a longer id than fits into a view", "three"),
    texts("log", "pause-snapshot", "jump"),
    texts('{"message": "hello, and a little more"}', None, ""),
]


def test_inserts_are_signals_in_log_order():
    found = signals_in(changes([(CREATE, -1, 0), (CREATE, -1, 1), (CREATE, -1, 2)], columns=TABLE))
    assert [each.change for each in found] == [0, 1, 2]
    assert found[0].signal == Log(id="one", channel=Channel.SOURCE, message="hello, and a little more")
    assert found[1].signal == PauseSnapshot(id="a longer id than fits into a view", channel=Channel.SOURCE)
    assert isinstance(found[2].signal, Unreadable)
    assert found[2].signal.id == "three"


def test_updates_deletes_and_rows_of_a_snapshot_mean_nothing():
    found = signals_in(changes([(DELETE, 0, -1), (UPDATE, 0, 1), (READ, -1, 1), (CREATE, -1, 1)], columns=TABLE))
    assert [each.change for each in found] == [3]
    assert found[0].signal.id.startswith("a longer")


def test_without_inserts_nothing_is_looked_at():
    assert signals_in(changes([(DELETE, 0, -1)], columns=[])) == []


def test_columns_that_are_not_captured_do_not_count():
    found = signals_in(changes([(CREATE, -1, 1)], columns=[None, *TABLE, None]))
    assert isinstance(found[0].signal, PauseSnapshot)


@pytest.mark.parametrize("columns", [TABLE[:2], [*TABLE, texts("x", "y", "z")]])
def test_another_number_of_columns_is_told_for_each_signal(columns):
    found = signals_in(changes([(CREATE, -1, 0), (CREATE, -1, 1)], columns=columns))
    assert len(found) == 2
    says = f"the signal table should have three columns (id, type, data), but {len(columns)} of it are captured"
    assert found[0].signal == Unreadable(id=None, channel=Channel.SOURCE, reason=says)


def test_columns_that_are_not_text_are_told():
    numbers = from_arrow(pa.array([1, 2, 3]))
    (found,) = signals_in(changes([(CREATE, -1, 0)], columns=[numbers, *TABLE[1:]]))
    assert found.signal.reason == "of the signal table's columns id should be text (VARCHAR, TEXT)"


def test_a_row_of_nulls_is_a_signal_without_a_type():
    empty = texts(None)
    (found,) = signals_in(changes([(CREATE, -1, 0)], columns=[empty] * 3))
    assert found.signal == Unreadable(id=None, channel=Channel.SOURCE, reason="it has no type")
