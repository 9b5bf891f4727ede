"""What a progress record holds of a snapshot, and that nothing else is taken for it."""

import json
from dataclasses import replace

import pytest

from tailrace.errors import ProgressError
from tailrace.snapshot.segments import Segment, TablePlan, shares
from tailrace.snapshot.state import Finished, SnapshotState, TableState, start

STATE = SnapshotState(
    (Segment("shop.orders", [5, "x"], None), Segment("shop.items")),
    {"file": "binlog.000003", "pos": 4},
    {"shop.orders": TableState(7, 2, 1, has_first=True, begun=True), "shop.items": TableState(has_last=True)},
    {"shop.items": "00" * 16},
    opens=True,
    begun=True,
)


def test_a_state_comes_back_from_its_json_as_it_was():
    assert SnapshotState.from_dict(json.loads(json.dumps(STATE.to_dict()))) == STATE


def test_it_comes_back_without_having_been_a_text_too():
    """As where a task tries again in the same process."""
    state = start(shares([TablePlan("a", 10, [[5]], (1, 9))], 2)[0], {"n": 1})
    assert state.tables["a"].span == (1, 5)
    assert SnapshotState.from_dict(state.to_dict()) == state


def test_a_lane_begins_with_its_plan_and_nothing_delivered():
    plan = shares([TablePlan("b"), TablePlan("a", 3, [[1]])], 2)[0]
    state = start(plan, {"n": 1})
    assert state.segments == plan.segments
    assert state.tables["a"] == TableState(has_first=True, estimate=1, parts=2)
    assert (state.opens, state.closes, state.done) == (True, False, False)


def test_the_parts_of_a_table_have_their_shares_of_its_rows_and_of_its_numbers():
    lanes = [start(plan, {}).tables["a"] for plan in shares([TablePlan("a", 10, [[40], [70]], (1, 99))], 3)]
    assert [(table.estimate, table.part, table.span) for table in lanes] == [(3, 0, (1, 40)), (3, 1, (40, 70)), (4, 2, (70, 99))]


def test_of_tables_that_a_lane_had_whole_and_is_through_with_only_sums_are_kept():
    through = {"a": TableState(7, 2, 1, estimate=5), "in parts": TableState(3, parts=2), "b": TableState(1, 1)}
    state = SnapshotState((Segment("c"),), {}, {**through, "c": TableState(), "held": TableState()}, {"held": "00" * 16})
    stored = SnapshotState.from_dict(json.loads(json.dumps(state.to_dict())))
    assert list(stored.tables) == ["in parts", "c", "held"]
    assert stored.finished == Finished(tables=2, rows=8, chunks=3, incomplete=1)
    assert stored.forgetful() == stored


def test_once_the_first_table_is_forgotten_no_other_one_has_the_snapshots_first_record():
    state = SnapshotState((Segment("b"),), {}, {"a": TableState(), "b": TableState()}, opens=True)
    assert not state.forgetful().opens
    assert replace(state, segments=(Segment("a"), Segment("b"))).forgetful().opens


def test_a_state_that_an_older_tailrace_stored_is_read():
    old = json.loads("""
        {"segments": [{"table": "a", "after": null, "upto": [5]}], "position": {"n": 1}, "tables": {"a": {"rows": 1, "chunks": 1,
         "incomplete": 0, "has_first": true, "has_last": false, "begun": true}}, "held": {}, "opens": true, "closes": false,
         "begun": true}""")
    state = SnapshotState.from_dict(old)
    assert state.segments == (Segment("a", None, [5]),)
    assert state.tables["a"] == TableState(1, 1, has_first=True, begun=True)


def test_a_lane_without_segments_is_done():
    assert start(shares([TablePlan("a")], 2)[1], {}).done


def test_a_row_that_is_held_has_to_be_delivered_still():
    state = SnapshotState((), {}, {"a": TableState()}, {"a": "00" * 16})
    assert not state.done


def test_a_table_has_intervals_that_are_not_delivered():
    assert STATE.undelivered("shop.orders") == [([5, "x"], None)]
    assert STATE.undelivered("shop.other") == []


def changed(path, value):
    """The state's JSON with one member changed, or taken away."""
    top = json.loads(json.dumps(STATE.to_dict()))
    *way, name = path
    inner = top
    for step in way:
        inner = inner[step]
    if value is ...:
        del inner[name]
    else:
        inner[name] = value
    return top


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (["segments"], ..., r"lacks snapshot\.segments"),
        (["segments"], {}, r"snapshot\.segments is"),
        (["segments", 1], 5, r"snapshot\.segments\[1\] is 5"),
        (["segments", 0, "table"], None, r"segments\[0\]\.table"),
        (["segments", 0, "upto"], "x", r"segments\[0\]\.upto"),
        (["segments", 0, "after"], [], r"segments\[0\]\.after"),
        (["segments", 0, "before"], 1, r"segments\[0\]\.before, which"),
        (["position"], [], r"snapshot\.position"),
        (["tables", "shop.items"], ..., r"lacks snapshot\.tables\.shop\.items"),
        (["tables", "shop.orders", "rows"], -1, r"tables\.shop\.orders\.rows is -1"),
        (["tables", "shop.orders", "rows"], True, r"tables\.shop\.orders\.rows is True"),
        (["tables", "shop.orders", "begun"], 1, r"tables\.shop\.orders\.begun"),
        (["tables", "shop.orders", "sum"], 1, r"tables\.shop\.orders\.sum, which"),
        (["held", "shop.items"], "beef", r"held\.shop\.items"),
        (["held", "gone"], "00" * 16, r"lacks snapshot\.tables\.gone"),
        (["opens"], "yes", r"snapshot\.opens"),
        (["format"], 2, r"snapshot\.format, which"),
        (["finished", "rows"], ..., r"lacks snapshot\.finished\.rows"),
        (["tables", "shop.orders", "span"], [1], r"tables\.shop\.orders\.span is \[1\]"),
        (["tables", "shop.orders", "span"], ["a", "b"], r"tables\.shop\.orders\.span is"),
    ],
)
def test_what_is_missing_unknown_or_damaged_is_named(path, value, named):
    with pytest.raises(ProgressError, match=named):
        SnapshotState.from_dict(changed(path, value))


def test_something_else_than_an_object_is_refused():
    with pytest.raises(ProgressError, match="snapshot is None"):
        SnapshotState.from_dict(None)
