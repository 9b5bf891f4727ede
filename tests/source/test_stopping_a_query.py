"""A query is stopped when its task has made the last commit, as far as Spark's status tells, without Spark."""

import itertools
import threading
import time
from contextlib import closing
from types import SimpleNamespace

import pytest
from attrs import evolve

from support.counting_log import counting_job
from tailrace.errors import ConfigError, DriverAwayError, FencedError, RetriableError, StoppedError
from tailrace.link import Link
from tailrace.source import run
from tailrace.source.delivery import DeliveryReader
from tailrace.source.job import Job
from tailrace.source.query_errors import is_dead_planner, is_dead_process, is_stopped, lost_its_driver
from tailrace.source.slices import INITIAL


class Query:
    """One whose status at each look is given."""

    def __init__(self, looks):
        self._looks = iter(looks)
        self.isActive = True

    @property
    def status(self):
        return {"isTriggerActive": next(self._looks), "isDataAvailable": False}

    def stop(self):
        self.isActive = False

    def exception(self):
        return None


LINK = SimpleNamespace(stop_tasks=lambda: None)


@pytest.fixture(autouse=True)
def short_looks(monkeypatch):
    monkeypatch.setattr(run, "STOP_POLL_SECONDS", 0.0)


def test_one_look_at_a_query_that_rests_is_enough_though_it_looks_for_work_again_at_once():
    query = Query([True, True, False, True, True])
    run.stop(query, LINK, 20.0)
    assert not query.isActive


def test_a_task_that_does_not_end_in_time_is_killed_and_that_is_told():
    query = Query(itertools.repeat(True))
    with pytest.raises(RetriableError, match="did not come within"):
        run.stop(query, LINK, 0.05)
    assert not query.isActive


def test_a_run_that_was_taken_over_leaves_no_query_behind():
    query, told = Query([]), []
    query.awaitTermination = lambda seconds: not query.isActive
    taken = SimpleNamespace(stop_requested=fail_as_taken_over)
    with pytest.raises(FencedError):
        run.wait(query, SimpleNamespace(stop_tasks=lambda: told.append("stop")), taken)
    assert (query.isActive, told) == (False, ["stop"])


def test_a_run_whose_application_was_given_up_leaves_no_query_behind():
    query, told = Query([]), []
    query.awaitTermination = lambda seconds: not query.isActive
    going_on = SimpleNamespace(stop_requested=lambda: False)

    def given_up(stopping):
        raise RetriableError(f"given up; stopping: {stopping()}")

    with pytest.raises(RetriableError, match="stopping: False"):
        run.wait(query, SimpleNamespace(stop_tasks=lambda: told.append("stop")), going_on, given_up)
    assert (query.isActive, told) == (False, ["stop"])


@pytest.mark.parametrize("error", [None, ConfigError("told late")])
@pytest.mark.parametrize("asked", ["target", "database"])
def test_a_stop_does_not_wait_for_a_planner_whose_servers_hang(tmp_path, monkeypatch, asked, error):
    ends = threading.Event()
    hanging = SimpleNamespace(peek=lambda _: ends.wait(60), head=lambda: ends.wait(60))
    monkeypatch.setattr(Job, "new_sink", lambda _: hanging)
    monkeypatch.setattr(Job, "new_connector", lambda _: hanging)
    with closing(Link(lambda *_: None)) as link:
        planner = DeliveryReader(evolve(counting_job(tmp_path, 10), link=link.address))
        threading.Timer(0.3, link.stop_tasks if error is None else lambda: link._turns.fail(error)).start()
        began = time.monotonic()
        with pytest.raises(StoppedError if error is None else ConfigError):
            planner.latestOffset(INITIAL, None) if asked == "target" else planner.prepareForTriggerAvailableNow()
        assert time.monotonic() - began < 30
    ends.set()


def fail_as_taken_over():
    raise FencedError("another run has taken over")


@pytest.mark.parametrize(
    ("text", "is_planner"),
    [
        ("Python worker failed to connect back.\n\tat o.a.s.PythonStreamingSourceRunner.init(x:109)", True),
        ("java.io.EOFException\n\tat o.a.s.PythonStreamingSourceRunner.latestOffset", True),
        ("Python worker failed to connect back.\n\tat o.a.s.PythonRunner.compute", False),
        ("Python worker exited unexpectedly (crashed): java.io.EOFException", False),
    ],
)
def test_a_planner_that_did_not_start_is_as_dead_as_one_that_was_killed(text, is_planner):
    error = RuntimeError(text)
    assert (is_dead_planner(error), is_dead_process(error)) == (is_planner, True)


def test_a_task_that_had_lost_its_driver_was_not_stopped_as_asked():
    error = RuntimeError(f"PythonException: {DriverAwayError.__name__}: the driver was not to be reached for long")
    assert (is_stopped(error), lost_its_driver(error)) == (False, True)
    assert run._mishap(error)[0] == "tasks did not reach the driver for long"
