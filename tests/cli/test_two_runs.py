"""Two runs of one job, as commands: who goes on, who ends and with which code, and how soon."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from attrs import evolve

from support.counting_log import counting_job, delivered, grow
from support.every_scenario import only_with_all
from tailrace.sinks.lease_file import LeaseFile
from tailrace.source.job import Pace
from tailrace_standins.servers.waiting import wait_until

pytestmark = [pytest.mark.spark, pytest.mark.slow]
TESTS = Path(__file__).parents[1]
WAITING = "waiting up to"


@pytest.fixture
def start(tmp_path):
    """Starts a run of the job; each has a name of its own and says what it has to say into a file."""
    job = counting_job(tmp_path, 70, pace=Pace(commit_seconds=0.2))
    started = []

    def begin(name, *options):
        path = tmp_path / f"{name}.json"
        path.write_text(evolve(job, run=name).to_json())
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])}
        script = str(TESTS / "support" / "run_counting_log.py")
        with (tmp_path / f"{name}.log").open("w") as log:
            command = [sys.executable, script, str(path), str(tmp_path / "out" / "_tailrace" / "checkpoint"), *options]
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()


def delivers(tmp_path, changes):
    grow(tmp_path / "log", changes)
    poll(lambda: len(delivered(tmp_path)) >= changes // 7 * 7)


def poll(condition, seconds=180):
    wait_until(condition, seconds, lambda: "nothing happened")


def said(tmp_path, name):
    return (tmp_path / f"{name}.log").read_text()


def holder(tmp_path):
    record = LeaseFile(tmp_path / "out" / "_tailrace").read()
    return record and (record.holder.run, record.released)


def kill_with_java(process):
    """kill -9, as a supervisor's of a whole group."""
    family = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    for child in family:
        child.kill()
    process.wait()


@only_with_all  # test_runs_into_kafka.py has it too
def test_a_second_run_refuses_takes_over_when_told_and_goes_on_at_once_after_a_kill(start, tmp_path):
    first = start("first")
    delivers(tmp_path, 70)
    second = start("second")
    assert second.wait(60) == 7
    for words in (f"is being delivered to by process {first.pid} on", "since", "--take-over"):
        assert words in said(tmp_path, "second")
    assert "CONCURRENT" not in said(tmp_path, "second")
    delivers(tmp_path, 140)
    third = start("third", "--take-over")
    assert first.wait(120) == 7
    assert f"was taken over by process {third.pid}" in said(tmp_path, "first")
    delivers(tmp_path, 210)
    assert WAITING not in said(tmp_path, "third")
    kill_with_java(third)
    assert holder(tmp_path) == ("third", False)
    fourth = start("fourth")
    delivers(tmp_path, 280)
    assert WAITING not in said(tmp_path, "fourth")
    fourth.send_signal(signal.SIGTERM)
    assert fourth.wait(60) == 0
    assert holder(tmp_path) == ("fourth", True)
    fifth = start("fifth", "--available-now")
    assert fifth.wait(120) == 0
    assert WAITING not in said(tmp_path, "fifth")
    assert delivered(tmp_path) == list(range(280))


def test_of_two_that_start_at_the_same_moment_one_goes_on(start, tmp_path):
    both = [start("one"), start("two")]
    poll(lambda: any(process.poll() is not None for process in both), 60)
    assert [process.poll() for process in both].count(7) == 1
    delivers(tmp_path, 140)
    assert delivered(tmp_path) == list(range(140))
