"""A stop of lanes that stand apart, while a server hangs: it ends in time, and says that they stay apart. Without Spark."""

import threading
import time
from contextlib import closing
from types import SimpleNamespace

import pytest
from attrs import evolve

from support.counting_log import counting_job
from tailrace.connectors.base import Progress
from tailrace.errors import FencedError, StoppedError
from tailrace.sinks.base import Claim
from tailrace.source import lane_alignment, run
from tailrace.source.job import Job, Pace
from tailrace.source.stop_time import StopTime

SECONDS = 0.4
APART = Claim((Progress("0001", {"at": 1}), Progress("0002", {"at": 2})))


@pytest.fixture
def hanging():
    """Asks a server that does not answer before the test ends."""
    ends = threading.Event()
    yield lambda *_: ends.wait(60)
    ends.set()


@pytest.mark.parametrize("who", ["target", "database"])
def test_a_server_that_hangs_does_not_hold_up_a_stop(tmp_path, monkeypatch, hanging, who):
    job = counting_job(tmp_path, 10, lanes=2, pace=Pace(retry_seconds=10))
    monkeypatch.setattr(lane_alignment, "recorded", hanging if who == "target" else lambda _: APART)
    monkeypatch.setattr(Job, "new_connector", lambda _: SimpleNamespace(common_boundary=hanging))
    told, link = [], SimpleNamespace(let_tasks_work=lambda: None)
    stop = StopTime(lambda: True, SECONDS)
    assert stop.stop_requested()
    began = time.monotonic()
    assert run._Run(None, "", link, stop, told.append)._align_lanes(job)
    assert time.monotonic() - began < 30
    assert f"{lane_alignment.APART} (there was no answer in time)" in told


def test_a_stop_at_a_start_does_not_wait_for_where_lanes_can_meet(tmp_path, monkeypatch, hanging):
    job = counting_job(tmp_path, 10, lanes=1, pace=Pace(retry_seconds=10))
    monkeypatch.setattr(Job, "new_connector", lambda _: SimpleNamespace(common_boundary=hanging))
    stop = StopTime(lambda: True, SECONDS)
    with pytest.raises(StoppedError):
        run._Run(None, "", SimpleNamespace(), stop, lambda _: None)._log(job, APART, available_now=False)


def test_a_stop_does_not_wait_for_a_target_that_hangs_as_it_is_taken_over(tmp_path, monkeypatch, hanging):
    job = counting_job(tmp_path, 10, lanes=1, pace=Pace(retry_seconds=10))
    monkeypatch.setattr(lane_alignment, "claimed", hanging)
    asked = time.monotonic() + SECONDS
    began = run._Run(None, "", SimpleNamespace(), StopTime(lambda: time.monotonic() > asked), print)
    with pytest.raises(StoppedError):
        began._claimed(job)
    assert time.monotonic() - asked < 30


def raising(error):
    def raised(*_, **__):
        raise error

    return raised


@pytest.mark.parametrize(
    "error",
    [
        FencedError("lane 1 was taken over"),
        RuntimeError("[STREAM_FAILED] ...\ntailrace.errors.FencedError: lane 1 was taken over"),  # of a Spark task
    ],
)
def test_a_stop_of_lanes_that_another_run_has_taken_over_says_so(tmp_path, monkeypatch, error):
    job = counting_job(tmp_path, 10, lanes=2, pace=Pace(retry_seconds=10))
    monkeypatch.setattr(lane_alignment, "recorded", raising(error))
    with pytest.raises(type(error), match="lane 1 was taken over"):
        run._Run(None, "", SimpleNamespace(), StopTime(lambda: True, SECONDS), lambda _: None)._align_lanes(job)


def test_no_lane_is_claimed_by_a_run_that_another_has_overtaken(tmp_path):
    job = counting_job(tmp_path, 10, lanes=2)
    stop = StopTime(lambda: False, SECONDS)
    overtaken = run._Run(None, "", SimpleNamespace(), stop, print, raising(FencedError("another run")))
    with closing(evolve(job, run="another").new_sink()) as sink:
        sink.claim(1)
        with pytest.raises(FencedError):
            overtaken.deliver(job, available_now=False)
        assert sink.open(0).progress is None
