"""What shows before Spark is started, without Spark."""

import threading
from contextlib import contextmanager

import pytest
from attrs import evolve

from support.counting_log import counting_job
from tailrace.errors import ConfigError, FencedError, NoSuchHostError, RetriableError, SourceSetupError, StoppedError
from tailrace.sinks import lease as leases
from tailrace.sinks.lease import NoLeaseError
from tailrace.sinks.lease_file import LeaseFile
from tailrace.source import preflight as module
from tailrace.source.job import Job, Pace
from tailrace.source.preflight import preflight


@pytest.fixture
def job(tmp_path):
    return counting_job(tmp_path, 10, pace=Pace(retry_seconds=0.01, max_retries=3))


@pytest.fixture
def login(monkeypatch):
    """Decides what logins end with, one after the other; then they go well."""
    ends = []
    monkeypatch.setattr(Job, "try_login", lambda _: raise_next(ends))
    return ends


def raise_next(ends):
    if ends:
        raise ends.pop(0)


@contextmanager
def looking(job, told, **options):
    with preflight(job, told.append, **options) as look:
        look.before_spark()
        yield look


def test_nothing_is_said_where_nothing_is_wrong(job, login):
    told = []
    with looking(job, told) as look:
        look.with_spark(lambda: False)
        assert look.watching(lambda: False)() is False
        assert look.watching(lambda: True)() is True
    assert told == []
    assert job.new_lease().read().released


def test_a_wrong_password_stops_it_before_spark_and_leaves_no_lease_behind(job, login):
    login.append(SourceSetupError("Access denied"))
    with pytest.raises(SourceSetupError, match="Access denied"), looking(job, []):
        pytest.fail("Spark would be started")
    assert job.new_lease().read().released


def test_a_server_that_is_down_is_told_and_left_to_the_run(job, login):
    login.append(RetriableError("connection refused"))
    told = []
    with looking(job, told) as look:
        look.with_spark(lambda: False)
    assert told == ["connection refused; trying again"]


def test_a_host_that_is_not_known_yet_is_told_and_left_to_the_run(job, login):
    login.append(NoSuchHostError("there is no such host"))
    told = []
    with looking(job, told) as look:
        look.with_spark(lambda: False)
    assert told == ["there is no such host; trying again"]


def test_a_server_that_is_down_stops_it_at_once_where_nothing_is_to_be_tried_again(job, login):
    login.append(RetriableError("connection refused"))
    with pytest.raises(RetriableError), looking(evolve(job, pace=Pace(max_retries=0)), []):
        pytest.fail("Spark would be started")


def test_a_login_that_takes_long_keeps_nobody_waiting_and_its_error_shows_later(job, monkeypatch):
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)
    answer = threading.Event()

    def slow(_):
        answer.wait()
        raise SourceSetupError("Access denied")

    monkeypatch.setattr(Job, "try_login", slow)
    with looking(job, []) as look:
        answer.set()
        look._login.join()
        with pytest.raises(SourceSetupError):
            look.with_spark(lambda: False)


@pytest.mark.parametrize("slow", ["read", "write"])
def test_a_lease_that_is_had_only_when_all_is_over_is_given_back_by_a_process_that_lives_on(job, login, monkeypatch, slow):
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(module, "END_SECONDS", 0.05)
    asked, answer = getattr(LeaseFile, slow), threading.Event()
    monkeypatch.setattr(LeaseFile, slow, lambda *given, **more: answer.wait(30) and asked(*given, **more))
    login.append(SourceSetupError("Access denied"))
    with pytest.raises(SourceSetupError), preflight(job, print) as look:
        look.before_spark()
    answer.set()
    look._taking.join(30)
    found = job.new_lease().read()
    assert found is None or found.released
    assert not look._lease._beats.is_alive()


