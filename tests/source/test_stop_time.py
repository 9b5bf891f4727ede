"""The time for a stop, counted from when it was asked for."""

import time

import pytest

from tailrace.source.stop_time import COMMIT_SECONDS, StopTime


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_it_begins_when_the_stop_is_asked_for(clock):
    asked = []
    stop = StopTime(lambda: bool(asked), 20.0)
    clock[0] += 1000
    assert (stop.stop_requested(), stop.left) == (False, 20.0)
    asked.append(True)
    assert stop.stop_requested()
    clock[0] += 7
    assert stop.stop_requested()
    assert stop.left == 13
    clock[0] += 70
    assert stop.left == 0


def test_the_last_commit_has_a_while_in_any_case(clock):
    stop = StopTime(lambda: True, 20.0)
    assert stop.stop_requested()
    clock[0] += 1
    assert stop.for_commit == 19
    clock[0] += 18.5
    assert stop.for_commit == COMMIT_SECONDS


def test_what_is_done_in_the_rest_of_it_is_asked_to_stop_early_enough(clock):
    stop = StopTime(lambda: True, 20.0)
    assert stop.stop_requested()
    more = stop.for_more()
    assert not more.stop_requested()
    clock[0] += 15
    assert more.stop_requested()
    assert more.left == stop.left == 5


def test_without_time_there_is_no_more():
    stop = StopTime(lambda: True, 0.0)
    assert stop.stop_requested()
    assert stop.for_more().stop_requested()
