"""How a run fixes where a new job's snapshot begins, before any query of Spark's is started."""

from contextlib import closing
from types import SimpleNamespace

import pytest
from attrs import evolve

from support.counting_log import CountingLog, counting_job, grow
from tailrace.connectors.base import Progress
from tailrace.errors import ProgressError, RetriableError
from tailrace.source import run
from tailrace.source.job import Pace
from tailrace.source.stop_time import StopTime

SPARK = SimpleNamespace(sparkContext=SimpleNamespace(master="local[2]", defaultParallelism=2, getConf=dict))


@pytest.fixture
def job(tmp_path):
    return counting_job(tmp_path, 700, pace=Pace(retry_seconds=0.01), document={"rows": 100}, snapshot_lanes=0)


@pytest.fixture
def deliver(tmp_path, monkeypatch):
    """Runs a job to where its queries would be started; what they would find, or None where it was stopped before."""
    found = []
    monkeypatch.setattr(run._Run, "_deliver", lambda _self, _job, claim, **_: found.append(claim.progress))

    def deliver(job, stop_asked=lambda: False):
        found.clear()
        started = run._Run(SPARK, str(tmp_path / "checkpoint"), None, StopTime(stop_asked), print)
        started.deliver(job, available_now=True)
        return found[0] if found else None

    return deliver


def recorded(job):
    with closing(job.new_sink()) as sink:
        return sink.peek(0)


def test_it_is_fixed_for_as_many_lanes_as_spark_has_cores(deliver, job):
    begun = Progress("", {"n": 0}, {"lanes": 2, "read": 0})
    assert deliver(job) == (begun,)
    assert recorded(job) == begun
    grow(job.document["log"], 1400)
    assert deliver(job) == (begun,), "and once for all"


def test_a_job_without_a_snapshot_leaves_that_to_its_task(deliver, job):
    assert deliver(evolve(job, snapshot_lanes=None)) == (None,)


def test_it_is_delayed_once_however_often_it_is_tried(deliver, job, monkeypatch):
    delays, tries, begin = [], [], CountingLog.start_point

    def at_the_third_attempt(log, *given):
        tries.append(given)
        if len(tries) < 3:
            raise RetriableError("a lock is in the way")
        return begin(log, *given)

    monkeypatch.setattr(run, "paused", lambda seconds, _: delays.append(seconds))
    monkeypatch.setattr(CountingLog, "start_point", at_the_third_attempt)
    assert deliver(evolve(job, snapshot_delay_seconds=5.0)) == (recorded(job),)
    assert (delays, len(tries)) == ([5.0], 3)


def test_a_stop_ends_the_delay_and_nothing_is_recorded(deliver, job):
    asked = iter([False, False])
    delayed = evolve(job, snapshot_delay_seconds=3600.0)
    assert deliver(delayed, stop_asked=lambda: next(asked, True)) is None
    assert recorded(job) is None


def test_a_progress_that_was_lost_is_not_begun_anew(deliver, job, tmp_path):
    (tmp_path / "checkpoint" / "commits").mkdir(parents=True)
    (tmp_path / "checkpoint" / "commits" / "0").touch()
    with pytest.raises(ProgressError, match="the sink has no progress record"):
        deliver(job)
    assert recorded(job) is None
