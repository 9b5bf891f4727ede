"""The task of the direct way, without Spark."""

import json
import logging
import shutil
import threading
import time
from contextlib import closing, nullcontext, suppress
from functools import partial

import pytest
from attrs import evolve

from support.counting_log import COMPLETED, SKIPPED, CountingLog, counting_job, grow
from tailrace.connectors.base import Lane, Progress
from tailrace.errors import (
    ConfigError,
    DriverAwayError,
    FencedError,
    PositionLostError,
    ProgressError,
    RegistryUnavailableError,
    RetriableError,
    SinkLostError,
    StoppedError,
    TransactionTooLongError,
)
from tailrace.events.pipeline import RecordPipeline
from tailrace.link import Link
from tailrace.sinks.base import Claim
from tailrace.sinks.files import FilesSink
from tailrace.source import new_snapshot, skipped_notification
from tailrace.source.job import Job, Pace
from tailrace.source.slices import Turn
from tailrace.source.task import deliver
from tailrace.told_turns import Attempt
from tailrace_standins.servers.waiting import wait_until

TO_700 = Turn(Lane(), True, "", {"n": 700})


@pytest.fixture
def job(tmp_path):
    return counting_job(tmp_path, 1000, pace=Pace(retry_seconds=0.01))


def delivered(job):
    folder = job.new_sink()._folder
    return sorted(json.loads(line)["key"]["id"] for file in folder.glob("count.*/*.jsonl") for line in file.open())


def test_a_bounded_turn_delivers_up_to_its_end(job):
    figures = deliver(job, TO_700)
    assert delivered(job) == list(range(700))
    assert (figures.changes, figures.records, figures.delivered) == (700, 700, f"{699:012d}")


def test_the_next_turn_goes_on_from_the_sinks_progress(job):
    deliver(job, TO_700)
    assert deliver(job, Turn(Lane(), False, "", {"n": 994})).changes == 294
    assert delivered(job) == list(range(994))


def test_a_turn_that_is_run_again_delivers_nothing_twice(job):
    deliver(job, TO_700)
    assert deliver(job, TO_700).records == 0
    assert delivered(job) == list(range(700))


def test_an_open_turn_ends_with_its_time(job):
    quick = evolve(job, pace=Pace(slice_seconds=1, commit_seconds=0.5))
    deliver(quick, Turn(Lane(), True, "", None))
    assert delivered(job) == list(range(994))


def test_commits_come_when_enough_waits_for_one(job):
    assert deliver(evolve(job, pace=Pace(commit_seconds=100, commit_changes=100)), TO_700).commits == 1 + 7
    again = evolve(job, target=job.target + "2", pace=Pace(commit_seconds=100, commit_bytes=1))
    assert deliver(again, TO_700).commits == 1 + 35


def test_the_beginning_is_fixed_by_a_commit_of_its_own(job):
    with pytest.raises(PositionLostError):
        deliver(evolve(job, document={**job.document, "fatal_at": 0}), TO_700)
    assert job.new_sink().peek(0) == Progress("", {"n": 0})


def test_a_dropped_connection_is_tried_again_without_loss_or_repetition(job):
    flaky = evolve(job, document={**job.document, "fail_every": 3})
    deliver(flaky, TO_700)
    assert delivered(job) == list(range(700))


def test_retries_end_when_they_do_not_help(job):
    flaky = evolve(job, document={**job.document, "fail_every": 1}, pace=Pace(max_retries=0))
    with pytest.raises(RetriableError):
        deliver(flaky, TO_700)
    assert delivered(job) == list(range(20)), "what was read before the error is delivered"


def test_what_was_read_before_an_error_that_ends_the_run_is_delivered(job):
    pace = Pace(commit_seconds=100, commit_at_head=False)
    with pytest.raises(PositionLostError):
        deliver(evolve(job, document={**job.document, "fatal_at": 300}, pace=pace), TO_700)
    assert delivered(job) == list(range(300))
    deliver(job, TO_700)
    assert delivered(job) == list(range(700))


def test_each_failure_is_told(job):
    notices = []
    with closing(Link(lambda kind, content: notices.append(content) if kind == "notice" else None)) as link:
        deliver(evolve(job, link=link.address, document={**job.document, "fail_every": 30}), TO_700)
    assert notices == ["the connection was dropped; trying again in 0.01 s"]


