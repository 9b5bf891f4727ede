"""Noted times: each is waited for by its number; when one is passed, so are all before it."""

import pytest

from tailrace.connectors.change_tables.snapshots import read_times
from tailrace.connectors.change_tables.snapshots.read_times import ReadTimes


class Job:
    """A capture job that has passed a clock up to somewhere, which stands still in `now`."""

    def __init__(self):
        self.clock = 0
        self.passed = 0
        self.asked = []
        self.patience = 120.0

    def stuck(self, moment, seconds):
        return f"{moment} is not passed after {seconds} s"

    def now(self):
        return self.clock

    def has_passed(self, moment):
        self.asked.append(moment)
        return moment < self.passed

    def wait_until_passed(self, moment):
        while not self.has_passed(moment):
            yield


@pytest.fixture
def job():
    return Job()


@pytest.fixture
def noted(job):
    """Three moments of that job, at 0, 10 and 20."""
    moments = ReadTimes(job)
    for clock in (0, 10, 20):
        job.clock = clock
        moments.note()
    return moments


def test_none_is_passed_before_the_job_has_passed_it(job, noted):
    job.passed = 10
    assert [noted.is_passed(number) for number in (1, 2, 3)] == [True, False, False]
    job.passed = 11
    assert [noted.is_passed(number) for number in (2, 3)] == [True, False]


def test_with_one_all_before_it_are_passed_and_not_asked_for_again(job, noted):
    job.passed = 15
    assert noted.is_passed(2)
    job.passed = 0
    assert [noted.is_passed(number) for number in (1, 2, 3)] == [True, True, False]
    assert job.asked == [10, 20]


def test_it_is_waited_for(job, noted):
    steps = noted.wait_until_passed(2)
    next(steps)
    job.passed = 11
    assert list(steps) == []
    assert list(noted.wait_until_passed(1)) == []
    assert not noted.is_passed(3)


def test_a_long_wait_is_told_once(job, noted, caplog, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(read_times.time, "monotonic", lambda: clock[0])
    steps = noted.wait_until_passed(2)
    for clock[0] in (0.0, 30.0, 31.0, 90.0):
        next(steps)
    assert [record.getMessage() for record in caplog.records] == ["the snapshot waits: 10 is not passed after 31 s"]


def test_numbers_go_on_behind_what_is_passed(job, noted):
    job.passed = 100
    assert noted.is_passed(3)
    job.clock = 200
    assert noted.note() == 4
    assert not noted.is_passed(4)
