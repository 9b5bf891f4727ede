"""What a lane tells of its part of a snapshot, and what it thinks how much there is."""

import random
from dataclasses import replace

import pytest

from tailrace.snapshot.figures import LaneFigures, about, merged, rows_of
from tailrace.snapshot.segments import Segment
from tailrace.snapshot.state import Finished, SnapshotState, TableState

SEED = random.SystemRandom().randrange(1 << 30)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def state(left, tables, finished=Finished()):  # noqa: B008 -- frozen
    return SnapshotState(tuple(left), {}, tables, finished=finished)


def reading(estimate, rows, place=None, span=(0, 1000)):
    """What is thought of a table of which so many rows were read, up to this number of its key."""
    return about(TableState(rows, estimate=estimate, span=span), Segment("a", None if place is None else [place]))


def test_figures_sum_what_is_done_before_and_now_and_name_what_is_new():
    before = state(
        [Segment("b"), Segment("c")],
        {"b": TableState(4, 1, estimate=10), "c": TableState(estimate=5)},
        Finished(2, 30, 3),
    )
    told = LaneFigures(before, 3)
    assert told.of(before) == {
        "lanes": 3,
        "before": 34,
        "rows": 34,
        "chunks": 4,
        "about": 30 + 10 + 5,
        "tables": 4,
        "done": 2,
        "ended": False,
        "of": {"b": {"rows": 4, "about": 10, "chunks": 1, "part": 0, "parts": 1, "done": False}},
    }
    after = replace(before, segments=before.segments[1:], tables={**before.tables, "b": TableState(9, 2, estimate=10)})
    found = told.of(after)
    assert (found["before"], found["rows"], found["about"], found["done"]) == (34, 39, 30 + 9 + 5, 3)
    assert found["of"] == {"b": {"rows": 9, "about": 9, "chunks": 2, "part": 0, "parts": 1, "done": True}}
    assert told.of(after)["of"] == {}


def test_that_an_empty_table_is_done_is_told():
    before = state([Segment("a"), Segment("b")], {"a": TableState(), "b": TableState()})
    told = LaneFigures(before, 1)
    assert told.of(before)["of"] == {}
    assert told.of(replace(before, segments=before.segments[1:]))["of"]["a"]["done"]


def test_a_table_in_parts_is_told_of_before_it_is_begun():
    waiting = state([Segment("a")], {"a": TableState(estimate=7, part=1, parts=2)})
    assert LaneFigures(waiting, 2).of(waiting)["of"]["a"]["about"] == 7


def test_figures_come_now_and_then_and_always_at_the_end():
    clock = Clock()
    begun, done = state([Segment("a")], {"a": TableState(1, 1)}), state([], {"a": TableState(2, 1)})
    told = LaneFigures(begun, 1, clock)
    assert told.throttled(begun) is not None
    assert told.throttled(begun) is None
    clock.now = 1.0
    assert told.throttled(begun) is not None
    assert told.throttled(done)["ended"]


def test_figures_of_one_commit_are_put_together():
    first = {"before": 1, "rows": 5, "of": {"a": 1, "b": 1}}
    assert merged(first, {"before": 5, "rows": 9, "of": {"b": 2}}) == {"before": 1, "rows": 9, "of": {"a": 1, "b": 2}}
    assert merged(None, first) is merged(first, None) is first


def test_without_a_place_in_the_key_the_estimate_holds_until_there_are_more_rows():
    assert [reading(100, rows, span=None) for rows in (0, 50, 100, 130)] == [100, 100, 100, 130]
    assert reading(100, 50, place="x") == 100


@pytest.mark.parametrize(("estimate", "most"), [(1000, 1001), (700, 1400), (3000, 3000), (100, 1100), (0, 1000)])
def test_the_place_in_the_key_brings_an_estimate_that_is_off_towards_the_truth(estimate, most):
    """A thousand rows, evenly spread."""
    found = [reading(estimate, rows, place=rows) for rows in range(10, 1000, 10)]
    assert max(found) <= most
    assert abs(found[-1] - 1000) < 30
    assert abs(found[len(found) // 2] - 1000) <= abs(estimate - 1000) or not estimate


def test_one_row_far_away_does_not_make_a_right_estimate_wrong():
    """Nine hundred rows of a thousand are read, and the key's place says almost nothing."""
    assert reading(1000, 900, place=900, span=(0, 2**31)) == pytest.approx(1000, rel=0.01)


def test_there_are_never_fewer_rows_than_were_read():
    chance = random.Random(SEED)
    for _ in range(2000):
        estimate, rows, place = chance.randrange(1000), chance.randrange(2000), chance.randrange(-100, 1200)
        assert reading(estimate, rows, place) >= rows, f"seed {SEED}"
    assert reading(5, 3, place=7, span=(7, 7)) == 5


def test_rows_are_those_of_all_tables():
    assert rows_of(state([], {"a": TableState(3), "b": TableState(4)}, Finished(1, 5))) == 12