def test_a_stop_makes_a_last_commit_and_a_bounded_turn_does_not_count_as_done(job):
    with closing(Link(lambda kind, content: None)) as link:
        link.stop_tasks()
        with pytest.raises(StoppedError):
            deliver(evolve(job, link=link.address), TO_700)
    assert delivered(job) == list(range(20))


def test_a_stop_ends_an_open_turn_in_good_order(job):
    def stop_when_all_is_there():
        while len(delivered(job)) < 994:
            time.sleep(0.02)
        link.stop_tasks()

    with closing(Link(lambda kind, content: None)) as link:
        threading.Thread(target=stop_when_all_is_there, daemon=True).start()
        deliver(evolve(job, link=link.address, pace=Pace(slice_seconds=60)), Turn(Lane(), True, "", None))
    assert delivered(job) == list(range(994))


def test_a_task_ends_when_its_driver_was_killed(job, tmp_path):
    with pytest.raises(DriverAwayError):
        deliver(evolve(job, link=_dead_socket(tmp_path)), TO_700)


def test_a_missing_progress_record_after_the_first_turn_stops_loudly(job):
    with pytest.raises(ProgressError):
        deliver(job, Turn(Lane(), False, "", {"n": 700}))


def test_a_task_that_another_run_took_over_says_so(job, monkeypatch):
    sink = job.new_sink()
    monkeypatch.setattr(Job, "new_sink", lambda self: sink)
    taken = _TakenOver(sink, evolve(job, run="another"))
    monkeypatch.setattr(type(sink), "write", taken)
    with pytest.raises(FencedError, match="another run"):
        deliver(job, TO_700)


def test_an_attempt_that_a_newer_one_of_the_same_run_replaced_ends_quietly(job, monkeypatch):
    sink = job.new_sink()
    monkeypatch.setattr(Job, "new_sink", lambda self: sink)
    monkeypatch.setattr(type(sink), "write", _TakenOver(sink, job))
    assert deliver(job, Turn(Lane(), True, "", None)).records == 0
    assert delivered(job) == []


@pytest.mark.parametrize("first", [True, False])
def test_a_turn_that_has_to_fix_the_beginning_is_not_done_before_it_has(job, monkeypatch, first):
    deliver(job, TO_700)
    sink = job.new_sink()
    monkeypatch.setattr(Job, "new_sink", lambda self: sink)
    monkeypatch.setattr(type(sink), "open", _fenced)
    monkeypatch.setattr(type(sink), "superseded_by_same_run", lambda self: True)
    with pytest.raises(FencedError) if first else nullcontext():
        assert deliver(job, Turn(Lane(), first, "", None)).records == 0


def test_a_stopped_turn_that_is_tried_again_asks_nobody(linked, monkeypatch):
    """Spark does so, as a bounded turn that was stopped must not count as done."""
    monkeypatch.setattr(Job, "new_sink", lambda job: pytest.fail("it takes the lane over"))
    with closing(Link(lambda kind, content: None)) as link:
        link.stop_tasks()
        with pytest.raises(StoppedError):
            deliver(evolve(linked, link=link.address), TO_700, Attempt(3, 1))


def test_a_bounded_turn_that_was_fenced_does_not_count_as_done(job, monkeypatch):
    sink = job.new_sink()
    monkeypatch.setattr(Job, "new_sink", lambda self: sink)
    monkeypatch.setattr(type(sink), "write", _TakenOver(sink, job))
    with pytest.raises(FencedError):
        deliver(job, TO_700)


def test_a_stop_before_the_beginning_was_fixed_does_not_count_as_done(job, monkeypatch):
    monkeypatch.setattr(CountingLog, "start_point", _unreachable)
    with closing(Link(lambda kind, content: None)) as link:
        link.stop_tasks()
        with pytest.raises(StoppedError):
            deliver(evolve(job, link=link.address), Turn(Lane(), True, "", None))


def test_a_sink_that_is_lost_again_and_again_ends_the_retries(job, monkeypatch):
    monkeypatch.setattr(FilesSink, "commit", _never)
    with pytest.raises(SinkLostError):
        deliver(evolve(job, pace=Pace(retry_seconds=0.01, max_retries=3)), TO_700)