def test_a_run_that_is_over_before_its_login_takes_nothing_over(job, monkeypatch):
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(module, "END_SECONDS", 0.05)
    logged_in = threading.Event()
    with preflight(job, print) as active:
        active.with_spark(lambda: False)
        monkeypatch.setattr(Job, "try_login", lambda _: logged_in.wait(30))
        with preflight(evolve(job, run="two"), print, take_over=True) as look:
            look.before_spark()
        logged_in.set()
        look._taking.join(30)
        active.confirm()


class AwayLease:
    """A target that is away for so many questions."""

    def __init__(self, times, error=RetriableError):
        self.times, self.error, self.record = times, error, None

    def read(self):
        self.times -= 1
        if self.times >= 0:
            raise self.error("the brokers are away")
        return self.record

    def write(self, record, *, after):
        self.record = evolve(record, version=record.beat)
        return self.record

    def close(self):
        pass


@pytest.mark.parametrize("times", [1, 4])
def test_a_target_that_is_away_is_tried_again_as_often_as_configured(job, login, monkeypatch, times):
    there = AwayLease(times)
    monkeypatch.setattr(Job, "new_lease", lambda _: there)
    told = []
    with looking(job, told) as look:
        look.with_spark(lambda: False)
        assert not there.record.released
    assert there.record.released
    assert told[0] == "the brokers are away; trying again"
    assert len(told) == times


def test_a_target_that_stays_away_ends_it(job, login, monkeypatch):
    monkeypatch.setattr(Job, "new_lease", lambda _: AwayLease(100))
    with pytest.raises(RetriableError), looking(job, []) as look:
        look.with_spark(lambda: False)


def test_a_stop_ends_the_attempts(job, login, monkeypatch):
    monkeypatch.setattr(Job, "new_lease", lambda _: AwayLease(100))
    with pytest.raises(StoppedError), looking(job, []) as look:
        look.with_spark(lambda: True)


def test_where_there_can_be_no_lease_it_is_told_and_the_run_goes_on(job, login, monkeypatch):
    monkeypatch.setattr(Job, "new_lease", lambda _: AwayLease(1, NoLeaseError))
    told = []
    with looking(job, told) as look:
        look.with_spark(lambda: False)
        assert look.watching(lambda: False)() is False
    assert told == ["warning: the brokers are away"]


def test_a_folder_that_can_not_be_written_is_an_error_before_spark(job, login, tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises((ConfigError, RetriableError), match="out"), looking(job, []) as look:
        look.with_spark(lambda: False)


def test_a_second_run_refuses_before_spark_and_one_that_is_told_to_takes_over(job, login, monkeypatch):
    monkeypatch.setattr(leases, "BEAT_SECONDS", 0.05)
    second = evolve(job, run="second")
    with looking(job, []) as first:
        with pytest.raises(FencedError, match="or end it with --take-over"), looking(second, []):
            pytest.fail("Spark would be started")
        with looking(second, [], take_over=True) as look:
            look.with_spark(lambda: False)
            first._lease._beats.join(30)
            with pytest.raises(FencedError, match="was taken over"):
                first.watching(lambda: False)()


def test_one_that_is_told_to_take_over_and_can_not_log_in_ends_nobody(job, login, monkeypatch):
    monkeypatch.setattr(leases, "BEAT_SECONDS", 0.05)
    with looking(job, []) as first:
        first.with_spark(lambda: False)
        login.append(SourceSetupError("Access denied"))
        with pytest.raises(SourceSetupError, match="Access denied"), looking(evolve(job, run="second"), [], take_over=True):
            pytest.fail("Spark would be started")
        first._lease._beats.join(0.3)
        assert first.watching(lambda: False)() is False


def test_a_stop_does_not_wait_for_a_target_that_hangs(job, login, monkeypatch):
    answers, write = threading.Event(), LeaseFile.write

    def slow(place, record, *, after):
        answers.wait(60)
        return write(place, record, after=after)

    monkeypatch.setattr(module, "GIVE_BACK_SECONDS", 0.05)
    with looking(job, []) as look:
        look.with_spark(lambda: False)
        monkeypatch.setattr(LeaseFile, "write", slow)
    assert not job.new_lease().read().released
    answers.set()
