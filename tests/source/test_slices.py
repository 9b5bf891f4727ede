"""Offsets of the direct way."""

import json

import pytest

from tailrace.connectors.base import Lane, Progress
from tailrace.errors import ProgressError
from tailrace.source.slices import INITIAL, Goal, Turn, next_offset, turns

HEAD = {"n": 70}
ENDLESS, TO_HEAD = Goal(), Goal(until=HEAD)


def test_the_first_turn_is_planned_even_though_the_sink_knows_nothing():
    assert next_offset(INITIAL, [None], ENDLESS) == {"slice": 1, "floor": "", "until": None}


def test_a_stream_without_a_target_always_has_another_turn():
    first = next_offset(INITIAL, [None], ENDLESS)
    assert next_offset(first, [Progress("5", {})], ENDLESS) == {"slice": 2, "floor": "5", "until": None}


def test_a_target_that_was_reached_needs_no_further_turn():
    reached = next_offset(INITIAL, [None], TO_HEAD)
    assert next_offset(reached, [Progress("69", {})], TO_HEAD) is reached


def test_a_new_target_needs_another_turn():
    reached = next_offset(INITIAL, [None], TO_HEAD)
    assert next_offset(reached, [Progress("69", {})], Goal(until={"n": 77}))["slice"] == 2


def test_progress_without_a_checkpoint_is_gone_on_from():
    assert next_offset(INITIAL, [Progress("5", {})], TO_HEAD) == {"slice": 1, "floor": "5", "until": HEAD}


def test_a_checkpoint_without_progress_stops_loudly():
    with pytest.raises(ProgressError, match="no progress record"):
        next_offset({"slice": 1, "floor": "", "until": None}, [None], ENDLESS)


def test_progress_before_the_floor_stops_loudly():
    with pytest.raises(ProgressError, match="4 lies before 5"):
        next_offset({"slice": 1, "floor": "5", "until": None}, [Progress("4", {})], ENDLESS)


def test_equal_offsets_are_no_work():
    assert turns(INITIAL, INITIAL, 1, ENDLESS) == []


def test_a_turn_says_whether_it_is_the_first():
    first = next_offset(INITIAL, [None], ENDLESS)
    second = next_offset(first, [Progress("5", {})], ENDLESS)
    assert turns(INITIAL, first, 1, ENDLESS) == [Turn(Lane(), True, "", None, number=1)]
    assert turns(first, second, 1, ENDLESS) == [Turn(Lane(), False, "5", None, number=2)]


def test_a_turn_that_is_run_again_in_a_run_with_a_target_ends_there():
    assert turns(INITIAL, next_offset(INITIAL, [None], ENDLESS), 1, TO_HEAD) == [Turn(Lane(), True, "", HEAD, number=1)]


def test_a_turn_that_was_planned_with_an_end_keeps_it():
    planned = next_offset(INITIAL, [None], TO_HEAD)
    assert turns(INITIAL, planned, 1, Goal(until={"n": 700})) == [Turn(Lane(), True, "", HEAD, number=1)]


def test_offsets_survive_spark_which_stores_them_as_json():
    offset = next_offset(INITIAL, [Progress("5", {})], TO_HEAD)
    assert json.loads(json.dumps(offset)) == offset


def test_each_lane_gets_a_turn_and_the_floor_is_what_all_of_them_have():
    offset = next_offset(INITIAL, [Progress("7", {}), Progress("5", {})], ENDLESS)
    assert offset == {"slice": 1, "floor": "5", "until": None}
    assert turns(INITIAL, offset, 2, ENDLESS) == [Turn(Lane(n, 2), True, "5", None, number=1) for n in (0, 1)]


def test_a_target_is_reached_when_all_lanes_have_begun():
    reached = next_offset(INITIAL, [Progress("7", {}), None], TO_HEAD)
    assert next_offset({**reached, "slice": 0}, [Progress("7", {}), None], TO_HEAD)["slice"] == 1
    assert next_offset(reached, [Progress("7", {}), Progress("7", {})], TO_HEAD) is reached


def test_a_snapshot_is_read_in_one_turn_of_a_query_of_its_own():
    query = Goal(snapshot="q1")
    first = next_offset(INITIAL, [None], query)
    assert first == {"slice": 1, "floor": "", "until": None, "snapshot": "q1"}
    assert next_offset(first, [Progress("", {})], query) is first
    assert next_offset(first, [Progress("", {})], Goal(snapshot="q2"))["slice"] == 2


def test_a_turn_of_the_log_that_was_not_finished_reads_the_snapshot_in_a_query_for_one():
    planned = next_offset(INITIAL, [None], ENDLESS)
    assert turns(INITIAL, planned, 1, Goal(snapshot="q1")) == [Turn(Lane(), True, "", None, snapshot=True, number=1)]


def test_a_turn_for_a_snapshot_that_is_run_again_delivers_nothing_of_the_log():
    planned = next_offset(INITIAL, [None], Goal(snapshot="q1"))
    assert turns(INITIAL, planned, 1, TO_HEAD) == [Turn(Lane(), True, "", HEAD, snapshot=True, number=1)]


def test_the_log_follows_a_snapshot_in_further_turns():
    read = next_offset(INITIAL, [None], Goal(snapshot="q1"))
    assert next_offset(read, [Progress("", {})], TO_HEAD) == {"slice": 2, "floor": "", "until": HEAD}