@pytest.mark.parametrize("at", [1, 2, 3, 5])
def test_records_that_can_not_be_encoded_now_are_read_again_and_none_of_those_before_them(job, monkeypatch, at):
    """GIVEN a commit that is not due yet, WHEN a registry does not answer, which an encoder asks."""
    records, calls = RecordPipeline.records, iter(range(1, 100))

    def unavailable(self, events, *, interleaved):
        if next(calls) == at:
            raise RegistryUnavailableError("the registry does not answer")
        return records(self, events, interleaved=interleaved)

    monkeypatch.setattr(RecordPipeline, "records", unavailable)
    patient = evolve(job, pace=Pace(retry_seconds=0.01, commit_seconds=100, commit_at_head=False))
    figures = deliver(patient, TO_700)
    assert delivered(job) == list(range(700))
    assert figures.records == 700
    assert next(calls) > at + 1


def test_a_lost_sink_is_opened_anew_and_says_where_to_go_on(job, monkeypatch):
    """Whether the commit that failed came through is not known to the task: here every second one did."""
    monkeypatch.setattr(FilesSink, "commit", _Unsure(FilesSink.commit))
    notices = []
    with closing(Link(lambda kind, content: notices.append(content) if kind == "notice" else None)) as link:
        deliver(evolve(job, link=link.address, pace=Pace(retry_seconds=0.01, commit_changes=100)), TO_700)
    assert delivered(job) == list(range(700))
    assert set(notices) == {"the broker went away; trying again in 0.01 s"}
    assert len(notices) >= 4


def test_a_sink_that_forgot_what_it_had_said_is_not_believed(job, monkeypatch):
    def forget(sink, progress, history):
        if progress.delivered > f"{300:012d}":
            shutil.rmtree(sink._folder)
            raise SinkLostError("the broker went away")
        commit(sink, progress, history)

    commit = FilesSink.commit
    monkeypatch.setattr(FilesSink, "commit", forget)
    with pytest.raises(ProgressError, match="no progress record"):
        deliver(evolve(job, pace=Pace(retry_seconds=0.01, commit_changes=100)), TO_700)


def test_an_error_of_the_source_commits_what_was_read_and_keeps_the_sink(job, monkeypatch):
    opened = []
    monkeypatch.setattr(FilesSink, "open", lambda sink, lane, open_=FilesSink.open: opened.append(lane) or open_(sink, lane))
    deliver(evolve(job, document={**job.document, "fail_every": 3}), TO_700)
    assert opened == [0]


def test_what_is_read_at_the_head_is_committed_at_once(job):
    eager = evolve(job, pace=Pace(commit_seconds=100, commit_at_head=True, slice_seconds=1))
    assert deliver(eager, Turn(Lane(), True, "", None)).commits == 1 + 1
    assert delivered(job) == list(range(994))


@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_lanes_deliver_together_what_one_delivers_alone(job, lanes):
    for number in range(lanes):
        deliver(evolve(job, target=f"{job.target}-{number}"), Turn(Lane(number, lanes), True, "", {"n": 700}))
    told = [n for number in range(lanes) for n in delivered(evolve(job, target=f"{job.target}-{number}"))]
    assert sorted(told) == list(range(700))


def _unreachable(_log):
    raise RetriableError("the database is away")


def _never(_sink, _progress, _history):
    raise SinkLostError("the broker is away")


class _Unsure:
    """A commit of which every second one fails: by turns after and before it was done."""

    def __init__(self, commit):
        self._commit = commit
        self._count = 0

    def __get__(self, sink, _type):
        return lambda progress, history: self(sink, progress, history)

    def __call__(self, sink, progress, history):
        self._count += 1
        if self._count % 4 != 2:
            self._commit(sink, progress, history)
        if self._count % 2 == 0:
            raise SinkLostError("the broker went away")


class _TakenOver:
    """Takes the lane over just before the first write."""

    def __init__(self, sink, by):
        self._write = type(sink).write
        self._sink = sink
        self._by = by

    def __call__(self, records):
        FilesSink(self._sink._folder, self._by.source, self._by.run).open(0)
        return self._write(self._sink, records)


