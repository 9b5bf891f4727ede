"""A run that loses its lanes though it has the lease claims them again. Without Spark."""

from types import SimpleNamespace

import pytest
from attrs import evolve

from support.counting_log import counting_job
from tailrace.errors import FencedError, RetriableError, StoppedError
from tailrace.source import new_snapshot, returns, run
from tailrace.source.job import Pace
from tailrace.source.stop_time import StopTime

SPARK = SimpleNamespace(sparkContext=SimpleNamespace(master="local[2]", defaultParallelism=2, getConf=dict))
TAKEN = FencedError("lane 0 was taken over")
OF_A_TASK = RuntimeError("[STREAM_FAILED] ...\ntailrace.errors.FencedError: lane 0 was taken over")


@pytest.fixture
def job(tmp_path):
    return counting_job(tmp_path, 700, pace=Pace(retry_seconds=0.01), document={"rows": 100}, snapshot_lanes=0)


@pytest.fixture
def deliver(tmp_path, monkeypatch):
    """Runs a job whose deliveries end as said, in turn; the runs they belonged to, and what was told."""

    def deliver(job, *ends, confirm=lambda: True, stop_asked=lambda: False):
        found, told, left = [], [], list(ends)

        def end(_run, job, claim, **_):
            found.append((job.run, claim.progress))
            if isinstance(error := left.pop(0), Exception):
                raise error
            return error

        monkeypatch.setattr(run._Run, "_deliver", end)
        started = run._Run(SPARK, str(tmp_path / "checkpoint"), None, StopTime(stop_asked), told.append, confirm)
        return started.deliver(job, available_now=True), found, told

    return deliver


@pytest.mark.parametrize("error", [TAKEN, OF_A_TASK])
def test_it_goes_on_as_another_run_from_what_is_recorded(deliver, job, error):
    stopped, found, told = deliver(job, error, error, True)
    assert (stopped, len({name for name, _ in found})) == (True, 3)
    assert all(progress == found[0][1] for _, progress in found)
    assert told == ["a run that this one has replaced had claimed the lanes; they are claimed again"] * 2


def test_no_other_snapshot_is_taken_for_that(deliver, job, monkeypatch):
    deliver(job, False)
    begun, begin = [], new_snapshot.begin
    monkeypatch.setattr(new_snapshot, "begin", lambda *given: begun.append(1) or begin(*given))
    monkeypatch.setattr(new_snapshot, "is_pending", lambda _: False)  # its rows are delivered
    deliver(evolve(job, snapshot_again=new_snapshot.ALWAYS), TAKEN, TAKEN, False)
    assert begun == [1]


def test_where_the_lanes_were_lost_before_it_began_the_snapshot_is_taken(deliver, job, monkeypatch):
    begin, left = new_snapshot.begin, [TAKEN]

    def at_the_second_attempt(*given):
        if left:
            raise left.pop()
        return begin(*given)

    monkeypatch.setattr(new_snapshot, "begin", at_the_second_attempt)
    _, [(_, (progress,))], _ = deliver(job, False)
    assert progress.snapshot_is_pending


@pytest.mark.parametrize(
    ("found", "expected"), [(False, TAKEN), (FencedError("taken over by another"), FencedError("taken over by another"))]
)
def test_without_the_lease_it_ends(deliver, job, found, expected):
    def confirm():
        confirm.times += 1
        if isinstance(found, Exception) and confirm.times > 1:  # the first time is before it claims
            raise found
        return found

    confirm.times = 0
    with pytest.raises(FencedError, match=str(expected)):
        deliver(job, TAKEN, False, confirm=confirm)


def test_a_lease_that_can_not_be_reached_is_asked_for_again(deliver, job):
    answers = iter([True, RetriableError("away"), True, True])

    def confirm():
        if isinstance(answer := next(answers), Exception):
            raise answer
        return answer

    stopped, found, told = deliver(job, TAKEN, False, confirm=confirm)
    assert (stopped, len(found), told[0]) == (False, 2, "away; trying again in 0.01 s")


def test_a_stop_ends_it(deliver, job):
    stops = []

    def confirm():
        stops.append(1)
        if len(stops) > 1:
            raise RetriableError("away")
        return True

    with pytest.raises(StoppedError):
        deliver(job, TAKEN, False, confirm=confirm, stop_asked=lambda: len(stops) > 2)
    with pytest.raises(FencedError):
        deliver(job, TAKEN, False, confirm=lambda: True, stop_asked=lambda: True)


def test_it_gives_up_where_the_other_one_comes_back_again_and_again(deliver, job, monkeypatch):
    with pytest.raises(FencedError):
        deliver(job, *[TAKEN] * 20)
    monkeypatch.setattr(returns, "QUIET_SECONDS", 0.0)
    assert deliver(job, *[TAKEN] * 20, True)[0]
