"""How tables are shared out to lanes."""

import random
from itertools import pairwise

from tailrace.snapshot.segments import Segment, TablePlan, shares, undelivered


def shown(plan):
    return [(segment.table, segment.after, segment.upto) for segment in plan.segments]


def test_one_lane_reads_each_table_whole_and_in_order():
    (lane,) = shares([TablePlan("b", 5, [[1], [2]]), TablePlan("a", 900)], 1)
    assert shown(lane) == [("b", None, None), ("a", None, None)]
    assert lane.opens
    assert lane.closes


def test_a_large_table_gives_a_part_to_each_lane():
    lanes = shares([TablePlan("t", 900, [[10], [20]])], 3)
    assert [shown(lane) for lane in lanes] == [[("t", None, [10])], [("t", [10], [20])], [("t", [20], None)]]
    assert [lane.opens for lane in lanes] == [True, False, False]
    assert [lane.closes for lane in lanes] == [False, False, True]


def test_neighbouring_parts_are_joined_where_there_are_more_than_lanes():
    lanes = shares([TablePlan("t", 900, [[n] for n in range(1, 5)])], 2)
    assert [shown(lane) for lane in lanes] == [[("t", None, [2])], [("t", [2], None)]]


def test_small_tables_go_where_the_fewest_rows_are():
    lanes = shares([TablePlan("a", 10), TablePlan("b", 100), TablePlan("c", 60), TablePlan("d", 50)], 2)
    assert [[segment.table for segment in lane.segments] for lane in lanes] == [["a", "b"], ["c", "d"]]


def test_lanes_may_have_nothing_to_do():
    lanes = shares([TablePlan("a", 10)], 3)
    assert [len(lane.segments) for lane in lanes] == [1, 0, 0]
    assert not shares([], 2)[0].opens


def test_any_tables_are_covered_once_and_about_evenly_and_the_same_again():
    for seed in range(300):
        chance = random.Random(seed)
        tables = [
            TablePlan(f"t{n}", chance.randrange(1_000), [[i] for i in range(chance.randrange(6))])
            for n in range(chance.randrange(1, 8))
        ]
        lanes = shares(tables, chance.randrange(1, 5))
        assert lanes == shares(tables, len(lanes)), f"seed {seed}"
        for table in tables:
            segments = [segment for lane in lanes for segment in lane.segments if segment.table == table.table]
            by_start = sorted(segments, key=lambda segment: segment.after or [-1])
            assert [by_start[0].after, by_start[-1].upto] == [None, None], f"seed {seed}"
            assert all(a.upto == b.after for a, b in pairwise(by_start)), f"seed {seed}"
        assert sum(lane.opens for lane in lanes) == sum(lane.closes for lane in lanes) == 1, f"seed {seed}"


def test_what_is_not_delivered_is_asked_by_table():
    segments = [Segment("a", [1], [5]), Segment("b"), Segment("a", [9], None)]
    assert undelivered(segments, "a") == [([1], [5]), ([9], None)]
    assert undelivered(segments, "c") == []