def _dead_socket(folder):
    """The address of a listener whose process is gone."""
    import socket

    address = str(folder / "dead")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
    return address


PATIENT = Pace(slice_seconds=100, retry_seconds=0.01)


@pytest.fixture
def linked(job):
    """The job with a link to a driver."""
    with closing(Link(lambda kind, content: None)) as link:
        yield evolve(job, link=link.address, pace=PATIENT)


def of_lane(job, number, **changed):
    """The job of one of two lanes; each has a target of its own here."""
    return evolve(job, target=f"{job.target}-{number}", document={**job.document, **changed})


def test_a_lane_ends_its_turn_when_another_has(linked):
    """GIVEN a lane whose process was killed and began the turn again later, WHEN the other lane's time is over."""
    turns = [Turn(Lane(n, 2), True, "", None, number=3) for n in (0, 1)]
    late = threading.Thread(target=deliver, args=(of_lane(linked, 1), turns[1], Attempt(8, 1)), daemon=True)
    late.start()
    wait_until(lambda: of_lane(linked, 1).new_sink().peek(1), 30, lambda: "the lane has not begun")
    deliver(evolve(of_lane(linked, 0), pace=Pace(slice_seconds=1)), turns[0], Attempt(7))
    late.join(10)
    assert not late.is_alive()
    told = [n for number in (0, 1) for n in delivered(of_lane(linked, number))]
    assert sorted(told) == list(range(994))


def test_a_lane_does_not_end_its_turn_because_the_turn_before_has_ended(linked):
    deliver(evolve(linked, pace=Pace(slice_seconds=0.1)), Turn(Lane(), True, "", None, number=3), Attempt(1))
    began = time.monotonic()
    deliver(evolve(linked, pace=Pace(slice_seconds=1)), Turn(Lane(), False, "", None, number=4), Attempt(2))
    assert time.monotonic() - began >= 1


@pytest.mark.parametrize("until", [None, {"n": 700}])
def test_what_a_task_has_failed_with_is_not_tried_again(linked, monkeypatch, until):
    """Each attempt of a wrong password counts where an account is locked after some."""
    turn = Turn(Lane(), True, "", until, number=1)
    fatal = evolve(linked, document={**linked.document, "fatal_at": 300})
    with pytest.raises(PositionLostError) as first:
        deliver(fatal, turn, Attempt(1))
    monkeypatch.setattr(Job, "new_connector", lambda job: pytest.fail("it asks the database again"))
    for n in (1, 2, 3):
        with pytest.raises(PositionLostError) as further:
            deliver(fatal, turn, Attempt(1 + n, n))
        assert str(further.value) == str(first.value)
    assert delivered(linked) == list(range(300))


@pytest.mark.parametrize("until", [None, {"n": 10**6}])
def test_the_other_lanes_commit_and_end_when_one_has_failed(linked, until):
    """And their turns do not count as done."""
    if until:
        grow(linked.document["log"], 10**6)
    turns = [Turn(Lane(n, 2), True, "", until, number=1) for n in (0, 1)]
    ended = []

    def other():
        with pytest.raises(PositionLostError) as error:
            deliver(of_lane(linked, 1, pause_seconds=0.01), turns[1], Attempt(2))
        ended.append(str(error.value))

    thread = threading.Thread(target=other, daemon=True)
    thread.start()
    wait_until(lambda: of_lane(linked, 1).new_sink().peek(1), 30, lambda: "the lane has not begun")
    with pytest.raises(PositionLostError) as error:
        deliver(of_lane(linked, 0, fatal_at=300), turns[0], Attempt(1))
    thread.join(10)
    assert ended == [str(error.value)]


def test_a_task_that_was_fenced_ends_alone(linked, monkeypatch):
    sink = linked.new_sink()
    with monkeypatch.context() as patched:
        patched.setattr(Job, "new_sink", lambda self: sink)
        patched.setattr(type(sink), "write", _TakenOver(sink, linked))
        with pytest.raises(FencedError):
            deliver(linked, TO_700, Attempt(1))
    deliver(linked, TO_700, Attempt(2, 1))
    assert delivered(linked) == list(range(700))


