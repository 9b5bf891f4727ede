"""Offsets of the direct way."""

import json

import pytest

from tailrace.connectors.base import Lane, Progress
from tailrace.errors import ProgressError
from tailrace.source.slices import INITIAL, Turn, next_offset, turns

HEAD = {"n": 70}


def test_the_first_turn_is_planned_even_though_the_sink_knows_nothing():
    assert next_offset(INITIAL, [None], None) == {"slice": 1, "floor": "", "until": None}


def test_a_stream_without_a_target_always_has_another_turn():
    first = next_offset(INITIAL, [None], None)
    assert next_offset(first, [Progress("5", {})], None) == {"slice": 2, "floor": "5", "until": None}


def test_a_target_that_was_reached_needs_no_further_turn():
    reached = next_offset(INITIAL, [None], HEAD)
    assert next_offset(reached, [Progress("69", {})], HEAD) is reached


def test_a_new_target_needs_another_turn():
    reached = next_offset(INITIAL, [None], HEAD)
    assert next_offset(reached, [Progress("69", {})], {"n": 77})["slice"] == 2


def test_progress_without_a_checkpoint_is_gone_on_from():
    assert next_offset(INITIAL, [Progress("5", {})], HEAD) == {"slice": 1, "floor": "5", "until": HEAD}


def test_a_checkpoint_without_progress_stops_loudly():
    with pytest.raises(ProgressError, match="no progress record"):
        next_offset({"slice": 1, "floor": "", "until": None}, [None], None)


def test_progress_before_the_floor_stops_loudly():
    with pytest.raises(ProgressError, match="4 lies before 5"):
        next_offset({"slice": 1, "floor": "5", "until": None}, [Progress("4", {})], None)


def test_equal_offsets_are_no_work():
    assert turns(INITIAL, INITIAL, 1, None) == []


def test_a_turn_says_whether_it_is_the_first():
    first = next_offset(INITIAL, [None], None)
    second = next_offset(first, [Progress("5", {})], None)
    assert turns(INITIAL, first, 1, None) == [Turn(Lane(), True, "", None)]
    assert turns(first, second, 1, None) == [Turn(Lane(), False, "5", None)]


def test_a_turn_that_is_run_again_in_a_run_with_a_target_ends_there():
    assert turns(INITIAL, next_offset(INITIAL, [None], None), 1, HEAD) == [Turn(Lane(), True, "", HEAD)]


def test_a_turn_that_was_planned_with_an_end_keeps_it():
    assert turns(INITIAL, next_offset(INITIAL, [None], HEAD), 1, {"n": 700}) == [Turn(Lane(), True, "", HEAD)]


def test_offsets_survive_spark_which_stores_them_as_json():
    offset = next_offset(INITIAL, [Progress("5", {})], HEAD)
    assert json.loads(json.dumps(offset)) == offset


def test_each_lane_gets_a_turn_and_the_floor_is_what_all_of_them_have():
    offset = next_offset(INITIAL, [Progress("7", {}), Progress("5", {})], None)
    assert offset == {"slice": 1, "floor": "5", "until": None}
    assert turns(INITIAL, offset, 2, None) == [Turn(Lane(0, 2), True, "5", None), Turn(Lane(1, 2), True, "5", None)]


def test_a_target_is_reached_when_all_lanes_have_begun():
    reached = next_offset(INITIAL, [Progress("7", {}), None], HEAD)
    assert next_offset({**reached, "slice": 0}, [Progress("7", {}), None], HEAD)["slice"] == 1
    assert next_offset(reached, [Progress("7", {}), Progress("7", {})], HEAD) is reached