def test_a_lane_that_tries_again_and_again_does_not_make_the_others_wait(job):
    """GIVEN attempts without limit, WHEN the time is over; the next task goes on trying."""
    stuck = evolve(job, document={**job.document, "fail_every": 1, "block": 1}, pace=Pace(slice_seconds=1, retry_seconds=0.05))
    deliver(stuck, Turn(Lane(), True, "", None))
    assert 0 < len(delivered(job)) < 700
    deliver(evolve(job, pace=PATIENT), Turn(Lane(), False, "", {"n": 700}))
    assert delivered(job) == list(range(700))


@pytest.mark.parametrize("what", ["open", "commit"])
def test_a_lane_whose_sink_is_away_does_not_make_the_others_wait(job, monkeypatch, what):
    deliver(job, TO_700)
    monkeypatch.setattr(FilesSink, what, _away)
    stuck = evolve(job, pace=Pace(slice_seconds=0.3, retry_seconds=0.05, commit_changes=1))
    deliver(stuck, Turn(Lane(), False, "", None))
    monkeypatch.undo()
    deliver(job, Turn(Lane(), False, "", {"n": 994}))
    assert delivered(job) == list(range(994))


def test_a_transaction_that_takes_too_long_again_is_an_error_whatever_the_time(job, monkeypatch):
    deliver(job, TO_700)
    monkeypatch.setattr(FilesSink, "commit", _too_long)
    with pytest.raises(ConfigError):
        deliver(evolve(job, pace=Pace(slice_seconds=0.1, retry_seconds=0.2, commit_changes=1)), Turn(Lane(), False, "", None))


def test_where_attempts_are_counted_time_does_not_end_them(job, monkeypatch):
    monkeypatch.setattr(CountingLog, "read", _unreachable_again)
    counted = evolve(job, pace=Pace(slice_seconds=0.1, retry_seconds=0.1, max_retries=4))
    began = time.monotonic()
    with pytest.raises(RetriableError, match="away"):
        deliver(counted, Turn(Lane(), True, "", None))
    assert time.monotonic() - began >= 0.4


def test_a_beginning_that_is_not_fixed_is_not_left_to_the_next_turn(job, monkeypatch):
    """Which would miss the progress that must be there by then."""
    calls = iter([True] * 5 + [False] * 100)
    start_point = CountingLog.start_point
    monkeypatch.setattr(CountingLog, "start_point", lambda log: _unreachable(log) if next(calls) else start_point(log))
    deliver(evolve(job, pace=Pace(slice_seconds=0.1, retry_seconds=0.1)), Turn(Lane(), True, "", None))
    assert job.new_sink().peek(0) is not None


def _away(*_arguments):
    raise SinkLostError("the broker is away")


def _fenced(*_arguments):
    raise FencedError("another attempt has the lane")


def _too_long(*_arguments):
    raise TransactionTooLongError("the transaction took too long")


def _unreachable_again(*_arguments):
    raise RetriableError("the database is away")
    yield


SNAPSHOT = Turn(Lane(), True, "", None, snapshot=True)


@pytest.fixture
def new(job):
    """A job that is to begin with a snapshot, and has not yet."""
    pace = Pace(retry_seconds=0.01, commit_at_head=True)
    return evolve(job, document={**job.document, "rows": 100}, snapshot_lanes=1, pace=pace)


def begun(job, lanes=1):
    """The same, when the run has fixed where it begins."""
    with closing(job.new_sink()) as sink:
        claim = sink.claim(1)
    new_snapshot.begin(job, claim, lanes, lambda question: question())
    return job


@pytest.fixture
def with_snapshot(new):
    return begun(new)


def test_a_turn_for_a_snapshot_reads_it_and_nothing_of_the_log(with_snapshot):
    figures = deliver(with_snapshot, SNAPSHOT)
    assert delivered(with_snapshot) == list(range(-100, 0))
    assert (figures.changes, figures.commits) == (100, 5 + 1)
    assert with_snapshot.new_sink().peek(0) == Progress("", {"n": 0}, {"lanes": 1, "done": True})


def test_batches_that_belong_together_are_committed_together(with_snapshot):
    whole = evolve(with_snapshot, document={**with_snapshot.document, "whole": True})
    figures = deliver(whole, SNAPSHOT)
    assert delivered(whole) == list(range(-100, 0))
    assert (figures.records, figures.commits) == (100, 2), "the rows, and that they are all"


def test_what_can_not_be_committed_when_reading_fails_is_dropped(with_snapshot):
    document = {**with_snapshot.document, "whole": True}
    flaky = evolve(with_snapshot, document={**document, "fail_every": 3}, pace=Pace(retry_seconds=0.01, max_retries=2))
    with pytest.raises(RetriableError):
        deliver(flaky, SNAPSHOT)
    assert delivered(flaky) == []
    assert flaky.new_sink().peek(0).snapshot == {"lanes": 1, "read": 0}
    deliver(evolve(flaky, document=document), SNAPSHOT)
    assert delivered(flaky) == list(range(-100, 0))


def test_a_stop_drops_what_can_not_be_committed(with_snapshot):
    document = {**with_snapshot.document, "whole": True}
    with closing(Link(lambda kind, content: None)) as link:
        link.stop_tasks()
        with pytest.raises(StoppedError):
            deliver(evolve(with_snapshot, link=link.address, document=document), SNAPSHOT)
    assert delivered(with_snapshot) == []
    deliver(evolve(with_snapshot, document=document), SNAPSHOT)
    assert delivered(with_snapshot) == list(range(-100, 0))


def test_the_log_after_a_snapshot_begins_where_the_snapshot_is_of(with_snapshot):
    deliver(with_snapshot, SNAPSHOT)
    deliver(with_snapshot, TO_700)
    assert delivered(with_snapshot) == list(range(-100, 700))
    assert with_snapshot.new_sink().peek(0).snapshot is None


@pytest.fixture
def listening():
    """The address of a link, and the figures that come there."""
    figures = []
    with closing(Link(lambda kind, content: figures.append(content) if kind == "figures" else None)) as link:
        yield link.address, figures


@pytest.fixture
def heard(with_snapshot, listening):
    """A job whose tasks report, and what they do."""
    address, figures = listening
    return evolve(with_snapshot, link=address), figures


def test_figures_of_a_snapshot_come_with_the_commits_that_deliver_it(heard):
    job, figures = heard
    deliver(job, SNAPSHOT)
    told = [each["snapshot"] for each in figures]
    assert [(each["rows"], each["ended"]) for each in told] == [(n, False) for n in (20, 40, 60, 80, 100)] + [(100, True)]


def test_figures_between_two_commits_are_put_together(heard):
    job, figures = heard
    deliver(evolve(job, pace=Pace(commit_seconds=100, commit_changes=50)), SNAPSHOT)
    told = [each["snapshot"] for each in figures if each["snapshot"]]
    assert [(each["rows"], each["before"], sorted(each["of"])) for each in told] == [
        (20, 0, ["block 0"]),
        (80, 0, ["block 1", "block 2", "block 3"]),
        (100, 0, ["block 4", "rows"]),
    ]


def test_a_lane_that_an_earlier_run_is_through_with_tells_its_figures(new, listening):
    """Files have one lane: this one takes itself for the first of two."""
    address, figures = listening
    job = begun(evolve(new, link=address), lanes=2)
    first_of_two = Turn(Lane(0, 2), True, "", None, snapshot=True)
    deliver(job, first_of_two)
    figures.clear()
    deliver(job, first_of_two)
    assert [(each["snapshot"]["rows"], each["snapshot"]["ended"], each["commits"]) for each in figures] == [(50, True, 0)]


def test_the_lane_that_tells_the_end_of_a_snapshot_waits_for_the_others(new, monkeypatch):
    telling = begun(evolve(new, document={**new.document, "tells": True}), lanes=2)
    first_of_two = Turn(Lane(0, 2), True, "", None, snapshot=True)
    peek = FilesSink.peek
    others = [Progress("", {"n": 0}, {"lanes": 2, "read": 20}), Progress("", {"n": 0}, {"lanes": 2, "done": True})]
    for other in others:
        monkeypatch.setattr(FilesSink, "peek", lambda sink, lane, other=other: other if lane else peek(sink, lane))
        assert COMPLETED not in delivered(telling)
        deliver(telling, first_of_two)
        assert len(delivered(telling)) == 50 + (other is others[-1])
        assert telling.new_sink().peek(0).snapshot_is_pending is (other is not others[-1])
    assert delivered(telling)[-1] == COMPLETED


def test_a_line_of_the_log_comes_over_the_link_while_a_task_is_at_work(heard, monkeypatch):
    lines = []
    job, _ = heard
    log = logging.getLogger("tailrace.somewhere")
    monkeypatch.setattr(CountingLog, "_check_history", lambda *_: log.info("read %d", 5))
    with closing(Link(lambda kind, content: lines.append(content) if kind == "log" else None)) as link:
        deliver(evolve(job, link=link.address), SNAPSHOT)
        log.info("this one comes too late")
    assert lines == [[logging.INFO, "read 5"]]


def test_without_a_link_the_log_goes_to_standard_error(with_snapshot, monkeypatch, capsys):
    log = logging.getLogger("tailrace.somewhere")
    monkeypatch.setattr(CountingLog, "_check_history", lambda *_: log.warning("careful"))
    deliver(with_snapshot, SNAPSHOT)
    assert "WARNING tailrace.somewhere: careful" in capsys.readouterr().err


def test_a_start_that_finds_no_snapshot_to_take_says_so_once_in_a_commit_of_its_own(new):
    telling = evolve(new, document={**new.document, "tells": True})
    skip = partial(skipped_notification.send, ask=lambda question: question())
    skip(telling, Claim((None,)))
    begun(telling, lanes=2)
    skip(telling, telling.new_sink().claim(1))
    assert delivered(telling) == [], "a new job, and one within its snapshot, skip nothing"
    other = begun(evolve(telling, target=telling.target + "2"))
    deliver(other, SNAPSHOT)
    before = other.new_sink().peek(0)
    skip(other, other.new_sink().claim(1))
    assert delivered(other)[-2:] == [COMPLETED, SKIPPED]
    assert other.new_sink().peek(0) == before
    deliver(other, TO_700)
    assert delivered(other)[-2:] == [COMPLETED, SKIPPED]


@pytest.mark.parametrize("came_through", [True, False])
def test_it_says_so_once_too_where_the_answer_to_its_commit_was_lost(new, monkeypatch, came_through):
    job = begun(evolve(new, document={**new.document, "tells": True}))
    deliver(job, SNAPSHOT)
    commit, lost = FilesSink.commit, []

    def unsure(sink, progress, history):
        if lost or came_through:
            commit(sink, progress, history)
        if not lost:
            lost.append(1)
            raise SinkLostError("the broker went away")

    def again_and_again(question):
        done = False
        while not done:
            with suppress(SinkLostError):
                question()
                done = True

    claim = job.new_sink().claim(1)
    monkeypatch.setattr(FilesSink, "commit", unsure)
    skipped_notification.send(job, claim, again_and_again)
    assert lost
    assert delivered(job)[-2:] == [COMPLETED, SKIPPED]


def test_a_snapshot_that_is_read_is_not_read_again(with_snapshot):
    deliver(with_snapshot, SNAPSHOT)
    assert deliver(with_snapshot, SNAPSHOT).records == 0


def test_a_snapshot_that_broke_off_goes_on_where_it_was(with_snapshot):
    flaky = evolve(with_snapshot, document={**with_snapshot.document, "fail_every": 2})
    with pytest.raises(RetriableError):
        deliver(evolve(flaky, pace=Pace(max_retries=0, commit_at_head=True)), SNAPSHOT)
    assert delivered(with_snapshot) == list(range(-40, 0))
    deliver(flaky, SNAPSHOT)
    assert delivered(with_snapshot) == list(range(-100, 0))


def test_the_log_is_not_begun_before_the_snapshot_is_read(new):
    begun(new, lanes=2)
    deliver(new, SNAPSHOT)
    assert delivered(new) == [], "it is for two lanes"
    with pytest.raises(ProgressError, match="part of a snapshot left"):
        deliver(new, TO_700)


def test_a_stop_within_a_snapshot_does_not_count_as_done(with_snapshot):
    with closing(Link(lambda kind, content: None)) as link:
        link.stop_tasks()
        with pytest.raises(StoppedError):
            deliver(evolve(with_snapshot, link=link.address), SNAPSHOT)
    assert delivered(with_snapshot) == list(range(-20, 0))
